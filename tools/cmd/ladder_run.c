// SPDX-License-Identifier: GPL-2.0
/* ladder_run: one run of a rung, by this program as a process of its own. */
#include <math.h>
#include <poll.h>
#include <unistd.h>

#include "../base/json.h"
#include "../engines/child.h"
#include "../engines/child_output.h"
#include "../base/interrupt.h"
#include "ladder_run.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* How often is looked for what a sink has to say. */
#define LOOK_MS		10

static void take_sample(struct json_object *result,
			struct ladder_sample *sample)
{
	*sample = (struct ladder_sample){
		.present = true,
		.goodput_bps = json_number(result, "goodput_bps"),
		.packets_per_s = json_number(result, "packets_per_s"),
		.cycles_per_byte = json_number(result, "busy_cycles_per_byte"),
		.cycles_per_packet = json_number(result,
						 "busy_cycles_per_packet"),
		.loss_share = json_number(result, "datagrams.loss_share"),
	};
}

/* Why there is no valid result. */
static void explain(const struct ladder_child *child,
		    struct json_object *result, int status,
		    struct units_error *why)
{
	const char *said = json_text(result, "invalid_because");

	if (said)
		units_refuse(why, "%s", said);
	else
		remote_explain(child->host, status,
			       child->files[CHILD_DIAGNOSTICS], why);
}

/**
 * ladder_child_start() - run a command line that prints a record
 * @child: filled in; for ladder_child_end(), unless it is refused
 * @host: where, as ssh takes it, or NULL for here
 * @words: command and its keywords, which stay
 * @why: why it is refused
 *
 * Return: 0, or -1 with a sentence in @why.
 */
int ladder_child_start(struct ladder_child *child, const char *host,
		       const struct ladder_words *words,
		       struct units_error *why)
{
	struct ladder_words line = { 0 };

	ladder_words_add(&line, "-j");
	ladder_words_add(&line, "-s");
	for (size_t i = 0; i < words->count; i++)
		ladder_words_add(&line, words->word[i]);
	child->host = host;
	if (child_output_open(child->files, why))
		return -1;
	if (!remote_line_make(&child->line, host, line.word, why) &&
	    !child_start_fed(&child->child, child->line.word, child->files,
			     &child->input, why))
		return 0;
	remote_line_free(&child->line);
	child_output_close(child->files);
	return -1;
}

/**
 * ladder_child_port() - wait until a sink says where it listens
 * @child: sink that has been started
 *
 * Return: its port, or NaN where it has ended, or is not to be waited for any
 * more.
 */
double ladder_child_port(const struct ladder_child *child)
{
	struct json_object *document;
	double port;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = interrupt_catch(), .events = POLLIN },
			{ .fd = child->child.fd, .events = POLLIN },
		};
		const int ready = poll(fds, COUNT(fds), LOOK_MS);

		document = child_output_json(child->files[CHILD_RESULTS]);
		port = json_number(document, "listening.port");
		json_object_put(document);
		if (!isnan(port) || ready > 0)
			return port;
	}
}

/**
 * ladder_child_release() - let one end that runs until its input does
 * @child: it has been started
 */
void ladder_child_release(struct ladder_child *child)
{
	if (child->input >= 0)
		close(child->input);
	child->input = -1;
}

/**
 * ladder_child_end() - wait for the end of a command line
 * @child: it has been started, and is forgotten
 * @index: documents that it prints before its record
 * @record: file that the record is added to, or NULL
 * @document: the record, to be put, or NULL where there is none
 * @why: why it has no valid result
 *
 * Return: true where it has one.
 */
bool ladder_child_end(struct ladder_child *child, unsigned int index,
		      struct record_file *record,
		      struct json_object **document, struct units_error *why)
{
	struct json_object *result;
	bool valid;
	int status;

	child_await(&child->child);
	status = child_wait(&child->child);
	ladder_child_release(child);
	*document = child_output_nth(child->files[CHILD_RESULTS], index);
	result = json_at(*document, "result");
	valid = json_is(result, "valid");
	if (record && result)
		record_file_add_json(record, *document);
	if (!valid)
		explain(child, result, status, why);
	child_close(&child->child);
	remote_line_free(&child->line);
	child_output_close(child->files);
	return valid;
}

/**
 * ladder_run_document() - run a command line that prints a record
 * @words: command and its keywords
 * @record: file that the record is added to, or NULL
 * @document: the record, to be put, or NULL where there is none
 * @why: why it has no valid result
 *
 * Return: true where it has one.
 */
bool ladder_run_document(const struct ladder_words *words,
			 struct record_file *record,
			 struct json_object **document, struct units_error *why)
{
	struct ladder_child child;

	*document = NULL;
	if (ladder_child_start(&child, NULL, words, why))
		return false;
	return ladder_child_end(&child, 0, record, document, why);
}

/**
 * ladder_run() - run a rung
 * @words: "start" and its keywords
 * @record: file that the record is added to, or NULL
 * @document: the record, to be put, or NULL where there is none
 * @sample: what came of it
 * @why: why @sample is not present
 *
 * Return: true where @sample is present.
 */
bool ladder_run(const struct ladder_words *words, struct record_file *record,
		struct json_object **document, struct ladder_sample *sample,
		struct units_error *why)
{
	*sample = (struct ladder_sample){ 0 };
	if (ladder_run_document(words, record, document, why))
		take_sample(json_at(*document, "result"), sample);
	return sample->present;
}
