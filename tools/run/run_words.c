// SPDX-License-Identifier: GPL-2.0
/* run_words: the words that keywords of a run take, and their parsers. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../engines/user/settings.h"
#include "run_where.h"
#include "run_options.h"

const struct options_choice run_words_layers[] = {
	{ .word = "socket", .value = KTPUT_LAYER_SOCKET, .where = WHERE_OWN,
	  .help = "sockets of the kernel" },
	{ .word = "queue", .value = KTPUT_LAYER_QUEUE, .commands = RUN_START,
	  .where = WHERE_UDP | WHERE_OWN,
	  .help = "frames for the queueing discipline of the device" },
	{ .word = "driver", .value = KTPUT_LAYER_DRIVER,
	  .where = WHERE_UDP | WHERE_OWN,
	  .help = "frames for the driver of the device" },
	{ .word = "xdp", .value = KTPUT_LAYER_XDP, .commands = RUN_START,
	  .where = WHERE_UDP | WHERE_OWN,
	  .help = "frames without sk_buff, as XDP redirects them to the device" },
	{ .word = "user", .value = KTPUT_LAYER_USER,
	  .help = "an application's sockets, with system calls and copies" },
	{ .word = NULL }
};

const struct options_choice run_words_sink_layers[] = {
	{ .word = "socket", .value = KTPUT_LAYER_SOCKET,
	  .help = "sockets of the kernel" },
	{ .word = "ingress", .value = KTPUT_LAYER_INGRESS,
	  .where = WHERE_UDP, .help = "the ingress hook of the device" },
	{ .word = "xdp", .value = KTPUT_LAYER_XDP, .where = WHERE_UDP,
	  .help = "XDP, in the driver of the device" },
	{ .word = "user", .value = KTPUT_LAYER_USER,
	  .help = "an application's sockets, with system calls and copies" },
	{ .word = NULL }
};

const struct options_choice run_words_methods[] = {
	{ .word = "copy", .value = KTPUT_METHOD_COPY,
	  .help = "out of a buffer" },
	{ .word = "zerocopy", .value = KTPUT_METHOD_ZEROCOPY,
	  .where = WHERE_OWN, .help = "references to pages" },
	{ .word = "direct", .value = KTPUT_METHOD_DIRECT, .commands = RUN_START,
	  .where = WHERE_UDP | WHERE_SOCKET,
	  .help = "datagrams that are built for IP" },
	{ .word = "sendfile", .value = KTPUT_METHOD_SENDFILE,
	  .commands = RUN_START,
	  .where = WHERE_TCP | WHERE_USER | WHERE_IPERF3,
	  .help = "out of a file" },
	{ .word = "io_uring", .value = KTPUT_METHOD_IO_URING,
	  .commands = RUN_START, .where = WHERE_TCP | WHERE_USER,
	  .help = "out of a buffer, by io_uring" },
	{ .word = NULL }
};

const struct options_choice run_words_sink_methods[] = {
	{ .word = "copy", .value = KTPUT_METHOD_COPY,
	  .help = "into a buffer" },
	{ .word = "trunc", .value = KTPUT_METHOD_TRUNC,
	  .help = "not at all: MSG_TRUNC discards it" },
	{ .word = "zerocopy", .value = KTPUT_METHOD_ZEROCOPY,
	  .where = WHERE_SINK_SOCKET, .help = "where it lies" },
	{ .word = "io_uring", .value = KTPUT_METHOD_IO_URING,
	  .where = WHERE_TCP | WHERE_SINK_USER,
	  .help = "into a buffer, by io_uring" },
	{ .word = NULL }
};

const struct options_choice run_words_waits[] = {
	{ .word = "epoll", .value = CONFIG_WAIT_EPOLL,
	  .help = "asleep in epoll_wait()" },
	{ .word = "block", .value = CONFIG_WAIT_BLOCK,
	  .help = "asleep in recv()" },
	{ .word = "spin", .value = CONFIG_WAIT_SPIN,
	  .help = "awake, calling recv() over and over" },
	{ .word = NULL }
};

#define ENGINE(engine, text, command, transports) {			\
	.word = text, .value = CONFIG_ENGINE_##engine,			\
	.commands = RUN_##command, .where = WHERE_##transports },

const struct options_choice run_words_engines[] = {
	{ .word = "ktput", .value = CONFIG_ENGINE_KTPUT },
	CONFIG_ENGINES(ENGINE)
	{ .word = NULL }
};

const struct options_choice run_words_replies[] = {
	{ .word = "worker", .value = KTPUT_REPLY_WORKER,
	  .help = "a thread that is woken" },
	{ .word = "callback", .value = KTPUT_REPLY_CALLBACK,
	  .help = "the socket's callback" },
	{ .word = NULL }
};

const struct options_choice run_words_links[] = {
	{ .word = "ethernet", .value = CEILING_ATM_NONE },
	{ .word = "atm", .value = CEILING_ATM_CLIP,
	  .help = "ATM with classical IP" },
	{ .word = "atm-vc", .value = CEILING_ATM_VC,
	  .help = "ATM with a virtual channel for IP" },
	{ .word = "atm-lane", .value = CEILING_ATM_LANE,
	  .help = "ATM with LAN emulation" },
	{ .word = NULL }
};

#define DSCP_MAX	63
/* Bits of ECN below it, in the byte of the IP header (RFC 3168, 5). */
#define ECN_BITS	2

/* IANA's registry: RFC 2474, 2597, 3246, 5865 and 8622. */
static const struct {
	const char *name;
	unsigned int dscp;
} names[] = {
	{ "cs0", 0 }, { "le", 1 }, { "cs1", 8 }, { "af11", 10 },
	{ "af12", 12 }, { "af13", 14 }, { "cs2", 16 }, { "af21", 18 },
	{ "af22", 20 }, { "af23", 22 }, { "cs3", 24 }, { "af31", 26 },
	{ "af32", 28 }, { "af33", 30 }, { "cs4", 32 }, { "af41", 34 },
	{ "af42", 36 }, { "af43", 38 }, { "cs5", 40 }, { "va", 44 },
	{ "ef", 46 }, { "cs6", 48 }, { "cs7", 56 },
};

/**
 * dscp_parse() - read a code point
 * @word: its name, in any case, or its number
 * @tos: filled in with the type of service, or traffic class, that has it
 * @err: filled in on failure
 *
 * Return: 0, or -1 if it is neither.
 */
int dscp_parse(const char *word, uint64_t *tos, struct units_error *err)
{
	uint64_t number;

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcasecmp(word, names[i].name))
			continue;
		*tos = names[i].dscp << ECN_BITS;
		return 0;
	}
	if (units_parse_count(word, 0, DSCP_MAX, &number, err))
		return units_refuse(err,
				    "'%s' is neither a name, as ef, af41 or cs1, nor a number from 0 to %d",
				    word, DSCP_MAX);
	*tos = number << ECN_BITS;
	return 0;
}

int run_words_framesize(const char *word, const struct options_entry *entry,
			void *target, struct units_error *err)
{
	(void)entry;
	return framesize_parse(word, target, err);
}

int run_words_mac(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err)
{
	(void)entry;
	return ethernet_parse_mac(word, target, err);
}

int run_words_tag(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err)
{
	(void)entry;
	return ethernet_parse_tag(word, target, err);
}

int run_words_host(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err)
{
	if (word[0] && word[0] != '-')
		return options_word(word, entry, target, err);
	return units_refuse(err, "'%s' is no host", word);
}

int run_words_dscp(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err)
{
	(void)entry;
	return dscp_parse(word, target, err);
}

/* FIRST..LAST */
int run_words_sweep(const char *word, const struct options_entry *entry,
		    void *target, struct units_error *err)
{
	const char *dots = strstr(word, "..");
	struct run_sizes sizes;
	char first[32];

	(void)entry;
	if (!dots || (size_t)(dots - word) >= sizeof(first))
		return units_refuse(err, "'%s' is not like 1..1M", word);
	snprintf(first, sizeof(first), "%.*s", (int)(dots - word), word);
	if (units_parse_size(first, 1, KTPUT_MAX_MESSAGE, &sizes.first, err) ||
	    units_parse_size(dots + 2, 1, KTPUT_MAX_MESSAGE, &sizes.last, err))
		return -1;
	if (sizes.first > sizes.last)
		return units_refuse(err, "sizes '%s' run downwards", word);
	*(struct run_sizes *)target = sizes;
	return 0;
}
