// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl doctor: whether this host is ready for a measurement. */
#include <poll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/json.h"
#include "../base/output.h"
#include "../host/findings.h"
#include "../host/netns.h"
#include "../remote/ssh.h"
#include "../run/run_options.h"
#include "commands.h"

/* Column of the figures. */
#define INDENT		22

struct doctor_options {
	const char *device;
	const char *to;
	const char *netns;
	const char *remote;
};

static const struct options_entry entries[] = {
	{
		.keyword = "dev", .argument = "DEVICE", .parse = options_word,
		.values = OPTIONS_DEVICES,
		.target = offsetof(struct doctor_options, device),
		.help = "device to look at",
		.otherwise = "the one on the way to the address",
	}, {
		.keyword = "to", .argument = "ADDRESS", .parse = options_word,
		.target = offsetof(struct doctor_options, to),
		.help = "address or name to look at the way to; it gets a "
			"request to connect to port 5010 and a datagram",
	}, {
		.keyword = "netns", .argument = "NAME", .parse = options_word,
		.values = OPTIONS_NAMESPACES,
		.target = offsetof(struct doctor_options, netns),
		.help = "network namespace: a name of ip-netns(8), a path, or "
			"a process number",
		.otherwise = "this one",
	}, {
		.keyword = "remote", .argument = "HOST", .parse = run_words_host,
		.target = offsetof(struct doctor_options, remote),
		.help = "host to look at in place of this one, as ssh(1) takes "
			"it; dev, to and netns are of that host",
	},
};

/* What is printed of a check, here or on another host; a remedy may be NULL. */
struct row {
	const char *name;
	const char *state;
	const char *figure;
	const char *why;
	const char *remedy;
};

static void print_row(struct output *out, const struct row *row)
{
	const bool good = !row->remedy;
	char heading[INDENT], text[512];

	output_object_begin(out, NULL);
	output_data_string(out, "name", row->name);
	output_data_string(out, "state", row->state);
	output_data_string(out, "figure", row->figure);
	output_data_string(out, "why", row->why);
	snprintf(heading, sizeof(heading), "%-5s %s", row->state, row->name);
	snprintf(text, sizeof(text), "%s%s%s", row->figure, good ? "" : ": ",
		 good ? "" : row->why);
	paragraph_at(out, INDENT, heading, text);
	if (!good) {
		output_data_string(out, "remedy", row->remedy);
		paragraph_command(out, INDENT, row->remedy);
	}
	output_object_end(out);
}

/* Returns the number of checks that found a problem for a measurement. */
static unsigned int examine(struct output *out, const struct doctor *doctor)
{
	unsigned int bad = 0;

	output_array_begin(out, "findings");
	for (size_t i = 0; i < doctor_row_count; i++) {
		const struct doctor_row *row = &doctor_rows[i];
		struct doctor_finding finding = { "", "" };
		const enum doctor_state state = row->check(doctor, &finding);
		struct doctor_remedy remedy;

		if (state == DOCTOR_SILENT)
			continue;
		bad += state == DOCTOR_BAD;
		if (state != DOCTOR_GOOD)
			remedy = doctor_mend(doctor, row, &finding);
		print_row(out, &(struct row) {
			.name = row->name, .state = doctor_state_name(state),
			.figure = finding.figure, .why = row->why,
			.remedy = state == DOCTOR_GOOD ? NULL : remedy.text,
		});
	}
	output_array_end(out);
	return bad;
}

/* Print what the doctor of another host has found; the same as examine(). */
static unsigned int print_far(struct output *out, struct json_object *document)
{
	static const char *const keys[] = { "name", "state", "figure", "why", "remedy" };
	struct json_object *findings = json_at(document, "findings");
	const size_t count = json_object_array_length(findings);

	output_array_begin(out, "findings");
	for (size_t i = 0; i < count; i++) {
		struct json_object *at = json_object_array_get_idx(findings, i);
		char text[COUNT(keys)][512];

		for (size_t key = 0; key < COUNT(keys); key++) {
			const char *told = json_text(at, keys[key]);

			snprintf(text[key], sizeof(text[key]), "%s", told ? told : "");
			said_clean(text[key]);
		}
		print_row(out, &(struct row) {
			.name = text[0], .state = text[1], .figure = text[2],
			.why = text[3], .remedy = text[4][0] ? text[4] : NULL,
		});
	}
	output_array_end(out);
	return json_u64(document, "bad");
}

static int find_ends(const struct doctor_options *options, uint32_t *device,
		     struct address *to, struct units_error *err)
{
	struct route route;

	*device = 0;
	if (options->device &&
	    route_device(options->netns, options->device, device, err))
		return -1;
	if (!options->to)
		return 0;
	if (address_parse(options->to, AF_UNSPEC, to, err))
		return -1;
	return route_find(options->netns, to, *device, &route, err);
}

static int look_far(struct output *out, const struct doctor_options *options,
		    unsigned int *bad, struct units_error *err)
{
	const char *const words[][2] = {
		{ "dev", options->device }, { "to", options->to },
		{ "netns", options->netns },
	};
	const char *command[2 + 2 * COUNT(words)] = { "doctor" };
	struct json_object *document;
	size_t count = 1;

	for (size_t i = 0; i < COUNT(words); i++) {
		if (!words[i][1])
			continue;
		command[count++] = words[i][0];
		command[count++] = words[i][1];
	}
	if (ssh_document(options->remote, (char *const *)command, &document,
			 err) < 0)
		return -1;
	if (!json_object_is_type(json_at(document, "findings"), json_type_array)) {
		const char *error = json_text(document, "error");

		units_refuse(err, "%s: %s", options->remote,
			     error ? error : "its doctor told nothing");
		said_clean(err->text);
		json_object_put(document);
		return -1;
	}
	*bad = print_far(out, document);
	json_object_put(document);
	return 0;
}

static int look(struct output *out, const struct doctor_options *options,
		unsigned int *bad, struct units_error *err)
{
	struct doctor doctor = { .root = "" };
	struct netns_visit visit;
	struct utsname system;
	struct address to;
	uint32_t device;

	if (find_ends(options, &device, &to, err) ||
	    netns_enter(&visit, options->netns, err))
		return -1;
	uname(&system);
	doctor.release = system.release;
	if (!doctor_read_use("", &doctor.use[0])) {
		poll(NULL, 0, DOCTOR_WATCH_MS);
		doctor_read_use("", &doctor.use[1]);
	}
	/* Ask after measuring the load, since the queries add load. */
	doctor_ask(NULL, device, options->to ? &to : NULL, &doctor.link);
	*bad = examine(out, &doctor);
	netns_leave(&visit);
	return 0;
}

static int run(const struct command_context *context, const void *data)
{
	const struct doctor_options *options = data;
	struct output *out = context->out;
	struct units_error err;
	unsigned int bad;
	int ret;

	ret = options->remote ? look_far(out, options, &bad, &err) :
				look(out, options, &bad, &err);
	if (ret) {
		output_error(out, "%s", err.text);
		return COMMAND_FAILED;
	}
	output_u64(out, "bad", bad, bad ?
		   "Not ready: %u bad, which would spoil a measurement\n" :
		   "Ready: nothing here would spoil a measurement\n", bad);
	return bad ? COMMAND_FAILED : COMMAND_DONE;
}

/**
 * doctor_hint() - print the problems for a run in one line, from cheap checks only
 * @context: context of the run
 *
 * The line goes to standard error, and only if that is a terminal or detail is
 * requested.
 */
void doctor_hint(const struct command_context *context)
{
	const struct doctor doctor = { .root = "" };
	struct doctor_finding first = { "", "" };
	const struct doctor_row *worst = NULL;
	char others[256] = "";

	if (!output_is_text(context->out) ||
	    !(context->statistics || isatty(STDERR_FILENO)))
		return;
	for (size_t i = 0; i < doctor_row_count; i++) {
		const struct doctor_row *row = &doctor_rows[i];
		struct doctor_finding finding = { "", "" };

		if (!row->cheap || row->check(&doctor, &finding) != DOCTOR_BAD)
			continue;
		if (!worst) {
			worst = row;
			first = finding;
			continue;
		}
		snprintf(others + strlen(others), sizeof(others) - strlen(others),
			 "; and %s: %s", row->name, finding.figure);
	}
	if (worst)
		output_warning(context->out,
			       "%s: %s: %s%s; ktput-ctl doctor tells more",
			       worst->name, first.figure, worst->why, others);
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "whether this host is ready for a measurement",
	.notes = "Exit status 1 if something would spoil a measurement.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct doctor_options),
	.run = run,
};
