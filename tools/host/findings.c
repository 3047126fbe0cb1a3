// SPDX-License-Identifier: GPL-2.0
/* findings: check whether a host is ready for a measurement. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "findings.h"

const struct doctor_row doctor_rows[] = {
	{
		.name = "headers", .check = doctor_headers,
		.why = "the module is built against them",
		.remedy = "apt install linux-headers-{value}",
	}, {
		.name = "module", .check = doctor_module,
		.why = "only layer user works without it",
		.remedy = "modprobe ktput",
	}, {
		.name = "signature", .check = doctor_signature,
		.why = "this kernel loads no module without a signature that it knows",
		.remedy = "mokutil --import /var/lib/dkms/mok.pub",
	}, {
		.name = "privileges", .check = doctor_privileges,
		.why = "runs of the module need CAP_NET_ADMIN",
		.remedy = "sudo ktput-ctl doctor",
	}, {
		.name = "clock source", .check = doctor_clock, .cheap = true,
		.why = "each reading of the clock leaves the CPU, and costs about a microsecond",
		.remedy = "echo {value} "
			">/sys/devices/system/clocksource/clocksource0/current_clocksource",
	}, {
		.name = "steal", .check = doctor_steal,
		.why = "the hypervisor gives this machine's CPUs to other guests",
		.remedy = "pin the virtual CPUs on the host: virsh vcpupin",
	}, {
		.name = "foreign load", .check = doctor_load,
		.why = "other work takes cycles and caches from the run",
		.remedy = "top -1",
	}, {
		.name = "governor", .check = doctor_governor, .cheap = true,
		.why = "the frequency changes during the run",
		.remedy = "cpupower frequency-set -g performance",
	}, {
		.name = "idle states", .check = doctor_idle,
		.why = "the first packet after a pause waits until the CPU has woken",
		.remedy = "cpupower idle-set -D 20",
	}, {
		.name = "SMT", .check = doctor_smt,
		.why = "two CPUs share one core, and its cycles",
		.remedy = "echo off >/sys/devices/system/cpu/smt/control",
	}, {
		.name = "isolated CPUs", .check = doctor_isolated,
		.why = "runs leave them out unless they are named",
		.remedy = "ktput-ctl start cpus {value}",
	}, {
		.name = "tcp_mem", .check = doctor_tcp_memory, .cheap = true,
		.why = "beyond its second number windows do not grow, and queues are pruned",
		.remedy = "sysctl -w net.ipv4.tcp_mem='{value}'",
	}, {
		.name = "TCP buffers", .check = doctor_tcp_buffers,
		.why = "bandwidth times delay, twice since half is overhead, is "
			"more than a stream may have in flight",
		.remedy = "sysctl -w net.ipv4.tcp_rmem='4096 131072 {value}' "
			"net.ipv4.tcp_wmem='4096 16384 {value}'",
	}, {
		.name = "socket buffers", .check = doctor_socket_buffers,
		.why = "a sink of UDP loses what comes while it does not run, and "
			"rcvbuf is cut to this",
		.remedy = "sysctl -w net.core.rmem_max={value} net.core.wmem_max={value}",
	}, {
		.name = "TCP timestamps", .check = doctor_timestamps,
		.why = "without them the round-trip time is not measured after "
			"losses, and sequence numbers wrap at 10 Gbit/s within 4 s",
		.remedy = "sysctl -w net.ipv4.tcp_timestamps=1",
	}, {
		.name = "firewall", .check = doctor_firewall,
		.why = "every packet is filtered, which costs CPU",
		.remedy = "nft list ruleset",
	}, {
		.name = "tracking", .check = doctor_tracking,
		.why = "connections are tracked: each packet costs a look-up",
		.remedy = "nft add rule inet raw prerouting notrack",
	}, {
		.name = "MTU", .check = doctor_mtu,
		.why = "packets of the device's size do not fit through the path",
		.remedy = "ip link set dev {dev} mtu {value}",
	}, {
		.name = "qdisc", .check = doctor_qdisc,
		.why = "it delays, drops or limits on purpose",
		.remedy = "tc qdisc replace dev {dev} root fq",
	}, {
		.name = "offloads", .check = doctor_offloads,
		.why = "the CPU does what the device can do",
		.remedy = "ethtool -K {dev}{value}",
	}, {
		.name = "rings", .check = doctor_rings,
		.why = "a burst beyond a ring is dropped by the device",
		.remedy = "ethtool -G {dev} rx {value}",
	}, {
		.name = "coalescing", .check = doctor_coalescing,
		.why = "the delay of interrupts is part of each latency, and of CPU time",
		.remedy = "ethtool -C {dev} adaptive-rx off rx-usecs 10",
	}, {
		.name = "RSS", .check = doctor_rss,
		.why = "all that is received is processed on as many CPUs as there are queues",
		.remedy = "ethtool -L {dev} combined {value}",
	}, {
		.name = "interrupts", .check = doctor_interrupts,
		.why = "one CPU serves several queues, while others do nothing",
		.remedy = "systemctl stop irqbalance; echo CPU "
			">/proc/irq/{value}/smp_affinity_list",
	}, {
		.name = "PCIe", .check = doctor_bus,
		.why = "the bus carries less than the link",
		.remedy = "lspci -vvs {value}",
	}, {
		.name = "IOMMU", .check = doctor_iommu,
		.why = "each buffer is mapped and unmapped, and the TLB of the "
			"IOMMU is flushed each time",
		.remedy = "boot with iommu=pt",
	}, {
		.name = "time stamps", .check = doctor_stamps,
		.why = "latencies include the time until the interrupt",
		.remedy = "ethtool -T {dev}",
	},
};

const size_t doctor_row_count = COUNT(doctor_rows);

/**
 * doctor_state_name() - name of a state
 * @state: state
 *
 * Return: the name.
 */
const char *doctor_state_name(enum doctor_state state)
{
	static const char *const names[] = {
		[DOCTOR_SILENT] = "unknown", [DOCTOR_GOOD] = "good",
		[DOCTOR_NOTE] = "note", [DOCTOR_BAD] = "bad",
	};

	return names[state];
}

static size_t put(struct doctor_remedy *remedy, size_t length, const char *text,
		  size_t count)
{
	const size_t room = sizeof(remedy->text) - 1 - length;

	if (count > room)
		count = room;
	memcpy(remedy->text + length, text, count);
	return length + count;
}

/**
 * doctor_mend() - the command that fixes a finding
 * @doctor: the host
 * @row: the row
 * @finding: result of its check
 *
 * Return: the command.
 */
struct doctor_remedy doctor_mend(const struct doctor *doctor,
				 const struct doctor_row *row,
				 const struct doctor_finding *finding)
{
	const struct {
		const char *name;
		const char *text;
	} words[] = {
		{ "{dev}", doctor->link.device.name },
		{ "{value}", finding->value },
	};
	struct doctor_remedy remedy = { "" };
	const char *at = row->remedy;
	size_t length = 0;

	while (*at) {
		size_t i;

		for (i = 0; i < COUNT(words); i++)
			if (!strncmp(at, words[i].name, strlen(words[i].name)))
				break;
		if (i < COUNT(words)) {
			length = put(&remedy, length, words[i].text,
				     strlen(words[i].text));
			at += strlen(words[i].name);
		} else {
			length = put(&remedy, length, at++, 1);
		}
	}
	return remedy;
}

/**
 * doctor_read() - read the first line of a file of the host
 * @doctor: the host
 * @format: path below its root, as for printf()
 *
 * Return: the line, for free(), or NULL.
 */
char *doctor_read(const struct doctor *doctor, const char *format, ...)
{
	char *path, *line;
	va_list ap;
	int length;

	va_start(ap, format);
	length = vasprintf(&path, format, ap);
	va_end(ap);
	if (length < 0)
		return NULL;
	line = environment_read_line("%s%s", doctor->root, path);
	free(path);
	return line;
}

/**
 * doctor_list() - read a list of CPUs from a file of the host
 * @doctor: the host
 * @path: path below its root
 * @cpus: filled in
 *
 * Return: 0, or -1 if the list is missing or empty.
 */
int doctor_list(const struct doctor *doctor, const char *path,
		struct units_cpus *cpus)
{
	char *line = doctor_read(doctor, "%s", path);
	struct units_error ignored;
	int ret = -1;

	*cpus = (struct units_cpus) { 0 };
	if (line && *line)
		ret = units_parse_cpus(line, cpus, &ignored);
	free(line);
	return ret;
}

/**
 * doctor_read_use() - read the use of CPUs since boot
 * @root: root of the host
 * @use: filled in
 *
 * Return: 0, or -1 if it is unknown.
 */
int doctor_read_use(const char *root, struct doctor_use *use)
{
	/* Columns of /proc/stat, proc(5). */
	enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };
	char *line = environment_read_line("%s/proc/stat", root);
	uint64_t ticks[COLUMNS];
	int found = 0;

	if (line)
		found = sscanf(line, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64
			       " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			       " %" SCNu64, &ticks[USER], &ticks[NICE],
			       &ticks[SYSTEM], &ticks[IDLE], &ticks[IOWAIT],
			       &ticks[IRQ], &ticks[SOFTIRQ], &ticks[STEAL]);
	free(line);
	if (found != COLUMNS)
		return -1;
	*use = (struct doctor_use) {
		.busy = ticks[USER] + ticks[NICE] + ticks[SYSTEM] +
			ticks[IRQ] + ticks[SOFTIRQ],
		.idle = ticks[IDLE] + ticks[IOWAIT],
		.steal = ticks[STEAL],
	};
	return 0;
}
