// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of runs: what the module can do.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "bypass.h"
#include "ingress.h"
#include "inject.h"
#include "kind.h"
#include "tcp.h"
#include "udp.h"

#define METHOD(name)	BIT(KTPUT_METHOD_##name)

/* What is not in this table is refused, and nothing else is. */
static const struct ktput_kind kinds[] = {
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_TCP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(PAGES),
		KTPUT_METHOD_PAGES, &ktput_tcp_source_ops,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_TCP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(TRUNC) | METHOD(DIRECT),
		KTPUT_METHOD_DIRECT, &ktput_tcp_sink_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(PAGES) | METHOD(DIRECT),
		KTPUT_METHOD_COPY, &ktput_udp_source_ops,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(TRUNC) | METHOD(DIRECT),
		KTPUT_METHOD_DIRECT, &ktput_udp_sink_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_QUEUE,
		METHOD(PAGES),
		KTPUT_METHOD_PAGES, &ktput_inject_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_DRIVER,
		METHOD(PAGES),
		KTPUT_METHOD_PAGES, &ktput_inject_ops,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_INGRESS,
		METHOD(DIRECT),
		KTPUT_METHOD_DIRECT, &ktput_ingress_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_TCP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(PAGES),
		KTPUT_METHOD_PAGES, &ktput_tcp_pinger_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_TCP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(PAGES),
		KTPUT_METHOD_PAGES, &ktput_tcp_ponger_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_SOCKET,
		METHOD(DIRECT),
		KTPUT_METHOD_DIRECT, &ktput_udp_pinger_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_SOCKET,
		METHOD(DIRECT),
		KTPUT_METHOD_DIRECT, &ktput_udp_ponger_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_DRIVER,
		METHOD(PAGES),
		KTPUT_METHOD_PAGES, &ktput_bypass_source_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_INGRESS,
		METHOD(DIRECT),
		KTPUT_METHOD_DIRECT, &ktput_bypass_sink_ops,
		KTPUT_PATTERN_PING_PONG,
	},
};

/**
 * ktput_kind_find() - find a kind
 * @role: what its streams do
 * @transport: what the payload travels in
 * @layer: where it is injected or consumed
 * @pattern: what sources and sinks have to do with each other
 *
 * Return: the kind, constant, or NULL where the module has none.
 */
const struct ktput_kind *ktput_kind_find(enum ktput_role role,
					 enum ktput_transport transport,
					 enum ktput_layer layer,
					 enum ktput_pattern pattern)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].role == role && kinds[i].transport == transport &&
		    kinds[i].layer == layer && kinds[i].pattern == pattern)
			return &kinds[i];
	return NULL;
}

/**
 * ktput_kind_abilities() - sum up what all kinds can do
 * @abilities: zeroed; filled in
 */
void ktput_kind_abilities(struct ktput_abilities *abilities)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct ktput_kind *kind = &kinds[i];

		abilities->layers[kind->role] |= BIT(kind->layer);
		abilities->methods[kind->role] |= kind->methods;
		abilities->transports |= BIT(kind->transport);
	}
}
