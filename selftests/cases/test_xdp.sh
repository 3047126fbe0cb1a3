#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The XDP sink takes the datagrams of its run and nothing else, counts them, is
# never in the place of another program, and goes whatever ends it. Frames of
# all kinds are shown to it by bpftool, others come over a veth pair.
# It takes no module.
#
#   a: veth0 10.1.0.1, fd01::1 ------- b: veth0 10.1.0.2, fd01::2

. "$(dirname "$0")/../lib/lib.sh"

COOKIE=305419896
PORT=6000
PORTS=2

need_root
need bpftool gojq python3 ip taskset
plan 27

scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
mkdir "$scratch/frames"
netns_add a
netns_add b
# Set by netns_add.
: "${a:?}" "${b:?}"
veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24 || skip_all "no veth here"
addr_add "$a" fd01::1/64 veth0
addr_add "$b" fd01::2/64 veth0
python3 "$TOP/selftests/cases/xdp_frames.py" "$scratch/frames" "$COOKIE" "$PORT" "$PORTS"

# The program keeps the order of a flow on each CPU, as a queue of a NIC brings
# it to one: what is shown to it comes on one.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

# program DEVICE: number of the XDP program on a device of b, empty for none.
program()
{
	ip -n "$b" -j link show dev "$1" | jq -r '.[0].xdp.prog.id // empty'
}

attached() { [ -n "$(program "$1")" ]; }
detached() { [ -z "$(program "$1")" ]; }

# sink DEVICE ARGUMENT...: on a device of b in the background, attached when this
# returns; its number is $sink, its record $scratch/sink.
sink()
{
	ktput-ctl -j -s sink udp layer xdp netns "$b" dev "$@" port $PORT \
		streams $PORTS cookie $COOKIE >"$scratch/sink" 2>"$scratch/err" &
	sink=$!
	wait_for "$BOUND" attached "$1" && return
	cat "$scratch/err"
	return 1
}

stop()
{
	kill -INT "$sink"
	wait "$sink"
}

# says FILTER: true if it holds for the sink's record.
says()
{
	jq -e "$1" "$scratch/sink" || {
		cat "$scratch/sink" "$scratch/err"
		return 1
	}
}

# judge SUFFIX ARGUMENT...: show the frames with this suffix to a sink with
# ARGUMENTs, and print those whose verdict is not that of their name, or which are
# not left as they are.
judge()
{
	local suffix=$1 id frame verdict
	shift

	sink "$@" || return 1
	id=$(program "$1")
	for frame in "$scratch"/frames/*"$suffix"; do
		rm -f "$scratch/out"
		verdict=$(taskset -c "$cpu" bpftool -j prog run id "$id" data_in "$frame" \
			data_out "$scratch/out" repeat 1)
		# XDP_DROP is 1, XDP_PASS is 2.
		case $verdict in
		*'"retval":1,'*) verdict=drop ;;
		*'"retval":2,'*) verdict=pass ;;
		esac
		[ "${frame##*.}" = "$verdict" ] || echo "${frame##*/} $verdict"
		cmp -s "$frame" "$scratch/out" || echo "${frame##*/} changed"
	done
	stop
}

# all_as_named ARGUMENT...: with ARGUMENTs, no verdict is another than expected.
all_as_named()
{
	judge '' "$@" >"$scratch/wrong" || return 1
	cat "$scratch/wrong"
	[ ! -s "$scratch/wrong" ]
}

# only NAME ARGUMENT...: with ARGUMENTs, frames to be taken are so if their name
# begins with NAME, all others pass.
only()
{
	local name=$1
	shift

	judge .drop "$@" >"$scratch/wrong" || return 1
	diff <(cd "$scratch/frames" && printf '%s\n' *.drop |
		grep -v "^..-$name" | sed 's/$/ pass/') "$scratch/wrong"
}

# send ADDRESS NUMBER SIZE: datagrams from a to each port of the run, and before
# them seven without its cookie to the first.
send()
{
	ip netns exec "$a" python3 - "$@" "$COOKIE" "$PORT" "$PORTS" <<'END'
import socket
import struct
import sys

to = sys.argv[1]
number, size, cookie, port, ports = map(int, sys.argv[2:])
family = socket.AF_INET6 if ':' in to else socket.AF_INET
with socket.socket(family, socket.SOCK_DGRAM) as sender:
    for sequence in range(7):
        sender.sendto(struct.pack('!IIQ', cookie ^ 1, sequence, 0), (to, port))
    for sequence in range(number):
        for i in range(ports):
            sender.sendto(struct.pack('!IIQ', cookie, sequence, 0).ljust(
                size, b'\0'), (to, port + i))
END
}

ping_b()
{
	ip netns exec "$a" ping -q -c 3 -i 0.2 -W 5 10.1.0.2
}

# taken DEVICE NUMBER: so many frames have been taken until now.
taken()
{
	local map

	for map in $(bpftool -j prog show id "$(program "$1")" |
		jq '.map_ids[]'); do
		bpftool -j map dump id "$map"
	done | jq -es "[.. | .datagrams? // empty] | add == $2"
}

# flow MODE DEVICE ADDRESS SIZE: what comes is counted to the datagram, and all
# else arrives.
flow()
{
	sink "$2" && ping_b && send "$3" 300 "$4" || return 1
	wait_for "$BOUND" taken "$2" 600
	stop
	says ".result.valid and .sink.xdp_mode == \"$1\" and
		.result.bytes == 2 * 300 * $4" &&
		says '.intervals[-1].sink.streams |
			map(.datagrams | [.received, .lost, .reordered, .foreign])
			== [[300, 0, 0, 7], [300, 0, 0, 0]]' &&
		says '[.intervals[-1].sink.cpus[].messages] | add == 600'
}

jumbo()
{
	ip -n "$a" link set veth0 mtu 9000 &&
		ip -n "$b" link set veth0 mtu 9000 &&
		flow native veth0 10.1.0.2 8000
}

vlan()
{
	local netns

	for netns in "$a" "$b"; do
		ip -n "$netns" link add link veth0 name vlan5 type vlan id 5 &&
			ip -n "$netns" link set vlan5 up || return 1
	done
	addr_add "$a" 10.1.5.1/24 vlan5
	addr_add "$b" 10.1.5.2/24 vlan5
	flow generic vlan5 10.1.5.2 1400
}

# killed SIGNAL: the program is gone with the process.
killed()
{
	sink veth0 || return 1
	kill -"$1" "$sink"
	wait "$sink" 2>/dev/null
	wait_for "$BOUND" detached veth0
}

# ends REASON COMMAND...: COMMAND ends the sink, and it says why.
ends()
{
	local reason=$1 status=0
	shift

	sink veth0 && "$@" || return 1
	wait "$sink" || status=$?
	[ "$status" = 1 ] && says ".result.reason == \"$reason\""
}

times_out()
{
	timeout "$BOUND" ktput-ctl -j -s sink udp layer xdp netns "$b" dev veth0 \
		cookie 1 time 1s >"$scratch/sink" 2>"$scratch/err" &&
		says '.result.reason == "time" and .result.valid'
}

another()
{
	ktput-ctl sink udp layer xdp netns "$b" dev veth0 cookie 1 time 1
}

theirs()
{
	ip -n "$b" link set dev veth0 "$1" obj \
		"$BUILD/tools/bpf/xdp_sink.bpf.o" sec xdp.frags
}

check "frames of all kinds: own ones are taken, others untouched" \
	all_as_named veth0
check "counters of these frames" says '.intervals[-1].sink.streams |
	map(.datagrams | [.received, .lost, .reordered, .foreign]) ==
	[[12, 1, 1, 4], [3, 0, 0, 0]]'
check "bytes of these frames" says '.result.bytes ==
	8 * 64 + 16 + 1472 + 64 + 64 + 64 + 2 * 16'
check "to an IPv4 address only" only ipv4 veth0 on 192.0.2.1
check "to an IPv6 address only" only ipv6 veth0 on 2001:db8::1

check "veth, native" flow native veth0 10.1.0.2 64
check "veth, native, IPv6" flow native veth0 fd01::2 1200
check "jumbo frames" jumbo
check "VLAN device, generic" vlan

check "SIGKILL leaves no program behind" killed KILL
check "SIGTERM leaves no program behind" killed TERM
sink veth0
refused "one sink of a device" 1 "'veth0'.* already has an XDP program" another
stop
check "an end as asked for is valid" says '.result.valid and .result.reason == "stopped"'
for mode in xdpgeneric xdpdrv; do
	check "somebody else's program, $mode" theirs $mode
	id=$(program veth0)
	refused "its place is not taken" 1 "'veth0'.* already has an XDP program" \
		another
	check "it is still there" test "$id" = "$(program veth0)"
	ip -n "$b" link set dev veth0 $mode off
done
refused "without privilege" 1 'may not load XDP programs' \
	as_nobody ktput-ctl sink udp layer xdp dev lo cookie 1 time 1
refused "without a device" 2 "needs .dev." ktput-ctl sink udp \
	layer xdp netns "$b" cookie 1
refused "an unknown device" 1 "there is no 'nothing0'" ktput-ctl sink udp \
	layer xdp netns "$b" cookie 1 dev nothing0
refused "more streams than ports" 1 'streams: .*ports' ktput-ctl sink udp \
	layer xdp netns "$b" cookie 1 dev veth0 port 65535 streams 2
check "it ends with its time" times_out
check "the device is taken down" ends device-down \
	ip -n "$b" link set veth0 down
ip -n "$b" link set veth0 up
check "the device is moved" ends device-removed \
	ip -n "$b" link set veth0 netns "$a" name veth1
ip -n "$a" link set veth1 netns "$b" name veth0
ip -n "$b" link set veth0 up
check "the device is removed" ends device-removed ip -n "$b" link del veth0
finish
