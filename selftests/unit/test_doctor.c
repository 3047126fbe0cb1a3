// SPDX-License-Identifier: GPL-2.0
/* Doctor: each check against a host that is made of files and answers. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../kmod/version.h"
#include "../../tools/host/findings.h"
#include "test.h"

#define RELEASE		"6.1.0-1"
#define CPU		"/sys/devices/system/cpu"
#define CLOCK		"/sys/devices/system/clocksource/clocksource0/"
#define NIC		"/sys/bus/pci/devices/0000:01:00.0"
#define FILES_MAX	8

static char root[64];

/* A file, and the line in it. */
struct file {
	const char *path;
	const char *line;
};

/* A host, the check, and what it is to find. */
struct row {
	const char *what;
	doctor_check check;
	struct file files[FILES_MAX];
	struct doctor_link link;
	struct doctor_use use[2];
	enum doctor_state state;
	const char *figure;
};

#define ONLINE	{ CPU "/online", "0-3" }
#define LINK	.device = { .index = 2, .name = "eth0", .mtu_bytes = 9000,	\
			    .parent = "0000:01:00.0", .parent_bus = "pci" }
#define RMEM(most)	{ "/proc/sys/net/ipv4/tcp_rmem", "4096 131072 " most }
#define WMEM(most)	{ "/proc/sys/net/ipv4/tcp_wmem", "4096 16384 " most }

static const struct row rows[] = {
	{ "headers", doctor_headers,
	  .files = { { "/lib/modules/" RELEASE "/build/Makefile", "" } },
	  .state = DOCTOR_GOOD, .figure = "of " RELEASE },
	{ "no headers", doctor_headers,
	  .state = DOCTOR_NOTE, .figure = "none of " RELEASE },
	{ "module", doctor_module,
	  .files = { { "/sys/module/ktput/version", KTPUT_VERSION } },
	  .state = DOCTOR_GOOD, .figure = KTPUT_VERSION " is loaded" },
	{ "another module", doctor_module,
	  .files = { { "/sys/module/ktput/version", "0.0" } },
	  .state = DOCTOR_NOTE,
	  .figure = "0.0 is loaded, and this is ktput-ctl " KTPUT_VERSION },
	{ "no module", doctor_module,
	  .state = DOCTOR_BAD, .figure = "not loaded" },
	{ "signature wanted", doctor_signature,
	  .files = { { "/sys/module/module/parameters/sig_enforce", "Y" } },
	  .state = DOCTOR_NOTE, .figure = "wanted by the kernel" },
	{ "lockdown", doctor_signature,
	  .files = { { "/sys/kernel/security/lockdown",
		       "none [integrity] confidentiality" } },
	  .state = DOCTOR_NOTE,
	  .figure = "wanted by the kernel, which is locked down" },
	{ "no signature wanted", doctor_signature,
	  .files = { { "/sys/module/module/parameters/sig_enforce", "N" },
		     { "/sys/kernel/security/lockdown",
		       "[none] integrity confidentiality" } },
	  .state = DOCTOR_SILENT, .figure = "" },
	{ "loaded without signature", doctor_signature,
	  .files = { { "/sys/module/ktput/taint", "OE" } },
	  .state = DOCTOR_GOOD, .figure = "none, and the kernel wants none" },
	{ "root", doctor_privileges,
	  .files = { { "/proc/self/status", "CapEff:\t000001ffffffffff" } },
	  .state = DOCTOR_GOOD, .figure = "CAP_NET_ADMIN and CAP_NET_RAW" },
	{ "no CAP_NET_RAW", doctor_privileges,
	  .files = { { "/proc/self/status", "CapEff:\t0000000000001000" } },
	  .state = DOCTOR_NOTE,
	  .figure = "CAP_NET_ADMIN, and no CAP_NET_RAW for layers below the socket" },
	{ "nobody", doctor_privileges,
	  .files = { { "/proc/self/status", "CapEff:\t0000000000000000" } },
	  .state = DOCTOR_BAD, .figure = "no CAP_NET_ADMIN" },
	{ "tsc", doctor_clock,
	  .files = { { CLOCK "current_clocksource", "tsc" } },
	  .state = DOCTOR_GOOD, .figure = "tsc" },
	{ "hpet", doctor_clock,
	  .files = { { CLOCK "current_clocksource", "hpet " },
		     { CLOCK "available_clocksource", "tsc hpet acpi_pm " } },
	  .state = DOCTOR_BAD, .figure = "hpet" },
	{ "nothing stolen", doctor_steal,
	  .use = { { 100, 100, 5 }, { 110, 190, 5 } },
	  .state = DOCTOR_GOOD, .figure = "0.0% of all CPUs within 250 ms" },
	{ "stolen", doctor_steal,
	  .use = { { 100, 100, 5 }, { 110, 180, 15 } },
	  .state = DOCTOR_BAD, .figure = "10.0% of all CPUs within 250 ms" },
	{ "nothing watched", doctor_steal, .state = DOCTOR_SILENT,
	  .figure = "" },
	{ "quiet", doctor_load, .use = { { 100, 100, 5 }, { 104, 196, 5 } },
	  .state = DOCTOR_GOOD, .figure = "4.0% of all CPUs within 250 ms" },
	{ "busy", doctor_load, .use = { { 100, 100, 5 }, { 150, 150, 5 } },
	  .state = DOCTOR_BAD, .figure = "50.0% of all CPUs within 250 ms" },
	{ "performance", doctor_governor,
	  .files = { { CPU "/online", "0-1" },
		     { CPU "/cpu0/cpufreq/scaling_governor", "performance" },
		     { CPU "/cpu1/cpufreq/scaling_governor", "performance" } },
	  .state = DOCTOR_GOOD, .figure = "performance" },
	{ "powersave", doctor_governor,
	  .files = { { CPU "/online", "0-1" },
		     { CPU "/cpu0/cpufreq/scaling_governor", "performance" },
		     { CPU "/cpu1/cpufreq/scaling_governor", "powersave" } },
	  .state = DOCTOR_BAD, .figure = "powersave on 1 of 2 CPUs" },
	{ "no governor", doctor_governor, .files = { ONLINE },
	  .state = DOCTOR_SILENT, .figure = "" },
	{ "deep", doctor_idle,
	  .files = { { CPU "/cpu0/cpuidle/state0/latency", "1" },
		     { CPU "/cpu0/cpuidle/state0/name", "C1" },
		     { CPU "/cpu0/cpuidle/state1/latency", "133" },
		     { CPU "/cpu0/cpuidle/state1/name", "C6" } },
	  .state = DOCTOR_NOTE, .figure = "C6 takes 133 us to leave" },
	{ "deep one off", doctor_idle,
	  .files = { { CPU "/cpu0/cpuidle/state0/latency", "1" },
		     { CPU "/cpu0/cpuidle/state0/name", "C1" },
		     { CPU "/cpu0/cpuidle/state1/latency", "133" },
		     { CPU "/cpu0/cpuidle/state1/disable", "1" },
		     { CPU "/cpu0/cpuidle/state1/name", "C6" } },
	  .state = DOCTOR_GOOD, .figure = "C1 takes 1 us to leave" },
	{ "SMT", doctor_smt,
	  .files = { { CPU "/smt/active", "1" },
		     { CPU "/cpu0/topology/thread_siblings_list", "0,4" } },
	  .state = DOCTOR_NOTE, .figure = "CPUs 0,4 are one core" },
	{ "no SMT", doctor_smt, .files = { { CPU "/smt/active", "0" } },
	  .state = DOCTOR_GOOD, .figure = "off" },
	{ "isolated", doctor_isolated,
	  .files = { { CPU "/isolated", "2-3" } },
	  .state = DOCTOR_NOTE, .figure = "2-3" },
	{ "none isolated", doctor_isolated, .files = { { CPU "/isolated", "" } },
	  .state = DOCTOR_SILENT, .figure = "" },
	{ "memory of TCP", doctor_tcp_memory,
	  .files = { { "/proc/sys/net/ipv4/tcp_mem", "8192 16384 32768" },
		     RMEM("6291456") },
	  .state = DOCTOR_GOOD, .figure = "pressure from 64 MiB" },
	{ "little memory of TCP", doctor_tcp_memory,
	  .files = { { "/proc/sys/net/ipv4/tcp_mem", "100 256 300" },
		     RMEM("6291456") },
	  .state = DOCTOR_BAD, .figure = "pressure from 1 MiB" },
	{ "buffers", doctor_tcp_buffers,
	  .files = { RMEM("6291456"), WMEM("4194304") },
	  .state = DOCTOR_GOOD,
	  .figure = "tcp_wmem allows 4 MiB; 10.00 Gb/s x 1 ms (assumed) needs 2500000 B" },
	{ "buffers of a long path", doctor_tcp_buffers,
	  .files = { RMEM("6291456"), WMEM("8388608") },
	  .link = { .rate_bps = 1000000000, .rtt_ns = 100000000 },
	  .state = DOCTOR_BAD,
	  .figure = "tcp_rmem allows 6 MiB; 1.00 Gb/s x 100 ms needs 25000000 B" },
	{ "rmem_max", doctor_socket_buffers,
	  .files = { { "/proc/sys/net/core/rmem_max", "4194304" } },
	  .state = DOCTOR_GOOD, .figure = "rmem_max 4 MiB" },
	{ "little rmem_max", doctor_socket_buffers,
	  .files = { { "/proc/sys/net/core/rmem_max", "212992" } },
	  .state = DOCTOR_NOTE, .figure = "rmem_max 208 KiB" },
	{ "timestamps", doctor_timestamps,
	  .files = { { "/proc/sys/net/ipv4/tcp_timestamps", "1" } },
	  .state = DOCTOR_GOOD, .figure = "on" },
	{ "no timestamps", doctor_timestamps,
	  .files = { { "/proc/sys/net/ipv4/tcp_timestamps", "0" } },
	  .state = DOCTOR_NOTE, .figure = "off" },
	{ "no firewall", doctor_firewall, .link = { .hooks_known = true },
	  .state = DOCTOR_GOOD, .figure = "0 base chains of nf_tables" },
	{ "nf_tables", doctor_firewall,
	  .link = { .hooks_known = true, .hooks = 1 },
	  .state = DOCTOR_NOTE, .figure = "1 base chain of nf_tables" },
	{ "iptables", doctor_firewall,
	  .files = { { "/proc/net/ip_tables_names", "filter" } },
	  .state = DOCTOR_NOTE,
	  .figure = "0 base chains of nf_tables, and tables of iptables" },
	{ "tracking", doctor_tracking,
	  .files = { { "/proc/sys/net/netfilter/nf_conntrack_count", "7" } },
	  .state = DOCTOR_NOTE, .figure = "7 connections" },
	{ "nothing tracked", doctor_tracking,
	  .files = { { "/proc/sys/net/netfilter/nf_conntrack_count", "0" } },
	  .state = DOCTOR_GOOD, .figure = "0 connections" },
	{ "MTU", doctor_mtu,
	  .link = { LINK, .routed = true, .route = { .mtu_bytes = 9000 } },
	  .state = DOCTOR_GOOD, .figure = "9000" },
	{ "MTU of the route", doctor_mtu,
	  .link = { LINK, .routed = true, .route = { .mtu_bytes = 1500 } },
	  .state = DOCTOR_BAD,
	  .figure = "1500 of the path, 9000 of the device" },
	{ "MTU of the path", doctor_mtu,
	  .link = { LINK, .routed = true, .path_mtu_bytes = 1400,
		    .route = { .mtu_bytes = 9000 } },
	  .state = DOCTOR_BAD,
	  .figure = "1400 of the path, 9000 of the device" },
	{ "fq", doctor_qdisc, .link = { .qdisc = "fq" },
	  .state = DOCTOR_GOOD, .figure = "fq" },
	{ "netem", doctor_qdisc, .link = { .qdisc = "netem" },
	  .state = DOCTOR_BAD, .figure = "netem" },
	{ "offloads", doctor_offloads,
	  .link = { .can = DOCTOR_TSO, .does = DOCTOR_TSO },
	  .state = DOCTOR_GOOD, .figure = "all on that the device has" },
	{ "offloads off", doctor_offloads,
	  .link = { .can = DOCTOR_TSO | DOCTOR_GSO | DOCTOR_GRO,
		    .does = DOCTOR_GSO },
	  .state = DOCTOR_BAD, .figure = "TSO, GRO off" },
	{ "rings", doctor_rings,
	  .link = { .rx_ring = 1024, .rx_ring_max = 4096 },
	  .state = DOCTOR_GOOD, .figure = "1024 of 4096 entries to receive" },
	{ "short rings", doctor_rings,
	  .link = { .rx_ring = 256, .rx_ring_max = 4096 },
	  .state = DOCTOR_NOTE, .figure = "256 of 4096 entries to receive" },
	{ "rings at their most", doctor_rings,
	  .link = { .rx_ring = 256, .rx_ring_max = 256 },
	  .state = DOCTOR_GOOD, .figure = "256 of 256 entries to receive" },
	{ "coalescing", doctor_coalescing,
	  .link = { .coalescing = true, .rx_usecs = 10 },
	  .state = DOCTOR_GOOD, .figure = "10 us" },
	{ "long coalescing", doctor_coalescing,
	  .link = { .coalescing = true, .rx_usecs = 100 },
	  .state = DOCTOR_NOTE, .figure = "100 us" },
	{ "adaptive coalescing", doctor_coalescing,
	  .link = { .coalescing = true, .rx_usecs = 8, .rx_adaptive = true },
	  .state = DOCTOR_NOTE, .figure = "8 us, which the driver adapts" },
	{ "RSS", doctor_rss, .files = { ONLINE },
	  .link = { .queues = 4, .rate_bps = 100000000000 },
	  .state = DOCTOR_GOOD, .figure = "4 queues for 4 CPUs" },
	{ "one queue of a fast link", doctor_rss, .files = { ONLINE },
	  .link = { .queues = 1, .rate_bps = 100000000000 },
	  .state = DOCTOR_NOTE, .figure = "1 queue for 4 CPUs" },
	{ "interrupts", doctor_interrupts,
	  .files = { ONLINE, { NIC "/msi_irqs/24", "msix" },
		     { NIC "/msi_irqs/25", "msix" },
		     { "/proc/irq/24/effective_affinity_list", "0" },
		     { "/proc/irq/25/effective_affinity_list", "2" } },
	  .link = { LINK, .queues = 2 },
	  .state = DOCTOR_GOOD, .figure = "2 at CPUs 0,2" },
	{ "interrupts at one CPU", doctor_interrupts,
	  .files = { ONLINE, { NIC "/msi_irqs/24", "msix" },
		     { NIC "/msi_irqs/25", "msix" },
		     { "/proc/irq/24/effective_affinity_list", "1" },
		     { "/proc/irq/25/effective_affinity_list", "1" } },
	  .link = { LINK, .queues = 2 },
	  .state = DOCTOR_BAD, .figure = "2 at CPUs 1" },
	{ "bus", doctor_bus,
	  .files = { { NIC "/config", "" },
		     { NIC "/current_link_speed", "8.0 GT/s PCIe" },
		     { NIC "/current_link_width", "8" } },
	  .link = { LINK, .rate_bps = 10000000000 }, .state = DOCTOR_GOOD,
	  .figure = "generation 3, 8 lanes: 63.02 Gb/s for a link of 10.00 Gb/s" },
	{ "narrow bus", doctor_bus,
	  .files = { { NIC "/config", "" },
		     { NIC "/current_link_speed", "8.0 GT/s PCIe" },
		     { NIC "/current_link_width", "1" } },
	  .link = { LINK, .rate_bps = 10000000000 }, .state = DOCTOR_BAD,
	  .figure = "generation 3, 1 lanes: 7.88 Gb/s for a link of 10.00 Gb/s" },
	{ "IOMMU", doctor_iommu,
	  .files = { { NIC "/iommu_group/type", "DMA" } },
	  .link = { LINK }, .state = DOCTOR_NOTE, .figure = "DMA" },
	{ "IOMMU that passes through", doctor_iommu,
	  .files = { { NIC "/iommu_group/type", "identity" } },
	  .link = { LINK }, .state = DOCTOR_GOOD, .figure = "identity" },
	{ "clock of the device", doctor_stamps,
	  .link = { LINK, .stamps = true },
	  .state = DOCTOR_GOOD, .figure = "by the device's clock" },
	{ "no clock of the device", doctor_stamps, .link = { LINK },
	  .state = DOCTOR_NOTE, .figure = "the device has no clock" },
};

static void put(const struct file *file)
{
	char path[512];
	FILE *to;

	snprintf(path, sizeof(path), "%s%s", root, file->path);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	to = fopen(path, "w");
	if (!to) {
		TEST_FAIL("cannot write %s", path);
		return;
	}
	fprintf(to, "%s\n", file->line);
	fclose(to);
}

static void clear(void)
{
	char command[96];

	if (!root[0])
		snprintf(root, sizeof(root), "/tmp/doctor-%d", getpid());
	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command) || mkdir(root, 0755))
		TEST_FAIL("no empty %s", root);
}

static void test_checks(void)
{
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct doctor_finding finding = { "", "" };
		const struct row *row = &rows[i];
		struct doctor doctor = {
			.root = root, .release = RELEASE, .link = row->link,
			.use = { row->use[0], row->use[1] },
		};

		clear();
		for (size_t j = 0; j < FILES_MAX && row->files[j].path; j++)
			put(&row->files[j]);
		TEST_STRING(row->what, doctor_state_name(row->check(&doctor,
								    &finding)),
			    doctor_state_name(row->state));
		TEST_STRING(row->what, finding.figure, row->figure);
	}
}

/* Each check that the table has is tested with what it objects to, or notes. */
static void test_complete(void)
{
	for (size_t i = 0; i < doctor_row_count; i++) {
		bool found = false;

		for (size_t j = 0; j < TEST_COUNT(rows); j++)
			found |= rows[j].check == doctor_rows[i].check &&
				 rows[j].state >= DOCTOR_NOTE;
		TEST_TRUE(doctor_rows[i].name, found);
	}
}

static void test_remedy(void)
{
	const struct doctor_row row = { .remedy = "set {dev} to {value}, {dev}" };
	const struct doctor_finding finding = { .value = "9000" };
	const struct doctor doctor = { .link = { LINK } };

	TEST_STRING("remedy", doctor_mend(&doctor, &row, &finding).text,
		    "set eth0 to 9000, eth0");
}

static void test_use(void)
{
	const struct file file = { "/proc/stat", "cpu  1 2 4 8 16 32 64 128 0 0" };
	struct doctor_use use;

	clear();
	TEST_TRUE("no file", doctor_read_use(root, &use));
	put(&file);
	TEST_TRUE("file", !doctor_read_use(root, &use));
	TEST_U64("busy", use.busy, 1 + 2 + 4 + 32 + 64);
	TEST_U64("idle", use.idle, 8 + 16);
	TEST_U64("steal", use.steal, 128);
}

static void test_end(void)
{
	clear();
	TEST_TRUE("nothing left", !rmdir(root));
}

static const struct test_case cases[] = {
	{ "checks", test_checks },
	{ "all checks are tested", test_complete },
	{ "remedy", test_remedy },
	{ "use of CPUs", test_use },
	{ "end", test_end },
};

TEST_MAIN(cases)
