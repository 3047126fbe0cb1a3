// SPDX-License-Identifier: GPL-2.0
/* start_plan: determine the ends and the route between them. */
#include <string.h>

#include "../host/route.h"
#include "start_plan.h"

/* Addresses of a name that are tried. */
#define ADDRESSES	8

static bool udp(const struct start_plan *plan)
{
	return plan->options->transport == KTPUT_TRANSPORT_UDP;
}

/* Names of namespaces and devices of another host are resolved there. */
static bool source_is_far(const struct start_plan *plan)
{
	return plan->options->reverse;
}

static bool sink_is_far(const struct start_plan *plan)
{
	return plan->options->remote && !plan->options->reverse;
}

static const char *sink_netns(const struct start_plan *plan)
{
	return plan->options->sink_netns || plan->options->remote ?
	       plan->options->sink_netns : plan->options->netns;
}

/* Say which address of a name it is about. */
static void name_address(const struct start_plan *plan, struct units_error *err)
{
	const struct units_error why = *err;

	if (plan->addresses)
		units_refuse(err, "%.60s is %s: %.120s", plan->options->to,
			     address_show(&plan->to).text, why.text);
}

/* Go on to the next address of a name; false if there is none. */
static bool next_address(struct start_plan *plan, struct units_error *err)
{
	name_address(plan, err);
	if (plan->attempt + 1 >= plan->addresses)
		return false;
	plan->attempt++;
	output_warning(plan->context->out, "%s; the next address is tried",
		       err->text);
	return true;
}

/* Frames need no route if the options give everything it would supply. */
static int find_route(struct start_plan *plan, struct units_error *err)
{
	const struct run_options *options = plan->options;
	const char *netns = options->netns;

	if (!route_find(netns, &plan->to, plan->device, &plan->route, err))
		return 0;
	if (!run_options_frames(options) || !plan->device ||
	    !RUN_GIVEN(plan->context, mac) || !options->from)
		return -1;
	return route_by_device(netns, plan->device, &plan->route, err);
}

/* The address to try: the only one, or the next one of a name. */
static int find_address(struct start_plan *plan, const char *word, int family,
			struct units_error *err)
{
	const char *netns = source_is_far(plan) ? NULL : plan->options->netns;
	struct address list[ADDRESSES], literal;
	size_t count;

	count = address_list(netns, word, family, list, ADDRESSES, err);
	if (!count)
		return -1;
	plan->addresses = address_read(word, &literal) || strchr(word, '%') ?
			  0 : count;
	plan->to = list[plan->attempt < count ? plan->attempt : count - 1];
	return 0;
}

static int find_way(struct start_plan *plan, struct units_error *err)
{
	plan->device = 0;
	if (plan->options->device &&
	    route_device(plan->options->netns, plan->options->device,
			 &plan->device, err))
		return -1;
	if (!plan->device)
		plan->device = address_scope(&plan->to);
	address_set_scope(&plan->to, plan->device);
	return find_route(plan, err);
}

static int find_ends(struct start_plan *plan, struct units_error *err)
{
	const struct run_options *options = plan->options;
	const char *to = options->to ? options->to : RUN_OPTIONS_TO;
	int family = AF_UNSPEC;

	if (options->from) {
		if (address_parse_at(source_is_far(plan) ? NULL : options->netns,
				     options->from, AF_UNSPEC, &plan->from,
				     err))
			return -1;
		family = address_family(&plan->from);
	}
	if (!options->to && family == AF_INET6)
		to = "::1";
	if (find_address(plan, to, family, err))
		return -1;
	if (source_is_far(plan))
		return 0;
	while (find_way(plan, err))
		if (!next_address(plan, err) ||
		    find_address(plan, to, family, err))
			return -1;
	/* The path leaves one device of this host and enters another. */
	if (run_options_frames(options) && plan->device &&
	    device_of_address(options->netns, &plan->to))
		plan->route.local = true;
	return 0;
}

static int find_sink_device(struct start_plan *plan, struct units_error *err)
{
	const struct run_options *options = plan->options;

	/* The other host knows its devices. */
	if (sink_is_far(plan))
		return 0;
	if (options->sink_device)
		return route_device(sink_netns(plan), options->sink_device,
				    &plan->sink_device, err);
	plan->sink_device = address_scope(&plan->to);
	/* The zone of a link-local address is a device of the source's namespace. */
	if (address_is_link_local(&plan->to) && !plan->route.local)
		plan->sink_device = device_of_address(sink_netns(plan),
						      &plan->to);
	if (plan->sink_device ||
	    run_options_sockets(options->sink_layer))
		return 0;
	plan->sink_device = device_of_address(sink_netns(plan), &plan->to);
	if (plan->sink_device)
		return 0;
	return units_refuse(err,
			    "no device of the sink has the address %s: give sink-dev DEVICE",
			    address_show(&plan->to).text);
}

/* For an address of this host, use the MAC address of the device that has it. */
static int find_own_mac(struct start_plan *plan, struct units_error *err)
{
	const char *netns = plan->options->netns;
	uint32_t owner = device_of_address(netns, &plan->to);
	struct device device;

	if (!owner)
		return units_refuse(err,
				    "no device has the address %s: give mac ADDRESS",
				    address_show(&plan->to).text);
	if (device_find(netns, owner, &device, err))
		return -1;
	plan->mac = device.mac;
	return 0;
}

static int find_mac(struct start_plan *plan, struct units_error *err)
{
	if (RUN_GIVEN(plan->context, mac)) {
		plan->mac = plan->options->mac;
		return 0;
	}
	if (plan->route.local)
		return find_own_mac(plan, err);
	return neighbour_resolve(plan->options->netns, &plan->to,
				 &plan->route, &plan->mac, err);
}

/* Source addresses of frames, and the device they leave by regardless of the route. */
static int find_frame_ends(struct start_plan *plan, struct units_error *err)
{
	const char *netns = plan->options->netns;
	bool local = plan->route.local;
	int family = address_family(&plan->to);

	if (plan->device && plan->device != plan->route.index) {
		if (route_by_device(netns, plan->device, &plan->route, err))
			return -1;
		plan->route.local = local;
	}
	if (plan->route.medium == ROUTE_LOOPBACK)
		return units_refuse(err,
				    "%s is routed over %s, which takes no frames of one's own: give dev DEVICE",
				    address_show(&plan->to).text,
				    plan->route.device);
	plan->device = plan->route.index;
	if (find_mac(plan, err))
		return -1;
	if (address_family(&plan->from) != AF_UNSPEC)
		return 0;
	plan->from = plan->route.source;
	if (address_family(&plan->from) != AF_UNSPEC ||
	    device_address(netns, plan->device, family, &plan->from))
		return 0;
	return units_refuse(err,
			    "%s has no address to send from: give from ADDRESS",
			    plan->route.device);
}

static int find_queues(struct start_plan *plan, struct units_error *err)
{
	const char *netns = plan->options->netns;
	struct device device;
	uint32_t count;

	plan->queues = plan->options->queues;
	if (!plan->queues.all)
		return 0;
	if (device_find(netns, plan->device, &device, err))
		return -1;
	plan->queues.all = false;
	count = device_queues(netns, &device);
	for (uint32_t i = 0; i < count && i < KTPUT_MAX_QUEUES; i++)
		plan->queues.bits[i / 64] |= 1ULL << i % 64;
	return 0;
}

static bool same_netns(const struct session *session)
{
	const char *one = session->source.netns, *other = session->sink.netns;

	return one == other || (one && other && !strcmp(one, other));
}

/* If the sink is not bound to a device, use the device that has its address. */
static void find_sink_counted(struct start_plan *plan)
{
	struct session_end *source = &plan->session.source;
	struct session_end *sink = &plan->session.sink;

	if (sink->host)
		return;
	sink->device = plan->sink_device;
	sink->device_certain = plan->sink_device;
	/* What is sent to an address of this host passes loopback, whose ever it is. */
	if ((!plan->options->sink_device || sink->device == source->device) &&
	    plan->route.medium == ROUTE_LOOPBACK &&
	    same_netns(&plan->session)) {
		sink->device = source->device;
		sink->device_certain = true;
		plan->session.nothing_between = true;
	}
	if (!sink->device)
		sink->device = device_of_address(sink->netns, &plan->to);
	if (source->host || !path_is_veth(source->netns, source->device,
					  sink->netns, sink->device))
		return;
	sink->device_certain = source->device_certain;
	plan->session.nothing_between = source->device_certain;
}

/* The interfaces whose counters are compared with the result. */
static void find_counted_devices(struct start_plan *plan)
{
	struct session_end *source = &plan->session.source;
	struct ethernet_mac mac;
	struct units_error ignored;

	if (source->host) {
		find_sink_counted(plan);
		return;
	}
	source->device = plan->route.index;
	source->device_certain = plan->device ||
				 plan->route.medium == ROUTE_LOOPBACK ||
				 path_is_single(source->netns, &plan->to);
	if (plan->session.sink.present)
		find_sink_counted(plan);
	/* The kernel drops packets that wait too long for a neighbour, uncounted. */
	if (plan->session.udp && !run_options_frames(plan->options) &&
	    plan->route.medium != ROUTE_LOOPBACK)
		(void)neighbour_resolve(source->netns, &plan->to, &plan->route,
					&mac, &ignored);
}

static void plan_session(struct start_plan *plan)
{
	const struct command_context *context = plan->context;
	const struct run_options *options = plan->options;
	struct session *session = &plan->session;

	session->out = context->out;
	session->context = context;
	session->detail = context->statistics || options->record;
	session->udp = udp(plan);
	session->warmup_ns = options->warmup_ns;
	session->disturbed_above = options->disturbed_percent / 100;
	session->watches_drops = options->drops;
	session->stages.asked = options->stages;
	session->stages.share = options->stages_percent / 100;
	session->stages.path = options->trace;
	session->engine = engine_of(options->engine);
	session->until_eof = options->until_eof;
	session->interval_ns = session->engine ? RUN_OPTIONS_NO_INTERVAL :
						 options->interval_ns;
	session->drain_ns = options->drain_ns;
	if (RUN_GIVEN(context, time_ns) ||
	    !(RUN_GIVEN(context, bytes) || RUN_GIVEN(context, messages)))
		session->time_ns = options->time_ns;
	session->source.present = true;
	session->source.netns = options->netns;
	session->sink.present = !options->alone &&
				(options->sink_netns || options->remote ||
				 plan->route.local);
	session->source.host = source_is_far(plan) ? options->remote : NULL;
	session->sink.host = sink_is_far(plan) ? options->remote : NULL;
	session->sink.netns = sink_netns(plan);
	session->receiver_unknown = session->udp && !session->sink.present &&
				    !session->engine && !options->unchecked &&
				    !run_options_frames(options);
}

/* Properties of the path that no device reports, for its ceilings. */
static void take_link(struct start_plan *plan)
{
	const struct run_options *options = plan->options;

	plan->route.atm = options->link;
	if (RUN_GIVEN(plan->context, link_rate_bps))
		plan->route.rate_bps = options->link_rate_bps;
	else if (plan->route.atm)
		plan->route.rate_bps = CEILING_ATM_OC3_BPS;
	else
		return;
	plan->route.rate_given = true;
}

/**
 * start_plan_find_bus() - find the bus of the device of a route
 * @route: route; its bus is filled in
 *
 * It is read before the run, like the rest of the environment.
 */
void start_plan_find_bus(struct route *route)
{
	route->bus_known = !bus_find(BUS_SYSFS, route->parent_bus,
				     route->parent, &route->bus,
				     &route->bus_unknown);
}

/**
 * start_plan_again() - after a failure to begin, plan for the next address of the name
 * @plan: plan whose session could not begin; all that it has begun is closed
 * @err: why; says which address it is about
 *
 * Return: true if the plan is to be made again, and its session to begin.
 */
bool start_plan_again(struct start_plan *plan, struct units_error *err)
{
	const struct session *session = &plan->session;
	const int meeting = session->meeting;

	if (!session->source.present || session->sink.present ||
	    session->source.host || !unreached_is(err))
		return false;
	if (!next_address(plan, err))
		return false;
	session_close(&plan->session, true);
	*plan = (struct start_plan) {
		.context = plan->context, .options = plan->options,
		.attempt = plan->attempt, .session.meeting = meeting,
	};
	return true;
}

/**
 * start_plan_make() - complete a plan
 * @plan: with the context and options
 * @err: why the plan fails
 */
int start_plan_make(struct start_plan *plan, struct units_error *err)
{
	if (find_ends(plan, err))
		return -1;
	plan_session(plan);
	if (plan->session.sink.present ? find_sink_device(plan, err) :
			run_options_check_sink(plan->context,
					       address_show(&plan->to).text,
					       err))
		return -1;
	if (run_options_frames(plan->options) && !source_is_far(plan) &&
	    (find_frame_ends(plan, err) || find_queues(plan, err)))
		return -1;
	find_counted_devices(plan);
	if (!source_is_far(plan))
		start_plan_find_bus(&plan->route);
	take_link(plan);
	return start_plan_configure(plan, err);
}
