// SPDX-License-Identifier: GPL-2.0
/* bidir: a run in the other direction at the same time. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/interrupt.h"
#include "../base/json.h"
#include "../base/spool.h"
#include "../result/record_read.h"
#include "bidir.h"

#define FIELD(member)	offsetof(struct run_options, member)

/* Value of bidir in the process that makes the run in the other direction. */
#define OTHER	2

/* Keywords that change places: those of an end are of its host, either way. */
static const struct {
	size_t one, other, size;
} places[] = {
	{ FIELD(to), FIELD(from), sizeof(char *) },
	{ FIELD(netns), FIELD(sink_netns), sizeof(char *) },
	{ FIELD(device), FIELD(sink_device), sizeof(char *) },
	{ FIELD(cpus), FIELD(sink_cpus), sizeof(struct units_cpus) },
};

static void swap(void *one, void *other, size_t size)
{
	char kept[sizeof(struct units_cpus)];

	memcpy(kept, one, size);
	memcpy(one, other, size);
	memcpy(other, kept, size);
}

/**
 * bidir_is_other() - whether this process makes the run in the other direction
 * @options: its options
 *
 * Return: true if it does.
 */
bool bidir_is_other(const struct run_options *options)
{
	return options->bidir == OTHER;
}

/* Mark the keywords of a field as given, or as not given. */
static void give(struct command_context *context, size_t field, bool given)
{
	for (size_t i = 0; i < context->options->count; i++) {
		if (!options_has(context->options, i) ||
		    context->options->entry[i].target != field)
			continue;
		context->given.bits[i / 64] &= ~(1ULL << i % 64);
		if (given)
			options_add(&context->given, i);
	}
}

static void turn(struct command_context *context, struct run_options *options)
{
	for (size_t i = 0; i < COUNT(places); i++) {
		const bool one = options_given(context->options, context->given,
					       places[i].one);
		const bool other = options_given(context->options,
						 context->given,
						 places[i].other);

		swap((char *)options + places[i].one,
		     (char *)options + places[i].other, places[i].size);
		give(context, places[i].one, other);
		give(context, places[i].other, one);
	}
	options->bidir = OTHER;
	options->reverse = !!options->remote;
	/* The process here has the lock of both hosts. */
	options->exclusive = 0;
	options->until_eof = 1;
}

/* In the process of the other direction: make the run, and write its record. */
static void run_other(const struct command_context *context,
		      const struct run_options *options, int fd, repeat_run run)
{
	struct command_context turned = *context;
	struct run_options own = *options;
	struct repeat_outcome outcome = { 0 };
	FILE *to = dup2(fd, STDIN_FILENO) < 0 ? NULL : fdopen(fd, "w");
	/* The other process prints the result, and its warnings. */
	FILE *unread = fopen("/dev/null", "w");
	int ret;

	if (!to || !unread)
		_exit(COMMAND_FAILED);
	interrupt_renew();
	turned.out = output_new(to, unread, OUTPUT_JSON, "ktput-ctl");
	output_apart(turned.out);
	turn(&turned, &own);
	ret = run(&turned, &own, &outcome);
	if (output_document_end(turned.out) || output_free(turned.out))
		ret = COMMAND_FAILED;
	fflush(to);
	_exit(ret);
}

/**
 * bidir_begin() - start the process of the other direction
 * @bidir: zeroed; release with bidir_close()
 * @context: the command's context
 * @options: its options
 * @run: makes a run
 * @err: why it cannot be started
 *
 * Return: 0, also if there is no other direction, or -1 with a sentence in @err.
 */
int bidir_begin(struct bidir *bidir, const struct command_context *context,
		const struct run_options *options, repeat_run run,
		struct units_error *err)
{
	const pid_t parent = getpid();
	int ends[2];

	if (!options->bidir)
		return 0;
	if (bidir_is_other(options)) {
		bidir->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC,
				  STDERR_FILENO + 1);
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return units_refuse(err, "socketpair: %s", strerror(errno));
	fflush(NULL);
	bidir->pid = fork();
	if (!bidir->pid) {
		close(ends[0]);
		/* Signals from a terminal go to the other process alone. */
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(COMMAND_FAILED);
		run_other(context, options, ends[1], run);
	}
	bidir->fd = ends[0];
	close(ends[1]);
	if (bidir->pid > 0) {
		setpgid(bidir->pid, bidir->pid);
		return 0;
	}
	return units_refuse(err, "fork: %s", strerror(errno));
}

/*
 * What the process writes at its end: its intervals one by one, then its document.
 *
 * @document: the document, NULL until it has come
 * @spool: the intervals, NULL without any
 * @intervals: their number
 * @lost: there was no room for all of them
 */
struct received {
	struct json_object *document;
	struct json_object *spool;
	uint64_t intervals;
	bool lost;
};

static void take(struct received *received, struct json_object *object)
{
	struct json_object *interval = json_at(object, "interval");

	if (!interval) {
		json_object_put(received->document);
		received->document = object;
		return;
	}
	if (!received->spool)
		received->spool = spool_new(NULL);
	received->intervals++;
	if (!received->lost)
		received->lost = spool_add(received->spool, interval);
	json_object_put(object);
}

/* Take what is whole of a text, and leave the rest to the tokener. */
static void parse(struct received *received, struct json_tokener *tokener,
		  const char *text, size_t length)
{
	while (length) {
		struct json_object *object =
			json_tokener_parse_ex(tokener, text, length);
		const size_t parsed = json_tokener_get_parse_end(tokener);

		if (!object)
			return;
		take(received, object);
		text += parsed;
		length -= parsed;
	}
}

/* Put the intervals where they are in a document. */
static void join(struct received *received)
{
	struct json_object *array = json_array(received->document, "intervals");

	if (!received->spool)
		return;
	received->lost |= spool_end(received->spool);
	if (received->lost && received->document)
		json_object_object_add(received->document, "intervals_missing",
				       json_object_new_uint64(received->intervals));
	if (array && !received->lost)
		json_object_array_add(array, json_object_get(received->spool));
	json_object_put(received->spool);
}

/* The document; NULL without one. */
static struct json_object *receive(struct bidir *bidir, unsigned int signals)
{
	struct json_tokener *tokener = json_tokener_new();
	struct received received = { 0 };
	char text[65536];
	ssize_t length = 1;

	while (tokener && length) {
		length = recv(bidir->fd, text, sizeof(text), 0);
		if (length < 0 && errno == EINTR &&
		    interrupt_count() < signals) {
			shutdown(bidir->fd, SHUT_WR);
			continue;
		}
		if (length <= 0)
			break;
		parse(&received, tokener, text, length);
	}
	if (tokener)
		json_tokener_free(tokener);
	join(&received);
	return received.document;
}

/**
 * bidir_end() - print the result of the other direction, if there is one
 * @bidir: what bidir_begin() began
 * @session: session of this direction, whose result has been printed
 * @err: why a result is not valid
 */
int bidir_end(struct bidir *bidir, struct session *session,
	      struct units_error *err)
{
	struct json_object *document;
	int ret = -1;

	if (!bidir->pid)
		return 0;
	if (session->interrupted)
		shutdown(bidir->fd, SHUT_WR);
	document = receive(bidir, 2);
	if (json_at(document, "result"))
		ret = record_print_other(session, document, err);
	else
		units_refuse(err, "the other direction has no result%s%s",
			     json_text(document, "error") ? ": " : "",
			     json_text(document, "error") ?
			     json_text(document, "error") : "");
	json_object_put(document);
	return ret;
}

/**
 * bidir_explain() - say why the other direction has not started
 * @bidir: what bidir_begin() began
 * @err: what this direction says; replaced by what the other one says, if it does
 */
void bidir_explain(struct bidir *bidir, struct units_error *err)
{
	struct json_object *document;

	if (!bidir->pid || interrupt_count())
		return;
	shutdown(bidir->fd, SHUT_WR);
	document = receive(bidir, 1);
	if (json_text(document, "error"))
		units_refuse(err, "%s", json_text(document, "error"));
	json_object_put(document);
}

/**
 * bidir_close() - end the process of the other direction
 * @bidir: what bidir_begin() began, or all zero
 */
void bidir_close(struct bidir *bidir)
{
	if (bidir->pid <= 0)
		return;
	close(bidir->fd);
	kill(-bidir->pid, SIGKILL);
	while (waitpid(bidir->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*bidir = (struct bidir) { 0 };
}
