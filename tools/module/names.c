// SPDX-License-Identifier: GPL-2.0
/* names: names of the module's enumerations, as in its specification. */
#include <stddef.h>
#include <string.h>

#include "config.h"
#include "names.h"
#include "../host/route.h"

#define UNKNOWN		"unknown"

/* More than any enumeration has. */
#define NAMES_MAX	64

static const char *const roles[] = {
	[KTPUT_ROLE_SOURCE] = "source",
	[KTPUT_ROLE_SINK] = "sink",
};

static const char *const transports[] = {
	[KTPUT_TRANSPORT_TCP] = "tcp",
	[KTPUT_TRANSPORT_UDP] = "udp",
};

static const char *const layers[] = {
	[KTPUT_LAYER_SOCKET] = "socket",
	[KTPUT_LAYER_QUEUE] = "queue",
	[KTPUT_LAYER_DRIVER] = "driver",
	[KTPUT_LAYER_INGRESS] = "ingress",
	[KTPUT_LAYER_XDP] = "xdp",
	[KTPUT_LAYER_USER] = "user",
};

static const char *const methods[] = {
	[KTPUT_METHOD_COPY] = "copy",
	[KTPUT_METHOD_ZEROCOPY] = "zerocopy",
	[KTPUT_METHOD_TRUNC] = "trunc",
	[KTPUT_METHOD_DIRECT] = "direct",
	[KTPUT_METHOD_SENDFILE] = "sendfile",
	[KTPUT_METHOD_IO_URING] = "io_uring",
};

static const char *const states[] = {
	[KTPUT_STATE_RUNNING] = "running",
	[KTPUT_STATE_DRAINING] = "draining",
	[KTPUT_STATE_ENDED] = "ended",
	[KTPUT_STATE_CONNECTING] = "connecting",
	[KTPUT_STATE_PREPARING] = "preparing",
};

static const char *const reasons[] = {
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
	[KTPUT_REASON_UNCONNECTED] = "unconnected",
};

static const char *const reason_texts[] = {
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
	[KTPUT_REASON_UNCONNECTED] = "it could not be connected",
};

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
int names_find(const char *(*name)(unsigned int), const char *word)
{
	if (!word || !strcmp(word, UNKNOWN))
		return -1;
	for (int i = 0; i < NAMES_MAX; i++)
		if (!strcmp(name(i), word))
			return i;
	return -1;
}

const char *names_role(unsigned int role)
{
	return name(roles, COUNT(roles), role);
}

const char *names_transport(unsigned int transport)
{
	return name(transports, COUNT(transports), transport);
}

const char *names_layer(unsigned int layer)
{
	return name(layers, COUNT(layers), layer);
}

const char *names_method(unsigned int method)
{
	return name(methods, COUNT(methods), method);
}

const char *names_state(unsigned int state)
{
	return name(states, COUNT(states), state);
}

const char *names_reason(unsigned int reason)
{
	return name(reasons, COUNT(reasons), reason);
}

/* The reason as text. */
const char *names_reason_text(unsigned int reason)
{
	return name(reason_texts, COUNT(reason_texts), reason);
}

#define ENGINE(engine, word, command, transports) \
	[CONFIG_ENGINE_##engine] = word,

static const char *const engines[] = {
	[CONFIG_ENGINE_KTPUT] = "ktput",
	CONFIG_ENGINES(ENGINE)
};

const char *names_engine(unsigned int engine)
{
	return name(engines, COUNT(engines), engine);
}

static const char *const waits[] = {
	[CONFIG_WAIT_EPOLL] = "epoll",
	[CONFIG_WAIT_BLOCK] = "block",
	[CONFIG_WAIT_SPIN] = "spin",
};

const char *names_wait(unsigned int wait)
{
	return name(waits, COUNT(waits), wait);
}

/* Names of enum ceiling_atm_kind, as in the keyword link. */
const char *names_link(unsigned int link)
{
	static const char *const links[] = {
		[CEILING_ATM_NONE] = "ethernet",
		[CEILING_ATM_CLIP] = "atm",
		[CEILING_ATM_VC] = "atm-vc",
		[CEILING_ATM_LANE] = "atm-lane",
	};

	return name(links, COUNT(links), link);
}

/* Names of enum route_medium. */
const char *names_medium(unsigned int medium)
{
	static const char *const media[] = {
		[ROUTE_WIRE] = "wire",
		[ROUTE_LOOPBACK] = "loopback",
		[ROUTE_VIRTUAL] = "virtual",
	};

	return name(media, COUNT(media), medium);
}

const char *names_pattern(unsigned int pattern)
{
	static const char *const patterns[] = {
		[KTPUT_PATTERN_STREAM] = "stream",
		[KTPUT_PATTERN_PING_PONG] = "ping-pong",
	};

	return name(patterns, COUNT(patterns), pattern);
}

const char *names_reply(unsigned int reply)
{
	static const char *const replies[] = {
		[KTPUT_REPLY_WORKER] = "worker",
		[KTPUT_REPLY_CALLBACK] = "callback",
	};

	return name(replies, COUNT(replies), reply);
}
