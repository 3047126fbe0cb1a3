// SPDX-License-Identifier: GPL-2.0
/* link: documents to and from a ktput-ctl on another host, one on each line. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../base/clocks.h"
#include "../base/interrupt.h"
#include "../engines/child.h"
#include "far.h"
#include "link.h"

/* Time between two beats. */
#define BEAT_NS		(200 * 1000000ULL)
#define NSEC_PER_MSEC	1000000
/* A record of the most streams is shorter. */
#define LINE_MAX_BYTES	(256 << 20)
#define READ_BYTES	65536

/* A line that is not complete yet. */
struct partial {
	char *text;
	size_t length;
	size_t size;
};

/* A missed beat does no harm, and the writer of a document may be blocked. */
static void beat(struct link *link)
{
	if (pthread_mutex_trylock(&link->writing))
		return;
	if (write(link->beats, "\n", 1) < 0)
		errno = 0;
	pthread_mutex_unlock(&link->writing);
}

static bool grow(struct partial *line, size_t more)
{
	size_t size = line->size ? line->size : READ_BYTES;
	char *text;

	while (size < line->length + more + 1)
		size *= 2;
	if (size == line->size)
		return true;
	text = size > LINE_MAX_BYTES ? NULL : realloc(line->text, size);
	if (!text)
		return false;
	line->text = text;
	line->size = size;
	return true;
}

/* Hand the lines of @line to the reader; the rest stays. */
static bool hand_over(struct link *link, struct partial *line)
{
	char *from = line->text, *end;
	size_t left = line->length;

	while ((end = memchr(from, '\n', left))) {
		char *copy = end == from ? NULL : strndup(from, end - from);

		left -= end + 1 - from;
		from = end + 1;
		if (copy && write(link->lines[1], &copy, sizeof(copy)) < 0) {
			free(copy);
			return false;
		}
	}
	memmove(line->text, from, left);
	line->length = left;
	return true;
}

/* False if the other side has closed the connection, or writes nonsense. */
static bool hear(struct link *link, struct partial *line)
{
	ssize_t length;

	if (!grow(line, READ_BYTES))
		return false;
	length = read(link->in, line->text + line->length, READ_BYTES);
	if (length <= 0)
		return length < 0 && errno == EINTR;
	line->length += length;
	return hand_over(link, line);
}

static void *attend(void *data)
{
	struct link *link = data;
	struct partial line = { 0 };
	uint64_t beat_ns = monotonic_ns();
	uint64_t heard_ns = beat_ns, patience_ns = link->first_ns;
	struct pollfd fds[] = {
		{ .fd = link->in, .events = POLLIN },
		{ .fd = link->stop, .events = POLLIN },
	};

	for (;;) {
		uint64_t now = monotonic_ns(), until = heard_ns + patience_ns;

		if (now >= beat_ns) {
			beat(link);
			beat_ns = now + BEAT_NS;
		}
		if (until > beat_ns)
			until = beat_ns;
		poll(fds, COUNT(fds), until > now ?
		     (until - now) / NSEC_PER_MSEC + 1 : 0);
		if (fds[1].revents)
			break;
		if (fds[0].revents) {
			if (!hear(link, &line))
				break;
			heard_ns = monotonic_ns();
			patience_ns = LINK_SILENCE_NS;
		}
		link->silent = monotonic_ns() - heard_ns > patience_ns;
		if (link->silent)
			break;
	}
	free(line.text);
	if (!fds[1].revents && link->lost)
		link->lost();
	close(link->lines[1]);
	return NULL;
}

/**
 * link_open() - begin to listen and to send beats
 * @link: with @in, @out, @beats, @lost and @first_ns, and all else zeroed
 * @err: why that is not possible
 */
int link_open(struct link *link, struct units_error *err)
{
	sigset_t all, before;
	int ret;

	link->stop = eventfd(0, EFD_CLOEXEC);
	if (link->stop < 0 || pipe2(link->lines, O_CLOEXEC))
		return units_refuse(err, "pipe: %s", strerror(errno));
	pthread_mutex_init(&link->writing, NULL);
	/* Signals interrupt the main thread, which waits. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = pthread_create(&link->thread, NULL, attend, link);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return units_refuse(err, "no thread: %s", strerror(ret));
	link->running = true;
	return 0;
}

/**
 * link_send() - send the document of the output
 * @link: open link
 *
 * Return: 0, or -1 with errno.
 */
int link_send(struct link *link)
{
	int ret;

	pthread_mutex_lock(&link->writing);
	ret = output_document_end(link->out);
	pthread_mutex_unlock(&link->writing);
	return ret;
}

/**
 * link_receive() - receive a document
 * @link: open link
 * @wait: wait for one
 *
 * Lines that are not documents are skipped: a shell may print some.
 *
 * Return: the document, to be put with json_object_put(). NULL if there is none yet,
 * if the other side is lost, or after too many signals.
 */
struct json_object *link_receive(struct link *link, bool wait)
{
	struct pollfd fd = { .fd = link->lines[0], .events = POLLIN };

	for (;;) {
		struct json_object *document;
		char *line;
		int ready;

		ready = poll(&fd, 1, wait ? -1 : 0);
		if (ready < 0 && errno == EINTR &&
		    interrupt_count() < link->signals)
			continue;
		if (ready <= 0 ||
		    read(fd.fd, &line, sizeof(line)) != sizeof(line))
			return NULL;
		document = json_tokener_parse(line);
		free(line);
		if (json_object_is_type(document, json_type_object))
			return document;
		json_object_put(document);
	}
}

/**
 * link_close() - end the thread
 * @link: set up by link_open(), or all zero
 */
void link_close(struct link *link)
{
	const uint64_t one = 1;
	struct json_object *left;

	if (!link->running)
		return;
	if (write(link->stop, &one, sizeof(one)) < 0)
		abort();
	pthread_join(link->thread, NULL);
	link->running = false;
	while ((left = link_receive(link, false)))
		json_object_put(left);
	close(link->lines[0]);
	close(link->stop);
	pthread_mutex_destroy(&link->writing);
}
