// SPDX-License-Identifier: GPL-2.0
/*
 * client, backend_module, netlink: what the module is asked, in which order, and what is
 * made of its answers; the test is the module.
 */
#include <limits.h>

#include "../../tools/engines/end.h"
#include "fake_netlink.h"

#define FAMILY		77
#define GROUP		9
#define ID		7
#define BEGUN_NS	1234
#define ANSWERS		13
/* Attempts of client.c at a dump. */
#define ATTEMPTS	10

/* What the module says to a request. */
struct answer {
	enum { ACKNOWLEDGED, RUN, LIST, OTHERS, COUNTERS, MODULE, FAILED, GONE } kind;
	enum ktput_state state;
	enum ktput_reason reason;
	uint64_t begun_ns;
	int run_error;
	const char *why;
	/* Of which KTPUT_A_CONFIG_..., 0 of none, and where its bounds are told. */
	int attribute;
	struct fake_refusal refusal;
	/* The table changed while it was read; a notification comes after the answer. */
	bool changed, event;
};

static const struct answer *answers;
static int left;
static bool absent;
static char asked[400];

int genl_ctrl_resolve(struct nl_sock *sock, const char *name)
{
	(void)sock;
	TEST_STRING("family", name, KTPUT_FAMILY_NAME);
	return absent ? -NLE_OBJ_NOTFOUND : FAMILY;
}

int genl_ctrl_resolve_grp(struct nl_sock *sock, const char *family, const char *group)
{
	(void)sock;
	TEST_STRING("family", family, KTPUT_FAMILY_NAME);
	TEST_STRING("group", group, KTPUT_MCGRP_RUNS);
	return GROUP;
}

static void put_run(struct nl_msg *msg, uint32_t id, const struct answer *answer)
{
	struct nlattr *nest = nla_nest_start(msg, KTPUT_A_MESSAGE_RUN);

	nla_put_u32(msg, KTPUT_A_RUN_ID, id);
	nla_put_u32(msg, KTPUT_A_RUN_STATE, answer->state);
	nla_put_u32(msg, KTPUT_A_RUN_REASON, answer->reason);
	nla_put_u32(msg, KTPUT_A_RUN_ERROR, answer->run_error);
	nla_put_u64(msg, KTPUT_A_RUN_BEGUN, answer->begun_ns);
	nla_put_u16(msg, KTPUT_A_RUN_LOCAL_PORT, 5000 + id);
	if (answer->why)
		nla_put_string(msg, KTPUT_A_RUN_REFUSAL, answer->why);
	nla_nest_end(msg, nest);
}

/* The socket that listens to notifications. */
static const struct fake_socket *events_socket(void)
{
	for (int i = 0; i < FAKE_SOCKETS; i++)
		if (fake_sockets[i].group == GROUP)
			return &fake_sockets[i];
	TEST_FAIL("nobody listens");
	abort();
}

static void notify(int command, uint32_t id, uint64_t begun_ns)
{
	const struct answer of = { .begun_ns = begun_ns };
	struct nl_msg *msg = fake_message(FAMILY, command, 0);

	put_run(msg, id, &of);
	fake_send(events_socket(), msg, NULL);
}

/* Of several runs, ours is neither the first nor the last. */
static void answer_list(struct fake_socket *to, struct nlmsghdr *request,
			const struct answer *answer)
{
	static const struct answer other = { .state = KTPUT_STATE_DRAINING };
	static const uint32_t ids[] = { 3, ID, 9 };

	for (size_t i = 0; i < TEST_COUNT(ids); i++) {
		struct config config = { 0 };
		struct nl_msg *msg;

		if (ids[i] == ID && answer->kind == OTHERS)
			continue;
		msg = fake_message(FAMILY, KTPUT_CMD_RUN_GET, NLM_F_MULTI);
		put_run(msg, ids[i], ids[i] == ID ? answer : &other);
		config_set(&config, KTPUT_A_CONFIG_STREAMS, 10 + ids[i]);
		config_put(msg, &config);
		fake_send(to, msg, request);
	}
}

static void send_element(struct fake_socket *to, struct nlmsghdr *request, int nest,
			 int attribute, uint32_t id)
{
	struct nl_msg *msg = fake_message(FAMILY, KTPUT_CMD_COUNTERS_GET, NLM_F_MULTI);
	struct nlattr *start = nla_nest_start(msg, nest);

	nla_put_u32(msg, attribute, id);
	nla_nest_end(msg, start);
	fake_send(to, msg, request);
}

static void answer_counters(struct fake_socket *to, struct nlmsghdr *request,
			    const struct answer *answer)
{
	struct nl_msg *msg = fake_message(FAMILY, KTPUT_CMD_COUNTERS_GET, NLM_F_MULTI);

	put_run(msg, ID, answer);
	fake_send(to, msg, request);
	send_element(to, request, KTPUT_A_MESSAGE_CPU, KTPUT_A_CPU_ID, 4);
	send_element(to, request, KTPUT_A_MESSAGE_CPU, KTPUT_A_CPU_ID, 2);
	send_element(to, request, KTPUT_A_MESSAGE_STREAM, KTPUT_A_STREAM_ID, 6);
}

static void answer_module(struct fake_socket *to, struct nlmsghdr *request)
{
	struct nl_msg *msg = fake_message(FAMILY, KTPUT_CMD_MODULE_GET, 0);
	struct nlattr *nest = nla_nest_start(msg, KTPUT_A_MESSAGE_MODULE);

	nla_put_string(msg, KTPUT_A_MODULE_VERSION, "1.2");
	nla_put_string(msg, KTPUT_A_MODULE_CLOCK, "tsc");
	nla_put_u64(msg, KTPUT_A_MODULE_CLOCK_HZ, 3000000001);
	nla_nest_end(msg, nest);
	fake_send(to, msg, request);
}

/* The place of an attribute of the configuration in a request. */
static uint32_t offset_of(struct nlmsghdr *request, int attribute)
{
	struct nlattr *nest = nlmsg_find_attr(request, GENL_HDRLEN, KTPUT_A_MESSAGE_CONFIG);
	struct nlattr *attr = nest ? nla_find(nla_data(nest), nla_len(nest), attribute) :
				     NULL;

	return attr ? (char *)attr - (char *)request : 0;
}

static void note(struct nlmsghdr *request)
{
	static const char *const names[] = {
		[KTPUT_CMD_MODULE_GET] = "module", [KTPUT_CMD_RUN_START] = "start",
		[KTPUT_CMD_RUN_PREPARE] = "prepare", [KTPUT_CMD_RUN_STOP] = "stop",
		[KTPUT_CMD_RUN_DELETE] = "delete", [KTPUT_CMD_RUN_GET] = "list",
		[KTPUT_CMD_COUNTERS_GET] = "counters",
	};
	const struct genlmsghdr *genl = nlmsg_data(request);
	struct nlattr *id = nlmsg_find_attr(request, GENL_HDRLEN, KTPUT_A_MESSAGE_RUN_ID);
	struct nlattr *parts = nlmsg_find_attr(request, GENL_HDRLEN, KTPUT_A_MESSAGE_PARTS);
	const bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	size_t length = strlen(asked);

	TEST_U64("family", request->nlmsg_type, FAMILY);
	TEST_U64("version", genl->version, KTPUT_FAMILY_VERSION);
	TEST_TRUE("a request", request->nlmsg_flags & NLM_F_REQUEST);
	length += snprintf(asked + length, sizeof(asked) - length, "%s%s%s",
			   length ? " " : "", dump ? "all-" : "", names[genl->cmd]);
	if (id)
		length += snprintf(asked + length, sizeof(asked) - length, "=%u",
				   nla_get_u32(id));
	if (parts)
		snprintf(asked + length, sizeof(asked) - length, "/%u", nla_get_u32(parts));
}

static void module(struct fake_socket *from, struct nlmsghdr *request)
{
	/* Of what is deleted, nothing is found when it is deleted again. */
	static const struct answer missing = { .kind = FAILED, .refusal.error = -ENOENT }, done;
	const struct genlmsghdr *genl = nlmsg_data(request);
	const bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	const struct answer *answer = left ? answers : strstr(asked, "delete") ? &missing :
				      &done;
	struct fake_refusal refusal = answer->refusal;
	struct nl_msg *msg;

	if (!left && genl->cmd != KTPUT_CMD_RUN_DELETE)
		TEST_FAIL("asked too much: %s", asked);
	note(request);
	answers += left > 0;
	left -= left > 0;
	if (answer->attribute)
		refusal.offset = offset_of(request, answer->attribute);
	if (answer->kind == RUN) {
		msg = fake_message(FAMILY, genl->cmd, 0);
		put_run(msg, ID, answer);
		fake_send(from, msg, request);
	} else if (answer->kind == LIST || answer->kind == OTHERS) {
		answer_list(from, request, answer);
	} else if (answer->kind == COUNTERS) {
		answer_counters(from, request, answer);
	} else if (answer->kind == MODULE) {
		answer_module(from, request);
	} else if (answer->kind == GONE) {
		absent = true;
	}
	if (dump)
		fake_finish(from, request, &refusal, answer->changed ? NLM_F_DUMP_INTR : 0);
	else
		fake_acknowledge(from, request, &refusal);
	if (answer->event)
		notify(KTPUT_CMD_RUN_BEGUN, ID, BEGUN_NS);
}

static void script(const struct answer *row, int count)
{
	while (count && !row[count - 1].kind && !row[count - 1].refusal.error)
		count--;
	answers = row;
	left = count;
	asked[0] = '\0';
	absent = false;
}

#define SCRIPT(row)	script(row, TEST_COUNT(row))

static struct session_end *open_end(void)
{
	struct session_end *end = calloc(1, sizeof(*end));
	struct units_error err = { "" };

	fake_request = module;
	absent = false;
	end->backend = &backend_module;
	TEST_U64("open", end->backend->open(end, &err), 0);
	TEST_STRING("open", err.text, "");
	TEST_U64("events", end->backend->fd(end), events_socket()->fd);
	return end;
}

static void close_end(struct session_end *end, bool delete_runs)
{
	end->backend->close(end, delete_runs);
	free(end);
}

#define PREPARING	{ .kind = RUN, .state = KTPUT_STATE_PREPARING }
#define CONNECTING	{ .kind = RUN, .state = KTPUT_STATE_CONNECTING, .event = true }
#define BEGUN		.state = KTPUT_STATE_RUNNING, .begun_ns = BEGUN_NS
#define REFUSED(number, what)						\
	{ .kind = FAILED, .refusal = { .error = (number), .sentence = (what) } }

/* Answers to the start of a run, what was asked for, and the outcome. */
static void starts(void)
{
	static const struct {
		const char *what;
		struct answer answers[ANSWERS];
		const char *asked;
		int ret;
		const char *text;
	} rows[] = {
		{ "at once", { { .kind = RUN, BEGUN } },
		  "start", 0, "" },
		{ "in steps",
		  { PREPARING, PREPARING, { .kind = RUN, BEGUN } },
		  "start prepare=7 prepare=7", 0, "" },
		{ "connected later",
		  { PREPARING, CONNECTING,
		    { .kind = LIST, .state = KTPUT_STATE_CONNECTING, .event = true },
		    { .kind = LIST, BEGUN } },
		  "start prepare=7 all-list all-list", 0, "" },
		{ "ended as soon as it began",
		  { CONNECTING,
		    { .kind = LIST, .state = KTPUT_STATE_ENDED, .begun_ns = BEGUN_NS } },
		  "start all-list", 0, "" },
		{ "not connected",
		  { CONNECTING, { .kind = LIST, .state = KTPUT_STATE_ENDED,
				  .reason = KTPUT_REASON_ERROR, .why = "no way",
				  .run_error = ECONNREFUSED } },
		  "start all-list delete=7 delete=7", -ECONNREFUSED, "refused: no way" },
		{ "not connected, without a sentence",
		  { CONNECTING, { .kind = LIST, .state = KTPUT_STATE_ENDED,
				  .reason = KTPUT_REASON_NETNS } },
		  "start all-list delete=7 delete=7", -ECANCELED,
		  "refused: the network namespace is gone" },
		{ "deleted by somebody", { CONNECTING, { .kind = OTHERS } },
		  "start all-list delete=7 delete=7", -ENOENT,
		  "run 7 is gone: somebody deleted it, or the module was removed" },
		{ "refused", { REFUSED(-EINVAL, "no") }, "start", -EINVAL, "refused: no" },
		{ "refused while it is prepared", { PREPARING, REFUSED(-ENOMEM, "full") },
		  "start prepare=7 delete=7 delete=7", -ENOMEM, "refused: full" },
		{ "removed", { { .kind = GONE, .refusal.error = -ENOENT } }, "start",
		  -EPROTONOSUPPORT, "the module was removed" },
		{ "removed meanwhile", { REFUSED(-EPROTONOSUPPORT, NULL) }, "start",
		  -EPROTONOSUPPORT, "the module was removed" },
		{ "not removed", { REFUSED(-ENOENT, NULL) }, "start", -ENOENT,
		  "refused: No such file or directory" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct session_end *end = open_end();
		struct units_error err = { "" };

		SCRIPT(rows[i].answers);
		config_set(&end->config, KTPUT_A_CONFIG_STREAMS, 3);
		TEST_U64(rows[i].what, end->backend->start(end, NULL, false, &err),
			 rows[i].ret);
		TEST_STRING(rows[i].what, err.text, rows[i].text);
		TEST_STRING(rows[i].what, asked, rows[i].asked);
		TEST_U64(rows[i].what, left, 0);
		if (!rows[i].ret) {
			TEST_U64(rows[i].what, end->run.id, ID);
			TEST_U64(rows[i].what, end->run.begun_ns, BEGUN_NS);
			TEST_U64(rows[i].what, end->run.local_port, 5000 + ID);
		}
		close_end(end, false);
	}
}

/* Who does not want to wait; the descriptor becomes readable. */
static void impatient(void)
{
	static const struct {
		struct answer answers[ANSWERS];
		const char *asked, *text;
	} rows[] = {
		{ { PREPARING }, "start delete=7 delete=7",
		  "refused: interrupted while it is prepared" },
		{ { CONNECTING }, "start delete=7 delete=7",
		  "refused: interrupted while connecting" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct session_end *end = open_end();
		struct units_error err = { "" };
		int ends[2];

		SCRIPT(rows[i].answers);
		TEST_U64("pipe", pipe(ends) || write(ends[1], "", 1) != 1, 0);
		TEST_U64(rows[i].text, client_run_start(&end->client, &end->config, ends[0],
							&end->run, &err), -ECANCELED);
		TEST_STRING("why", err.text, rows[i].text);
		TEST_STRING("asked", asked, rows[i].asked);
		close(ends[0]);
		close(ends[1]);
		close_end(end, false);
	}
}

/* Which ports they are, from what was asked for. */
static void taken(void)
{
	static const struct {
		uint64_t port, streams;
		enum ktput_role role;
		enum ktput_transport transport;
		const char *text;
	} rows[] = {
		{ 5001, 0, KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_TCP,
		  "refused: port 5001 is in use" },
		{ 5001, 1, KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP,
		  "refused: port 5001 is in use" },
		{ 5001, 2, KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_TCP,
		  "refused: one of the ports 5001 to 5002 is in use" },
		{ 5001, 4, KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP,
		  "refused: one of the ports 5001 to 5004 is in use" },
		{ 5001, 4, KTPUT_ROLE_SINK, KTPUT_TRANSPORT_TCP,
		  "refused: port 5001 is in use" },
		{ 0, 4, KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP,
		  "refused: no port is free for 4 streams" },
		{ 0, 4, KTPUT_ROLE_SINK, KTPUT_TRANSPORT_TCP, "refused: as it says" },
		{ 0, 0, KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_TCP, "refused: as it says" },
	};
	static const struct answer answer[] = { REFUSED(-EADDRINUSE, "as it says") };

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct session_end *end = open_end();
		struct units_error err = { "" };

		SCRIPT(answer);
		if (rows[i].port)
			config_set(&end->config, KTPUT_A_CONFIG_LOCAL_PORT, rows[i].port);
		if (rows[i].streams)
			config_set(&end->config, KTPUT_A_CONFIG_STREAMS, rows[i].streams);
		config_set(&end->config, KTPUT_A_CONFIG_ROLE, rows[i].role);
		config_set(&end->config, KTPUT_A_CONFIG_TRANSPORT, rows[i].transport);
		TEST_U64(rows[i].text, end->backend->start(end, NULL, false, &err),
			 -EADDRINUSE);
		TEST_STRING("port", err.text, rows[i].text);
		close_end(end, false);
	}
}

/* A configuration in which each attribute is set. */
static void set_all(struct config *config)
{
	struct units_error err;

	address_parse("192.0.2.1", AF_UNSPEC, &config->local, &err);
	address_parse("192.0.2.2", AF_UNSPEC, &config->remote, &err);
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++)
		if (config_attributes[type].kind == CONFIG_MAC)
			config_set_mac(config, type, (const uint8_t *)"\2\0\0\0\0\1");
		else if (config_attributes[type].kind == CONFIG_STRING)
			config_set_string(config, type, "1-2");
		else if (config_attributes[type].kind != CONFIG_ADDRESS &&
			 config_attributes[type].kind != CONFIG_NONE)
			config_set(config, type, 1);
}

/* Whichever attribute is refused is named, wherever it is, with its bounds. */
static void names(void)
{
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++) {
		const char *name = config_attributes[type].name;
		const bool other = type == KTPUT_A_CONFIG_LOCAL_IPV6 ||
				   type == KTPUT_A_CONFIG_REMOTE_IPV6;

		for (int i = 0; name && !other && i < 5; i++) {
			const struct answer answer = {
				.kind = FAILED, .attribute = type, .refusal = {
					.error = i == 4 ? -EINVAL : -ERANGE,
					.sentence = i == 1 ? NULL : i == 2 ? name :
						    "it is bad",
					.least = 100 + type, .most = i ? 0 : 2000 + type,
					.whole = i == 3,
				},
			};
			struct session_end *end = open_end();
			struct units_error err = { "" };
			char want[100];

			snprintf(want, sizeof(want), i == 0 ? "refused: %s must be %d to %d" :
				 i == 1 ? "refused: %s: Numerical result out of range" :
				 i == 2 ? "refused: %s" : "refused: %s: it is bad", name,
				 100 + type, 2000 + type);
			script(&answer, 1);
			set_all(&end->config);
			TEST_U64(name, end->backend->start(end, NULL, false, &err),
				 answer.refusal.error);
			TEST_STRING(name, err.text, want);
			close_end(end, false);
		}
	}
}

/* What a refusal of something that is no attribute of the configuration says. */
static void sentences(void)
{
	/* The place of the first attribute of a request. */
	enum { FIRST = NLMSG_HDRLEN + GENL_HDRLEN };
	static const struct {
		const char *what;
		struct fake_refusal refusal;
		const char *text;
	} rows[] = {
#define SO(number)	.error = (number), .sentence = "it is so"
		{ "without any word", { .error = -EINVAL }, "refused: Invalid argument" },
		{ "a sentence", { SO(-EINVAL) }, "refused: it is so" },
		{ "a privilege", { .error = -EPERM },
		  "refused: this needs CAP_NET_ADMIN in the network namespace; try as root" },
		{ "a privilege, with its sentence", { SO(-EPERM) }, "refused: it is so" },
		{ "the run", { SO(-EINVAL), .offset = FIRST }, "refused: run-id: it is so" },
		{ "within it", { SO(-EINVAL), .offset = FIRST + 4 },
		  "refused: run-id: it is so" },
		{ "before it", { SO(-EINVAL), .offset = FIRST - 4 }, "refused: it is so" },
		{ "behind it", { SO(-EINVAL), .offset = FIRST + 8 }, "refused: it is so" },
		{ "bounds of something unknown", { SO(-ERANGE), .least = 1, .most = 2 },
		  "refused: it is so" },
		{ "bounds that do not matter",
		  { SO(-EINVAL), .offset = FIRST, .least = 1, .most = 2 },
		  "refused: run-id: it is so" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		for (int whole = 0; whole < 2; whole++) {
			struct answer answer = { .kind = FAILED, .refusal = rows[i].refusal };
			struct session_end *end = open_end();
			struct units_error err = { "" };

			answer.refusal.whole = whole;
			script(&answer, 1);
			end->run.id = ID;
			TEST_U64(rows[i].what, end->backend->stop(end, &err),
				 answer.refusal.error);
			TEST_STRING(rows[i].what, err.text, rows[i].text);
			TEST_STRING(rows[i].what, asked, "stop=7");
			close_end(end, false);
		}
}

#define CHANGED		{ .kind = COUNTERS, .changed = true }
#define SOON		REFUSED(-EAGAIN, NULL)

/* Readings that fail are repeated, if it is for that the table changed, or too soon. */
static void snapshots(void)
{
	static const struct {
		const char *what;
		struct answer answers[ANSWERS];
		int times, ret;
		const char *text;
	} rows[] = {
		{ "at once", { { .kind = COUNTERS, BEGUN } }, 1, 0, "" },
		{ "changed", { CHANGED, { .kind = COUNTERS, BEGUN } }, 2, 0, NULL },
		{ "too soon", { SOON, SOON, { .kind = COUNTERS, BEGUN } }, 3, 0, NULL },
		{ "the last attempt",
		  { CHANGED, CHANGED, CHANGED, CHANGED, CHANGED, SOON, SOON, SOON, SOON,
		    { .kind = COUNTERS, BEGUN } }, ATTEMPTS, 0, NULL },
		{ "always changed",
		  { CHANGED, CHANGED, CHANGED, CHANGED, CHANGED, CHANGED, CHANGED, CHANGED,
		    CHANGED, CHANGED }, ATTEMPTS, -EAGAIN,
		  "the kernel's table changed while it was read" },
		{ "no such run", { REFUSED(-ENOENT, NULL) }, 1, -ENOENT,
		  "refused: run-id: no such run in this network namespace" },
		{ "another failure", { REFUSED(-ENOMEM, "full") }, 1, -ENOMEM,
		  "refused: full" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const uint32_t parts = KTPUT_PART_STREAMS | KTPUT_PART_CONTEXTS;
		struct session_end *end = open_end();
		struct units_error err = { "" };
		struct client_snapshot have;
		char want[400] = "";

		SCRIPT(rows[i].answers);
		end->run.id = ID;
		for (int j = 0; j < rows[i].times; j++)
			snprintf(want + strlen(want), sizeof(want) - strlen(want),
				 "%sall-counters=7/%u", j ? " " : "", parts);
		TEST_U64(rows[i].what, end->backend->snapshot(end, parts, &have, &err),
			 rows[i].ret);
		if (rows[i].text)
			TEST_STRING(rows[i].what, err.text, rows[i].text);
		TEST_STRING(rows[i].what, asked, want);
		TEST_U64(rows[i].what, left, 0);
		/* Nothing of what was read before is left in it. */
		TEST_U64(rows[i].what, have.cpu_count, rows[i].ret ? 0 : 2);
		TEST_U64(rows[i].what, have.stream_count, rows[i].ret ? 0 : 1);
		if (!rows[i].ret) {
			TEST_U64("begun", have.run.begun_ns, BEGUN_NS);
			TEST_U64("CPU", have.cpus[0].id, 4);
			TEST_U64("CPU", have.cpus[1].id, 2);
			TEST_U64("stream", have.streams[0].id, 6);
			client_snapshot_free(&have);
		}
		close_end(end, false);
	}
}

/* The state and the configuration are those of the run, of all that there are. */
static void refreshed(void)
{
	static const struct {
		const char *what;
		struct answer answers[ANSWERS];
		const char *asked, *text;
	} rows[] = {
		{ "listed", { { .kind = LIST, BEGUN } },
		  "all-list", "" },
		{ "changed", { { .kind = LIST, .changed = true },
			       { .kind = LIST, BEGUN } },
		  "all-list all-list", NULL },
		{ "gone", { { .kind = OTHERS } }, "all-list",
		  "run 7 is gone: somebody deleted it, or the module was removed" },
		{ "refused", { REFUSED(-ENOMEM, "full") }, "all-list", "refused: full" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct session_end *end = open_end();
		struct units_error err = { "" };
		const bool good = i < 2;

		SCRIPT(rows[i].answers);
		end->run.id = ID;
		TEST_U64(rows[i].what, end->backend->refresh(end, &err), good ? 0 : -1);
		if (rows[i].text)
			TEST_STRING(rows[i].what, err.text, rows[i].text);
		TEST_STRING(rows[i].what, asked, rows[i].asked);
		TEST_U64("still that run", end->run.id, ID);
		TEST_U64("begun", end->run.begun_ns, good ? BEGUN_NS : 0);
		TEST_U64("streams", end->config.number[KTPUT_A_CONFIG_STREAMS],
			 good ? 10 + ID : 0);
		close_end(end, false);
	}
}

/* Notifications of one's own run, of others, of both, and that some were lost. */
static void events(void)
{
	static const struct {
		const char *what;
		struct { int command; uint32_t id; } event[3];
		bool lost, due;
	} rows[] = {
		{ "none", { { 0, 0 } }, false, false },
		{ "begun", { { KTPUT_CMD_RUN_BEGUN, ID } }, false, true },
		{ "ended", { { KTPUT_CMD_RUN_ENDED, ID } }, false, true },
		{ "another", { { KTPUT_CMD_RUN_ENDED, ID + 1 } }, false, false },
		{ "between others", { { KTPUT_CMD_RUN_BEGUN, 3 }, { KTPUT_CMD_RUN_ENDED, ID },
				      { KTPUT_CMD_RUN_ENDED, 3 } }, false, true },
		{ "lost", { { KTPUT_CMD_RUN_ENDED, 3 } }, true, true },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct session_end *end = open_end();
		struct client_run run = { .id = 1 };

		end->run.id = ID;
		for (int j = 0; j < 3 && rows[i].event[j].command; j++)
			notify(rows[i].event[j].command, rows[i].event[j].id, BEGUN_NS + j);
		if (rows[i].lost)
			fake_find(end->backend->fd(end))->error = ENOBUFS;
		TEST_U64(rows[i].what, end->backend->take_events(end), rows[i].due);
		/* What was not lost is taken afterwards. */
		TEST_U64(rows[i].what, client_event(&end->client, &run), rows[i].lost);
		if (rows[i].lost)
			TEST_U64(rows[i].what, run.id, 3);
		close_end(end, false);
	}
}

/* What is neither told to begin nor to end is no event of a run. */
static void no_event(void)
{
	struct session_end *end = open_end();
	struct client_run run = { .id = 1 };

	notify(KTPUT_CMD_RUN_GET, ID, BEGUN_NS);
	TEST_U64("no event", client_event(&end->client, &run), 0);
	TEST_U64("nothing read", run.id, 1);
	close_end(end, false);
}

static void closed(void)
{
	static const struct { uint32_t id; bool told; const char *asked; } rows[] = {
		{ ID, true, "delete=7 delete=7" }, { ID, false, "" }, { 0, true, "" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct session_end *end = open_end();

		script(NULL, 0);
		end->run.id = rows[i].id;
		close_end(end, rows[i].told);
		TEST_STRING("closed", asked, rows[i].asked);
	}
}

static void clocks(void)
{
	static const struct answer here[] = { { .kind = MODULE } };
	static const struct answer away[] = { REFUSED(-ENOMEM, NULL) };
	struct session_end *end = open_end();
	struct backend_clock clock = { .name = "" };

	SCRIPT(here);
	TEST_TRUE("known", end->backend->clock(end, &clock));
	TEST_STRING("version", clock.module_version, "1.2");
	TEST_STRING("clock", clock.name, "tsc");
	TEST_U64("frequency", clock.hz, 3000000001);
	TEST_STRING("asked", asked, "module");
	SCRIPT(away);
	TEST_TRUE("unknown", !end->backend->clock(end, &clock));
	close_end(end, false);
}

static void not_loaded(void)
{
	struct session_end *end = calloc(1, sizeof(*end));
	struct units_error err = { "" };

	absent = true;
	TEST_U64("absent", backend_module.open(end, &err), -ENOENT);
	TEST_CONTAINS("absent", err.text, "the module is not loaded");
	TEST_TRUE("closed", !end->client.requests.sock);
	free(end);
	absent = false;
}

static const struct test_case cases[] = {
	{ "a start, and what is asked for it", starts },
	{ "who does not wait", impatient },
	{ "ports in use", taken },
	{ "the attribute that is refused", names },
	{ "sentences", sentences },
	{ "readings", snapshots },
	{ "the state of a run", refreshed },
	{ "notifications", events },
	{ "messages that are none", no_event },
	{ "what is deleted at the end", closed },
	{ "the clock", clocks },
	{ "no module", not_loaded },
};

TEST_MAIN(cases)
