// SPDX-License-Identifier: GPL-2.0
/* profiler: sample kernel stacks with a BPF program. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf_messages.h"
#include "../base/clocks.h"
#include "profile.skel.h"
#include "profiler.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

/*
 * A busy CPU has some thousand stacks; further ones count as lost. An entry takes
 * half a KiB, and all are preallocated.
 */
#define STACKS_PER_CPU	8192
#define STACKS_MAX	131072

/* Value of a file in /proc/sys, or -2, which is not a valid setting here. */
static long setting(const char *path)
{
	FILE *from = fopen(path, "re");
	long value = -2;

	if (!from)
		return -2;
	if (fscanf(from, "%ld", &value) != 1)
		value = -2;
	fclose(from);
	return value;
}

static int refuse_privilege(struct units_error *err)
{
	return units_refuse(err,
			    "refused: this process may not sample CPUs: it "
			    "takes root, or CAP_BPF and CAP_PERFMON "
			    "(kernel.perf_event_paranoid is %ld)",
			    setting(PARANOID));
}

static int load_program(struct profiler *profiler, bool detail,
			struct units_error *err)
{
	size_t stacks = profiler->cpus * STACKS_PER_CPU;
	int ret;

	bpf_messages_set(detail);
	profiler->program = profile__open();
	if (!profiler->program)
		return units_refuse(err, "the BPF program cannot be opened: %s",
				    strerror(errno));
	ret = bpf_map__set_max_entries(profiler->program->maps.stacks_map,
				       stacks < STACKS_MAX ? stacks :
							     STACKS_MAX);
	if (!ret)
		ret = profile__load(profiler->program);
	switch (-ret) {
	case 0:
		return 0;
	case EPERM:
	case EACCES:
		return refuse_privilege(err);
	case ENOSYS:
		units_refuse(err, "refused: this kernel has no bpf() system "
			     "call (CONFIG_BPF_SYSCALL)");
		break;
	default:
		units_refuse(err, "the kernel does not load the BPF program: %s (-s shows more)",
			     strerror(-ret));
	}
	return -1;
}

static int open_event(bool timer, unsigned int cpu, uint64_t frequency_hz)
{
	struct perf_event_attr attributes = {
		.type = timer ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = timer ? PERF_COUNT_SW_CPU_CLOCK :
				  PERF_COUNT_HW_CPU_CYCLES,
		.sample_freq = frequency_hz,
		.freq = 1,
		.disabled = 1,
	};

	return syscall(SYS_perf_event_open, &attributes, -1, (int)cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

static int refuse_event(const struct profiler_cpu *cpu, uint64_t frequency_hz,
			struct units_error *err)
{
	int error = errno;
	long rate = setting(MAX_RATE);

	if (error == EPERM || error == EACCES)
		return refuse_privilege(err);
	if (error == EINVAL && rate >= 0 && frequency_hz > (uint64_t)rate)
		units_refuse(err, "refused: freq: %" PRIu64 " samples "
			     "a second are more than "
			     "kernel.perf_event_max_sample_rate, %ld",
			     frequency_hz, rate);
	else if (error == ENODEV)
		units_refuse(err, "refused: cpus: CPU %u is not online",
			     cpu->id);
	else
		units_refuse(err, "CPU %u: no sampling event: %s", cpu->id,
			     strerror(error));
	return -1;
}

static void close_events(struct profiler *profiler)
{
	for (size_t i = 0; i < profiler->cpus; i++) {
		if (profiler->cpu[i].event >= 0)
			close(profiler->cpu[i].event);
		profiler->cpu[i].event = -1;
	}
}

static int open_events(struct profiler *profiler, uint64_t frequency_hz,
		       struct units_error *err)
{
	for (size_t i = 0; i < profiler->cpus; i++) {
		struct profiler_cpu *cpu = &profiler->cpu[i];

		cpu->event = open_event(profiler->timer, cpu->id, frequency_hz);
		if (cpu->event >= 0)
			continue;
		/* Use the same clock on all CPUs, so that samples can be added. */
		if (!profiler->timer && errno != EPERM && errno != EACCES &&
		    errno != EINVAL) {
			profiler->pmu_error = errno;
			profiler->timer = true;
			close_events(profiler);
			return open_events(profiler, frequency_hz, err);
		}
		return refuse_event(cpu, frequency_hz, err);
	}
	return 0;
}

static int allocate(struct profiler *profiler, const struct units_cpus *cpus,
		    struct units_error *err)
{
	size_t count = units_cpus_count(cpus);

	profiler->cpu = calloc(count, sizeof(*profiler->cpu));
	if (!profiler->cpu)
		return units_refuse(err, "out of memory");
	UNITS_EACH_CPU(id, cpus)
		profiler->cpu[profiler->cpus++] =
			(struct profiler_cpu){ .id = id, .event = -1 };
	return 0;
}

/**
 * profiler_open() - load the program, and open the events
 * @profiler: filled in; release with profiler_close(), even after an error
 * @cpus: CPUs to sample, at least one
 * @frequency_hz: samples per second on each CPU
 * @detail: print messages of libbpf to stderr
 * @err: why it is refused
 */
int profiler_open(struct profiler *profiler, const struct units_cpus *cpus,
		  uint64_t frequency_hz, bool detail, struct units_error *err)
{
	memset(profiler, 0, sizeof(*profiler));
	if (allocate(profiler, cpus, err) ||
	    load_program(profiler, detail, err))
		return -1;
	if (open_events(profiler, frequency_hz, err))
		return -1;
	profiler->program->bss->period_ns = profiler->timer ?
		UNITS_NSEC_PER_SEC / frequency_hz : 0;
	return 0;
}

/**
 * profiler_begin() - start sampling
 * @profiler: open profiler
 * @err: why it is refused
 */
int profiler_begin(struct profiler *profiler, struct units_error *err)
{
	struct bpf_program *sample = profiler->program->progs.profile_sample;

	profiler->begun_ns = monotonic_ns();
	for (size_t i = 0; i < profiler->cpus; i++) {
		struct profiler_cpu *cpu = &profiler->cpu[i];

		/* The link owns the event from here on. */
		cpu->link = bpf_program__attach_perf_event(sample, cpu->event);
		if (cpu->link)
			continue;
		return units_refuse(err,
				    "CPU %u: the BPF program cannot be attached: %s",
				    cpu->id, strerror(errno));
	}
	return 0;
}

static int read_counts(struct profiler *profiler)
{
	struct bpf_map *map = profiler->program->maps.cpus_map;
	int possible = libbpf_num_possible_cpus();
	struct profile_cpu *values;
	const uint32_t only = 0;
	int ret;

	if (possible < 0)
		return possible;
	values = calloc(possible, sizeof(*values));
	if (!values)
		return -ENOMEM;
	ret = bpf_map__lookup_elem(map, &only, sizeof(only), values,
				   possible * sizeof(*values), 0);
	for (size_t i = 0; !ret && i < profiler->cpus; i++) {
		struct profiler_cpu *cpu = &profiler->cpu[i];

		/* Possible CPUs are usually numbered without a gap. */
		if (cpu->id >= (unsigned int)possible)
			continue;
		cpu->samples = values[cpu->id].samples;
		cpu->squares = values[cpu->id].squares;
		cpu->lost = values[cpu->id].lost;
	}
	free(values);
	return ret;
}

/**
 * profiler_stop() - stop sampling, and count the samples
 * @profiler: profiler that samples
 * @err: reason of a failure
 */
int profiler_stop(struct profiler *profiler, struct units_error *err)
{
	int ret;

	for (size_t i = 0; i < profiler->cpus; i++)
		ioctl(profiler->cpu[i].event, PERF_EVENT_IOC_DISABLE, 0);
	profiler->elapsed_ns = monotonic_ns() - profiler->begun_ns;
	for (size_t i = 0; i < profiler->cpus; i++) {
		struct profiler_cpu *cpu = &profiler->cpu[i];

		/* A CPU that went offline cannot be read. */
		if (read(cpu->event, &cpu->count, sizeof(cpu->count)) !=
		    sizeof(cpu->count))
			cpu->count = 0;
	}
	ret = read_counts(profiler);
	if (!ret)
		return 0;
	return units_refuse(err, "samples of the BPF program: %s",
			    strerror(-ret));
}

/**
 * profiler_stacks() - read the sampled stacks
 * @profiler: stopped profiler
 * @stacks: the stacks, unordered; for free()
 * @count: number of stacks
 * @err: why they cannot be read
 */
int profiler_stacks(const struct profiler *profiler,
		    struct profiler_stack **stacks, size_t *count,
		    struct units_error *err)
{
	struct bpf_map *map = profiler->program->maps.stacks_map;
	struct profile_stack *previous = NULL;
	size_t room = bpf_map__max_entries(map);
	int ret;

	*count = 0;
	*stacks = calloc(room, sizeof(**stacks));
	if (!*stacks)
		return units_refuse(err, "out of memory");
	while (*count < room) {
		struct profiler_stack *next = *stacks + *count;

		ret = bpf_map__get_next_key(map, previous, &next->stack,
					    sizeof(next->stack));
		if (!ret)
			ret = bpf_map__lookup_elem(map, &next->stack,
						   sizeof(next->stack),
						   &next->samples,
						   sizeof(next->samples), 0);
		if (ret)
			break;
		previous = &next->stack;
		++*count;
	}
	if (*count == room || ret == -ENOENT)
		return 0;
	units_refuse(err, "stacks of the BPF program: %s", strerror(-ret));
	free(*stacks);
	*stacks = NULL;
	return -1;
}

/**
 * profiler_close() - remove program and events
 * @profiler: set up by profiler_open(), or all zero
 */
void profiler_close(struct profiler *profiler)
{
	for (size_t i = 0; i < profiler->cpus; i++) {
		struct profiler_cpu *cpu = &profiler->cpu[i];

		/* Destroying the link closes its event. */
		if (cpu->link)
			bpf_link__destroy(cpu->link);
		else if (cpu->event >= 0)
			close(cpu->event);
	}
	if (profiler->program)
		profile__destroy(profiler->program);
	free(profiler->cpu);
	memset(profiler, 0, sizeof(*profiler));
}
