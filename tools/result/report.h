/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report: print the result of a session.
 */
#ifndef KTPUT_CTL_REPORT_H
#define KTPUT_CTL_REPORT_H

#include <json-c/json.h>

#include "../analysis/reconcile.h"
#include "../analysis/statistics.h"
#include "../host/route.h"
#include "../run/session.h"

void report_route(struct output *out, const struct route *route);
void report_begin(struct session *session, const struct route *route);
void report_detached(struct session *session);
bool report_in_order(const struct client_run *run, struct units_error *why);
void report_reason(const struct session *session);
int report_valid(struct output *out, const struct units_error *invalid,
		 struct units_error *err);
int report_end(struct session *session, const struct route *route,
	       struct units_error *err);

bool payload_acknowledged(const struct session *session);
uint64_t payload_counted(const struct session *session,
			 const struct client_snapshot *snapshot);
bool payload_span(const struct session *session, uint64_t *ns);
void payload_print_unsent(const struct session *session);

void statistics_report_record(struct output *out, const char *key,
			      const struct statistics *statistics);
void statistics_report_print(const struct session *session);

void reconcile_report_read(struct session *session);
void reconcile_report_compute(const struct session *session,
			      const struct arrivals *arrivals,
			      struct reconcile *reconcile);
void reconcile_report_print(const struct session *session,
			    const struct reconcile *reconcile);

void stages_report_print(const struct session *session);
void stages_report_read(struct json_object *from, struct run_stages *stages);

void stream_table_print(const struct session *session);
void stream_table_print_end(struct output *out, const char *key,
			    const struct client_snapshot *snapshot);

int pingpong_report_check(const struct session *session,
			  struct units_error *why);
double pingpong_report_median(const struct session *session);
int pingpong_report_end(const struct session *session,
			struct units_error *err);

/* Lines of goodput, or of round trips. */
extern const struct session_view interval_view;

/**
 * struct cpu_table_payload - payload to divide the cycles by
 * @bytes: payload
 * @packets: datagrams, 0 if they are not counted
 */
struct cpu_table_payload {
	uint64_t bytes;
	uint64_t packets;
};

const struct session_end *cpu_table_reader(const struct session *session,
					   size_t i);
const struct session_end *cpu_table_of(const struct session *session,
				       const struct session_end *end);
struct cpu_table_payload cpu_table_payload(const struct session *session);
void cpu_table_id(const struct session *session, const struct session_end *end,
		  uint32_t id);
void cpu_table_print(const struct session *session);

void cpu_line_print(const struct session *session,
		    const struct session_end *end);

/*
 * peers: what each peer of a long-lived sink has sent.
 *
 * A visit is the connections from one address until all of them have closed, or its
 * datagrams until none has come for an interval. It is printed, and recorded, at the
 * first interval after that. Time between visits is in none of them.
 */

/**
 * struct peers - which connections, or ports that sent datagrams, have been printed
 * @printed: by their number
 * @size: numbers that there is room for
 */
struct peers {
	bool *printed;
	size_t size;
};

void peers_look(struct peers *peers, const struct session *session);
void peers_free(struct peers *peers);

#endif
