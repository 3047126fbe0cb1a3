/* SPDX-License-Identifier: GPL-2.0 */
/*
 * units: parse and print quantities of the command line.
 *
 * Every parser takes one whole word. On success it stores the value and returns 0.
 * On failure it returns -1, does not change the value and stores a message with the
 * word and the limit. Numbers are decimal, without sign. A fraction is accepted if
 * the result is a whole number of the base unit, so nothing is rounded. There is
 * neither NaN nor infinity.
 *
 *   size      bytes; K, M, G (or KiB, MiB, GiB) are 2^10, 2^20, 2^30
 *   bit rate  bit/s; bit, kbit, mbit, gbit, tbit are powers of 1000
 *   pkt rate  packets/s; pps, kpps, mpps are powers of 1000
 *   time      ns, us, ms, s, m, h; a bare number is seconds
 *   percent   0 to 100, with or without the sign
 *   CPU list  0-3,5 or all
 */
#ifndef KTPUT_TOOLS_UNITS_H
#define KTPUT_TOOLS_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements of an array. */
#define COUNT(array)		(sizeof(array) / sizeof((array)[0]))

#define UNITS_NSEC_PER_SEC	1000000000ULL

/* The maximum of CONFIG_NR_CPUS is 8192 on every architecture. */
#define UNITS_CPU_MAX		8192
#define UNITS_LIST_MAX		16

/**
 * struct units_error - why a word was refused
 * @text: one sentence, without a newline
 */
struct units_error {
	char text[200];
};

/**
 * struct units_text - a printed quantity, returned by value
 * @text: the quantity with its unit
 */
struct units_text {
	char text[40];
};

/**
 * struct units_rate - a rate in one of two units
 * @packets: @per_s counts packets if true, else bits
 * @per_s: bit/s or packets/s
 */
struct units_rate {
	bool packets;
	uint64_t per_s;
};

/**
 * struct units_cpus - a set of CPUs
 * @all: the word was "all"; no bit is set then
 * @bits: one bit per CPU number
 */
struct units_cpus {
	bool all;
	uint64_t bits[UNITS_CPU_MAX / 64];
};

/**
 * struct units_span - an inclusive range of whole numbers
 * @first: lowest
 * @last: highest, not below @first
 */
struct units_span {
	uint64_t first;
	uint64_t last;
};

/**
 * struct units_list - sizes or numbers, in the order given
 * @count: number of values
 * @value: sizes in bytes, or numbers
 */
struct units_list {
	size_t count;
	uint64_t value[UNITS_LIST_MAX];
};

static inline uint64_t units_greater(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static inline uint64_t units_smaller(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* What a count is above a part of it, not below 0. */
static inline uint64_t units_beyond(uint64_t count, uint64_t part)
{
	return count > part ? count - part : 0;
}

/*
 * Say why. A function that can fail takes @err and returns 0, or -1 with a sentence
 * in @err that says what to do: its comment says only what differs from that. This
 * one returns -1, for whoever refuses to return it.
 */
int units_refuse(struct units_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

int units_parse_count(const char *word, uint64_t min, uint64_t max,
		      uint64_t *value, struct units_error *err);
int units_parse_size(const char *word, uint64_t min, uint64_t max,
		     uint64_t *bytes, struct units_error *err);
int units_parse_sizes(const char *word, uint64_t min, uint64_t max,
		      struct units_list *list, struct units_error *err);
int units_parse_counts(const char *word, uint64_t min, uint64_t max,
		       struct units_list *list, struct units_error *err);
int units_parse_bitrate(const char *word, uint64_t min, uint64_t max,
			uint64_t *bps, struct units_error *err);
int units_parse_rate(const char *word, struct units_rate *rate,
		     struct units_error *err);
int units_parse_time(const char *word, uint64_t min, uint64_t max,
		     uint64_t *ns, struct units_error *err);
int units_parse_percent(const char *word, double *percent,
			struct units_error *err);
int units_parse_port(const char *word, uint64_t *port,
		     struct units_error *err);
int units_parse_span(const char *word, uint64_t min, uint64_t max,
		     struct units_span *span, struct units_error *err);
int units_parse_cpus(const char *word, struct units_cpus *cpus,
		     struct units_error *err);

/* For each CPU of a set, in order. */
#define UNITS_EACH_CPU(cpu, cpus)					\
	for (unsigned int cpu = units_cpus_next(cpus, 0);		\
	     cpu < UNITS_CPU_MAX; cpu = units_cpus_next(cpus, cpu + 1))

void units_cpus_add(struct units_cpus *cpus, unsigned int cpu);
bool units_cpus_has(const struct units_cpus *cpus, unsigned int cpu);
unsigned int units_cpus_next(const struct units_cpus *cpus, unsigned int from);
unsigned int units_cpus_count(const struct units_cpus *cpus);

/* In decimal prefixes; a size in KiB, MiB, GiB if exact. */
struct units_text units_show_bitrate(double bps);
struct units_text units_show_size(uint64_t bytes);
struct units_text units_show_time(uint64_t ns);
struct units_text units_show_count(double count);
struct units_text units_show_bytes(double bytes);
struct units_text units_show_change(double share);
struct units_text units_show_share(double share);

#endif
