// SPDX-License-Identifier: GPL-2.0
/* Record files: whole records or none, and no names of hosts in them. */
#include <dirent.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/host/environment.h"
#include "../../tools/base/record_file.h"
#include "test.h"

static char directory[64];
static char path[128];

static void write_text(const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

static const char *text_of(const char *name)
{
	static char text[256];
	FILE *file = fopen(name, "r");
	size_t length;

	if (!file)
		return "(none)";
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

static unsigned int files(void)
{
	DIR *entries = opendir(directory);
	unsigned int count = 0;

	while (readdir(entries))
		count++;
	closedir(entries);
	return count - 2;
}

static void add(struct record_file *file, const char *text)
{
	struct json_object *record = json_tokener_parse(text);

	record_file_add(file, record);
	json_object_put(record);
}

/* What is there, a record more, and another. */
static void appended(void)
{
	struct record_file file;
	struct units_error err;
	struct stat before, after;

	write_text("old\n");
	stat(path, &before);
	TEST_U64("open", record_file_open(&file, path, false, &err), 0);
	TEST_STRING("until then", text_of(path), "old\n");
	add(&file, "{\"a\":1}");
	TEST_STRING("one", text_of(path), "old\n{\"a\":1}\n");
	add(&file, "{\"a\":2}");
	TEST_STRING("two", text_of(path), "old\n{\"a\":1}\n{\"a\":2}\n");
	TEST_U64("close", record_file_close(&file, &err), 0);
	TEST_U64("nothing else", files(), 1);
	stat(path, &after);
	TEST_U64("the same file", after.st_ino, before.st_ino);

	TEST_TRUE("whole", !file.cut);
	write_text("{\"a\":0}\n{\"a\":1}");
	TEST_U64("open", record_file_open(&file, path, false, &err), 0);
	TEST_TRUE("whole, without an end of line", !file.cut);
	record_file_close(&file, &err);

	write_text("{\"a\":0}\n{\"a\":");
	TEST_U64("open", record_file_open(&file, path, true, &err), 0);
	TEST_TRUE("to be replaced", !file.cut);
	record_file_close(&file, &err);

	write_text("{\"a\":");
	TEST_U64("open", record_file_open(&file, path, false, &err), 0);
	TEST_TRUE("cut", file.cut);
	add(&file, "{}");
	record_file_close(&file, &err);
	TEST_STRING("behind a line without an end", text_of(path),
		    "{\"a\":\n{}\n");
}

static void made(void)
{
	struct record_file file;
	struct units_error err;
	struct stat found;

	unlink(path);
	umask(027);
	TEST_U64("open", record_file_open(&file, path, false, &err), 0);
	TEST_U64("nothing yet", files(), 0);
	add(&file, "{}");
	TEST_STRING("there", text_of(path), "{}\n");
	record_file_close(&file, &err);
	stat(path, &found);
	TEST_U64("mode", found.st_mode & 0777, 0640);
}

static void replaced(void)
{
	struct record_file file;
	struct units_error err;
	struct stat found;

	umask(027);
	write_text("old\n");
	TEST_U64("open", record_file_open(&file, path, true, &err), 0);
	TEST_STRING("until then", text_of(path), "old\n");
	TEST_U64("nothing else yet", files(), 1);
	add(&file, "{\"a\":1}");
	TEST_STRING("one", text_of(path), "{\"a\":1}\n");
	add(&file, "{\"a\":2}");
	TEST_STRING("two", text_of(path), "{\"a\":1}\n{\"a\":2}\n");
	TEST_U64("close", record_file_close(&file, &err), 0);
	TEST_U64("nothing else", files(), 1);
	stat(path, &found);
	TEST_U64("mode", found.st_mode & 0777, 0640);
}

static void none(void)
{
	struct record_file file;
	struct units_error err;

	for (int replace = 0; replace < 2; replace++) {
		write_text("old\n");
		TEST_U64("open", record_file_open(&file, path, replace, &err),
			 0);
		TEST_U64("close", record_file_close(&file, &err), 0);
		TEST_STRING("what was there", text_of(path), "old\n");
		TEST_U64("nothing else", files(), 1);
	}
}

/* There is no room for all of it: nothing of it is there. */
static void too_long(void)
{
	static char line[8192];
	struct record_file file;
	struct units_error err;
	struct rlimit before, limit;

	memset(line, 'x', sizeof(line) - 1);
	line[0] = '"';
	line[sizeof(line) - 2] = '"';
	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit) { 4096, before.rlim_max };
	for (int replace = 0; replace < 2; replace++) {
		write_text("old\n");
		record_file_open(&file, path, replace, &err);
		setrlimit(RLIMIT_FSIZE, &limit);
		add(&file, line);
		setrlimit(RLIMIT_FSIZE, &before);
		TEST_U64("close", record_file_close(&file, &err), -1ULL);
		TEST_CONTAINS("why", err.text, "File too large");
		TEST_STRING("what was there", text_of(path), "old\n");
		TEST_U64("nothing else", files(), 1);
	}
}

#define LONG_LINE	(64 << 20)

/* A program that writes a long record, and is killed as soon as it has begun. */
static void kill_in_the_middle(char *line)
{
	struct record_file file;
	struct units_error err;
	struct stat found;
	pid_t writer;
	int fd;

	writer = fork();
	if (!writer) {
		record_file_open(&file, path, false, &err);
		add(&file, line);
		_exit(0);
	}
	do
		stat(path, &found);
	while (found.st_size <= 4 && !waitpid(writer, NULL, WNOHANG));
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	/* A process that still writes holds the lock. */
	fd = open(path, O_RDONLY);
	flock(fd, LOCK_EX);
	close(fd);
}

static void killed(void)
{
	char *line = malloc(LONG_LINE + 1);
	struct stat found;

	memset(line, 'x', LONG_LINE);
	line[0] = '"';
	line[LONG_LINE - 1] = '"';
	line[LONG_LINE] = '\0';
	write_text("old\n");
	kill_in_the_middle(line);
	stat(path, &found);
	TEST_U64("bytes", found.st_size, strlen("old\n") + LONG_LINE + 1);
	free(line);
}

static void links(void)
{
	struct record_file file;
	struct units_error err;
	struct stat found;
	char name[128];

	snprintf(name, sizeof(name), "%s/link", directory);
	TEST_U64("link", symlink("record", name), 0);
	record_file_open(&file, name, true, &err);
	add(&file, "{}");
	record_file_close(&file, &err);
	TEST_STRING("target", text_of(path), "{}\n");
	lstat(name, &found);
	TEST_TRUE("still a link", S_ISLNK(found.st_mode));
	unlink(name);
}

static void refusals(void)
{
	struct record_file file;
	struct units_error err;

	TEST_U64("no directory",
		 record_file_open(&file, "/nonexistent/a", false, &err),
		 -1ULL);
	TEST_STRING("no directory", err.text,
		    "cannot write the record '/nonexistent/a': No such file or directory");
	TEST_U64("a directory", record_file_open(&file, directory, false, &err),
		 -1ULL);
	TEST_CONTAINS("a directory", err.text, "Is a directory");
	if (access("/dev/full", W_OK)) {
		test_skip("there is no /dev/full");
		return;
	}
	TEST_U64("a device", record_file_open(&file, "/dev/full", false, &err), 0);
	add(&file, "{}");
	add(&file, "{}");
	TEST_U64("a full one", record_file_close(&file, &err), -1ULL);
	TEST_CONTAINS("a full one", err.text, "No space left on device");
	TEST_TRUE("is not replaced", !access("/dev/full", F_OK));
}

static void words(void)
{
	char line[] = "BOOT_IMAGE=/vmlinuz root=UUID=5-6 ro mitigations=off "
		      "systemd.hostname=fir ip=10.0.0.1::::fir:eth0 nosmt";
	char all[] = "root=/dev/sda1";

	environment_public_words(line);
	TEST_STRING("what stays", line, "ro mitigations=off nosmt");
	environment_public_words(all);
	TEST_STRING("nothing stays", all, "");
}

static const struct test_case cases[] = {
	{ "records go behind what is there", appended },
	{ "a file is made by its first record", made },
	{ "records replace what was there", replaced },
	{ "without a record nothing is touched", none },
	{ "one that does not fit is not there in part", too_long },
	{ "one that is being written is there whole after a kill", killed },
	{ "links are followed", links },
	{ "what cannot be written", refusals },
	{ "words of the kernel's command line", words },
};

int main(void)
{
	int ret;

	snprintf(directory, sizeof(directory), "/tmp/ktput.XXXXXX");
	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/record", directory);
	ret = test_run(cases, TEST_COUNT(cases));
	unlink(path);
	rmdir(directory);
	return ret;
}
