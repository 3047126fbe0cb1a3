// SPDX-License-Identifier: GPL-2.0
/* environment: description of the machine in a record. */
#include <dirent.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "environment.h"
#include "netns.h"

#define CPUS		"/sys/devices/system/cpu"
#define VULNERABILITIES	CPUS "/vulnerabilities"

/**
 * environment_read_line() - read the first line of a file
 * @format: path, as for printf()
 *
 * Return: the line without its newline, for free(); NULL if there is none.
 */
char *environment_read_line(const char *format, ...)
{
	char *path, *line = NULL;
	size_t size = 0;
	va_list ap;
	FILE *file;
	int length;

	va_start(ap, format);
	length = vasprintf(&path, format, ap);
	va_end(ap);
	if (length < 0)
		return NULL;
	file = fopen(path, "re");
	free(path);
	if (!file)
		return NULL;
	if (getline(&line, &size, file) <= 0) {
		free(line);
		line = NULL;
	}
	fclose(file);
	if (line)
		line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Record the contents of a file, unless it is missing or empty. */
static void record_file(struct output *out, const char *key, const char *path)
{
	char *line = environment_read_line("%s", path);

	if (line && line[0])
		output_data_string(out, key, line);
	free(line);
}

static bool is_private(const char *word)
{
	/* These contain addresses, disks and host names; so do paths. */
	static const char *const names[] = {
		"root=", "resume=", "ip=", "nfsaddrs=", "BOOTIF=", "rd.",
		"cryptdevice=", "iscsi_", "ds=",
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (!strncmp(word, names[i], strlen(names[i])))
			return true;
	return strchr(word, '/') || strcasestr(word, "hostname") || strcasestr(word, "uuid") ||
	       strcasestr(word, "password") || strcasestr(word, "token");
}

/**
 * environment_public_words() - remove words that identify a host from a command line
 * @line: words separated by blanks; only those that may be published remain
 */
void environment_public_words(char *line)
{
	char *to = line, *word, *left;

	for (word = strtok_r(line, " \t", &left); word;
	     word = strtok_r(NULL, " \t", &left)) {
		size_t length = strlen(word);

		if (is_private(word))
			continue;
		if (to != line)
			*to++ = ' ';
		memmove(to, word, length);
		to += length;
	}
	*to = '\0';
}

static void record_kernel(struct output *out)
{
	char *line = environment_read_line("/proc/cmdline");
	struct utsname name;

	output_object_begin(out, "kernel");
	if (!uname(&name)) {
		output_data_string(out, "release", name.release);
		output_data_string(out, "version", name.version);
		output_data_string(out, "machine", name.machine);
	}
	if (line) {
		environment_public_words(line);
		output_data_string(out, "command_line", line);
	}
	free(line);
	output_object_end(out);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void record_mitigations(struct output *out)
{
	struct dirent **entries;
	int count;

	count = scandir(VULNERABILITIES, &entries, visible, alphasort);
	if (count < 0)
		return;
	output_object_begin(out, "mitigations");
	for (int i = 0; i < count; i++) {
		char *line = environment_read_line(VULNERABILITIES "/%s",
						   entries[i]->d_name);

		if (line)
			output_data_string(out, entries[i]->d_name, line);
		free(line);
		free(entries[i]);
	}
	free(entries);
	output_object_end(out);
}

/* "model name	: text" of the first CPU. */
static void record_cpuinfo(struct output *out)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	bool model = false, flags = false;
	size_t size = 0;
	char *line = NULL;

	while (file && getline(&line, &size, file) > 0) {
		char *value = strstr(line, ": ");

		if (!value)
			continue;
		value[strcspn(value, "\n")] = '\0';
		if (!model && !strncmp(line, "model name", 10)) {
			output_data_string(out, "model", value + 2);
			model = true;
		} else if (!flags && !strncmp(line, "flags", 5)) {
			output_data_bool(out, "hypervisor",
					 strstr(value, " hypervisor"));
			flags = true;
		}
	}
	free(line);
	if (file)
		fclose(file);
}

static void record_cpu(struct output *out)
{
	output_object_begin(out, "cpu");
	record_cpuinfo(out);
	record_file(out, "online", CPUS "/online");
	record_file(out, "isolated", CPUS "/isolated");
	record_file(out, "smt", CPUS "/smt/control");
	record_file(out, "governor", CPUS "/cpu0/cpufreq/scaling_governor");
	record_file(out, "frequency_driver",
		    CPUS "/cpu0/cpufreq/scaling_driver");
	record_file(out, "idle_driver", CPUS "/cpuidle/current_driver");
	output_object_end(out);
}

/**
 * environment_record() - record the machine, as keys of the current object
 * @out: the output
 */
void environment_record(struct output *out)
{
	struct sysinfo info;

	output_data_string(out, "tool_version", KTPUT_VERSION);
	record_file(out, "module_version", "/sys/module/ktput/version");
	record_file(out, "module_source", "/sys/module/ktput/srcversion");
	record_kernel(out);
	record_mitigations(out);
	record_cpu(out);
	record_file(out, "clocksource",
		    "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	if (!sysinfo(&info))
		output_data_u64(out, "memory_bytes",
				(uint64_t)info.totalram * info.mem_unit);
}

/* Some exist in the initial network namespace only. */
static void record_sysctls(struct output *out)
{
	static const char *const names[] = {
		"net.core.default_qdisc",
		"net.core.netdev_budget",
		"net.core.netdev_max_backlog",
		"net.core.optmem_max",
		"net.core.rmem_default",
		"net.core.rmem_max",
		"net.core.wmem_default",
		"net.core.wmem_max",
		"net.ipv4.tcp_adv_win_scale",
		"net.ipv4.tcp_congestion_control",
		"net.ipv4.tcp_ecn",
		"net.ipv4.tcp_limit_output_bytes",
		"net.ipv4.tcp_mem",
		"net.ipv4.tcp_moderate_rcvbuf",
		"net.ipv4.tcp_mtu_probing",
		"net.ipv4.tcp_no_metrics_save",
		"net.ipv4.tcp_notsent_lowat",
		"net.ipv4.tcp_rmem",
		"net.ipv4.tcp_sack",
		"net.ipv4.tcp_slow_start_after_idle",
		"net.ipv4.tcp_timestamps",
		"net.ipv4.tcp_window_scaling",
		"net.ipv4.tcp_wmem",
		"net.ipv4.udp_mem",
	};

	output_object_begin(out, "sysctls");
	for (size_t i = 0; i < COUNT(names); i++) {
		char path[128];

		snprintf(path, sizeof(path), "/proc/sys/%s", names[i]);
		for (char *c = path; *c; c++)
			if (*c == '.')
				*c = '/';
		record_file(out, names[i], path);
	}
	output_object_end(out);
}

/**
 * environment_record_end() - record the location of an end, as keys of the current
 *	object
 * @out: the output
 * @netns: its network namespace as netns_enter() takes it, or NULL
 * @device: index of the device that its packets pass, 0 if unknown
 */
void environment_record_end(struct output *out, const char *netns,
			    uint32_t device)
{
	struct units_error ignored;
	struct netns_visit visit;

	if (!netns_enter(&visit, netns, &ignored)) {
		record_sysctls(out);
		netns_leave(&visit);
	}
	if (device)
		environment_record_device(out, netns, device);
}

/* Whether a word is in the first line of a file. */
static bool says(const char *path, const char *word)
{
	char *line = environment_read_line("%s", path);
	const bool said = line && strstr(line, word);

	free(line);
	return said;
}

/**
 * signature_asked_by() - find what makes this kernel require signed modules
 * @enforce: SIGNATURE_ENFORCE
 * @lockdown: SIGNATURE_LOCKDOWN; readable by root alone
 *
 * Return: its name, or NULL if neither file names anything
 */
const char *signature_asked_by(const char *enforce, const char *lockdown)
{
	if (says(enforce, "Y"))
		return "module.sig_enforce";
	if (says(lockdown, "[integrity]") || says(lockdown, "[confidentiality]"))
		return "lockdown";
	return NULL;
}
