// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration of a run: parsed from netlink attributes, and written back to
 * them.
 *
 * The netlink policy checks the form of each attribute. This file checks its
 * value, and its consistency with the other attributes.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <net/genetlink.h>

#include "address.h"
#include "config.h"
#include "genl-gen.h"
#include "run_type.h"

#define DEFAULT_MESSAGE	(128 * 1024)
#define DEFAULT_DATAGRAM	1448
#define DEFAULT_SINKS	1024
#define DEFAULT_DRAIN	(10 * NSEC_PER_SEC)
#define DEFAULT_CONNECT	(5 * NSEC_PER_SEC)

static int refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		  int error)
{
	NL_SET_BAD_ATTR(extack, attr);
	return error;
}

/*
 * A macro, since the text must be a string literal. NL_SET_ERR_MSG declares a
 * variable __extack that would shadow one of this name.
 */
#define REFUSE(extack, attr, error, text)				\
({									\
	struct netlink_ext_ack *__refused = (extack);			\
									\
	NL_SET_ERR_MSG(__refused, text);				\
	refuse(__refused, attr, error);					\
})

static int parse_type(struct ktput_config *config, struct nlattr **tb,
		      struct netlink_ext_ack *extack)
{
	struct ktput_features can = {};
	const struct ktput_run_type *type;
	const struct nlattr *attr;

	attr = tb[KTPUT_A_CONFIG_ROLE];
	if (!attr)
		return REFUSE(extack, NULL, -EINVAL,
			      "role is required: source or sink");
	config->role = nla_get_u32(attr);

	attr = tb[KTPUT_A_CONFIG_TRANSPORT];
	config->transport = attr ? nla_get_u32(attr) : KTPUT_TRANSPORT_TCP;
	ktput_run_type_features(&can);
	if (!(can.transports & BIT(config->transport)))
		return REFUSE(extack, attr, -EOPNOTSUPP,
			      "transport is not supported by this module");

	attr = tb[KTPUT_A_CONFIG_LAYER];
	config->layer = attr ? nla_get_u32(attr) : KTPUT_LAYER_SOCKET;
	if (tb[KTPUT_A_CONFIG_PATTERN])
		config->pattern = nla_get_u32(tb[KTPUT_A_CONFIG_PATTERN]);
	type = ktput_run_type_find(config->role, config->transport, config->layer,
				   config->pattern);
	if (!type && config->pattern)
		return REFUSE(extack, attr, -EOPNOTSUPP,
			      "layer is not supported with pattern ping-pong");
	if (!type)
		return REFUSE(extack, attr, -EOPNOTSUPP,
			      "layer is not supported with this transport");

	attr = tb[KTPUT_A_CONFIG_METHOD];
	config->method = attr ? nla_get_u32(attr) : type->method;
	if (!(type->methods & BIT(config->method)))
		return REFUSE(extack, attr, -EINVAL,
			      "method must be copy, zerocopy or, with UDP, direct for a source; copy, trunc or zerocopy for a sink");
	return 0;
}

static int parse_addresses(struct ktput_config *config, struct nlattr **tb,
			   struct netlink_ext_ack *extack)
{
	const bool source = config->role == KTPUT_ROLE_SOURCE;
	const struct nlattr *local6 = tb[KTPUT_A_CONFIG_LOCAL_IPV6];
	const struct nlattr *remote6 = tb[KTPUT_A_CONFIG_REMOTE_IPV6];
	const struct nlattr *local4 = tb[KTPUT_A_CONFIG_LOCAL_IPV4];
	const struct nlattr *remote4 = tb[KTPUT_A_CONFIG_REMOTE_IPV4];
	const struct nlattr *port = tb[KTPUT_A_CONFIG_REMOTE_PORT];

	if (local4 && local6)
		return REFUSE(extack, local6, -EINVAL,
			      "local address is given twice, as IPv4 and as IPv6");
	if (remote4 && remote6)
		return REFUSE(extack, remote6, -EINVAL,
			      "remote address is given twice, as IPv4 and as IPv6");
	if (!source && (remote4 || remote6))
		return REFUSE(extack, remote4 ?: remote6, -EINVAL,
			      "a sink has no remote address");
	if (!source && port)
		return REFUSE(extack, port, -EINVAL,
			      "a sink has no remote port, it listens on its local port");
	if (source && !remote4 && !remote6)
		return REFUSE(extack, NULL, -EDESTADDRREQ,
			      "a source needs a remote address");
	if (source && !port)
		return REFUSE(extack, NULL, -EINVAL,
			      "a source needs a remote port, 1 to 65535");
	if ((local4 && remote6) || (local6 && remote4))
		return REFUSE(extack, local4 ?: local6, -EAFNOSUPPORT,
			      "local and remote address must be of one IP version");

	ktput_address_get(&config->local, local4, local6);
	ktput_address_get(&config->remote, remote4, remote6);
	if (port)
		ktput_address_set_port(&config->remote, nla_get_u16(port));

	port = tb[KTPUT_A_CONFIG_LOCAL_PORT];
	if (port) {
		/* A bound source needs a family even without an address. */
		if (source && config->local.ss_family == AF_UNSPEC)
			config->local.ss_family = config->remote.ss_family;
		ktput_address_set_port(&config->local, nla_get_u16(port));
	}
	if (source && config->remote.ss_family == AF_INET6 &&
	    ipv6_addr_type(&((struct sockaddr_in6 *)&config->remote)->sin6_addr) &
		    IPV6_ADDR_LINKLOCAL &&
	    !tb[KTPUT_A_CONFIG_DEV])
		return REFUSE(extack, remote6, -EINVAL,
			      "a link-local remote address needs a device");
	return 0;
}

static int parse_u32(u32 *to, const struct nlattr *attr, u32 min, u32 max)
{
	if (!attr)
		return 0;
	*to = nla_get_u32(attr);
	return *to < min || *to > max ? -ERANGE : 0;
}

static int parse_time(u64 *to, const struct nlattr *attr, u64 min)
{
	if (!attr)
		return 0;
	*to = nla_get_u64(attr);
	return *to < min || *to > KTPUT_MAX_TIME ? -ERANGE : 0;
}

static int parse_sizes(struct ktput_config *config, struct nlattr **tb,
		       struct netlink_ext_ack *extack)
{
	const bool source = config->role == KTPUT_ROLE_SOURCE;
	const bool udp = config->transport == KTPUT_TRANSPORT_UDP;
	u32 port;

	config->streams = source || udp ? 1 : DEFAULT_SINKS;
	if (tb[KTPUT_A_CONFIG_STREAMS])
		config->streams = nla_get_u32(tb[KTPUT_A_CONFIG_STREAMS]);

	port = ktput_address_port(&config->local);
	if ((source || udp) && port && port + config->streams - 1 > U16_MAX)
		return REFUSE(extack, tb[KTPUT_A_CONFIG_LOCAL_PORT], -ERANGE,
			      "local-port plus streams must not pass 65535");

	/* UDP has other bounds, see parse_datagrams(). */
	config->message_size = DEFAULT_MESSAGE;
	if (!udp &&
	    parse_u32(&config->message_size, tb[KTPUT_A_CONFIG_SIZE],
		      1, KTPUT_MAX_MESSAGE))
		return REFUSE(extack, tb[KTPUT_A_CONFIG_SIZE], -ERANGE,
			      "size must be 1 to " __stringify(KTPUT_MAX_MESSAGE));

	if (tb[KTPUT_A_CONFIG_PRIORITY])
		config->priority = nla_get_u32(tb[KTPUT_A_CONFIG_PRIORITY]);
	return ktput_socket_options_parse(config, tb, extack);
}

/* Attributes of datagrams only, including frames that carry datagrams. */
static int parse_datagrams(struct ktput_config *config, struct nlattr **tb,
			   struct netlink_ext_ack *extack)
{
	const bool source = config->role == KTPUT_ROLE_SOURCE;
	const struct nlattr *size = tb[KTPUT_A_CONFIG_SIZE];
	const struct nlattr *port = tb[KTPUT_A_CONFIG_REMOTE_PORT];

	if (!tb[KTPUT_A_CONFIG_COOKIE])
		return REFUSE(extack, NULL, -EINVAL,
			      "cookie is required with UDP, the same for source and sink");
	config->cookie = nla_get_u32(tb[KTPUT_A_CONFIG_COOKIE]);

	if (port && nla_get_u16(port) + config->streams - 1 > U16_MAX)
		return REFUSE(extack, port, -ERANGE,
			      "remote-port plus streams must not pass 65535");

	config->message_size = source ? DEFAULT_DATAGRAM : KTPUT_MAX_DATAGRAM;
	if (parse_u32(&config->message_size, size, KTPUT_MIN_DATAGRAM,
		      KTPUT_MAX_DATAGRAM))
		return REFUSE(extack, size, -ERANGE,
			      "size must be " __stringify(KTPUT_MIN_DATAGRAM)
			      " to " __stringify(KTPUT_MAX_DATAGRAM) " with UDP");

	if (parse_u32(&config->segments, tb[KTPUT_A_CONFIG_SEGMENTS], 1,
		      KTPUT_MAX_SEGMENTS))
		return REFUSE(extack, tb[KTPUT_A_CONFIG_SEGMENTS], -ERANGE,
			      "segments must be 1 to " __stringify(KTPUT_MAX_SEGMENTS));
	if (source &&
	    config->segments * config->message_size > KTPUT_MAX_DATAGRAM)
		return REFUSE(extack, tb[KTPUT_A_CONFIG_SEGMENTS], -ERANGE,
			      "segments of size must not pass "
			      __stringify(KTPUT_MAX_DATAGRAM) " bytes together");
	if (source && config->segments > 1 &&
	    config->method == KTPUT_METHOD_DIRECT)
		return REFUSE(extack, tb[KTPUT_A_CONFIG_SEGMENTS], -EINVAL,
			      "segments: a source with method direct has one");
	return 0;
}

static int parse_peers(struct ktput_config *config, struct nlattr **tb,
		       struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = tb[KTPUT_A_CONFIG_PEER_SILENCE];
	const bool tcp = config->transport == KTPUT_TRANSPORT_TCP;

	if (attr && (config->role != KTPUT_ROLE_SINK ||
		     config->layer != KTPUT_LAYER_SOCKET ||
		     (!tcp && config->pattern != KTPUT_PATTERN_STREAM)))
		return REFUSE(extack, attr, -EINVAL,
			      "peer-silence is for a sink of the socket layer, with UDP without ping-pong");
	if (!parse_time(&config->peer_silence, attr,
			tcp ? KTPUT_MIN_TCP_SILENCE : 1))
		return 0;
	if (tcp)
		return REFUSE(extack, attr, -ERANGE,
			      "peer-silence must be 6 s to a week with TCP");
	return REFUSE(extack, attr, -ERANGE,
		      "peer-silence must be 1 ns to a week");
}

static int parse_rates(struct ktput_config *config, struct nlattr **tb,
		       struct netlink_ext_ack *extack)
{
	const struct nlattr *packets = tb[KTPUT_A_CONFIG_PACKET_RATE];
	const struct nlattr *bytes = tb[KTPUT_A_CONFIG_PACE];

	if (config->role == KTPUT_ROLE_SINK && (packets || bytes))
		return REFUSE(extack, packets ?: bytes, -EINVAL,
			      "a sink has no packet-rate and no pace");
	if (packets && bytes)
		return REFUSE(extack, packets, -EINVAL,
			      "packet-rate and pace contradict each other");
	if (bytes) {
		config->pacing_rate = nla_get_u64(bytes);
		if (!config->pacing_rate)
			return REFUSE(extack, bytes, -ERANGE,
				      "pace must not be 0");
		if (config->transport == KTPUT_TRANSPORT_UDP &&
		    config->pacing_rate > KTPUT_MAX_RATE)
			return REFUSE(extack, bytes, -ERANGE,
				      "pace must be 1 to " __stringify(KTPUT_MAX_RATE)
				      " with UDP");
	}
	if (packets) {
		config->packet_rate = nla_get_u64(packets);
		if (!config->packet_rate ||
		    config->packet_rate > KTPUT_MAX_RATE)
			return REFUSE(extack, packets, -ERANGE,
				      "packet-rate must be 1 to " __stringify(KTPUT_MAX_RATE));
		if (config->transport == KTPUT_TRANSPORT_TCP &&
		    config->pattern == KTPUT_PATTERN_STREAM)
			return REFUSE(extack, packets, -EINVAL,
				      "packet-rate: TCP has no packets of its own, give pace");
	}
	return 0;
}

/* Refuses attributes of the other transport that are in no table. */
static int refuse_foreign(const struct ktput_config *config,
			  struct nlattr **tb, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;

	if (config->transport == KTPUT_TRANSPORT_UDP) {
		attr = tb[KTPUT_A_CONFIG_CONGESTION] ?:
		       tb[KTPUT_A_CONFIG_NODELAY];
		if (attr)
			return REFUSE(extack, attr, -EINVAL,
				      "UDP has no congestion and no nodelay");
		return 0;
	}
	attr = tb[KTPUT_A_CONFIG_COOKIE] ?: tb[KTPUT_A_CONFIG_SEGMENTS];
	if (attr)
		return REFUSE(extack, attr, -EINVAL,
			      "TCP has no cookie and no segments");
	return 0;
}

static int parse_options(struct ktput_config *config, struct nlattr **tb,
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;

	attr = tb[KTPUT_A_CONFIG_CONGESTION];
	if (attr) {
		nla_strscpy(config->congestion, attr,
			    sizeof(config->congestion));
		if (!config->congestion[0])
			return REFUSE(extack, attr, -EINVAL,
				      "congestion must name a congestion control");
	}
	config->no_delay = nla_get_flag(tb[KTPUT_A_CONFIG_NODELAY]);

	if (tb[KTPUT_A_CONFIG_TOS])
		config->tos = nla_get_u8(tb[KTPUT_A_CONFIG_TOS]);
	if (tb[KTPUT_A_CONFIG_DEV])
		config->device = nla_get_u32(tb[KTPUT_A_CONFIG_DEV]);

	attr = tb[KTPUT_A_CONFIG_CPUS];
	if (attr) {
		char *list = nla_strdup(attr, GFP_KERNEL);
		int error;

		if (!list)
			return -ENOMEM;
		error = cpulist_parse(list, &config->cpus);
		kfree(list);
		/* -ERANGE means a number that no CPU can have. */
		if ((error && error != -ERANGE) ||
		    (!error && cpumask_empty(&config->cpus)))
			return REFUSE(extack, attr, -EINVAL,
				      "cpus must be a list of CPUs such as 0-3,5");
		if (error ||
		    !cpumask_subset(&config->cpus, cpu_online_mask))
			return REFUSE(extack, attr, -ENODEV,
				      "cpus has a CPU that is not online");
		if (!config->privileged &&
		    !cpumask_subset(&config->cpus, current->cpus_ptr))
			return REFUSE(extack, attr, -EPERM,
				      "cpus: one that this task may not run on"
				      KTPUT_PRIVILEGED);
	}
	return 0;
}

static int parse_ends(struct ktput_config *config, struct nlattr **tb,
		      struct netlink_ext_ack *extack)
{
	const bool source = config->role == KTPUT_ROLE_SOURCE;
	const struct nlattr *bytes = tb[KTPUT_A_CONFIG_BYTES];
	const struct nlattr *messages = tb[KTPUT_A_CONFIG_MESSAGES];

	if (parse_time(&config->end_time, tb[KTPUT_A_CONFIG_TIME], 1))
		return REFUSE(extack, tb[KTPUT_A_CONFIG_TIME], -ERANGE,
			      "time must be 1 ns to a week");
	config->drain_time = DEFAULT_DRAIN;
	if (parse_time(&config->drain_time, tb[KTPUT_A_CONFIG_DRAIN_TIMEOUT], 0))
		return REFUSE(extack, tb[KTPUT_A_CONFIG_DRAIN_TIMEOUT], -ERANGE,
			      "drain-timeout must be 0 ns to a week");
	config->connect_time = DEFAULT_CONNECT;
	if (parse_time(&config->connect_time, tb[KTPUT_A_CONFIG_CONNECT_TIMEOUT],
		       1) || config->connect_time > KTPUT_MAX_CONNECT_TIME)
		return REFUSE(extack, tb[KTPUT_A_CONFIG_CONNECT_TIMEOUT], -ERANGE,
			      "connect-timeout must be 1 ns to a minute");

	if (bytes && messages)
		return REFUSE(extack, messages, -EINVAL,
			      "bytes and messages contradict each other");
	if ((bytes || messages) && !source)
		return REFUSE(extack, bytes ?: messages, -EINVAL,
			      "a sink ends after a time, or once its peers have closed");
	if (bytes) {
		config->end_bytes = nla_get_u64(bytes);
		/* Rounding up to whole messages must not exceed 64 bits. */
		if (config->end_bytes < config->streams ||
		    config->end_bytes > S64_MAX)
			return REFUSE(extack, bytes, -ERANGE,
				      "bytes must be at least one for each stream, and below 2^63");
	}
	if (messages) {
		config->end_messages = nla_get_u64(messages);
		if (config->end_messages < config->streams)
			return REFUSE(extack, messages, -ERANGE,
				      "messages must be at least one for each stream");
	}

	config->once = nla_get_flag(tb[KTPUT_A_CONFIG_ONCE]);
	if (config->once && config->transport == KTPUT_TRANSPORT_UDP)
		return REFUSE(extack, tb[KTPUT_A_CONFIG_ONCE], -EINVAL,
			      "once: UDP has no end of a stream, stop the sink after the source has ended");
	if (config->once && source)
		return REFUSE(extack, tb[KTPUT_A_CONFIG_ONCE], -EINVAL,
			      "once is for a sink, a source ends by itself");
	config->detached = nla_get_flag(tb[KTPUT_A_CONFIG_DETACH]);
	return 0;
}

/**
 * ktput_config_parse() - read a configuration
 * @config: zeroed, except for the rights of the requester; filled in, with
 *	defaults for absent attributes
 * @nest: attribute that contains it
 * @extack: gets the reason of a refusal
 *
 * Addresses, devices and congestion controls are not looked up here, but when
 * they are used.
 *
 * Return: 0, or the errno of the refusal: -EINVAL for a meaningless or
 * contradictory value, -ERANGE for a value out of bounds, -EOPNOTSUPP for an
 * unsupported feature, -ENODEV for a CPU that is not online, -EPERM for a
 * missing privilege.
 */
int ktput_config_parse(struct ktput_config *config, struct nlattr *nest,
		       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[KTPUT_A_CONFIG_MAX + 1];
	int error;

	error = nla_parse_nested(tb, KTPUT_A_CONFIG_MAX, nest,
				 ktput_config_nl_policy, extack);
	if (error)
		return error;
	error = parse_type(config, tb, extack);
	if (!error)
		error = parse_addresses(config, tb, extack);
	if (!error)
		error = parse_sizes(config, tb, extack);
	if (!error)
		error = refuse_foreign(config, tb, extack);
	config->segments = 1;
	if (!error && config->transport == KTPUT_TRANSPORT_UDP)
		error = parse_datagrams(config, tb, extack);
	if (!error)
		error = ktput_frame_config_parse(config, tb, extack);
	if (!error)
		error = parse_peers(config, tb, extack);
	if (!error)
		error = parse_rates(config, tb, extack);
	if (!error)
		error = parse_options(config, tb, extack);
	if (!error)
		error = parse_ends(config, tb, extack);
	if (!error)
		error = ktput_pingpong_config_parse(config, tb, extack);
	return error;
}

static int put_u32(struct sk_buff *skb, int type, u32 value)
{
	return value ? nla_put_u32(skb, type, value) : 0;
}

static int put_u64(struct sk_buff *skb, int type, u64 value)
{
	return value ? nla_put_u64_64bit(skb, type, value,
					 KTPUT_A_CONFIG_PAD) : 0;
}

static int put_flag(struct sk_buff *skb, int type, bool value)
{
	return value ? nla_put_flag(skb, type) : 0;
}

static int put_cpus(struct sk_buff *skb, const struct cpumask *cpus)
{
	char *list = kasprintf(GFP_KERNEL, "%*pbl", cpumask_pr_args(cpus));
	int error;

	if (!list)
		return -ENOMEM;
	error = nla_put_string(skb, KTPUT_A_CONFIG_CPUS, list);
	kfree(list);
	return error;
}

/**
 * ktput_config_put() - write the effective configuration
 * @skb: message; the attribute KTPUT_A_MESSAGE_CONFIG is added
 * @config: configuration
 * @cookie: include the cookie, which keeps foreign datagrams out
 *
 * Return: 0, -EMSGSIZE if @skb has no room, or -ENOMEM.
 */
int ktput_config_put(struct sk_buff *skb, const struct ktput_config *config,
		     bool cookie)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, KTPUT_A_MESSAGE_CONFIG);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTPUT_A_CONFIG_ROLE, config->role) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_TRANSPORT, config->transport) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_LAYER, config->layer) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_METHOD, config->method) ||
	    ktput_address_put(skb, &config->local, KTPUT_A_CONFIG_LOCAL_IPV4,
			      KTPUT_A_CONFIG_LOCAL_IPV6,
			      KTPUT_A_CONFIG_LOCAL_PORT) ||
	    ktput_address_put(skb, &config->remote, KTPUT_A_CONFIG_REMOTE_IPV4,
			      KTPUT_A_CONFIG_REMOTE_IPV6,
			      KTPUT_A_CONFIG_REMOTE_PORT) ||
	    put_u32(skb, KTPUT_A_CONFIG_DEV, config->device) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_STREAMS, config->streams) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_SIZE,
			config->message_size) ||
	    ktput_socket_options_put(skb, config) ||
	    (config->congestion[0] &&
	     nla_put_string(skb, KTPUT_A_CONFIG_CONGESTION,
			    config->congestion)) ||
	    put_flag(skb, KTPUT_A_CONFIG_NODELAY, config->no_delay) ||
	    put_u64(skb, KTPUT_A_CONFIG_PACE, config->pacing_rate) ||
	    nla_put_u8(skb, KTPUT_A_CONFIG_TOS, config->tos) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_PRIORITY, config->priority) ||
	    put_cpus(skb, &config->cpus) ||
	    put_u64(skb, KTPUT_A_CONFIG_TIME, config->end_time) ||
	    put_u64(skb, KTPUT_A_CONFIG_BYTES, config->end_bytes) ||
	    put_u64(skb, KTPUT_A_CONFIG_MESSAGES, config->end_messages) ||
	    put_flag(skb, KTPUT_A_CONFIG_ONCE, config->once) ||
	    put_flag(skb, KTPUT_A_CONFIG_DETACH, config->detached) ||
	    nla_put_u64_64bit(skb, KTPUT_A_CONFIG_DRAIN_TIMEOUT,
			      config->drain_time, KTPUT_A_CONFIG_PAD) ||
	    nla_put_u64_64bit(skb, KTPUT_A_CONFIG_CONNECT_TIMEOUT,
			      config->connect_time, KTPUT_A_CONFIG_PAD) ||
	    put_u64(skb, KTPUT_A_CONFIG_PEER_SILENCE, config->peer_silence) ||
	    (config->transport == KTPUT_TRANSPORT_UDP &&
	     ((cookie &&
	       nla_put_u32(skb, KTPUT_A_CONFIG_COOKIE, config->cookie)) ||
	      put_u64(skb, KTPUT_A_CONFIG_PACKET_RATE, config->packet_rate) ||
	      nla_put_u32(skb, KTPUT_A_CONFIG_SEGMENTS, config->segments))) ||
	    ktput_frame_config_put(skb, config) ||
	    ktput_pingpong_config_put(skb, config)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}
