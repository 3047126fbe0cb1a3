// SPDX-License-Identifier: GPL-2.0
/* stage_watch: stamps of this kernel on the messages of a run. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../base/clocks.h"
#include "bpf_messages.h"
#include "netns.h"
#include "stage_watch.h"
#include "tasks.h"
#include "stage_programs.skel.h"

#define TRACEPOINT	"tp_btf/"
/* How the names of programs begin that are for the sink. */
#define SINK		"sink_"
/* And those that keep to a message whose packet is copied. */
#define MOVED		"moved_"

static int refuse(int error, struct units_error *err)
{
	return bpf_messages_refuse(error, "", "packets in the kernel",
				   err);
}

/* What a program is attached to, from its section: "fentry/ip_send_skb". */
static const char *hook_of(const struct bpf_program *program)
{
	return strchr(bpf_program__section_name(program), '/') + 1;
}

static void miss(struct stage_watch *watch, const struct bpf_program *program)
{
	const size_t length = strlen(watch->missing);

	snprintf(watch->missing + length, sizeof(watch->missing) - length,
		 "%s%s", length ? ", " : "", hook_of(program));
}

static bool is_tracepoint(const struct bpf_program *program)
{
	return !strncmp(bpf_program__section_name(program), TRACEPOINT,
			strlen(TRACEPOINT));
}

static bool kernel_has(const struct btf *btf, const struct bpf_program *program)
{
	const bool tracepoint = is_tracepoint(program);
	char name[64];

	snprintf(name, sizeof(name), "%s%s", tracepoint ? "btf_trace_" : "",
		 hook_of(program));
	return btf__find_by_name_kind(btf, name, tracepoint ?
				      BTF_KIND_TYPEDEF : BTF_KIND_FUNC) > 0;
}

static bool is_for(const struct bpf_program *program, const char *prefix)
{
	return !strncmp(bpf_program__name(program), prefix, strlen(prefix));
}

/* The end that a program is for, by its name. */
static bool is_wanted(const struct stage_watch *watch,
		      const struct bpf_program *program)
{
	/* Each end both sends and receives. */
	if (watch->terms.back || is_for(program, MOVED))
		return true;
	return is_for(program, SINK) ? watch->terms.sink : watch->terms.source;
}

/* Leave out what is for the other end, and what this kernel lacks. */
static int choose(struct stage_watch *watch)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_program *program;

	if (!btf)
		return -errno;
	bpf_object__for_each_program(program, watch->program->obj) {
		const bool wanted = is_wanted(watch, program);

		if (wanted && kernel_has(btf, program))
			continue;
		bpf_program__set_autoload(program, false);
		if (wanted)
			miss(watch, program);
	}
	btf__free(btf);
	return 0;
}

/*
 * Where each packet is looked at: all that may come from elsewhere, or everywhere if
 * messages are lost sight of.
 */
static void set_looks(struct stage_watch *watch, bool lost)
{
	const struct stage_watch_terms *terms = &watch->terms;
	uint32_t *looks = watch->program->bss->run.looks;

	for (int i = 0; i <= STAGES_COPIED; i++)
		looks[i] |= lost;
	looks[STAGES_QUEUED] |= !terms->sent;
	looks[STAGES_RECEIVED] |= !terms->source || !terms->sink;
}

/* Attach a program that this kernel has a hook for, as far as is known. */
static int attach_first(struct stage_watch *watch, struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link) {
		miss(watch, program);
		return -errno;
	}
	watch->hook[watch->hooks++] = program;
	watch->link[watch->links++] = link;
	watch->copied |= program == watch->program->progs.sink_copied;
	watch->woken |= program == watch->program->progs.sink_woken;
	watch->runs |= program == watch->program->progs.sink_runs;
	return 0;
}

/*
 * Attach those on functions before those on tracepoints, and detach them after those: it
 * takes a hundred times as long, and meanwhile the others cost nothing.
 */
static int attach(struct stage_watch *watch)
{
	bool lost = false;
	struct bpf_program *program;
	int error = -ENOENT;

	for (int tracepoints = 0; tracepoints < 2; tracepoints++)
		bpf_object__for_each_program(program, watch->program->obj) {
			int ret = -ENOENT;

			if (is_tracepoint(program) != tracepoints)
				continue;
			if (bpf_program__autoload(program) &&
			    watch->hooks < STAGE_WATCH_HOOKS) {
				ret = attach_first(watch, program);
				error = ret;
			}
			lost |= ret && is_for(program, MOVED);
		}
	set_looks(watch, lost);
	return watch->hooks ? 0 : error;
}

/* Inode of a network namespace, 0 if it is not known. */
static uint32_t inode(const char *name)
{
	struct units_error ignored;
	struct netns_visit visit;
	struct stat status = { 0 };

	if (netns_enter(&visit, name, &ignored))
		return 0;
	if (stat("/proc/thread-self/ns/net", &status))
		status.st_ino = 0;
	netns_leave(&visit);
	return status.st_ino;
}

/* What a CPU runs that has no task: each has one of its own. */
#define IDLE	"swapper/"

static void clean_name(char *name)
{
	name[STAGES_TASK - 1] = '\0';
	if (!strncmp(name, IDLE, strlen(IDLE)))
		snprintf(name, STAGES_TASK, "idle");
	tasks_clean(name);
}

static void take_reader(const struct stage_watch *watch,
			const struct stages_stamp *stamp,
			struct stages_reader *reader)
{
	if (!watch->woken || !watch->runs)
		return;
	if (reader->woken_ns)
		reader->woken_ns -= watch->tai_ns;
	if (reader->running_ns)
		reader->running_ns -= watch->tai_ns;
	clean_name(reader->instead);
	watch->terms.reader(watch->terms.data, stamp, reader);
}

static int take(void *data, void *stamp, size_t size)
{
	const struct stage_watch *watch = data;
	struct stages_taken copy;

	if (size < sizeof(copy.stamp))
		return 0;
	memcpy(&copy, stamp, size < sizeof(copy) ? size : sizeof(copy));
	copy.stamp.time_ns -= watch->tai_ns;
	if (size >= sizeof(copy))
		take_reader(watch, &copy.stamp, &copy.reader);
	watch->terms.stamp(watch->terms.data, &copy.stamp);
	return 0;
}

/* They are read one after the other, and differ by whole seconds. */
static uint64_t tai_ahead(void)
{
	const int64_t ahead = clock_ns(CLOCK_TAI) - clock_ns(CLOCK_REALTIME);

	return (ahead + UNITS_NSEC_PER_SEC / 2) / UNITS_NSEC_PER_SEC *
	       UNITS_NSEC_PER_SEC;
}

static int load(struct stage_watch *watch)
{
	const struct stage_watch_terms *terms = &watch->terms;
	struct stages_run *run;
	int ret = choose(watch);

	if (!ret)
		ret = stage_programs__load(watch->program);
	if (ret)
		return ret;
	run = &watch->program->bss->run;
	run->open = 1;
	run->cookie = htonl(terms->cookie);
	/* Not all pass STAGES_SENT: a sender in the kernel may give them to IP itself. */
	run->first = terms->source ? STAGES_QUEUED : STAGES_RECEIVED;
	run->turn = terms->turn;
	run->back = terms->back;
	run->netns[0] = inode(terms->source_netns);
	run->netns[1] = inode(terms->sink_netns);
	watch->ring = ring_buffer__new(bpf_map__fd(watch->program->maps.stamps_map),
				       take, watch, NULL);
	return watch->ring ? attach(watch) : -errno;
}

/**
 * stage_watch_begin() - stamp messages from now on
 * @watch: zeroed, and not moved until stage_watch_free(), also after an error
 * @terms: which messages
 * @err: why there are no stamps, as the end of a sentence
 *
 * A hook that this kernel lacks is left out.
 *
 * Return: 0, or -1 with text in @err.
 */
int stage_watch_begin(struct stage_watch *watch,
		      const struct stage_watch_terms *terms,
		      struct units_error *err)
{
	int ret;

	watch->terms = *terms;
	watch->tai_ns = tai_ahead();
	bpf_messages_set(terms->detail);
	watch->program = stage_programs__open();
	ret = watch->program ? load(watch) : -errno;
	if (!ret)
		return 0;
	stage_watch_free(watch);
	return refuse(-ret, err);
}

/**
 * stage_watch_ports() - set where the messages are sent to
 * @watch: watch; the call does nothing if it has not begun
 * @port: first port
 * @ports: number of consecutive ports
 */
void stage_watch_ports(struct stage_watch *watch, uint16_t port, uint32_t ports)
{
	if (!watch->program)
		return;
	watch->program->bss->run.port = port;
	watch->program->bss->run.ports = ports > UINT16_MAX ? UINT16_MAX :
							      ports;
}

/**
 * stage_watch_attach() - attach one more of the programs
 * @watch: watch that has begun; closed
 *
 * Return: all are attached.
 */
bool stage_watch_attach(struct stage_watch *watch)
{
	if (watch->links < watch->hooks) {
		struct bpf_program *program = watch->hook[watch->links];

		watch->link[watch->links] = bpf_program__attach(program);
		if (!watch->link[watch->links++])
			miss(watch, program);
	}
	return watch->links == watch->hooks;
}

/**
 * stage_watch_open() - stamp messages from now on
 * @watch: watch that has begun, and whose programs were all detached since it was closed
 */
void stage_watch_open(struct stage_watch *watch)
{
	struct stage_programs__bss *bss = watch->program->bss;

	/* Nothing said what became of these packets. */
	memset((void *)bss->heads, 0, sizeof(bss->heads));
	bss->run.heads = 0;
	bss->run.waiting = 0;
	bss->run.open = 1;
}

/**
 * stage_watch_close() - stamp no more, and take the last stamps
 * @watch: watch that has begun
 */
void stage_watch_close(struct stage_watch *watch)
{
	watch->program->bss->run.open = 0;
	stage_watch_drain(watch);
}

/**
 * stage_watch_detach() - detach one of the programs
 * @watch: watch that has begun; closed
 *
 * Return: none is attached.
 */
bool stage_watch_detach(struct stage_watch *watch)
{
	if (watch->links)
		bpf_link__destroy(watch->link[--watch->links]);
	return !watch->links;
}

/**
 * stage_watch_drain() - take the stamps that there are
 * @watch: watch; the call does nothing if it has not begun
 */
void stage_watch_drain(struct stage_watch *watch)
{
	if (watch->ring)
		ring_buffer__consume(watch->ring);
}

/**
 * stage_watch_stop() - stamp no more, and take the last stamps
 * @watch: watch
 */
void stage_watch_stop(struct stage_watch *watch)
{
	while (!stage_watch_detach(watch))
		;
	stage_watch_drain(watch);
}

/**
 * stage_watch_every() - which messages are stamped
 * @watch: watch that has begun
 *
 * Return: each so many-th message of a stream.
 */
uint64_t stage_watch_every(const struct stage_watch *watch)
{
	return watch->program->bss->run.mask + 1ULL;
}

/**
 * stage_watch_lost() - stamps that there was no room for
 * @watch: watch that has begun
 *
 * Return: the number.
 */
uint64_t stage_watch_lost(const struct stage_watch *watch)
{
	return watch->program->bss->run.lost;
}

/**
 * stage_watch_unread() - times that a packet passed whose message could not be read
 * @watch: watch that has begun
 *
 * Return: the number.
 */
uint64_t stage_watch_unread(const struct stage_watch *watch)
{
	return watch->program->bss->run.unread;
}

/**
 * stage_watch_free() - stamp no more, and free the memory
 * @watch: watch, or zeroed
 */
void stage_watch_free(struct stage_watch *watch)
{
	while (!stage_watch_detach(watch))
		;
	ring_buffer__free(watch->ring);
	watch->ring = NULL;
	if (watch->program)
		stage_programs__destroy(watch->program);
	watch->program = NULL;
}
