#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl improve host, between two namespaces: a setting of a host that limits a run is
# found, others are not kept, and each is afterwards what it was, byte for byte. Sixteen
# situations, and searches that are killed at twenty moments, are make check-improve's.
#
# kernel: host
# runs: alone

. "$(dirname "$0")/../lib/lib.sh"

need_root
need ktput-ctl gojq ip ethtool sysctl tc
need_lab
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
# Rows that reset a device are tried where nobody is connected by it.
unset SSH_CONNECTION

plan 10

settings()
{
	"$TOP/selftests/lib/settings.sh" "$a" "$b"
}

# situation LINE...: two namespaces with a path, and what lines of shell make of it
situation()
{
	local line

	netns_add a && netns_add b && veth_add "$a" 10.8.0.1/24 "$b" 10.8.0.2/24 ||
		return
	for line in "$@"; do
		eval "$line" || return
	done
}

on()
{
	ip netns exec "${!1}" "${@:2}"
}

# improve WORD...: into $scratch/of; all settings are afterwards what they were
improve()
{
	settings >"$scratch/before"
	ktput-ctl -j improve host layer user sink-layer user netns "$a" \
		sink-netns "$b" to 10.8.0.2 time 100ms "$@" \
		>"$scratch/of" 2>"$scratch/said" || {
		cat "$scratch/said"
		return 1
	}
	settings >"$scratch/after"
	diff "$scratch/before" "$scratch/after"
}

says()
{
	jq -e ".improve | $1" "$scratch/of"
}

# finds KEPT WORD...: it is kept, by its beginning, and nothing else is; where a busy
# machine lets runs differ by more, they are made again, twice at most
finds()
{
	local kept=$1

	shift
	for _ in 1 2 3; do
		improve "$@" limit 180s pairs 4 || return
		# shellcheck disable=SC2016  # of jq
		says "[.remedies[] | select(.kept).apply] |
			length > 0 and all(startswith(\"$kept\"))" && return
	done
	jq -c .improve "$scratch/of"
	return 1
}

check "a small buffer at the sink" \
	situation 'on b sysctl -qw net.ipv4.tcp_rmem="4096 8192 16384"'
check "... is found: net.ipv4.tcp_rmem of the sink" \
	finds "tcp_rmem" try net.ipv4.tcp_rmem,gro
check "... and the command that makes it so for good is told" \
	says '.settings[0] | .end == "sink" and .name == "sysctl net.ipv4.tcp_rmem" and
	.from == "4096\t8192\t16384" and (.apply | test("^ip netns exec .* sysctl -qw"))'

check "a device that segments nothing" \
	situation 'on a ethtool -K veth0 tx-tcp-segmentation off' \
		'on a ethtool -K veth0 tx-generic-segmentation off'
check "... is found: segmentation by the device or the stack" \
	finds "" try "tso,gso,txqueuelen"
check "... and what undoes it is told" says '.settings[0] |
	(.undo | test("ethtool -K .* off$")) and .from == "off" and .to == "on"'

SHAPER='on a tc qdisc add dev veth0 root tbf rate 50mbit burst 20k latency 50ms'
check "a shaper" situation "$SHAPER"
check "... is left alone: nothing is kept" improve \
	try net.ipv4.tcp_rmem,qdisc,txqueuelen limit 60s
check "... and it says why" says '.settings == [] and
	(.ended_because == "cannot be changed" or .ended_because == "nothing helps")'

changes()
{
	[ -e /run/ktput/improve.jsonl ]
}

restored()
{
	! changes
}

# Its guard restores what it has changed, from another session.
killed()
{
	situation || return
	settings >"$scratch/before"
	ktput-ctl improve host layer user sink-layer user netns "$a" sink-netns "$b" \
		to 10.8.0.2 try net.ipv4.tcp_rmem,net.ipv4.tcp_wmem,txqueuelen \
		>"$scratch/said" 2>&1 &
	wait_for "$BOUND" changes && kill -9 $! && wait_for "$BOUND" restored || {
		cat "$scratch/said"
		return 1
	}
	settings >"$scratch/after"
	diff "$scratch/before" "$scratch/after"
}

check "one that is killed: all is restored" killed
finish
