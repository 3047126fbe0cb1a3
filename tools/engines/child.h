/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child: run a command line in the background.
 *
 * The child has its own process group, so that an interrupt from the terminal is
 * passed on once. It ends with this program.
 */
#ifndef KTPUT_CTL_CHILD_H
#define KTPUT_CTL_CHILD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/units.h"
#include "../host/address.h"
#include "../host/netlink.h"
#include "../module/tcpinfo.h"

/**
 * struct child - a process
 * @pid: its number, 0 for none
 * @fd: becomes readable when it ends
 */
struct child {
	pid_t pid;
	int fd;
};

int child_start(struct child *child, char *const *words, const int *outputs,
		struct units_error *err);
int child_start_with(struct child *child, char *const *words,
		     const int files[3], struct units_error *err);
void child_signal(const struct child *child, int signal);
int child_wait(struct child *child);
void child_close(struct child *child);

/*
 * child_times: how long another program ran, and was delayed.
 *
 * Of all its threads, from /proc/PID/task. What a thread had that has ended before the
 * process is kept from the look before.
 */

/**
 * struct child_times - CPU time of a process
 * @known: the kernel tells
 * @run_ns: time that its threads ran
 * @delay_ns: time that they were ready to run and did not (run delay)
 */
struct child_times {
	bool known;
	uint64_t run_ns;
	uint64_t delay_ns;
};

void child_times_look(struct child_times *times, pid_t pid);

struct json_object *child_output_json(int fd);
char *child_output_text(int fd);

/*
 * child_sockets: what TCP tells of the connections of another program.
 *
 * Their sockets are the process's own (/proc/PID/fd); sock_diag(7) tells the state of each.
 * Nothing is told of one that is closed, so what was told last is kept.
 */

/**
 * struct child_socket - a connection
 * @inode: number of its socket
 * @tcp: what was told of it last
 */
struct child_socket {
	uint32_t inode;
	struct tcpinfo tcp;
};

/**
 * struct child_sockets - the connections of a process to one address
 * @remote: address and port
 * @nl: socket in the network namespace of the process, if @looks
 * @looks: they are looked at
 * @socket: the connections, for free()
 * @count: number of those
 */
struct child_sockets {
	struct address remote;
	struct netlink nl;
	bool looks;
	struct child_socket *socket;
	size_t count;
};

void child_sockets_begin(struct child_sockets *sockets, const char *netns,
			 const struct address *remote);
void child_sockets_look(struct child_sockets *sockets, pid_t pid);
void child_sockets_rank(struct child_sockets *sockets);
void child_sockets_end(struct child_sockets *sockets);

#endif
