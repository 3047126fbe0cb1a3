/* SPDX-License-Identifier: GPL-2.0 */
/*
 * link: documents to and from a ktput-ctl on another host, one on each line.
 *
 * Both sides send an empty line, a beat, several times per second. A side that hears
 * nothing for LINK_SILENCE_NS takes the other one as lost. A thread sends and
 * listens, so a side that waits for something else is not taken as lost.
 */
#ifndef KTPUT_REMOTE_LINK_H
#define KTPUT_REMOTE_LINK_H

#include <json-c/json.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/output.h"
#include "../base/units.h"

/* Far runs end within 2 s after the last beat. */
#define LINK_SILENCE_NS	(1700 * 1000000ULL)

/**
 * struct link - a connection
 * @in: the other side is heard here
 * @out: output whose documents go to the other side
 * @beats: descriptor that beats are written to, the same as @out writes to
 * @lost: called in the thread when the other side is lost, or NULL
 * @first_ns: time that the first line may take
 * @signals: signals after which a reader gives up
 * @silent: the other side was lost since nothing was heard; written before @lines
 *	ends
 * @lines: pipe of pointers to the lines, from the thread
 * @stop: descriptor that ends the thread
 * @writing: held to write
 * @thread: the thread
 * @running: there is a thread
 */
struct link {
	int in;
	struct output *out;
	int beats;
	void (*lost)(void);
	uint64_t first_ns;
	unsigned int signals;
	bool silent;
	int lines[2];
	int stop;
	pthread_mutex_t writing;
	pthread_t thread;
	bool running;
};

int link_open(struct link *link, struct units_error *err);
int link_send(struct link *link);
struct json_object *link_receive(struct link *link, bool wait);
void link_close(struct link *link);

#endif
