// SPDX-License-Identifier: GPL-2.0
/* child: run a command line in the background. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../host/tasks.h"
#include "child.h"

/* Offset of the exit status of a process ended by a signal, as in shells. */
#define BY_SIGNAL	128

/* Runs in the new process; writes errno to @report on failure. */
static void become(char *const *words, const int files[3], pid_t parent,
		   int report)
{
	int error;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* The parent ended before PR_SET_PDEATHSIG took effect. */
	if (getppid() != parent)
		_exit(1);
	for (int i = 0; i < 3; i++)
		if (files[i] >= 0 && dup2(files[i], i) < 0)
			goto failed;
	execvp(words[0], words);
failed:
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(1);
	_exit(1);
}

/* The errno of a failed exec, or 0. */
static int outcome(int report)
{
	ssize_t length;
	int error = 0;

	do
		length = read(report, &error, sizeof(error));
	while (length < 0 && errno == EINTR);
	return length == sizeof(error) ? error : 0;
}

/**
 * child_start() - run a command line
 * @child: filled in; release with child_close()
 * @words: program, looked up in PATH, and its arguments, ended by NULL
 * @outputs: files for its standard output and standard error, NULL to share those
 *	of this program
 * @err: why it cannot be run
 *
 * Return: 0, or -1 with a message in @err, and errno.
 */
int child_start(struct child *child, char *const *words, const int *outputs,
		struct units_error *err)
{
	const int files[] = {
		-1, outputs ? outputs[0] : -1, outputs ? outputs[1] : -1,
	};

	return child_start_with(child, words, files, err);
}

/**
 * child_start_with() - run a command line with files of its own
 * @child: filled in; release with child_close()
 * @words: as for child_start()
 * @files: its standard input, output and error; -1 to share that of this program
 * @err: why it cannot be run
 *
 * Return: 0, or -1 with a message in @err, and errno.
 */
int child_start_with(struct child *child, char *const *words,
		     const int files[3], struct units_error *err)
{
	const pid_t parent = getpid();
	int report[2], error;

	*child = (struct child){ .fd = -1 };
	if (pipe2(report, O_CLOEXEC))
		return units_refuse(err, "pipe: %s", strerror(errno));
	child->pid = fork();
	if (!child->pid) {
		close(report[0]);
		become(words, files, parent, report[1]);
	}
	error = child->pid < 0 ? errno : 0;
	close(report[1]);
	if (!error) {
		/* The child does the same: either may run first. */
		setpgid(child->pid, child->pid);
		error = outcome(report[0]);
	}
	close(report[0]);
	if (!error) {
		child->fd = pidfd_open(child->pid, 0);
		error = child->fd < 0 ? errno : 0;
	}
	if (!error)
		return 0;
	units_refuse(err, "'%s' cannot be run: %s", words[0], strerror(error));
	child_close(child);
	errno = error;
	return -1;
}

/**
 * child_signal() - send a signal to a child and its descendants
 * @child: child that has not been waited for
 * @signal: number
 */
void child_signal(const struct child *child, int signal)
{
	kill(-child->pid, signal);
}

/**
 * child_wait() - reap a child
 * @child: child, cleared afterwards
 *
 * Return: its exit status, or 128 plus the number of the signal that ended it.
 */
int child_wait(struct child *child)
{
	int status;

	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	child->pid = 0;
	if (WIFSIGNALED(status))
		return BY_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/**
 * child_close() - end a child if it still runs
 * @child: set up by child_start(), or all zero
 */
void child_close(struct child *child)
{
	if (child->pid > 0) {
		child_signal(child, SIGKILL);
		child_wait(child);
	}
	if (child->fd > 0)
		close(child->fd);
	*child = (struct child){ .fd = -1 };
}

static void add_thread(struct child_times *sum, pid_t pid, const char *thread)
{
	uint64_t run_ns, delay_ns;
	char path[320];

	snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, thread);
	if (!tasks_read_times(path, &run_ns, &delay_ns))
		return;
	sum->known = true;
	sum->run_ns += run_ns;
	sum->delay_ns += delay_ns;
}

/**
 * child_times_look() - read the times of a process, which may have ended
 * @times: times; zeroed before the first look
 * @pid: the process, not waited for yet
 */
void child_times_look(struct child_times *times, pid_t pid)
{
	struct child_times sum = { 0 };
	const struct dirent *entry;
	char path[32];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return;
	/* ".." has the times of the first thread as well. */
	while ((entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			add_thread(&sum, pid, entry->d_name);
	closedir(threads);
	if (sum.known && sum.run_ns >= times->run_ns)
		*times = sum;
}

/* Maximum output of a run; with -s one second of traffic takes some 20 KiB. */
#define OUTPUT_MAX	(64 << 20)

/* Map the contents, NULL if they are empty or too large. */
static const char *map(int fd, size_t *size)
{
	struct stat stat;
	void *text;

	if (fstat(fd, &stat) || !stat.st_size || stat.st_size > OUTPUT_MAX)
		return NULL;
	*size = stat.st_size;
	text = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	return text == MAP_FAILED ? NULL : text;
}

/**
 * child_output_json() - read the first JSON document of a file
 * @fd: the file
 *
 * Return: the document, to be put with json_object_put(), or NULL.
 */
struct json_object *child_output_json(int fd)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document = NULL;
	const char *text;
	size_t size;

	if (!tokener)
		return NULL;
	text = map(fd, &size);
	if (text) {
		document = json_tokener_parse_ex(tokener, text, size);
		munmap((void *)text, size);
	}
	json_tokener_free(tokener);
	return document;
}

/**
 * child_output_text() - read a whole file
 * @fd: the file
 *
 * Return: the text, for free(), or NULL if the file is empty.
 */
char *child_output_text(int fd)
{
	const char *text;
	char *copy;
	size_t size;

	text = map(fd, &size);
	if (!text)
		return NULL;
	copy = strndup(text, size);
	munmap((void *)text, size);
	return copy;
}

/* More than a client has; of others nothing is told. */
#define SOCKETS_MAX	1024

/* The sockets of a process, and where its connections are kept. */
struct look {
	uint32_t inodes[SOCKETS_MAX];
	size_t count;
	struct child_sockets *to;
};

static void find_inodes(struct look *look, pid_t pid)
{
	const struct dirent *entry;
	char path[32];
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	fds = opendir(path);
	if (!fds)
		return;
	while (look->count < SOCKETS_MAX && (entry = readdir(fds))) {
		char name[32];
		const ssize_t length = readlinkat(dirfd(fds), entry->d_name, name,
						  sizeof(name) - 1);

		name[length > 0 ? length : 0] = '\0';
		if (sscanf(name, "socket:[%u]", &look->inodes[look->count]) == 1)
			look->count++;
	}
	closedir(fds);
}

static bool is_of_process(const struct look *look, uint32_t inode)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->inodes[i] == inode)
			return true;
	return false;
}

/* Where it is kept, added if it is new; NULL without memory. */
static struct child_socket *kept(struct child_sockets *sockets, uint32_t inode)
{
	struct child_socket *more;

	for (size_t i = 0; i < sockets->count; i++)
		if (sockets->socket[i].inode == inode)
			return &sockets->socket[i];
	more = reallocarray(sockets->socket, sockets->count + 1, sizeof(*more));
	if (!more)
		return NULL;
	sockets->socket = more;
	more += sockets->count++;
	more->inode = inode;
	return more;
}

static void take_socket(struct nlmsghdr *message, void *data)
{
	const struct inet_diag_msg *header = nlmsg_data(message);
	struct nlattr *tb[INET_DIAG_MAX + 1];
	struct child_socket *socket;
	struct look *look = data;

	if (message->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    nlmsg_parse(message, sizeof(*header), tb, INET_DIAG_MAX, NULL) ||
	    !tb[INET_DIAG_INFO] || !is_of_process(look, header->idiag_inode))
		return;
	socket = kept(look->to, header->idiag_inode);
	if (socket)
		tcpinfo_parse(&socket->tcp, nla_data(tb[INET_DIAG_INFO]),
			      nla_len(tb[INET_DIAG_INFO]));
}

/**
 * child_sockets_begin() - look at the connections of a process from now on
 * @sockets: zeroed; release with child_sockets_end()
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @remote: address and port of its server
 */
void child_sockets_begin(struct child_sockets *sockets, const char *netns,
			 const struct address *remote)
{
	struct units_error ignored;

	sockets->remote = *remote;
	sockets->looks = !netlink_open(&sockets->nl, NETLINK_SOCK_DIAG, netns,
				       &ignored);
}

/**
 * child_sockets_look() - look at them
 * @sockets: the connections
 * @pid: the process
 */
void child_sockets_look(struct child_sockets *sockets, pid_t pid)
{
	const struct inet_diag_req_v2 request = {
		.sdiag_family = address_family(&sockets->remote),
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1 << (INET_DIAG_INFO - 1),
		.idiag_states = 1 << TCPINFO_ESTABLISHED,
		.id.idiag_dport = htons(address_port(&sockets->remote)),
	};
	struct look look = { .to = sockets };

	if (!sockets->looks)
		return;
	find_inodes(&look, pid);
	sockets->looks = netlink_ask(&sockets->nl, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP,
				     &request, sizeof(request), take_socket, &look);
}

/* Those that sent most are first. */
static int by_bytes(const void *one, const void *other)
{
	const uint64_t a = ((const struct child_socket *)one)->tcp.bytes_sent;
	const uint64_t b = ((const struct child_socket *)other)->tcp.bytes_sent;

	return (a < b) - (a > b);
}

/**
 * child_sockets_rank() - sort them by what they have sent, the most first
 * @sockets: the connections
 *
 * One that the program controls its server by, with next to nothing, comes last.
 */
void child_sockets_rank(struct child_sockets *sockets)
{
	if (sockets->count)
		qsort(sockets->socket, sockets->count, sizeof(*sockets->socket),
		      by_bytes);
}

/**
 * child_sockets_end() - look at them no more
 * @sockets: the connections
 */
void child_sockets_end(struct child_sockets *sockets)
{
	if (sockets->nl.sock)
		netlink_close(&sockets->nl);
	free(sockets->socket);
	*sockets = (struct child_sockets) { 0 };
}
