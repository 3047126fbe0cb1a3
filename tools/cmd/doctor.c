// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl doctor: whether this host is ready for a measurement. */
#include <poll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/output.h"
#include "../host/findings.h"
#include "../host/netns.h"
#include "commands.h"

/* Column of the figures. */
#define INDENT		22

struct doctor_options {
	const char *device;
	const char *to;
	const char *netns;
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
	},
};

static void print_finding(struct output *out, const struct doctor *doctor,
			  const struct doctor_row *row, enum doctor_state state,
			  const struct doctor_finding *finding)
{
	const char *name = doctor_state_name(state);
	char heading[INDENT], text[512];

	output_object_begin(out, NULL);
	output_data_string(out, "name", row->name);
	output_data_string(out, "state", name);
	output_data_string(out, "figure", finding->figure);
	output_data_string(out, "why", row->why);
	snprintf(heading, sizeof(heading), "%-5s %s", name, row->name);
	snprintf(text, sizeof(text), "%s%s%s", finding->figure,
		 state == DOCTOR_GOOD ? "" : ": ",
		 state == DOCTOR_GOOD ? "" : row->why);
	paragraph_at(out, INDENT, heading, text);
	if (state != DOCTOR_GOOD) {
		const struct doctor_remedy remedy =
			doctor_mend(doctor, row, finding);

		output_data_string(out, "remedy", remedy.text);
		paragraph_command(out, INDENT, remedy.text);
	}
	output_object_end(out);
}

/* Returns the number of checks that found a problem for a measurement. */
static unsigned int examine(struct output *out, const struct doctor *doctor)
{
	unsigned int bad = 0;

	output_array_begin(out, "findings");
	for (size_t i = 0; i < doctor_row_count; i++) {
		struct doctor_finding finding = { "", "" };
		const enum doctor_state state =
			doctor_rows[i].check(doctor, &finding);

		if (state == DOCTOR_SILENT)
			continue;
		bad += state == DOCTOR_BAD;
		print_finding(out, doctor, &doctor_rows[i], state, &finding);
	}
	output_array_end(out);
	return bad;
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

static int run(const struct command_context *context, const void *data)
{
	const struct doctor_options *options = data;
	struct doctor doctor = { .root = "" };
	struct units_error err;
	struct netns_visit visit;
	struct utsname system;
	struct address to;
	unsigned int bad;
	uint32_t device;

	if (find_ends(options, &device, &to, &err) ||
	    netns_enter(&visit, options->netns, &err)) {
		output_error(context->out, "%s", err.text);
		return COMMAND_FAILED;
	}
	uname(&system);
	doctor.release = system.release;
	if (!doctor_read_use("", &doctor.use[0])) {
		poll(NULL, 0, DOCTOR_WATCH_MS);
		doctor_read_use("", &doctor.use[1]);
	}
	/* Ask after measuring the load, since the queries add load. */
	doctor_ask(NULL, device, options->to ? &to : NULL, &doctor.link);
	bad = examine(context->out, &doctor);
	netns_leave(&visit);
	output_u64(context->out, "bad", bad, bad ?
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
