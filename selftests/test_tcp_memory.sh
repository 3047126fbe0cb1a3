#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP in memory pressure: ktput-ctl says so, and only then.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/runs.sh"

begin 5

ns=
other=
limits=/proc/sys/net/ipv4/tcp_mem
before=$(<"$limits")

setup()
{
	netns_add ns && netns_add other
}

# measured NETNS WORD...: a run of both ends there.
measured()
{
	local netns=$1
	shift

	ktput-ctl -j start netns "$netns" "$@" >"$scratch/run" 2>"$scratch/err"
}

result()
{
	jq -e ".result | .valid and (.tcp_memory | $1)" "$scratch/run"
}

plenty()
{
	measured "$ns" streams 50 bytes 5M sndbuf 16K rcvbuf 16K &&
		[ ! -s "$scratch/err" ] &&
		result '.pressures == 0 and .pressure_ms == 0 and
			(.pressure_at_begin or .pressure_at_end | not)'
}

# What 50 streams have under way is more than 1 MiB; 400 KiB are pressure.
pressure()
{
	echo "50 100 ${before##*[[:space:]]}" >"$limits"
	measured "$ns" streams 50 bytes 50M && result '.pressures > 0'
}

said()
{
	jq -e '.warning | test("^TCP came into memory pressure [1-9][0-9]* times?, " +
		"and dropped [0-9]+ segments on receipt: net.ipv4.tcp_mem " +
		"[(]50 100 [0-9]+ pages, of all sockets[)] bounds the rate$")' \
		"$scratch/err"
}

# No socket is idle enough for TCP to leave it, and that of another namespace.
already()
{
	echo "0 1 ${before##*[[:space:]]}" >"$limits"
	ktput-ctl start netns "$other" detach streams 10 >/dev/null || return 1
	wait_for "$BOUND" under_pressure || return 1
	measured "$ns" streams 5 bytes 1M &&
		result '.pressure_at_begin' &&
		jq -e '.warning | test("memory pressure")' "$scratch/err"
}

under_pressure()
{
	awk '$1 == "TCP" { found = $5 == "yes" } END { exit !found }' \
		/proc/net/protocols
}

restored()
{
	echo "$before" >"$limits"
}

at_exit restored
check "namespaces" setup || finish
check "memory is plenty: nothing is said" plenty
check "50 streams in memory pressure: it is counted" pressure
check "and it is said, with the limits" said
check "pressure that was there before, by others" already
finish
