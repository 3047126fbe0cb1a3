// SPDX-License-Identifier: GPL-2.0
/* ladder_run: one run of a rung, by this program as a process of its own. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/json.h"
#include "child.h"
#include "child_output.h"
#include "interrupt.h"
#include "ladder_run.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Results and diagnostics. */
enum { RESULTS, DIAGNOSTICS, FILES };

/* The end is awaited even if it is interrupted, which it is told of. */
static void wait_for(struct child *child)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = interrupt_catch(), .events = POLLIN },
			{ .fd = child->fd, .events = POLLIN },
		};

		if (poll(fds, COUNT(fds), -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			return;
		if (fds[0].revents) {
			interrupt_drain();
			child_signal(child, SIGINT);
		}
	}
}

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
static void explain(struct json_object *result, int diagnostics,
		    struct units_error *why)
{
	struct json_object *complaint = child_output_json(diagnostics);
	const char *said = json_text(result, "invalid_because");

	if (!said)
		said = json_text(complaint, "error");
	units_refuse(why, "%s", said ? said : "it printed no result");
	json_object_put(complaint);
}

static int open_files(int files[FILES], struct units_error *why)
{
	for (int i = 0; i < FILES; i++) {
		files[i] = memfd_create("ladder", MFD_CLOEXEC);
		if (files[i] >= 0)
			continue;
		units_refuse(why, "memfd_create: %s", strerror(errno));
		while (i--)
			close(files[i]);
		return -1;
	}
	return 0;
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
	struct ladder_words line = { 0 };
	struct json_object *result;
	struct child child;
	int files[FILES];
	bool valid = false;

	*document = NULL;
	ladder_words_add(&line, "/proc/self/exe");
	ladder_words_add(&line, "-j");
	ladder_words_add(&line, "-s");
	for (size_t i = 0; i < words->count; i++)
		ladder_words_add(&line, words->word[i]);
	if (open_files(files, why))
		return false;
	if (!child_start(&child, (char *const *)line.word, files, why)) {
		wait_for(&child);
		child_wait(&child);
		*document = child_output_json(files[RESULTS]);
		result = json_at(*document, "result");
		valid = json_is(result, "valid");
		if (record && result)
			record_file_add_json(record, *document);
		if (!valid)
			explain(result, files[DIAGNOSTICS], why);
	}
	child_close(&child);
	close(files[RESULTS]);
	close(files[DIAGNOSTICS]);
	return valid;
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
