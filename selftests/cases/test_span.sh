#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Goodput is what arrived over the time in which it was to arrive, in user space: never
# above the rate of a shaper, and the same wherever an outage lies. What was not sent,
# and requests that were never answered, are told.
#
# Half of the tests are of datagrams that a firewall drops for half of the run: what
# arrives then is half of what the rate is, within the bounds of a busy machine.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need ktput-ctl gojq ip ss tc nft ethtool
modprobe -q sch_tbf nf_tables 2>/dev/null
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
ip link set lo up
plan 14
two_hosts
c=''
to=10.6.0.2
ends=(layer user sink-layer user netns "$a" sink-netns "$b" to "$to")

# drop NETNS HOOK PROTOCOL; undrop NETNS
drop()
{
	ip netns exec "$1" nft -f - <<END
table inet ktput {
	chain c {
		type filter hook $2 priority 0
		meta l4proto $3 drop
	}
}
END
}
undrop() { ip netns exec "$1" nft delete table inet ktput; }

# result FILTER: of the record in $scratch/run
result()
{
	jq -e ".result | $1" "$scratch/run" >/dev/null && return
	jq -c '.result | del(.cpus, .ceilings, .reconciliation, .histogram)' \
		"$scratch/run"
	return 1
}

run()
{
	rm -f "$scratch/run"
	ktput-ctl "$@" record "$scratch/run" >"$scratch/text" 2>"$scratch/err"
}

shape() { tc -n "$a" qdisc add dev veth0 root tbf rate "$1" burst 20k latency 2s; }
unshape() { tc -n "$a" qdisc del dev veth0 root; }
ip netns exec "$a" ethtool -K veth0 tso off gso off >/dev/null

# The source's socket takes 1 MB in a moment; the receiver has acknowledged it later.
acknowledged()
{
	background sink ip netns exec "$b" ktput-ctl sink layer user once
	wait_for 10 sh -c "ss -N $b -tlnH | grep -q ':5010 '" || return 1
	shape 5mbit || return 1
	run start layer user netns "$a" to "$to" bytes 1M
	unshape
	result '.valid and .bytes == 1048576 and .goodput_bps < 5.2e6 and
		.goodput_bps > 2e6'
}
check "TCP to a sink elsewhere: what is acknowledged" acknowledged

undrained()
{
	shape 500kbit || return 1
	run start "${ends[@]}" time 1s sndbuf 4M drain-timeout 1s
	unshape
	result '.valid and .unsent_bytes > 1000000 and .goodput_bps < 6e5 and
		.span_ns > 1e9' && grep -q '^Unsent *drain-timeout (1 s)' "$scratch/text"
}
check "a drain that is not finished is no contradiction" undrained

# outage BEFORE FOR: of 4 s at 500 datagrams per second
outage()
{
	(sleep "$1"; drop "$b" input udp; sleep "$2"; undrop "$b") &
	run start udp "${ends[@]}" time 4s rate 500pps size 1000 drain-timeout 1s
	wait $!
	result '.span_ns > 3.9e9 and .span_ns < 4.5e9' &&
		jq -e '([.intervals[].lost_datagrams] | add) ==
			.result.datagrams.lost' "$scratch/run" >/dev/null
}
check "datagrams: an outage at the beginning" outage 0 2
check "datagrams: an outage in the middle" outage 1 2
check "datagrams: an outage at the end" outage 2 3

sent() { ip netns exec "$a" cat /sys/class/net/veth0/statistics/tx_packets; }

# flows BEFORE: the run sends
flows() { [ "$(sent)" -gt $(($1 + 20)) ]; }

unanswered()
{
	(wait_for 10 flows "$(sent)" && drop "$b" input tcp) &
	run pingpong layer user netns "$a" sink-netns "$b" to "$to" time 4s \
		drain-timeout 1s
	wait $! && undrop "$b" || return 1
	result '.valid and .unanswered == 1 and .latency_ns.max > 1e9 and
		.latency_ns.count == .round_trips + 1' &&
		grep -q '^Unanswered *1 request at the end' "$scratch/text"
}
check "a request that is never answered" unanswered

# Of the source, for a second, once the run sends.
walled()
{
	(wait_for 10 flows "$(sent)" && drop "$a" output udp && sleep 1; undrop "$a") &
	run "$@" udp layer "$layer" netns "$a" sink-netns "$b" to "$to" time 5s
	wait $!
}

unreachable()
{
	walled start sink-layer "$layer" rate 500pps size 1000
	result '.valid and .reason == "time" and .datagrams.send_failures > 0 and
		.datagrams.send_failures < 2000 and
		.datagrams.send_failure == "Operation not permitted"'
}

unasked()
{
	walled pingpong rate 500 timeout 100ms
	result '.valid and .reason == "time" and .send_failures > 0 and
		.send_failures < 5000 and
		.send_failure == "Operation not permitted"'
}

# The second link of the path is narrower than the first.
narrow()
{
	run start udp layer "$layer" sink-layer "$layer" netns "$a" sink-netns "$c" \
		to 10.7.0.2 time 1s rate 500pps size 1400
	ip -n "$a" route flush cache
	result '.valid and .reason == "time" and .datagrams.send_failures > 0 and
		.datagrams.send_failures < 64 and .datagrams.lost < 64 and
		.datagrams.send_failure == "Message too long"'
}

netns_add c
ip -n "$b" link add veth1 type veth peer name veth0 netns "$c"
ip -n "$b" addr add 10.7.0.1/24 dev veth1
ip -n "$c" addr add 10.7.0.2/24 dev veth0
for end in "$b veth1" "$c veth0"; do
	ip -n "${end% *}" link set "${end#* }" mtu 1280 up
done
ip -n "$a" route add default via 10.6.0.2
ip -n "$c" route add default via 10.7.0.1
ip netns exec "$b" sysctl -qw net.ipv4.ip_forward=1
for layer in user socket; do
	if [ "$layer" = socket ] && ! ktput_load; then
		for name in "a firewall" requests "a path"; do
			skip "$layer: $name" "the module cannot be loaded"
		done
		continue
	fi
	check "$layer: a firewall at the source is ridden out, and told" unreachable
	check "$layer: requests that a firewall holds back" unasked
	check "$layer: a path that is narrower than its first link" narrow
done

clock_set()
{
	(wait_for 10 flows "$(sent)" && date -s "1 hour" >/dev/null) &
	run -s start udp "${ends[@]}" time 5s rate 100pps size 100
	wait $! && date -s "1 hour ago" >/dev/null || return 1
	result '.valid and (.datagrams | has("delay_mean_ns") | not) and
		(.datagrams.no_delay_because | test(
			"^the clock of this host was set .*, by .3(600|599[.].*) s$"))' &&
		grep -q '^One-way delay *the clock of this host' "$scratch/text"
}
if [ "${KTPUT_VM-}" = 1 ]; then
	check "a clock that is set leaves no delay" clock_set
else
	skip "a clock that is set leaves no delay" "the clock is that of the machine"
fi

removed()
{
	(sleep 1; ip -n "$a" link del veth0) &
	run start "${ends[@]}" time 5s
	[ $? = 1 ] && result '(.valid | not) and
		.invalid_because == "veth0 was removed during the run"'
}
check "a device that is removed is named, and ends the run" removed
finish
