// SPDX-License-Identifier: GPL-2.0
/* ceilings: the limits of a session and the binding one. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../analysis/evidence.h"
#include "../analysis/measure.h"
#include "../analysis/verdict.h"
#include "../ceilings/ceiling.h"
#include "attribute.h"
#include "ceilings.h"
#include "report.h"

/* The column where the text that explains a limit begins, and its width. */
#define TEXT_COLUMN	17
#define TEXT_WIDTH	(80 - TEXT_COLUMN)

/* Bytes that may be queued above the buffer: one packet of GSO_MAX_SIZE. */
#define QUEUED_ABOVE_BYTES	65536

/* Bytes of a TCP packet that a device fetches at a time by TSO. */
#define TSO_BYTES	65536

/* Input of the limits. */
struct basis {
	const struct session *session;
	const struct route *route;
	const struct ceilings_load *load;
	const struct config *config;
	const struct client_snapshot *last;
	struct wire_datagrams datagrams;
	bool sizes_differ;
};

/* Streams share a rate evenly; the remainder is not sent. */
static void limit_rate(const struct basis *basis, struct ceiling *ceiling)
{
	const struct config *config = basis->config;
	double streams = basis->last->stream_count;
	const char *of = streams > 1 ? " of each stream" : "";
	double each;

	if (config_has(config, KTPUT_A_CONFIG_PACKET_RATE)) {
		each = config->number[KTPUT_A_CONFIG_PACKET_RATE];
		ceiling_set(ceiling, each * streams * 8 * basis->load->bytes /
				     basis->load->datagrams,
			    "%s packets/s are asked for%s",
			    units_show_count(each).text, of);
	} else if (config_has(config, KTPUT_A_CONFIG_PACE)) {
		each = config->number[KTPUT_A_CONFIG_PACE] * 8.0;
		ceiling_set(ceiling, each * streams, "%s are asked for%s",
			    units_show_bitrate(each).text, of);
	} else {
		ceiling_unknown(ceiling, "no rate is asked for");
	}
}

/* Without attribution, take the busiest CPU, whatever its load. */
static bool find_busiest(const struct session *session,
			 struct measure_cpu *busiest)
{
	const struct session_end *end;
	struct measure_cpu cpu;

	*busiest = (struct measure_cpu) { 0 };
	for (size_t j = 0; (end = cpu_table_reader(session, j)); j++)
		for (size_t i = 0; i < end->last.cpu_count; i++)
			if (measure_cpu(&end->begin, &end->last,
					end->last.cpus[i].id, &cpu) &&
			    cpu.busy > busiest->busy)
				*busiest = cpu;
	return busiest->busy > 0;
}

static void limit_cpu(const struct basis *basis, struct ceiling *ceiling)
{
	double cycles_per_s, cycles_per_byte, busy_ns, share;
	uint64_t cycles, elapsed_ns;
	struct measure_cpu busiest;
	struct attribute_cpu own;
	const char *what;
	uint32_t id;

	if (attribute_busiest(basis->session, &own)) {
		id = own.id;
		share = own.own;
		cycles = own.cycles.total;
		elapsed_ns = own.elapsed_ns;
		what = "of which the run had most";
	} else if (find_busiest(basis->session, &busiest)) {
		id = busiest.id;
		share = busiest.busy;
		cycles = busiest.cycles;
		elapsed_ns = busiest.elapsed_ns;
		what = "the busiest, whatever with";
	} else {
		ceiling_unknown(ceiling, "the kernel does not tell how long CPUs were idle");
		return;
	}
	cycles_per_s = (double)cycles * UNITS_NSEC_PER_SEC / elapsed_ns;
	/* The CPU was also busy before the first byte and after the last one. */
	busy_ns = share * elapsed_ns;
	if (busy_ns > 2.0 * basis->load->span_ns) {
		ceiling_unknown(ceiling, "the run is too short for what a byte costs");
		return;
	}
	busy_ns = fmin(busy_ns, basis->load->span_ns);
	cycles_per_byte = cycles_per_s * busy_ns / UNITS_NSEC_PER_SEC /
			  basis->load->bytes;
	ceiling_set(ceiling, ceiling_cpu_bps(cycles_per_s, cycles_per_byte),
		    "CPU %" PRIu32 ", %s: %.1f%% of the time, "
		    "%.4f cycles/byte at %s/s", id, what, share * 100,
		    cycles_per_byte, units_show_count(cycles_per_s).text);
}

/* The rate of all streams if each has up to @each_bytes in flight. */
static double windows_bps(const struct basis *basis, uint64_t each_bytes,
			  uint64_t *sum_bytes, uint64_t *least_rtt_us)
{
	double bps = 0;

	*sum_bytes = 0;
	*least_rtt_us = 0;
	for (size_t i = 0; i < basis->last->stream_count; i++) {
		const struct tcpinfo *tcp = &basis->last->streams[i].tcp;
		uint64_t bytes = each_bytes ? each_bytes :
					      tcp->send_window_bytes;

		if (!tcp->rtt_min_us || !bytes)
			return 0;
		*sum_bytes += bytes;
		if (!*least_rtt_us || tcp->rtt_min_us < *least_rtt_us)
			*least_rtt_us = tcp->rtt_min_us;
		bps += ceiling_window_bps(bytes, tcp->rtt_min_us * 1000ULL);
	}
	return bps;
}

static void limit_send_buffer(const struct basis *basis,
			      struct ceiling *ceiling)
{
	const bool given = config_has(basis->config, KTPUT_A_CONFIG_SNDBUF);
	const uint64_t buffer = basis->config->number[KTPUT_A_CONFIG_SNDBUF];
	const uint64_t most =
		basis->session->source.tcp_memory_begin.send_max_bytes;
	/* socket(7): the kernel doubles the requested size. */
	const uint64_t room = given ? 2 * buffer : most;
	uint64_t bytes, rtt_us;
	double bps;

	if (basis->session->udp) {
		ceiling_unknown(ceiling, "UDP keeps nothing to send again");
		return;
	}
	if (!given && !most) {
		ceiling_unknown(ceiling, "the kernel tunes it");
		return;
	}
	bps = windows_bps(basis, room + QUEUED_ABOVE_BYTES, &bytes, &rtt_us);
	if (!bps) {
		ceiling_unknown(ceiling, "TCP does not tell the round-trip time");
		return;
	}
	ceiling_set(ceiling, bps, given ?
		    "sndbuf of %s, doubled, and a packet, each round trip of at least %s" :
		    "net.ipv4.tcp_wmem of %s, and a packet, each round trip of at least %s",
		    units_show_size(given ? buffer : most).text,
		    units_show_time(rtt_us * 1000).text);
}

static void limit_window(const struct basis *basis, struct ceiling *ceiling)
{
	size_t streams = basis->last->stream_count;
	uint64_t bytes, rtt_us;
	double bps;

	if (basis->session->udp) {
		ceiling_unknown(ceiling, "UDP has none");
		return;
	}
	bps = windows_bps(basis, 0, &bytes, &rtt_us);
	if (!bps) {
		ceiling_unknown(ceiling, "TCP does not tell window and round-trip time");
		return;
	}
	ceiling_set(ceiling, bps, "%" PRIu64 " bytes that the sink announces%s, "
		    "each round trip of at least %s",
		    bytes, streams > 1 ? ", of all streams" : "",
		    units_show_time(rtt_us * 1000).text);
}

static void name_bus(const struct ceiling_bus *bus, char *text, size_t size)
{
	int length = snprintf(text, size, "PCIe generation %" PRIu64
			      " x%" PRIu64 ", %s", bus->generation, bus->lanes,
			      units_show_bitrate(ceiling_bus_link_bps(bus)).text);

	if (length < 0 || (size_t)length >= size)
		return;
	snprintf(text + length, size - length, bus->payload_bytes ?
		 ", %" PRIu64 " bytes of payload in a TLP" :
		 "; without overhead, as the payload of a TLP is not readable",
		 bus->payload_bytes);
}

static void limit_bus(const struct basis *basis, struct ceiling *ceiling)
{
	const struct route *route = basis->route;
	const struct ceiling_bus *bus = &route->bus;
	char name[120];
	double bps;

	if (route->medium != ROUTE_WIRE) {
		ceiling_unknown(ceiling, "%s is on none", route->device);
		return;
	}
	if (!route->bus_known) {
		ceiling_unknown(ceiling, "%s: %.170s", route->device,
				route->bus_unknown.text);
		return;
	}
	name_bus(bus, name, sizeof(name));
	bps = ceiling_bus_bps(bus, TSO_BYTES);
	if (basis->session->udp) {
		struct wire_load load;
		uint64_t frame;

		/* A device transfers frames over the bus without the FCS. */
		wire_load(&basis->datagrams, &load);
		frame = load.frame_bytes / load.frames - WIRE_FCS_BYTES;
		bps = ceiling_bus_bps(bus, frame) * basis->load->bytes /
		      (load.frame_bytes - load.frames * WIRE_FCS_BYTES);
	}
	ceiling_set(ceiling, bps, "%s", name);
}

static void limit_ethernet(const struct basis *basis, struct ceiling *ceiling)
{
	const struct route *route = basis->route;
	struct units_text rate = units_show_bitrate(route->rate_bps);
	struct ceiling_ethernet segment;
	struct units_error why;
	struct wire_load load;

	if (!route->rate_bps || route->atm) {
		ceiling_unknown(ceiling, "%s", ceiling_ethernet_absent(route));
	} else if (basis->session->udp) {
		wire_load(&basis->datagrams, &load);
		ceiling_set(ceiling, (double)route->rate_bps *
				     basis->load->bytes / load.wire_bytes,
			    "frames of %.6g bytes on the wire, %s frames/s on a link of %s",
			    (double)load.wire_bytes / load.frames,
			    units_show_count((double)route->rate_bps / 8 *
					     load.frames /
					     load.wire_bytes).text, rate.text);
	} else if (ceiling_ethernet_compute(route,
					    address_ip_version(&basis->config->remote),
					    &basis->last->streams[0].tcp,
					    &segment, &why)) {
		ceiling_unknown(ceiling, "%.190s", why.text);
	} else {
		ceiling_set(ceiling, segment.frame.goodput_bps,
			    "%" PRIu64 " bytes of payload in frames of %" PRIu64
			    " on the wire, on a link of %s",
			    segment.frame.payload_bytes,
			    segment.frame.wire_bytes, rate.text);
	}
}

/* Bytes of payload and of cells; false with a sentence if unknown. */
static bool count_cells(const struct basis *basis, uint64_t *payload,
			uint64_t *cells, struct ceiling *ceiling)
{
	unsigned int ip_version = address_ip_version(&basis->config->remote);
	const struct route *route = basis->route;
	struct ceiling_ethernet segment;
	struct units_error why;

	if (basis->session->udp) {
		if (basis->sizes_differ) {
			ceiling_unknown(ceiling, "datagrams differ in size, and cells are of each");
			return false;
		}
		*payload = basis->load->bytes / basis->load->datagrams;
		*cells = ceiling_atm_datagram(route->atm, &basis->datagrams);
		return true;
	}
	if (ceiling_ethernet_compute(route, ip_version,
				     &basis->last->streams[0].tcp, &segment,
				     &why)) {
		ceiling_unknown(ceiling, "%.190s", why.text);
		return false;
	}
	*payload = segment.frame.payload_bytes;
	*cells = CEILING_ATM_CELL_BYTES *
		 ceiling_atm_cells(route->atm, route->vlan_tags,
				   segment.frame.ip_bytes +
				   segment.frame.transport_bytes + *payload);
	return true;
}

static void limit_atm(const struct basis *basis, struct ceiling *ceiling)
{
	static const char *const kinds[] = {
		[CEILING_ATM_CLIP] = "classical IP",
		[CEILING_ATM_VC] = "a virtual channel for IP",
		[CEILING_ATM_LANE] = "LAN emulation",
	};
	const struct route *route = basis->route;
	uint64_t payload, cells;

	if (!route->atm) {
		ceiling_unknown(ceiling, "the path is not said to be ATM");
		return;
	}
	if (!count_cells(basis, &payload, &cells, ceiling))
		return;
	ceiling_set(ceiling, (double)route->rate_bps * payload / cells,
		    "%" PRIu64 " bytes of payload in %" PRIu64
		    " cells, %s, on %s of cells", payload,
		    cells / CEILING_ATM_CELL_BYTES, kinds[route->atm],
		    units_show_bitrate(route->rate_bps).text);
}

static void limit_link(const struct basis *basis, struct ceiling *ceiling)
{
	const struct route *route = basis->route;

	if (!route->rate_bps)
		ceiling_unknown(ceiling, "%s", ceiling_ethernet_absent(route));
	else
		ceiling_set(ceiling, route->rate_bps, route->rate_given ?
			    "as told, with nothing taken off" :
			    "what %s tells, with nothing taken off",
			    route->device);
}

/* In the order of the data path. */
static const struct {
	const char *name, *layer, *title;
	void (*compute)(const struct basis *basis, struct ceiling *ceiling);
} limits[] = {
	{ "rate", "socket", "rate", limit_rate },
	{ "cpu", "cpu", "CPU", limit_cpu },
	{ "send_buffer", "transport", "send buffer", limit_send_buffer },
	{ "window", "transport", "window", limit_window },
	{ "bus", "bus", "bus", limit_bus },
	{ "ethernet", "wire", "Ethernet", limit_ethernet },
	{ "atm", "wire", "ATM", limit_atm },
	{ "link", "wire", "link", limit_link },
};

/* Print words from the text column on, and wrap lines. */
static void print_words(struct output *out, const char *text, int used)
{
	while (*text) {
		int length = strcspn(text, " ");

		if (used && used + 1 + length > TEXT_WIDTH) {
			output_text(out, "\n%*s", TEXT_COLUMN, "");
			used = 0;
		}
		output_text(out, "%s%.*s", used ? " " : "", length, text);
		used += length + (used > 0);
		text += length + (text[length] == ' ');
	}
	output_text(out, "\n");
}

static void print_known(struct output *out, const struct ceiling *ceiling,
			double share, bool least, bool binds)
{
	output_double(out, "ceiling_bps", ceiling->bps, "%14s",
		      units_show_bitrate(ceiling->bps).text);
	output_double(out, "share", share, "  %8.2f%% reached", share * 100);
	output_bool(out, "binds", binds, least ? ", the least\n" : "\n");
	output_data_string(out, "because", ceiling->because);
	output_text(out, "%*s", TEXT_COLUMN, "");
	print_words(out, ceiling->because, 0);
}

static void print_unknown(struct output *out, const struct ceiling *ceiling)
{
	static const char none[] = "none:";

	output_data_string(out, "unknown_because", ceiling->because);
	output_text(out, "%s", none);
	print_words(out, ceiling->because, sizeof(none) - 1);
}

static double share_of(const struct ceilings *ceilings, size_t index)
{
	return ceilings->load.goodput_bps / ceilings->limit[index].bps;
}

static void describe(struct basis *basis)
{
	const struct config *config = basis->config;
	const struct route *route = basis->route;

	basis->datagrams = (struct wire_datagrams) {
		.ip_version = address_ip_version(&config->remote),
		.vlan_tags = route->vlan_tags +
			     config_has(config, KTPUT_A_CONFIG_VLAN) +
			     config_has(config, KTPUT_A_CONFIG_VLAN_INNER),
		.mtu_bytes = route->mtu_bytes < WIRE_MTU_MAX ?
			     route->mtu_bytes : WIRE_MTU_MAX,
		.count = basis->load->datagrams,
		.payload_bytes = basis->load->bytes,
	};
	basis->sizes_differ = config_has(config, KTPUT_A_CONFIG_MIX) ||
			      config->number[KTPUT_A_CONFIG_SIZE_MIN] !=
			      config->number[KTPUT_A_CONFIG_SIZE_MAX];
}

/**
 * ceilings_compute() - compute the limits of a session
 * @session: session that has ended
 * @route: route of the source, or NULL
 * @load: measured load
 * @ceilings: filled in
 *
 * Without a local source or without payload, there are no limits to compare.
 */
void ceilings_compute(const struct session *session, const struct route *route,
		      const struct ceilings_load *load,
		      struct ceilings *ceilings)
{
	struct basis basis = {
		.session = session, .route = route, .load = load,
		.config = &session->source.config,
		.last = &session->source.last,
	};

	static_assert(COUNT(limits) == CEILINGS_COUNT, "a limit each");
	*ceilings = (struct ceilings) { .load = *load };
	if (!session->source.present || !route || !load->goodput_bps ||
	    !basis.last->stream_count || (session->udp && !load->datagrams))
		return;
	describe(&basis);
	for (size_t i = 0; i < COUNT(limits); i++) {
		ceilings->limit[i] = (struct ceiling) {
			.name = limits[i].name, .title = limits[i].title,
			.layer = limits[i].layer,
		};
		limits[i].compute(&basis, &ceilings->limit[i]);
	}
	ceilings->count = COUNT(limits);
}

/**
 * ceilings_link() - find a full link that all streams share
 * @ceilings: limits
 * @share: how much of its limit is reached
 *
 * Return: the title of the limit, or NULL.
 */
const char *ceilings_link(const struct ceilings *ceilings, double *share)
{
	size_t index = evidence_link(ceilings->limit, ceilings->count,
				    ceilings->load.goodput_bps);

	if (index == CEILING_NONE)
		return NULL;
	*share = share_of(ceilings, index);
	return limits[index].title;
}

/**
 * ceilings_print() - print the limits of a session
 * @out: the output
 * @ceilings: limits
 * @binding: index of the one that binds, or CEILING_NONE
 */
void ceilings_print(struct output *out, const struct ceilings *ceilings,
		    size_t binding)
{
	const struct ceiling *limit = ceilings->limit;
	const size_t least = ceiling_binding(limit, ceilings->count);

	if (!ceilings->count)
		return;
	output_text(out, "Ceilings\n");
	output_array_begin(out, "ceilings");
	for (size_t i = 0; i < ceilings->count; i++) {
		output_object_begin(out, NULL);
		output_string(out, "name", limit[i].name, "  %-*s",
			      TEXT_COLUMN - 2, limits[i].title);
		output_data_string(out, "layer", limit[i].layer);
		if (limit[i].bps > 0)
			print_known(out, &limit[i], share_of(ceilings, i),
				    i == least, i == binding);
		else
			print_unknown(out, &limit[i]);
		output_object_end(out);
	}
	output_array_end(out);
}

/**
 * ceiling_ethernet_compute() - full segments of a stream as frames on its link
 * @route: route of the stream
 * @ip_version: 4 or 6
 * @tcp: TCP state of the stream
 * @ceiling: the result
 * @err: why there is none
 *
 * The payload is that of the live socket: it includes the effect of an MSS set by
 * the peer or the user, and of the options in use. Without a known link rate only
 * the frame is meaningful.
 */
int ceiling_ethernet_compute(const struct route *route,
			     unsigned int ip_version,
			     const struct tcpinfo *tcp,
			     struct ceiling_ethernet *ceiling,
			     struct units_error *err)
{
	/* The MTU of loopback exceeds the IPv4 length field. */
	uint64_t mtu = route->mtu_bytes < WIRE_MTU_MAX ? route->mtu_bytes :
							 WIRE_MTU_MAX;
	struct wire_config config = {
		.transport = WIRE_TCP,
		.ip_version = ip_version,
		.vlan_tags = route->vlan_tags < WIRE_TAGS_MAX ?
			     route->vlan_tags : WIRE_TAGS_MAX,
		.tcp_option_bytes = tcp->timestamps ?
				    WIRE_TCP_TIMESTAMPS_BYTES : 0,
		.mtu_bytes = mtu,
		.rate_bps = route->rate_bps ? route->rate_bps : 1,
	};

	ceiling->timestamps = tcp->timestamps;
	ceiling->known = route->rate_bps && !route->atm;
	if (wire_compute(&config, &ceiling->frame, err))
		return -1;
	if (!tcp->send_mss_bytes ||
	    tcp->send_mss_bytes >= ceiling->frame.payload_bytes)
		return 0;
	config.size_bytes = tcp->send_mss_bytes;
	return wire_compute(&config, &ceiling->frame, err);
}

/**
 * ceiling_ethernet_absent() - why there is no ceiling
 * @route: route without a ceiling
 *
 * Return: the reason in words.
 */
const char *ceiling_ethernet_absent(const struct route *route)
{
	if (route->atm)
		return "the path is ATM";
	switch (route->medium) {
	case ROUTE_LOOPBACK:
		return "the loopback device has no wire";
	case ROUTE_VIRTUAL:
		return "a virtual device has no wire";
	default:
		return "the device does not tell its link speed";
	}
}
