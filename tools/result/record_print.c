// SPDX-License-Identifier: GPL-2.0
/* record_print: print the result of a record. */
#include <string.h>

#include "../base/json.h"
#include "../base/output.h"
#include "record_read.h"
#include "report.h"

/* The least share of the time of a run at which two are runs at one time. */
#define TOGETHER_MIN	0.5

/* The share of the longer run's time in which both ran. */
static double together_share(const struct client_run *one,
			     const struct client_run *other)
{
	const uint64_t begun = one->begun_ns > other->begun_ns ?
			       one->begun_ns : other->begun_ns;
	const uint64_t ended = one->ended_ns < other->ended_ns ?
			       one->ended_ns : other->ended_ns;
	const uint64_t first = one->ended_ns - one->begun_ns;
	const uint64_t second = other->ended_ns - other->begun_ns;
	const uint64_t longest = first > second ? first : second;

	return longest && ended > begun ? (double)(ended - begun) / longest : 0;
}

/* The sum of both directions, whose sources are read by the clock of one host. */
static int print_sum(struct session *session, const struct session *other,
		     struct units_error *err)
{
	const double share = together_share(&session->source.last.run,
					    &other->source.last.run);
	const double sum = session->goodput_bps + other->goodput_bps;
	struct output *out = session->out;
	struct units_error why;

	output_object_begin(out, "both");
	output_text(out, "\n");
	output_double(out, "goodput_bps", sum, "Both directions  %s",
		      units_show_bitrate(sum).text);
	output_double(out, "together_share", share,
		      "; they overlapped %.1f%% of the time\n", share * 100);
	session->goodput_bps = sum;
	if (share < TOGETHER_MIN)
		units_refuse(&why, "the directions overlapped only %.1f%% of the time",
			     share * 100);
	return report_valid(out, share < TOGETHER_MIN ? &why : NULL, err);
}

/**
 * record_print_other() - print the other direction, and the sum of both
 * @session: session of the one direction, whose result has been printed
 * @other: record of the other one
 * @err: why a result is not valid
 */
int record_print_other(struct session *session, struct json_object *other,
		       struct units_error *err)
{
	struct output *out = session->out;
	const struct session_end *from;
	struct record_read read;
	struct units_error why;
	int ret;

	ret = record_read(other, &read, &why);
	if (ret) {
		units_refuse(err, "the other direction %s", why.text);
	} else {
		read.session.out = out;
		read.session.context = session->context;
		output_object_begin(out, "reverse");
		from = &read.session.source;
		output_text(out, "\nThe other way, from %s:\n",
			    from->host ? from->host :
			    from->netns ? from->netns : "there");
		ret = record_print(other, &read, err);
		output_object_end(out);
		ret |= print_sum(session, &read.session, ret ? &why : err);
	}
	record_read_free(&read);
	return ret;
}

/**
 * record_print() - print the result of a record
 * @root: document of a run; its other members are unchanged
 * @read: the same, read back, with its output
 * @err: why the result is not valid
 */
int record_print(struct json_object *root, struct record_read *read,
		 struct units_error *err)
{
	struct session *session = &read->session;
	struct output *out = session->out;
	struct units_error ignored;
	int ret = 0;

	json_object_object_foreach(root, key, value) {
		if (!strcmp(key, "result"))
			ret = session->pingpong ?
			      pingpong_report_end(session, err) :
			      report_end(session, read->routed ?
					 &read->route : NULL, err);
		else if (!strcmp(key, "reverse"))
			ret |= record_print_other(session, value,
						  ret ? &ignored : err);
		else if (strcmp(key, "readings") && strcmp(key, "both"))
			output_data_json(out, key, value);
		if (!strcmp(key, "intervals_missing"))
			output_warning(out,
				       "the record has no intervals, since there was no room for them: what follows from them is not shown");
		if (!strcmp(key, "profile") && output_is_text(out))
			output_warning(out,
				       "the profile of the run is not shown as text: see ktput-ctl -j show");
	}
	return ret;
}
