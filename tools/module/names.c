// SPDX-License-Identifier: GPL-2.0
/* names: names of the module's enumerations, as in its specification. */
#include <stddef.h>
#include <string.h>

#include "../host/route.h"
#include "config.h"
#include "names.h"

#define UNKNOWN		"unknown"

/* More than any enumeration has. */
#define NAMES_MAX	64

static const char *name(const char *const *names, size_t count,
			unsigned int value)
{
	return value < count && names[value] ? names[value] : UNKNOWN;
}

/**
 * names_find() - find the number for a name
 * @name: one of the functions below
 * @word: the name, or NULL
 *
 * Return: the number, or -1 if there is none.
 */
int names_find(names_word name, const char *word)
{
	if (!word || !strcmp(word, UNKNOWN))
		return -1;
	for (int i = 0; i < NAMES_MAX; i++)
		if (!strcmp(name(i), word))
			return i;
	return -1;
}

/* names_OF(), by a table. */
#define NAME_OF(of, ...)						\
	const char *names_##of(unsigned int value)			\
	{								\
		static const char *const names[] = { __VA_ARGS__ };	\
									\
		return name(names, COUNT(names), value);		\
	}

NAME_OF(role,
	[KTPUT_ROLE_SOURCE] = "source",
	[KTPUT_ROLE_SINK] = "sink")

NAME_OF(transport,
	[KTPUT_TRANSPORT_TCP] = "tcp",
	[KTPUT_TRANSPORT_UDP] = "udp")

NAME_OF(layer,
	[KTPUT_LAYER_SOCKET] = "socket",
	[KTPUT_LAYER_QUEUE] = "queue",
	[KTPUT_LAYER_DRIVER] = "driver",
	[KTPUT_LAYER_INGRESS] = "ingress",
	[KTPUT_LAYER_XDP] = "xdp",
	[KTPUT_LAYER_USER] = "user")

NAME_OF(method,
	[KTPUT_METHOD_COPY] = "copy",
	[KTPUT_METHOD_ZEROCOPY] = "zerocopy",
	[KTPUT_METHOD_TRUNC] = "trunc",
	[KTPUT_METHOD_DIRECT] = "direct",
	[KTPUT_METHOD_SENDFILE] = "sendfile",
	[KTPUT_METHOD_IO_URING] = "io_uring")

NAME_OF(state,
	[KTPUT_STATE_RUNNING] = "running",
	[KTPUT_STATE_DRAINING] = "draining",
	[KTPUT_STATE_ENDED] = "ended",
	[KTPUT_STATE_CONNECTING] = "connecting",
	[KTPUT_STATE_PREPARING] = "preparing")

NAME_OF(reason,
	[KTPUT_REASON_NONE] = "none",
	[KTPUT_REASON_TIME] = "time",
	[KTPUT_REASON_BYTES] = "bytes",
	[KTPUT_REASON_MESSAGES] = "messages",
	[KTPUT_REASON_STOPPED] = "stopped",
	[KTPUT_REASON_OWNER] = "owner",
	[KTPUT_REASON_PEERS] = "peers",
	[KTPUT_REASON_RESET] = "reset",
	[KTPUT_REASON_NETNS] = "netns",
	[KTPUT_REASON_DEVICE_REMOVED] = "device-removed",
	[KTPUT_REASON_DEVICE_DOWN] = "device-down",
	[KTPUT_REASON_CPU] = "cpu",
	[KTPUT_REASON_MODULE] = "module",
	[KTPUT_REASON_ERROR] = "error",
	[KTPUT_REASON_UNCONNECTED] = "unconnected")

/* The reason as text. */
NAME_OF(reason_text,
	[KTPUT_REASON_NONE] = "it has not ended",
	[KTPUT_REASON_TIME] = "time limit reached",
	[KTPUT_REASON_BYTES] = "all bytes are sent",
	[KTPUT_REASON_MESSAGES] = "all messages are sent",
	[KTPUT_REASON_STOPPED] = "stopped",
	[KTPUT_REASON_OWNER] = "the program that started it is gone",
	[KTPUT_REASON_PEERS] = "all peers have closed",
	[KTPUT_REASON_RESET] = "a peer reset its connection or was lost",
	[KTPUT_REASON_NETNS] = "the network namespace is gone",
	[KTPUT_REASON_DEVICE_REMOVED] = "the device was removed",
	[KTPUT_REASON_DEVICE_DOWN] = "the device was taken down",
	[KTPUT_REASON_CPU] = "a CPU was taken offline",
	[KTPUT_REASON_MODULE] = "the module is being removed",
	[KTPUT_REASON_ERROR] = "a call failed",
	[KTPUT_REASON_UNCONNECTED] = "it could not be connected")

#define ENGINE(engine, word, command, transports) \
	[CONFIG_ENGINE_##engine] = word,

NAME_OF(engine,
	[CONFIG_ENGINE_KTPUT] = "ktput",
	CONFIG_ENGINES(ENGINE))

NAME_OF(wait,
	[CONFIG_WAIT_EPOLL] = "epoll",
	[CONFIG_WAIT_BLOCK] = "block",
	[CONFIG_WAIT_SPIN] = "spin")

/* Names of enum ceiling_atm_kind, as in the keyword link. */
NAME_OF(link,
	[CEILING_ATM_NONE] = "ethernet",
	[CEILING_ATM_CLIP] = "atm",
	[CEILING_ATM_VC] = "atm-vc",
	[CEILING_ATM_LANE] = "atm-lane")

/* Names of enum route_medium. */
NAME_OF(medium,
	[ROUTE_WIRE] = "wire",
	[ROUTE_LOOPBACK] = "loopback",
	[ROUTE_VIRTUAL] = "virtual")

NAME_OF(pattern,
	[KTPUT_PATTERN_STREAM] = "stream",
	[KTPUT_PATTERN_PING_PONG] = "ping-pong")

NAME_OF(reply,
	[KTPUT_REPLY_WORKER] = "worker",
	[KTPUT_REPLY_CALLBACK] = "callback")
