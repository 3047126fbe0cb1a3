/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration of a run.
 */
#ifndef KTPUT_CONFIG_H
#define KTPUT_CONFIG_H

#include <linux/cpumask.h>
#include <linux/netlink.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <linux/ktput.h>
#include <net/tcp.h>

#include "frame_config.h"
#include "pingpong_config.h"
#include "socket_options.h"

struct sk_buff;

/** KTPUT_PRIVILEGED - end of the refusal of anything that requires @privileged */
#define KTPUT_PRIVILEGED " takes CAP_NET_ADMIN in the initial user namespace"

/**
 * struct ktput_config - configuration of a run, with the defaults filled in
 * @privileged: the requester has CAP_NET_ADMIN in the initial user namespace;
 *	set before the rest is read
 * @may_forge: the requester has CAP_NET_RAW in the user namespace that owns the
 *	network namespace; set likewise
 * @may_count: the requester may read per-CPU events, see
 *	ktput_events_permitted(); set likewise
 * @role: what the streams do
 * @transport: protocol that carries the payload
 * @layer: layer where payload is injected or consumed
 * @method: how payload crosses the socket
 * @local: address and port on this side; family AF_UNSPEC for any address
 * @remote: address and port of the sink; of a source only
 * @device: index of the device that sockets are bound to, 0 for none
 * @streams: streams of a source, connections that a sink serves at a time
 * @message_size: bytes that one call sends or asks for
 * @socket_options: of each row of socket_options.c, 0 for the kernel's own choice
 * @congestion: congestion control, "" for the namespace's default
 * @no_delay: the Nagle algorithm is off
 * @pacing_rate: bytes per second and stream, 0 for none
 * @tos: type of service or traffic class
 * @priority: SO_PRIORITY
 * @cpus: CPUs that serve the streams; empty for all online CPUs that the
 *	requester may use
 * @end_time: nanoseconds after which the run ends, 0 for never
 * @end_bytes: bytes after which the run ends, 0 for never
 * @end_messages: messages after which the run ends, 0 for never
 * @drain_time: nanoseconds that a source waits for acknowledgment
 * @connect_time: nanoseconds within which a source must be connected
 * @once: a sink ends once as many peers as it has streams have closed
 * @detached: the run outlives its owner
 * @cookie: first field of each datagram's header
 * @packet_rate: packets per second and stream, 0 for none
 * @segments: most datagrams in one call, at least 1
 * @peer_silence: nanoseconds after which a peer of a UDP sink is over, 0 to tell
 *	none apart; with TCP, one whose host does not answer, 0 for the namespace's
 *	keepalive
 * @frame: settings of frames, below the socket layer
 * @pattern: traffic pattern between source and sink
 * @pingpong: settings of requests and responses, of the ping-pong pattern
 *
 * Written only by ktput_config_parse(), and by a sink that learns its port
 * before the run is published; constant afterwards.
 */
struct ktput_config {
	bool privileged;
	bool may_forge;
	bool may_count;
	enum ktput_role role;
	enum ktput_transport transport;
	enum ktput_layer layer;
	enum ktput_method method;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	u32 device;
	u32 streams;
	u32 message_size;
	u32 socket_options[KTPUT_SOCKET_OPTIONS];
	char congestion[TCP_CA_NAME_MAX];
	bool no_delay;
	u64 pacing_rate;
	u8 tos;
	u32 priority;
	struct cpumask cpus;
	u64 end_time;
	u64 end_bytes;
	u64 end_messages;
	u64 drain_time;
	u64 connect_time;
	bool once;
	bool detached;
	u32 cookie;
	u64 packet_rate;
	u32 segments;
	u64 peer_silence;
	struct ktput_frame_config frame;
	enum ktput_pattern pattern;
	struct ktput_pingpong_config pingpong;
};

/**
 * ktput_config_least_payload() - contiguous payload bytes that a call needs
 * @config: configuration
 *
 * Return: bytes; a TCP message may be sent and received in parts.
 */
static inline u32 ktput_config_least_payload(const struct ktput_config *config)
{
	if (config->transport == KTPUT_TRANSPORT_TCP)
		return 1;
	if (config->role == KTPUT_ROLE_SINK)
		return config->message_size;
	return config->message_size * config->segments;
}

int ktput_config_parse(struct ktput_config *config, struct nlattr *nest,
		       struct netlink_ext_ack *extack);
int ktput_config_put(struct sk_buff *skb, const struct ktput_config *config,
		     bool cookie);

#endif /* KTPUT_CONFIG_H */
