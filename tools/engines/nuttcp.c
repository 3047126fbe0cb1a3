// SPDX-License-Identifier: GPL-2.0
/* nuttcp: read the results of nuttcp. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nuttcp.h"

#define MEGABYTE	1048576

/* Half of the last digit of "megabytes". */
#define ROUNDED_BYTES	(0.00005 * MEGABYTE)

/* Find the line of one end with a word; returns the text after the word, or NULL. */
static const char *find(const char *text, bool sender, const char *word)
{
	const char *prefix = sender ? "nuttcp-t: " : "nuttcp-r: ";
	const char *line, *at;

	for (line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, "\n");
		if (strncmp(line, prefix, strlen(prefix)))
			continue;
		at = strstr(line, word);
		if (at && at < line + strcspn(line, "\n") && at[-1] == ' ')
			return at + strlen(word);
	}
	return NULL;
}

static double number(const char *text, bool sender, const char *word)
{
	const char *at = find(text, sender, word);

	return at ? strtod(at, NULL) : NAN;
}

/* All buffers are complete, except one that was cut short. */
static uint64_t whole(double bytes, double buffer)
{
	const double near = round(bytes / buffer) * buffer;

	return llround(fabs(near - bytes) <= ROUNDED_BYTES ? near : bytes);
}

static int refuse(const char *text, struct units_error *err)
{
	const char *error = strstr(text, "Error: ");

	if (error)
		units_refuse(err, "nuttcp: %.*s", (int)strcspn(error + 7, "\n"),
			     error + 7);
	else
		units_refuse(err, "nuttcp has printed no result");
	return -1;
}

/**
 * nuttcp_read() - read the result of one end
 * @text: output of a client with -fparse -v, with the results of both ends
 * @sender: result of the client, which sends, else of its server
 * @result: filled in; nuttcp reports only the sum of all streams
 * @err: why it is not a result
 *
 * Return: 0, or -1 with a message in @err.
 */
int nuttcp_read(const char *text, bool sender, struct engine_result *result,
		struct units_error *err)
{
	const double megabytes = number(text, sender, "megabytes=");
	const double bit_rate = number(text, sender, "rate_Mbps=") * 1e6;
	const double buffer = number(text, sender, "buflen=");
	const double sent = number(text, false, "pkt=");
	const double lost = sender ? 0 : number(text, false, "drop=");
	const char *version = find(text, sender, "v");
	struct engine_stream *stream;

	*result = (struct engine_result){ 0 };
	if (!(megabytes >= 0) || !(bit_rate > 0) || !(buffer > 0))
		return refuse(text, err);
	stream = calloc(1, sizeof(*stream));
	if (!stream) {
		units_refuse(err, "out of memory");
		return -1;
	}
	snprintf(result->version, sizeof(result->version), "nuttcp %.*s",
		 version ? (int)strcspn(version, ":\n") : 0,
		 version ? version : "");
	stream->bytes = whole(megabytes * MEGABYTE, buffer);
	stream->seconds = megabytes * MEGABYTE * 8 / bit_rate;
	/* Only the receiver reports datagrams, for both ends. */
	if (sent > 0 && lost >= 0 && lost <= sent) {
		stream->lost = llround(lost);
		stream->datagrams = llround(sent - lost);
		stream->bytes = llround(stream->datagrams * buffer);
	}
	result->stream = stream;
	result->streams = 1;
	return 0;
}
