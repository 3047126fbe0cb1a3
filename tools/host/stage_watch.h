/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stage_watch: stamps of this kernel on the messages of a run.
 *
 * This process owns the programs: they end with it.
 */
#ifndef KTPUT_TOOLS_STAGE_WATCH_H
#define KTPUT_TOOLS_STAGE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/units.h"
#include "../bpf/stage_programs.h"

/* Hooks at most. */
#define STAGE_WATCH_HOOKS	20

struct stage_programs;
struct bpf_link;
struct bpf_program;
struct ring_buffer;

/**
 * struct stage_watch_terms - which messages, and which end of them is in this kernel
 * @cookie: of the run
 * @source: the source is
 * @sink: the sink is
 * @back: the sink sends responses
 * @sent: all that is sent here passes STAGES_SENT
 * @turn: bits by which numbers are turned to the right, so that they count rounds
 * @source_netns: name of the network namespace of the source, or NULL
 * @sink_netns: of the sink
 * @detail: print messages of libbpf to stderr
 * @stamp: called for each stamp, with times of CLOCK_REALTIME
 * @reader: called before that of STAGES_TAKEN, with what became of the reader
 * @data: their argument
 */
struct stage_watch_terms {
	uint32_t cookie;
	bool source;
	bool sink;
	bool back;
	bool sent;
	unsigned int turn;
	const char *source_netns;
	const char *sink_netns;
	bool detail;
	void (*stamp)(void *data, const struct stages_stamp *stamp);
	void (*reader)(void *data, const struct stages_stamp *stamp,
		       const struct stages_reader *reader);
	void *data;
};

/**
 * struct stage_watch - hooks of this kernel that stamp messages
 * @program: the programs, NULL if none is loaded
 * @hook: the programs that this kernel has a hook for
 * @hooks: number of them
 * @link: the hooks, of the first of @hook
 * @links: number of hooks
 * @ring: where the stamps come from
 * @terms: which messages
 * @tai_ns: CLOCK_TAI less CLOCK_REALTIME
 * @missing: hooks that this kernel does not have, separated by ", "
 * @copied: there is the hook of the copy to user space
 * @woken: there is that of a task that is woken
 * @runs: there is that of a task that gets a CPU
 */
struct stage_watch {
	struct stage_programs *program;
	struct bpf_program *hook[STAGE_WATCH_HOOKS];
	unsigned int hooks;
	struct bpf_link *link[STAGE_WATCH_HOOKS];
	unsigned int links;
	struct ring_buffer *ring;
	struct stage_watch_terms terms;
	uint64_t tai_ns;
	char missing[256];
	bool copied;
	bool woken;
	bool runs;
};

int stage_watch_begin(struct stage_watch *watch,
		      const struct stage_watch_terms *terms,
		      struct units_error *err);
void stage_watch_ports(struct stage_watch *watch, uint16_t port, uint32_t ports);
bool stage_watch_attach(struct stage_watch *watch);
void stage_watch_open(struct stage_watch *watch);
void stage_watch_drain(struct stage_watch *watch);
void stage_watch_close(struct stage_watch *watch);
bool stage_watch_detach(struct stage_watch *watch);
void stage_watch_stop(struct stage_watch *watch);
uint64_t stage_watch_every(const struct stage_watch *watch);
uint64_t stage_watch_lost(const struct stage_watch *watch);
uint64_t stage_watch_unread(const struct stage_watch *watch);
void stage_watch_free(struct stage_watch *watch);

#endif
