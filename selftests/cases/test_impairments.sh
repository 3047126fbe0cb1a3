#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Loss, duplication and reordering by netem come back as counted, to the packet.
#
# netem counts what it dropped. What it sent twice, and in which order, a packet
# socket behind it has seen. Everything is sent and received on one CPU, so that
# the socket has it in the same order.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

MESSAGES=600

need tc ethtool modprobe python3
modprobe -q sch_netem || skip_all "the kernel has no sch_netem"
begin 8
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
for ns in "$a" "$b"; do
	ip netns exec "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1
done
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
# What asks for an address would be impaired, and counted, too.
permanent()
{
	ip -n "$1" neigh replace "$2" dev veth0 nud permanent lladdr \
		"$(ip -n "$3" -j link show dev veth0 | jq -r '.[0].address')"
}
permanent "$a" 10.9.0.2 "$b"
permanent "$b" 10.9.0.1 "$a"
# One segment is one packet, for netem too.
ip netns exec "$a" ethtool -K veth0 tso off gso off >/dev/null

# netem WORD...: from now on, with counters of its own.
netem()
{
	tc -n "$a" qdisc del dev veth0 root 2>/dev/null
	tc -n "$a" qdisc add dev veth0 root netem limit 100000 "$@"
}

# Frames that arrive at veth0 of b until SIGTERM: how many datagrams with the cookie,
# how many different ones, and how many after a higher one for the first time.
see()
{
	exec ip netns exec "$b" python3 - "$1" <<'END'
import json
import signal
import socket
import struct
import sys

SO_RCVBUFFORCE = 33
ETH_P_IP = 0x0800


class Over(Exception):
    pass


def over(*_):
    raise Over


with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                   socket.htons(ETH_P_IP)) as packets:
    packets.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    packets.bind(("veth0", ETH_P_IP))
    signal.signal(signal.SIGTERM, over)
    print("ready", file=sys.stderr, flush=True)
    try:
        signal.pause()
    except Over:
        packets.setblocking(False)
    seen, number, reordered, highest = set(), 0, 0, -1
    while True:
        try:
            packet = packets.recv(2048)
        except BlockingIOError:
            break
        if packet[9] != socket.IPPROTO_UDP:
            continue
        cookie, sequence = struct.unpack_from(">II", packet, 28)
        if cookie != int(sys.argv[1]):
            continue
        number += 1
        reordered += sequence < highest and sequence not in seen
        seen.add(sequence)
        highest = max(highest, sequence)
print(json.dumps({"received": number, "different": len(seen),
                  "reordered": reordered}))
END
}

# impaired FILTER: datagrams through netem; all agrees, and FILTER of what
# ktput has (got) and of netem's counters.
impaired()
{
	local cookie=$((RANDOM + 1)) name=see$nr

	nr=$((nr + 1))
	background "$name" see "$cookie"
	wait_for "$BOUND" grep -q ready "$scratch/$name.err" || return 1
	ktput-ctl start netns "$a" sink-netns "$b" udp to 10.9.0.2 cookie \
		"$cookie" messages "$MESSAGES" rate 4kpps cpus 0 sink-cpus 0 \
		drain-timeout 60s record "$scratch/run" replace >"$scratch/text" || {
		cat "$scratch/text"
		return 1
	}
	kill -TERM "${background[$name]}"
	ended "$name" || return 1
	tc -n "$a" -j -s qdisc show dev veth0 >"$scratch/tc"
	jq -ne --slurpfile run "$scratch/run" --slurpfile tc "$scratch/tc" \
		--slurpfile seen "$scratch/$name.out" '
		{ messages: '"$MESSAGES"', valid: $run[0].result.valid,
		  got: $run[0].result.datagrams, seen: $seen[0],
		  netem: ($tc[0][] | select(.root)) } | .valid and
		.got.unaccounted == 0 and .got.sent == .messages and
		.got.late == 0 and .got.received == .seen.received and
		.got.lost == .messages - .seen.different and
		.got.lost <= .netem.drops and
		.got.duplicates == .seen.received - .seen.different and
		.got.reordered == .seen.reordered and '"$1" >/dev/null && return
	cat "$scratch/tc" "$scratch/$name.out"
	jq -c '.result | .datagrams, .reconciliation' "$scratch/run"
	return 1
}
nr=0

none()
{
	netem && impaired '.got.received == .messages'
}
check "netem that does nothing" none

loss()
{
	netem loss 10% && impaired '.got.lost > 0 and
		.got.lost == .netem.drops and .got.duplicates == 0 and
		.got.reordered == 0'
}
check "loss" loss

duplicates()
{
	netem duplicate 10% && impaired '.got.duplicates > 0 and
		.got.lost == 0'
}
check "duplicates" duplicates

# Of five the fifth is sent at once.
order()
{
	netem delay 30ms reorder 100% gap 5 && impaired '.got.reordered > 0 and
		.got.lost == 0 and .got.duplicates == 0 and
		.netem.requeues == .got.sent / 5'
}
check "order" order

# A second copy may be dropped too: netem has more drops than there are lost.
all()
{
	netem delay 20ms loss 5% duplicate 5% reorder 100% gap 7 &&
		impaired '.got.reordered > 0 and .got.lost > 0 and
			.got.duplicates > 0'
}
check "all of it" all

# TCP mends it: all bytes agree. In GSO packets of 64 KiB these are 128 at least, so
# that none is lost in one of 700,000 runs.
tcp()
{
	netem loss 10% duplicate 3% || return 1
	ktput-ctl start netns "$a" sink-netns "$b" to 10.9.0.2 bytes 8M \
		record "$scratch/run" replace >"$scratch/text" &&
		jq -e '.result | .valid and .bytes == 8388608 and
			.retransmissions > 0 and (.reconciliation |
			length == 8 and all(.agrees))' "$scratch/run" \
			>/dev/null && return
	jq -c .result "$scratch/run"
	return 1
}
check "TCP" tcp

# sent_marked ECN FILTER: netem marks in place of dropping, of what allows that; FILTER
# of the segments that were acknowledged as marked.
sent_marked()
{
	# A SYN that is lost is sent again without ECN, unless told otherwise.
	ip netns exec "$a" sysctl -qw net.ipv4.tcp_ecn="$1" \
		net.ipv4.tcp_ecn_fallback=0 &&
		ip netns exec "$b" sysctl -qw net.ipv4.tcp_ecn="$1" &&
		ktput-ctl start netns "$a" sink-netns "$b" to 10.9.0.2 \
			bytes 8M record "$scratch/run" replace \
			>"$scratch/text" || return 1
	jq -c '.intervals[-1].source.streams[0].tcp' "$scratch/run"
	jq -e ".intervals[-1].source.streams[0].tcp.delivered_ce_segments $2" \
		"$scratch/run" >/dev/null
}

marked()
{
	netem loss 10% ecn && sent_marked 1 '> 0' && sent_marked 0 '== 0'
}
check "marks of ECN" marked
check "nothing is left behind" nothing_left "$a" "$b"
finish
