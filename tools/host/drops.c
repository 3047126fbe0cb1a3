// SPDX-License-Identifier: GPL-2.0
/* drops: why this kernel dropped the datagrams of a run. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_messages.h"
#include "drops.h"
#include "drop_reasons.skel.h"

#define PREFIX	"SKB_DROP_REASON_"

static int refuse(int error, struct units_error *err)
{
	return bpf_messages_refuse(error, "refused: drops: ", "what the kernel drops",
				   err);
}

/**
 * drops_begin() - count from now on
 * @drops: zeroed; release with drops_free(), even after an error
 * @cookie: cookie of the run's datagrams
 * @detail: print messages of libbpf to stderr
 * @err: why it is refused
 */
int drops_begin(struct drops *drops, uint32_t cookie, bool detail,
		struct units_error *err)
{
	int ret;

	bpf_messages_set(detail);
	drops->program = drop_reasons__open();
	if (!drops->program)
		return refuse(errno, err);
	ret = drop_reasons__load(drops->program);
	if (!ret) {
		drops->program->bss->run.cookie = htonl(cookie);
		ret = drop_reasons__attach(drops->program);
	}
	return ret ? refuse(-ret, err) : 0;
}

/**
 * drops_ports() - set where the datagrams are sent to
 * @drops: drops that are counted; the call does nothing otherwise
 * @port: first port
 * @ports: number of consecutive ports
 */
void drops_ports(struct drops *drops, uint16_t port, uint32_t ports)
{
	if (!drops->program)
		return;
	drops->program->bss->run.port = port;
	drops->program->bss->run.ports = ports > UINT16_MAX ? UINT16_MAX :
							      ports;
}

/* Name of a reason by the kernel's own description; its number for want of one. */
static void name(const struct btf *btf, const struct btf_type *reasons,
		 uint32_t number, char *to, size_t size)
{
	const struct btf_enum *value = reasons ? btf_enum(reasons) : NULL;
	const char *found = NULL;

	for (int i = 0; reasons && i < btf_vlen(reasons) && !found; i++)
		if (value[i].val == (int)number)
			found = btf__name_by_offset(btf, value[i].name_off);
	if (!found || strncmp(found, PREFIX, strlen(PREFIX))) {
		snprintf(to, size, "reason_%u", number);
		return;
	}
	snprintf(to, size, "%s", found + strlen(PREFIX));
	for (; *to; to++)
		*to = tolower((unsigned char)*to);
}

static int by_datagrams(const void *one, const void *other)
{
	const struct drops_reason *first = one, *second = other;

	return (first->datagrams < second->datagrams) -
	       (first->datagrams > second->datagrams);
}

/* Sum over all CPUs; 0 for a reason that was not given. */
static uint64_t count_of(const struct drops *drops, uint32_t number,
			 uint64_t *values, int cpus)
{
	const int map = bpf_map__fd(drops->program->maps.reasons_map);
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(map, &number, values))
		return 0;
	for (int cpu = 0; cpu < cpus; cpu++)
		sum += values[cpu];
	return sum;
}

/**
 * drops_finish() - stop counting, and read what was counted
 * @drops: drops that are counted; the call does nothing otherwise
 */
void drops_finish(struct drops *drops)
{
	const int cpus = libbpf_num_possible_cpus();
	const struct btf_type *reasons = NULL;
	struct btf *btf = NULL;
	uint64_t *values;

	if (!drops->program)
		return;
	drop_reasons__detach(drops->program);
	values = cpus > 0 ? calloc(cpus, sizeof(*values)) : NULL;
	drops->reason = calloc(DROPS_REASONS, sizeof(*drops->reason));
	drops->known = values && drops->reason;
	for (uint32_t i = 0; drops->known && i < DROPS_REASONS; i++) {
		struct drops_reason *reason = &drops->reason[drops->count];

		reason->datagrams = count_of(drops, i, values, cpus);
		if (!reason->datagrams)
			continue;
		/* It takes some 100 ms to read, and is often not needed. */
		if (!btf) {
			btf = btf__load_vmlinux_btf();
			const int id = btf__find_by_name_kind(btf,
				"skb_drop_reason", BTF_KIND_ENUM);

			reasons = id > 0 ? btf__type_by_id(btf, id) : NULL;
		}
		name(btf, reasons, i, reason->name, sizeof(reason->name));
		drops->count++;
	}
	if (drops->known)
		qsort(drops->reason, drops->count, sizeof(*drops->reason),
		      by_datagrams);
	btf__free(btf);
	free(values);
	drop_reasons__destroy(drops->program);
	drops->program = NULL;
}

/**
 * drops_total() - datagrams of all reasons together
 * @drops: drops that have been read
 *
 * Return: the sum.
 */
uint64_t drops_total(const struct drops *drops)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < drops->count; i++)
		sum += drops->reason[i].datagrams;
	return sum;
}

/**
 * drops_free() - stop counting, and free the memory
 * @drops: drops
 */
void drops_free(struct drops *drops)
{
	if (drops->program)
		drop_reasons__destroy(drops->program);
	free(drops->reason);
	*drops = (struct drops) { 0 };
}
