// SPDX-License-Identifier: GPL-2.0
/* findings_host: check kernel, privileges, clocks and CPUs of a host. */
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpus.h"
#include "findings.h"

#define CPUS		"/sys/devices/system/cpu"
#define CLOCKS		"/sys/devices/system/clocksource/clocksource0/"

/* Shares of CPU time from which other work affects a result. */
#define STEAL_PERCENT	1
#define LOAD_PERCENT	5
/* Exit latency of an idle state that is visible, and one that spoils a result. */
#define WAKE_US		20
#define IDLE_STATES	16

/* Check for the kernel headers to build a module. */
DOCTOR_CHECK(headers)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/lib/modules/%s/build/Makefile",
		 doctor->root, doctor->release);
	snprintf(finding->value, sizeof(finding->value), "%s", doctor->release);
	if (!access(path, F_OK)) {
		DOCTOR_SAY(finding, "of %s", doctor->release);
		return DOCTOR_GOOD;
	}
	DOCTOR_SAY(finding, "none of %s", doctor->release);
	return DOCTOR_NOTE;
}

/* Check the module and its version. */
DOCTOR_CHECK(module)
{
	char *version = doctor_read(doctor, "/sys/module/ktput/version");
	enum doctor_state state = DOCTOR_GOOD;

	if (!version) {
		DOCTOR_SAY(finding, "not loaded");
		return DOCTOR_BAD;
	}
	DOCTOR_SAY(finding, "%s is loaded", version);
	if (strcmp(version, KTPUT_VERSION)) {
		DOCTOR_SAY(finding, "%s is loaded, and this is ktput-ctl "
			   KTPUT_VERSION, version);
		state = DOCTOR_NOTE;
	}
	free(version);
	return state;
}

/* Check whether the kernel requires a missing signature. */
DOCTOR_CHECK(signature)
{
	char *taint = doctor_read(doctor, "/sys/module/ktput/taint");
	char *enforced = doctor_read(doctor,
				     "/sys/module/module/parameters/sig_enforce");
	char *lockdown = doctor_read(doctor, "/sys/kernel/security/lockdown");
	const bool wanted = (enforced && enforced[0] == 'Y') ||
			    (lockdown && !strstr(lockdown, "[none]"));
	enum doctor_state state = DOCTOR_GOOD;

	if (taint) {
		DOCTOR_SAY(finding, "%s",
			   strchr(taint, 'E') ? "none, and the kernel wants none" :
						"known to the kernel");
	} else if (wanted) {
		DOCTOR_SAY(finding, "wanted by the kernel%s",
			   lockdown && !strstr(lockdown, "[none]") ?
			   ", which is locked down" : "");
		state = DOCTOR_NOTE;
	} else {
		state = DOCTOR_SILENT;
	}
	free(taint);
	free(enforced);
	free(lockdown);
	return state;
}

/* Value of a name in a file of lines such as "CapEff:\t0000003fffffffff". */
static bool find_hex(const struct doctor *doctor, const char *path,
		     const char *name, uint64_t *value)
{
	const size_t length = strlen(name);
	char file[256], line[256];
	bool found = false;
	FILE *from;

	snprintf(file, sizeof(file), "%s%s", doctor->root, path);
	from = fopen(file, "re");
	while (from && !found && fgets(line, sizeof(line), from)) {
		found = !strncmp(line, name, length);
		if (found)
			*value = strtoull(line + length, NULL, 16);
	}
	if (from)
		fclose(from);
	return found;
}

/* Check the capabilities of the caller. */
DOCTOR_CHECK(privileges)
{
	uint64_t caps;

	if (!find_hex(doctor, "/proc/self/status", "CapEff:", &caps))
		return DOCTOR_SILENT;
	if (!(caps >> CAP_NET_ADMIN & 1)) {
		DOCTOR_SAY(finding, "no CAP_NET_ADMIN");
		return DOCTOR_BAD;
	}
	if (!(caps >> CAP_NET_RAW & 1)) {
		DOCTOR_SAY(finding, "CAP_NET_ADMIN, and no CAP_NET_RAW for "
			   "layers below the socket");
		return DOCTOR_NOTE;
	}
	DOCTOR_SAY(finding, "CAP_NET_ADMIN and CAP_NET_RAW");
	return DOCTOR_GOOD;
}

/* Check the clock source. */
DOCTOR_CHECK(clock)
{
	/* Clock sources that read a device register, or count ticks. */
	static const char *const slow[] = {
		"hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen",
	};
	char *now = doctor_read(doctor, CLOCKS "current_clocksource");
	char *all = doctor_read(doctor, CLOCKS "available_clocksource");
	enum doctor_state state = DOCTOR_GOOD;
	char *left;

	if (!now) {
		free(all);
		return DOCTOR_SILENT;
	}
	/* The file ends with a blank. */
	strtok_r(now, " ", &left);
	DOCTOR_SAY(finding, "%s", now);
	snprintf(finding->value, sizeof(finding->value), "%s",
		 all && strstr(all, "kvm-clock") ? "kvm-clock" : "tsc");
	for (size_t i = 0; i < COUNT(slow); i++)
		if (!strcmp(now, slow[i]))
			state = DOCTOR_BAD;
	free(now);
	free(all);
	return state;
}

/* Share of the observed time, or -1 if nothing was observed. */
static double share(const struct doctor *doctor, uint64_t ticks)
{
	const struct doctor_use *use = doctor->use;
	const uint64_t all = use[1].busy + use[1].idle + use[1].steal -
			     use[0].busy - use[0].idle - use[0].steal;

	return all ? 100.0 * ticks / all : -1;
}

static enum doctor_state judge(double percent, double limit,
			       struct doctor_finding *finding)
{
	if (percent < 0)
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%.1f%% of all CPUs within %d ms", percent,
		   DOCTOR_WATCH_MS);
	return percent > limit ? DOCTOR_BAD : DOCTOR_GOOD;
}

/* Check the steal time. */
DOCTOR_CHECK(steal)
{
	return judge(share(doctor, doctor->use[1].steal - doctor->use[0].steal),
		     STEAL_PERCENT, finding);
}

/* Check the time used by other work. */
DOCTOR_CHECK(load)
{
	return judge(share(doctor, doctor->use[1].busy - doctor->use[0].busy),
		     LOAD_PERCENT, finding);
}

/* Check the frequency governor of CPUs. */
DOCTOR_CHECK(governor)
{
	unsigned int known = 0, other = 0;
	struct units_cpus online;
	char name[32] = "";

	if (doctor_list(doctor, CPUS "/online", &online))
		return DOCTOR_SILENT;
	UNITS_EACH_CPU(cpu, &online) {
		char *governor;

		governor = doctor_read(doctor, CPUS
				       "/cpu%u/cpufreq/scaling_governor", cpu);
		known += !!governor;
		if (governor && strcmp(governor, "performance")) {
			other++;
			snprintf(name, sizeof(name), "%s", governor);
		}
		free(governor);
	}
	if (!known)
		return DOCTOR_SILENT;
	if (!other) {
		DOCTOR_SAY(finding, "performance");
		return DOCTOR_GOOD;
	}
	DOCTOR_SAY(finding, "%s on %u of %u CPUs", name, other, known);
	return DOCTOR_BAD;
}

/* Check the wakeup latency of CPUs. */
DOCTOR_CHECK(idle)
{
	unsigned long deepest_us = 0;
	bool known = false;
	char name[32] = "";

	for (unsigned int i = 0; i < IDLE_STATES; i++) {
		char *latency = doctor_read(doctor, CPUS
					    "/cpu0/cpuidle/state%u/latency", i);
		char *disabled = doctor_read(doctor, CPUS
					     "/cpu0/cpuidle/state%u/disable", i);
		char *word = doctor_read(doctor, CPUS
					 "/cpu0/cpuidle/state%u/name", i);

		if (latency && word && !(disabled && disabled[0] == '1')) {
			known = true;
			if (strtoul(latency, NULL, 10) >= deepest_us) {
				deepest_us = strtoul(latency, NULL, 10);
				snprintf(name, sizeof(name), "%s", word);
			}
		}
		free(latency);
		free(disabled);
		free(word);
	}
	if (!known)
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%s takes %lu us to leave", name, deepest_us);
	return deepest_us > WAKE_US ? DOCTOR_NOTE : DOCTOR_GOOD;
}

/* Check whether CPUs share cores. */
DOCTOR_CHECK(smt)
{
	char *active = doctor_read(doctor, CPUS "/smt/active");
	char *siblings = doctor_read(doctor, CPUS
				     "/cpu0/topology/thread_siblings_list");
	enum doctor_state state = DOCTOR_SILENT;

	if (active) {
		state = active[0] == '1' ? DOCTOR_NOTE : DOCTOR_GOOD;
		if (state == DOCTOR_GOOD)
			DOCTOR_SAY(finding, "off");
		else
			DOCTOR_SAY(finding, "CPUs %s are one core",
				   siblings ? siblings : "of a pair");
	}
	free(active);
	free(siblings);
	return state;
}

/* Check for CPUs isolated from the scheduler. */
DOCTOR_CHECK(isolated)
{
	struct units_cpus cpus;

	if (doctor_list(doctor, CPUS "/isolated", &cpus) ||
	    cpus_show(&cpus, finding->value, sizeof(finding->value)))
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%s", finding->value);
	return DOCTOR_NOTE;
}
