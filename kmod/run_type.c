// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of runs: what the module can do.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "frame_pingpong.h"
#include "ingress.h"
#include "frame_source.h"
#include "run_type.h"
#include "tcp.h"
#include "udp.h"

#define METHOD(name)	BIT(KTPUT_METHOD_##name)

/* Exactly the types in this table are supported. */
static const struct ktput_run_type types[] = {
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_TCP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_tcp_source_ops,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_TCP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(TRUNC) | METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_tcp_sink_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(ZEROCOPY) | METHOD(DIRECT),
		KTPUT_METHOD_COPY, &ktput_udp_source_ops,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(TRUNC) | METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_udp_sink_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_QUEUE,
		METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_frame_source_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_DRIVER,
		METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_frame_source_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_XDP,
		METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_frame_source_ops,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_INGRESS,
		METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_ingress_ops,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_TCP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_tcp_pingpong_source_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_TCP, KTPUT_LAYER_SOCKET,
		METHOD(COPY) | METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_tcp_pingpong_sink_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_SOCKET,
		METHOD(DIRECT),
		KTPUT_METHOD_DIRECT, &ktput_udp_pingpong_source_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_SOCKET,
		METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_udp_pingpong_sink_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_DRIVER,
		METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_frame_pingpong_source_ops,
		KTPUT_PATTERN_PING_PONG,
	},
	{
		KTPUT_ROLE_SINK, KTPUT_TRANSPORT_UDP, KTPUT_LAYER_INGRESS,
		METHOD(ZEROCOPY),
		KTPUT_METHOD_ZEROCOPY, &ktput_frame_pingpong_sink_ops,
		KTPUT_PATTERN_PING_PONG,
	},
};

/**
 * ktput_run_type_find() - find a type
 * @role: what its streams do
 * @transport: protocol that carries the payload
 * @layer: layer where payload is injected or consumed
 * @pattern: traffic pattern between sources and sinks
 *
 * Return: the type, constant, or NULL if the module has none.
 */
const struct ktput_run_type *ktput_run_type_find(enum ktput_role role,
						 enum ktput_transport transport,
						 enum ktput_layer layer,
						 enum ktput_pattern pattern)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].role == role && types[i].transport == transport &&
		    types[i].layer == layer && types[i].pattern == pattern)
			return &types[i];
	return NULL;
}

/**
 * ktput_run_type_features() - collect the features of all types
 * @abilities: zeroed; filled in
 */
void ktput_run_type_features(struct ktput_features *abilities)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		const struct ktput_run_type *type = &types[i];

		abilities->layers[type->role] |= BIT(type->layer);
		abilities->methods[type->role] |= type->methods;
		abilities->transports |= BIT(type->transport);
	}
}
