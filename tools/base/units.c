// SPDX-License-Identifier: GPL-2.0
/* units: parse and print quantities of the command line. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

#define NANO	1000000000ULL

/* A suffix and its value in the base unit. */
struct suffix {
	const char *name;
	uint64_t factor;
};

/* A kind of quantity: its name in error messages, its suffixes, its printer. */
struct kind {
	const char *noun;
	const char *base;
	const struct suffix *suffix;
	size_t suffixes;
	const char *expected;
	struct units_text (*show)(uint64_t value);
};

static struct units_text show_plain(uint64_t value)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%" PRIu64, value);
	return out;
}

static struct units_text show_bps(uint64_t value)
{
	return units_show_bitrate(value);
}

static const struct suffix count_suffix[] = { { "", 1 } };

static const struct suffix size_suffix[] = {
	{ "", 1 },
	{ "K", 1ULL << 10 }, { "KiB", 1ULL << 10 },
	{ "M", 1ULL << 20 }, { "MiB", 1ULL << 20 },
	{ "G", 1ULL << 30 }, { "GiB", 1ULL << 30 },
};

static const struct suffix bit_suffix[] = {
	{ "bit", 1 }, { "kbit", 1000 }, { "mbit", 1000000 },
	{ "gbit", 1000000000 }, { "tbit", 1000000000000 },
};

static const struct suffix packet_suffix[] = {
	{ "pps", 1 }, { "kpps", 1000 }, { "mpps", 1000000 },
};

static const struct suffix time_suffix[] = {
	{ "", NANO }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
	{ "s", NANO }, { "m", 60 * NANO }, { "h", 3600 * NANO },
};

static const struct suffix percent_suffix[] = {
	{ "", NANO }, { "%", NANO },
};

static const struct kind count_kind = {
	"number", "", count_suffix, COUNT(count_suffix), "none",
	show_plain,
};

static const struct kind size_kind = {
	"size", "bytes", size_suffix, COUNT(size_suffix),
	"K, M, G (1024, 1024^2, 1024^3) or none for bytes", units_show_size,
};

static const struct kind bitrate_kind = {
	"rate", "bit/s", bit_suffix, COUNT(bit_suffix),
	"bit, kbit, mbit, gbit or tbit", show_bps,
};

static const struct kind pktrate_kind = {
	"rate", "packets/s", packet_suffix, COUNT(packet_suffix),
	"bit, kbit, mbit, gbit, tbit, pps, kpps or mpps", show_plain,
};

static const struct kind time_kind = {
	"time", "ns", time_suffix, COUNT(time_suffix),
	"ns, us, ms, s, m, h or none for seconds", units_show_time,
};

static const struct kind percent_kind = {
	"percentage", "", percent_suffix, COUNT(percent_suffix), "% or none",
	NULL,
};

int units_refuse(struct units_error *err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	return -1;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static const struct suffix *find_suffix(const struct kind *kind,
					const char *name)
{
	for (size_t i = 0; i < kind->suffixes; i++)
		if (!strcasecmp(kind->suffix[i].name, name))
			return &kind->suffix[i];
	return NULL;
}

/*
 * Store the digits before the point in @whole, those after it in @nano, in units
 * of 1e-9. The rest of the word is the suffix.
 */
static int parse_digits(const struct kind *kind, const char *word,
			const char **suffix, uint64_t *whole, uint64_t *nano,
			struct units_error *err)
{
	const char *p = word;
	uint64_t scale = NANO;

	*whole = 0;
	*nano = 0;
	if (*p == '-')
		return units_refuse(err, "%s '%s' is negative", kind->noun,
				    word);
	if (!isdigit((unsigned char)*p))
		return units_refuse(err, "%s '%s' is not a number%s", kind->noun,
				    word, *word ? "" :
				    ": it is empty, or a range or list lacks one");
	for (; isdigit((unsigned char)*p); p++) {
		if (__builtin_mul_overflow(*whole, 10, whole) ||
		    __builtin_add_overflow(*whole, *p - '0', whole))
			return units_refuse(err,
					    "%s '%s' does not fit into 64 bits",
					    kind->noun, word);
	}
	if (*p == '.') {
		p++;
		if (!isdigit((unsigned char)*p))
			return units_refuse(err,
					    "%s '%s' has no digit after the point",
					    kind->noun, word);
		for (; isdigit((unsigned char)*p); p++) {
			scale /= 10;
			if (!scale)
				return units_refuse(err,
						    "%s '%s' has more than nine decimals",
						    kind->noun, word);
			*nano += scale * (*p - '0');
		}
	}
	*suffix = p;
	return 0;
}

static int parse_exact(const struct kind *kind, const char *word,
		       uint64_t *value, struct units_error *err)
{
	uint64_t whole = 0, nano = 0, common, part;
	const struct suffix *suffix;
	const char *name = word;

	if (parse_digits(kind, word, &name, &whole, &nano, err))
		return -1;
	suffix = find_suffix(kind, name);
	if (!suffix) {
		if (*name && kind == &count_kind)
			units_refuse(err,
				     "%s '%s': unexpected '%s' after the digits",
				     kind->noun, word, name);
		else if (*name)
			units_refuse(err,
				     "%s '%s': unknown unit '%s'; use %s",
				     kind->noun, word, name, kind->expected);
		else
			units_refuse(err, "%s '%s' lacks its unit (%s)",
				     kind->noun, word, kind->expected);
		return -1;
	}
	/*
	 * nano / 1e9 in lowest terms is whole only when its denominator
	 * divides the factor; the product is then below the factor.
	 */
	common = gcd(nano, NANO);
	if (suffix->factor % (NANO / common))
		return units_refuse(err, "%s '%s' is not a whole number%s%s",
				    kind->noun, word, *kind->base ? " of " : "",
				    kind->base);
	part = nano / common * (suffix->factor / (NANO / common));
	if (__builtin_mul_overflow(whole, suffix->factor, &whole) ||
	    __builtin_add_overflow(whole, part, &whole))
		return units_refuse(err, "%s '%s' does not fit into 64 bits",
				    kind->noun, word);
	*value = whole;
	return 0;
}

static int parse_bounded(const struct kind *kind, const char *word,
			 uint64_t min, uint64_t max, uint64_t *value,
			 struct units_error *err)
{
	uint64_t parsed;

	if (parse_exact(kind, word, &parsed, err))
		return -1;
	if (parsed < min && max >= INT64_MAX)
		return units_refuse(err, "%s '%s' is below the least, %s",
				    kind->noun, word, kind->show(min).text);
	if (parsed < min || parsed > max)
		return units_refuse(err, "%s '%s' is not in the range %s to %s",
				    kind->noun, word, kind->show(min).text,
				    kind->show(max).text);
	*value = parsed;
	return 0;
}

int units_parse_count(const char *word, uint64_t min, uint64_t max,
		      uint64_t *value, struct units_error *err)
{
	return parse_bounded(&count_kind, word, min, max, value, err);
}

int units_parse_size(const char *word, uint64_t min, uint64_t max,
		     uint64_t *bytes, struct units_error *err)
{
	return parse_bounded(&size_kind, word, min, max, bytes, err);
}

int units_parse_bitrate(const char *word, uint64_t min, uint64_t max,
			uint64_t *bps, struct units_error *err)
{
	return parse_bounded(&bitrate_kind, word, min, max, bps, err);
}

int units_parse_time(const char *word, uint64_t min, uint64_t max,
		     uint64_t *ns, struct units_error *err)
{
	return parse_bounded(&time_kind, word, min, max, ns, err);
}

int units_parse_port(const char *word, uint64_t *port,
		     struct units_error *err)
{
	return parse_bounded(&count_kind, word, 1, UINT16_MAX, port, err);
}

int units_parse_rate(const char *word, struct units_rate *rate,
		     struct units_error *err)
{
	const char *name = word + strspn(word, "0123456789.");
	const struct kind *kind = &pktrate_kind;
	uint64_t per_s;

	if (find_suffix(&bitrate_kind, name))
		kind = &bitrate_kind;
	if (parse_bounded(kind, word, 1, UINT64_MAX, &per_s, err))
		return -1;
	rate->packets = kind == &pktrate_kind;
	rate->per_s = per_s;
	return 0;
}

int units_parse_percent(const char *word, double *percent,
			struct units_error *err)
{
	uint64_t nano;

	if (parse_exact(&percent_kind, word, &nano, err))
		return -1;
	if (nano > 100 * NANO)
		return units_refuse(err, "percentage '%s' is above 100", word);
	*percent = (double)nano / NANO;
	return 0;
}

/* Copy the part of @word up to @end. */
static int cut(const char *word, const char *end, char *part, size_t size,
	       struct units_error *err)
{
	size_t length = end - word;

	if (length >= size)
		return units_refuse(err, "'%.40s' is longer than any number",
				    word);
	memcpy(part, word, length);
	part[length] = '\0';
	return 0;
}

int units_parse_span(const char *word, uint64_t min, uint64_t max,
		     struct units_span *span, struct units_error *err)
{
	const char *dash = strchr(word, '-');
	struct units_span parsed;
	char first[32];

	if (!dash || dash == word) {
		if (units_parse_count(word, min, max, &parsed.first, err))
			return -1;
		parsed.last = parsed.first;
	} else {
		if (cut(word, dash, first, sizeof(first), err) ||
		    units_parse_count(first, min, max, &parsed.first, err) ||
		    units_parse_count(dash + 1, min, max, &parsed.last, err))
			return -1;
	}
	if (parsed.first > parsed.last)
		return units_refuse(err, "range '%s' runs downwards", word);
	*span = parsed;
	return 0;
}

typedef int (*parse_one)(const char *word, uint64_t min, uint64_t max,
			 uint64_t *value, struct units_error *err);

static int parse_list(const char *word, uint64_t min, uint64_t max,
		      parse_one parse, struct units_list *list,
		      struct units_error *err)
{
	struct units_list parsed = { 0 };
	const char *end;
	char part[32];

	for (;; word = end + 1) {
		end = strchrnul(word, ',');
		if (parsed.count == UNITS_LIST_MAX)
			return units_refuse(err,
					    "the list has more than %d numbers",
					    UNITS_LIST_MAX);
		if (cut(word, end, part, sizeof(part), err) ||
		    parse(part, min, max, &parsed.value[parsed.count], err))
			return -1;
		parsed.count++;
		if (!*end)
			break;
	}
	*list = parsed;
	return 0;
}

int units_parse_sizes(const char *word, uint64_t min, uint64_t max,
		      struct units_list *list, struct units_error *err)
{
	return parse_list(word, min, max, units_parse_size, list, err);
}

int units_parse_counts(const char *word, uint64_t min, uint64_t max,
		       struct units_list *list, struct units_error *err)
{
	return parse_list(word, min, max, units_parse_count, list, err);
}

int units_parse_cpus(const char *word, struct units_cpus *cpus,
		     struct units_error *err)
{
	struct units_cpus parsed = { 0 };
	struct units_span span;
	const char *end;
	char part[64];

	if (!strcmp(word, "all")) {
		parsed.all = true;
		*cpus = parsed;
		return 0;
	}
	for (;; word = end + 1) {
		end = strchrnul(word, ',');
		if (cut(word, end, part, sizeof(part), err) ||
		    units_parse_span(part, 0, UNITS_CPU_MAX - 1, &span, err))
			return -1;
		for (uint64_t cpu = span.first; cpu <= span.last; cpu++) {
			if (units_cpus_has(&parsed, cpu))
				return units_refuse(err, "CPU %" PRIu64
						    " is named twice", cpu);
			units_cpus_add(&parsed, cpu);
		}
		if (!*end)
			break;
	}
	*cpus = parsed;
	return 0;
}

void units_cpus_add(struct units_cpus *cpus, unsigned int cpu)
{
	cpus->bits[cpu / 64] |= 1ULL << cpu % 64;
}

bool units_cpus_has(const struct units_cpus *cpus, unsigned int cpu)
{
	return cpu < UNITS_CPU_MAX && cpus->bits[cpu / 64] >> (cpu % 64) & 1;
}

/* The first CPU of the set from this on, UNITS_CPU_MAX if there is none. */
unsigned int units_cpus_next(const struct units_cpus *cpus, unsigned int from)
{
	for (size_t i = from / 64; i < COUNT(cpus->bits); i++, from = 64 * i) {
		const uint64_t left = cpus->bits[i] >> from % 64;

		if (left)
			return from + __builtin_ctzll(left);
	}
	return UNITS_CPU_MAX;
}

unsigned int units_cpus_count(const struct units_cpus *cpus)
{
	unsigned int count = 0;

	for (size_t i = 0; i < COUNT(cpus->bits); i++)
		count += __builtin_popcountll(cpus->bits[i]);
	return count;
}

static struct units_text show_decimal(double value, const char *unit)
{
	static const char *const prefix[] = { "", "k", "M", "G", "T", "P" };
	struct units_text out;
	size_t i = 0;

	/* 999.995 would be rounded to 1000.00, so use the next prefix. */
	while (fabs(value) >= 999.995 && i + 1 < COUNT(prefix)) {
		value /= 1000;
		i++;
	}
	if (!i && value == floor(value))
		snprintf(out.text, sizeof(out.text), "%.0f%s%s", value,
			 *unit ? " " : "", unit);
	else
		snprintf(out.text, sizeof(out.text), "%.2f%s%s%s", value,
			 i || *unit ? " " : "", prefix[i], unit);
	return out;
}

struct units_text units_show_bitrate(double bps)
{
	return show_decimal(bps, "b/s");
}

struct units_text units_show_count(double count)
{
	return show_decimal(count, "");
}

struct units_text units_show_bytes(double bytes)
{
	return show_decimal(bytes, "B");
}

/* Of a whole, in percent: two digits, but no power of ten. */
static struct units_text show_percent(double share, const char *sign)
{
	const double percent = fabs(share * 100);
	struct units_text out;

	snprintf(out.text, sizeof(out.text),
		 percent < 99.5 ? "%s%.2g%%" : "%s%.0f%%", sign, percent);
	return out;
}

struct units_text units_show_change(double share)
{
	return show_percent(share, signbit(share) ? "-" : "+");
}

struct units_text units_show_share(double share)
{
	return show_percent(share, "");
}

struct units_text units_show_size(uint64_t bytes)
{
	static const char *const prefix[] = { "B", "KiB", "MiB", "GiB" };
	struct units_text out;
	size_t i = 0;

	while (bytes && !(bytes % 1024) && i + 1 < COUNT(prefix)) {
		bytes /= 1024;
		i++;
	}
	snprintf(out.text, sizeof(out.text), "%" PRIu64 " %s", bytes,
		 prefix[i]);
	return out;
}

struct units_text units_show_time(uint64_t ns)
{
	static const struct suffix unit[] = {
		{ "s", NANO }, { "ms", 1000000 }, { "us", 1000 },
	};
	struct units_text out;

	for (size_t i = 0; i < COUNT(unit); i++) {
		if (ns < unit[i].factor)
			continue;
		snprintf(out.text, sizeof(out.text), "%.6g %s",
			 (double)ns / unit[i].factor, unit[i].name);
		return out;
	}
	snprintf(out.text, sizeof(out.text), "%" PRIu64 " ns", ns);
	return out;
}
