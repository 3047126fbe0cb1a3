// SPDX-License-Identifier: GPL-2.0
/* Record files: whole records or none, and no names of hosts in them. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/lib/environment.h"
#include "../../tools/lib/record_file.h"
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

static void whole(void)
{
	struct record_file file;
	struct units_error err;
	struct stat made;

	umask(027);
	write_text("old\n");
	TEST_U64("open", record_file_open(&file, path, &err), 0);
	TEST_STRING("until then", text_of(path), "old\n");
	record_file_add(&file, "{\"a\":1}");
	TEST_STRING("one", text_of(path), "{\"a\":1}\n");
	record_file_add(&file, "{\"a\":2}");
	TEST_STRING("two", text_of(path), "{\"a\":1}\n{\"a\":2}\n");
	TEST_U64("close", record_file_close(&file, &err), 0);
	TEST_U64("nothing else", files(), 1);
	stat(path, &made);
	TEST_U64("mode", made.st_mode & 0777, 0640);
}

static void none(void)
{
	struct record_file file;
	struct units_error err;

	write_text("old\n");
	TEST_U64("open", record_file_open(&file, path, &err), 0);
	TEST_U64("under way", files(), 2);
	TEST_U64("close", record_file_close(&file, &err), 0);
	TEST_STRING("what was there", text_of(path), "old\n");
	TEST_U64("nothing else", files(), 1);
}

static void links(void)
{
	struct record_file file;
	struct units_error err;
	struct stat found;
	char name[128];

	snprintf(name, sizeof(name), "%s/link", directory);
	TEST_U64("link", symlink("record", name), 0);
	record_file_open(&file, name, &err);
	record_file_add(&file, "{}");
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
		 record_file_open(&file, "/nonexistent/a", &err), -1ULL);
	TEST_STRING("no directory", err.text,
		    "cannot write the record '/nonexistent/a': No such file or directory");
	TEST_U64("a directory", record_file_open(&file, directory, &err),
		 -1ULL);
	TEST_CONTAINS("a directory", err.text, "Is a directory");
	if (access("/dev/full", W_OK)) {
		test_skip("there is no /dev/full");
		return;
	}
	TEST_U64("a device", record_file_open(&file, "/dev/full", &err), 0);
	record_file_add(&file, "{}");
	record_file_add(&file, "{}");
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
	{ "records replace what was there", whole },
	{ "without a record nothing is replaced", none },
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
