#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP in memory pressure: ktput-ctl says so, and only then.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need /usr/bin/python3
begin 5

ns=
other=
limits=/proc/sys/net/ipv4/tcp_mem
before=$(<"$limits")

setup()
{
	netns_add ns && netns_add other &&
		ip netns exec "$other" sysctl -qw \
			net.ipv4.tcp_rmem="4096 16777216 16777216"
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

# What nobody reads, of so many bytes that the kernel knows of: it may count up to
# 1 MiB less on each CPU (net.core.mem_pcpu_rsv), and would take pressure for over
# whenever that is all. There is room for it, so that nobody probes for room.
unread='
import os, signal, socket
listener = socket.create_server(("127.0.0.1", 0))
sockets = []
for _ in range(os.cpu_count() + 2):
    source = socket.create_connection(listener.getsockname())
    sockets += [source, listener.accept()[0]]
    source.sendall(bytes(1 << 20))
print("sent", flush=True)
signal.pause()
'

# 400 KiB are pressure, and unread data keeps it up.
pressure()
{
	background unread ip netns exec "$other" /usr/bin/python3 -B -c "$unread"
	wait_for "$BOUND" grep -q sent "$scratch/unread.out" || return 1
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

already()
{
	measured "$ns" streams 5 bytes 1M &&
		result '.pressure_at_begin' &&
		jq -e '.warning | test("memory pressure")' "$scratch/err"
}

# The kernel clears the pressure when a socket returns memory.
restored()
{
	echo "$before" >"$limits"
	ktput-ctl start bytes 1M >/dev/null 2>&1
}

at_exit restored
check "namespaces" setup || finish
check "memory is plenty: nothing is said" plenty
check "50 streams in memory pressure: it is counted" pressure
check "and it is said, with the limits" said
check "pressure that was there before, by others" already
finish
