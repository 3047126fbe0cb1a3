// SPDX-License-Identifier: GPL-2.0
/*
 * profile: counts where the kernel is whenever a sampling event fires.
 *
 * The kernel lets no second such program in while one runs on a CPU, so that
 * what belongs to a CPU is not shared.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "profile.h"

const char program_license[] SEC("license") = "GPL";

/* Its size is set before the program is loaded. Allocated then: this is NMI. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct profile_stack);
	__type(value, __u64);
} stacks_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_cpu);
} cpus_map SEC(".maps");

/* A key is too large for the stack of the program. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_stack);
} scratch_map SEC(".maps");

/*
 * Of a timer, which skips what it has missed while interrupts were off or the CPU
 * of a guest was not running; 0 of a counter, which misses nothing.
 */
volatile __u64 period_ns;

/* Samples that were due since the latest. */
static __always_inline __u64 due(struct profile_cpu *cpu)
{
	const __u64 period = period_ns;
	const __u64 now = bpf_ktime_get_ns();
	__u64 count = 1;

	if (period && cpu->last_ns)
		count = (now - cpu->last_ns + period / 2) / period;
	cpu->last_ns = now;
	return count ? count : 1;
}

SEC("perf_event")
int profile_sample(void *ctx)
{
	const __u32 only = 0;
	struct profile_stack *stack;
	struct profile_cpu *cpu;
	__u64 *count, samples;

	stack = bpf_map_lookup_elem(&scratch_map, &only);
	cpu = bpf_map_lookup_elem(&cpus_map, &only);
	if (!stack || !cpu)
		return 0;
	samples = due(cpu);
	cpu->samples += samples;
	cpu->squares += samples * samples;
	stack->cpu = bpf_get_smp_processor_id();
	/* Fills what is left, or all of it where it fails, with zeroes. */
	bpf_get_stack(ctx, stack->address, sizeof(stack->address), 0);
	count = bpf_map_lookup_elem(&stacks_map, stack);
	if (count)
		*count += samples;
	else if (bpf_map_update_elem(&stacks_map, stack, &samples, BPF_NOEXIST))
		cpu->lost += samples;
	return 0;
}
