#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl load, over sockets of user space between two namespaces: the queue in front of
# a slow link is named, and round trips take as long as it is deep; with fq_codel in its
# place they hardly wait.
#
# kernel: host
# runs: alone

. "$(dirname "$0")/../lib/lib.sh"

need_root
need ktput-ctl gojq ip tc pgrep sysctl
need_lab
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
for module in sch_tbf sch_fq_codel; do
	modprobe -q "$module"
done
netns_add a && netns_add b && veth_add "$a" 10.8.0.1/24 "$b" 10.8.0.2/24 ||
	skip_all "no network namespaces with veth here"
device=$(ip -n "$a" -o addr show to 10.8.0.1 | awk '{ print $2; exit }')

# Bytes of the queue, and the time that its link needs for them: 20 Mb/s.
DEEP=100000 RATE=20000000
deep_ns=$((DEEP * 8 * 1000000000 / RATE))

bottleneck()
{
	ip netns exec "$a" tc qdisc add dev "$device" root handle 1: tbf \
		rate "$RATE" burst 16k limit "$DEEP"
}

# The load fills the queue, whatever the host's congestion control is.
bottleneck && ip netns exec "$a" sysctl -qw net.ipv4.tcp_congestion_control=reno ||
	skip_all "the kernel has no tbf"

plan 10

load()
{
	ktput-ctl -j load "$@" -- layer user sink-layer user netns "$a" \
		sink-netns "$b" to 10.8.0.2 -- layer user netns "$a" \
		sink-netns "$b" to 10.8.0.2 >"$scratch/of" 2>"$scratch/said"
}

says()
{
	jq -e ".load | (.phases | map({(.phase): .}) | add) as \$at | $1" "$scratch/of" ||
		{ jq -c .load "$scratch/of"; return 1; }
}

check "a deep queue" load time 3s record "$scratch/runs"
# Reno halves its window when the queue is full.
check "... delays round trips by its bytes at its rate" says "
	\$at.during.latency_p50_ns > $deep_ns / 4 and
	\$at.during.latency_p50_ns < $deep_ns * 1.2 and
	\$at.before.latency_p50_ns < $deep_ns / 8 and .median_rise_ns > $deep_ns / 8"
check "... is named, and the round trips were inside the load" says \
	'.queue.place == "queue" and .trips_inside_load'
check "all runs and the result are recorded" jq -se '
	map(.load_run.phase // "result") ==
	["before", "during", "load", "after", "result"]' "$scratch/runs"

drawn()
{
	ktput-report plot load all "$scratch/runs" out "$scratch/load.svg" &&
		grep -q 'Latency under load.*during: median' "$scratch/load.svg"
}
check "... and drawn" drawn

shallow()
{
	ip netns exec "$a" tc qdisc change dev "$device" root handle 1: tbf \
		rate "$RATE" burst 16k limit "$((DEEP / 4))" &&
		load time 3s && says "\$at.during.latency_p50_ns < $deep_ns / 4 * 1.2"
}
check "a queue of a fourth delays them by a fourth" shallow

fq_codel()
{
	load time 3s && says "\$at.during.latency_p50_ns < $deep_ns / 4"
}
if ip netns exec "$a" tc qdisc change dev "$device" root handle 1: tbf \
		rate "$RATE" burst 16k limit "$DEEP" &&
   ip netns exec "$a" tc qdisc add dev "$device" parent 1:1 fq_codel \
		2>/dev/null; then
	check "with fq_codel in the place of a deep queue they hardly wait" fq_codel
else
	skip "with fq_codel in the place of a deep queue they hardly wait" \
		"the kernel has no fq_codel"
fi

nothing()
{
	ip netns exec "$a" tc qdisc del dev "$device" root &&
		load time 500ms && says "\$at.during.latency_p50_ns < $deep_ns / 4 and
		.queue.place != \"queue\""
}
check "nothing in the way" nothing

loads()
{
	[ "$(wc -l <"$scratch/some")" -ge 1 ] &&
		pgrep -f "start layer user.*netns $a " >/dev/null
}

# As Ctrl-C does, while the load runs.
interrupted()
{
	local child

	: >"$scratch/some"
	load time 2s record "$scratch/some" &
	child=$!
	wait_for "$BOUND" loads && kill -INT "$(pgrep -P "$child")" && wait "$child" &&
		says '.interrupted and (.phases | map(.phase)) == ["before"]' &&
		! pgrep -f "start layer user.*netns $a "
}
check "one that is interrupted prints what there is, and leaves nothing" interrupted

refused()
{
	local status=0

	ktput-ctl load -- bidir to 10.8.0.2 -- to 10.8.0.2 2>"$scratch/said" || status=$?
	[ "$status" = 2 ] && grep -q "'bidir' does not go together with load" "$scratch/said"
}
check "a load of two directions is refused" refused

finish
