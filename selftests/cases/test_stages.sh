#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Stages of datagrams: where their time passes is where it was made to pass, the stages
# of each add up, and lost datagrams and copies are not mixed with others.
#
#   a: veth0 10.9.0.1, fd00:9::1 ------- b: veth0 10.9.0.2, fd00:9::2

# shellcheck disable=SC2016  # variables of jq, and of another shell

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need ktput-ctl gojq ip tc chrt taskset modprobe python3 nft
modprobe -q sch_netem || skip_all "the kernel has no sch_netem"
begin 69
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
calm "$a" "$b"
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
for netns in "$a" "$b"; do
	ip netns exec "$netns" sysctl -qw net.ipv6.conf.all.disable_ipv6=0 \
		net.ipv6.conf.veth0.disable_ipv6=0
done
ip -n "$a" address add fd00:9::1/64 dev veth0 nodad
ip -n "$b" address add fd00:9::2/64 dev veth0 nodad

run()
{
	recorded 0 netns "$a" sink-netns "$b" udp to "$to" drain-timeout 60s \
		rcvbuf 8M stages stages-share "${share-100}" "$@"
}

user()
{
	run layer user sink-layer user "$@"
}

# holds FILTER: of the stages of the record; $s are the rows by name.
holds()
{
	jq -e --arg sent "${sent:-0}" '.result as $result | .result.stages |
		(.stages // [] | map({key: .stage, value: .}) | from_entries) as $s |
		($sent | tonumber) as $sent | '"$1" "$scratch/run" >/dev/null && return
	jq -c .result.stages "$scratch/run"
	cat "$scratch/text" "$scratch/err"
	return 1
}

# To the nanosecond: the sums are of integers.
add_up()
{
	holds '.messages > 0 and .disordered_messages == 0 and
		([.stages[] | select(.stage != "whole") | .sum_ns] | add) == $s.whole.sum_ns'
}

to=10.9.0.2
user_is_followed()
{
	user rate 200pps messages 400 &&
		holds '.every == 1 and .messages == 400 and .missing_hooks == null and
		[.stages[].stage] == ["send", "ip", "queue", "link", "softirq",
				      "stack", "wake", "run", "socket", "copy",
				      "whole"]'
}
check "layer user, all stages of all datagrams" user_is_followed
check "which add up to the nanosecond" add_up
check "too few for the slowest 1%" holds \
	'.slowest_messages == 0 and $s.queue.excess_ns == null'
check "which the text says" grep -q '^Slowest 1%  *not known: it takes 1000' \
	"$scratch/text"
lines()
{
	local count

	count=$(ktput-ctl show "$scratch/run" | tee "$scratch/shown" |
		sed -n '/^Stages /,/^Slowest/p' | wc -l)
	[ "$count" -ge 11 ] && [ "$count" -le 14 ] &&
		! grep -E '.{81}' "$scratch/shown" && return
	cat "$scratch/shown"
	return 1
}
check "in 14 lines of 80 columns" lines
shown()
{
	sed -n '/^Stages /,/^Overhead/p' "$scratch/text" >"$scratch/printed" &&
		sed -n '/^Stages /,/^Overhead/p' "$scratch/shown" |
		cmp - "$scratch/printed"
}
check "as its record has them" shown

delayed()
{
	tc -n "$a" qdisc replace dev veth0 root netem delay 500ms limit 10000 &&
		user rate 200pps messages 400 &&
		holds '$s.queue.p50_ns >= 500e6 and $s.queue.p50_ns <= 505e6 and
			$s.queue.sum_ns >= .messages * 500e6 and .messages == 400'
}
check "a delay of 500 ms is in the queueing discipline, to 1%" delayed
check "of which the stages add up" add_up

# A copy that netem makes leaves at another time than the datagram.
impaired()
{
	tc -n "$a" qdisc replace dev veth0 root netem delay 20ms 15ms loss 20% \
		duplicate 20% limit 10000 &&
		user rate 400pps messages 1000 &&
		holds '.every == 1 and .partial_messages == 0 and
			.duplicated_messages == $result.datagrams.duplicates and
			.duplicated_messages > 0 and
			.unfinished_messages == $result.datagrams.lost and
			.unfinished_messages > 0 and
			.messages + .duplicated_messages + .unfinished_messages == 1000'
}
check "loss, copies and disorder: each datagram is counted as what it is" impaired
check "and those that are followed add up" add_up
check "each was as long in the queue as it was held there, or longer" holds \
	'$s.queue.p50_ns >= 5e6 and $s.queue.sum_ns >= .messages * 5e6'
tc -n "$a" qdisc delete dev veth0 root

# hog MICROSECONDS SECONDS: a task of higher priority has CPU 1, and then sleeps. It has
# it for longer than what else a busy machine runs there.
hog()
{
	local end

	while :; do
		end=$((${EPOCHREALTIME/[.,]/} + $1))
		while [ "${EPOCHREALTIME/[.,]/}" -lt "$end" ]; do :; done
		read -rt "$2" <>"$scratch/never"
	done
}
# beside MICROSECONDS SECONDS COMMAND...
beside()
{
	local status=0 pid

	hog "$1" "$2" &
	pid=$!
	taskset -pc 1 "$pid" >/dev/null && chrt -f -p 10 "$pid" &&
		read -r task <"/proc/$pid/comm" && "${@:3}" || status=$?
	kill "$pid"
	wait "$pid" 2>/dev/null
	return "$status"
}
held_off()
{
	beside 200000 0.2 user cpus 0 sink-cpus 1 rate 400pps messages 1200 &&
		holds '.slowest_messages >= 10 and
		$s.run.excess_share > 0.8 and $s.run.p99_ns > 40e6 and
		$s.run.sum_ns > 0.5 * $s.whole.sum_ns'
}
mkfifo "$scratch/never"
if [ "$(nproc)" -ge 2 ]; then
	check "a reader without CPU: the slowest 1% waited for it to run" held_off
	check "which add up" add_up
	check "the excess of the stages is that of the whole" holds \
		'([.stages[] | select(.stage != "whole") | .excess_ns] | add) as $sum |
		 ($sum - $s.whole.excess_ns) | fabs < 1000'
	check "the task that had the CPU is named" holds '.tasks[0].task == "'"$task"'" and
		.tasks[0].messages > 0.8 * .slowest_messages and
		.tasks[0].wait_ns > 0.8 * .slowest_messages * $s.run.slowest_mean_ns'
	check "the text names the stage" sh -c "tr -s ' \n' ' ' <'$scratch/text' |
		grep -E 'Slowest 1% [0-9]+ datagrams, .* of that in .run.: between the wake-up'"
	check "and the task" grep -q "^Before it ran .* $task [0-9]* times" \
		"$scratch/text"
else
	for name in "a reader without CPU: the slowest 1% waited for it to run" \
		"which add up" "the excess of the stages is that of the whole" \
		"the task that had the CPU is named" "the text names the stage" \
		"and the task"; do
		skip "$name" "one CPU"
	done
fi

flooded()
{
	user messages 20000 && sent=20000 holds '.every > 1 and
		($sent / .every | floor) as $n | .lost_stamps == 0 and
		(.messages + .duplicated_messages + .unfinished_messages +
		 .partial_messages - $n | fabs) <= 1'
}
check "of many datagrams each N-th, alike at all places" flooded

# What began before a window, or was under way after it, is not one that is followed.
in_turns()
{
	share=5 user rate 500pps time 8s && add_up && holds '.messages < .8 * 4000 and
		.partial_messages == 0 and .duplicated_messages == 0 and
		(.stages | length == 11) and (.overhead_share == null) == (.turns < 3)'
}
check "in windows, by turns with the programs and without" in_turns
overhead()
{
	holds 'if .turns < 3 then .overhead_unknown_because != null else
		.overhead_share_ci_low <= .overhead_share and
		.overhead_share <= .overhead_share_ci_high and
		.attached_overhead_share_ci_high != null end' &&
		grep -E '^Overhead  *(a datagram takes -?[0-9.]+%|not known: it takes 3 turns)' \
			"$scratch/text"
}
check "what they cost, or why that is not known" overhead

to=fd00:9::2
check "IPv6" user rate 200pps messages 100
check "of which the stages add up" holds '.messages == 100 and
	([.stages[:-1][].sum_ns] | add) == $s.whole.sum_ns'
kernel()
{
	run layer socket sink-layer socket sink-method copy rate 200pps messages 100 &&
		holds '.messages == 100 and .stages[-2].stage == "socket"' && add_up
}
check "layer socket, IPv6" kernel
to=10.9.0.2
check "layer socket, IPv4" kernel

# A packet that is copied there, and then changed, has other memory from there on.
moved()
{
	background tap ip netns exec "$b" python3 -c 'import signal, socket
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)):
	signal.pause()' &&
		wait_for "$BOUND" ip netns exec "$b" sh -c \
			"[ \$(wc -l </proc/net/packet) = 2 ]" &&
		ip netns exec "$b" nft -f - <<-END &&
			table ip moved {
				chain input {
					type filter hook input priority 0
					ip dscp set af11
				}
			}
		END
		user rate 200pps messages 100 &&
		holds '.messages == 100 and (.stages | length == 11)' && add_up
}
check "a packet whose memory another one gets" moved
ip netns exec "$b" nft delete table ip moved
kill "${background[tap]}"
fragmented()
{
	user size 3000 rate 200pps messages 100 &&
		holds '.messages == 100 and (.stages | length == 11)' && add_up
}
check "fragments: by the first one" fragmented

# traced FILTER: of the slices of a trace by message; $s are its stages.
traced()
{
	jq -e '.otherData.origin_ns as $origin | .traceEvents |
		map(select(.ph == "X")) | group_by(.args.number) |
		map({whole: map(select(.cat == "whole"))[],
		     s: map(select(.cat == "stage"))}) | '"$1" \
		"$scratch/trace" >/dev/null && return
	head -c 2000 "$scratch/trace"
	return 1
}
traces()
{
	user rate 200pps messages 100 trace "$scratch/trace" &&
		holds '.messages == 100' &&
		traced 'length == 100 and all(.s | length == 10)'
}
check "a trace has each datagram, and its stages" traces
check "which add up to it, to the nanosecond" traced \
	'all(.whole.args.time_ns == ([.s[].args.time_ns] | add))'
check "and follow one another within it" traced 'all(. as $m |
	def near($a; $b): $a - $b | fabs < 0.01;
	near($m.whole.ts; $m.s[0].ts) and
	near($m.whole.ts + $m.whole.dur; $m.s[-1].ts + $m.s[-1].dur) and
	([range(9)] | all(. as $i | near($m.s[$i].ts + $m.s[$i].dur; $m.s[$i + 1].ts))) and
	([$m.s[].tid] | all(. == $m.whole.tid)))'
same_sum()
{
	local ns

	ns=$(jq '[.traceEvents[] | select(.cat == "whole").args.time_ns] | add' \
		"$scratch/trace") && holds '$s.whole.sum_ns == '"$ns"
}
check "and with what the result has" same_sum

ask()
{
	ktput-ctl -s pingpong netns "$a" udp to "$to" stages layer "${layer-user}" \
		stages-share "${share-100}" "$@" record "$scratch/run" replace \
		>"$scratch/text" 2>"$scratch/err" &&
		return
	cat "$scratch/text" "$scratch/err"
	return 1
}
trips()
{
	ask sink-netns "$b" "$@"
}
round_trips()
{
	tc -n "$b" qdisc replace dev veth0 root netem delay 30ms limit 10000 &&
		trips messages 100 trace "$scratch/trace" &&
		holds '.every == 1 and .messages == 100 and [.stages[].stage] ==
			["send", "ip", "queue", "link", "softirq", "stack", "wake",
			 "run", "socket", "copy", "answer", "back_ip", "back_queue",
			 "back_link", "back_softirq", "back_stack", "back_wake",
			 "back_run", "back_socket", "back_copy", "whole"] and
			$s.back_queue.p50_ns >= 30e6 and $s.back_queue.p50_ns <= 31e6 and
			$s.queue.p50_ns < 5e6'
}
check "a round trip: all stages there and back, the response is delayed" round_trips
tc -n "$b" qdisc delete dev veth0 root
check "which add up to the nanosecond" add_up
check "to what the source measured, or less" holds \
	'$s.whole.sum_ns > 0.8 * $result.latency_ns.sum and
	 $s.whole.sum_ns < $result.latency_ns.sum + 100 * 1e6'
check "the trace has them" traced 'length == 100 and all(.s | length == 20) and
	all(.whole.args.time_ns == ([.s[].args.time_ns] | add))'
table()
{
	ktput-ctl show "$scratch/run" >"$scratch/shown" &&
		[ "$(sed -n '/^stage /,/^whole /p' "$scratch/shown" | wc -l)" = 12 ] &&
		grep -q 'has 10 short stages more' "$scratch/shown" && return
	cat "$scratch/shown"
	return 1
}
check "the ten greatest are in the table" table
overlap()
{
	trips outstanding 8 messages 400 &&
		holds '.every == 1 and .messages == 400' && add_up
}
check "8 requests at a time" overlap
spin()
{
	trips wait spin messages 100 && holds '.messages == 100' &&
		add_up
}
check "ends that spin" spin
in_kernel()
{
	layer=socket trips messages 100 && holds '.messages == 100 and
		.stages[-2].stage == "back_socket"' && add_up
}
check "in the kernel" in_kernel
thinned()
{
	trips messages 4000 && sent=4000 holds '
		($sent / .every | ceil) as $n | .lost_stamps == 0 and
		(.messages + .duplicated_messages + .unfinished_messages +
		 .partial_messages - $n | fabs) <= 1'
}
check "of many each N-th, by its round" thinned
trips_in_turns()
{
	share=5 trips time 8s && add_up && holds '
		.messages * .every < .8 * $result.latency_ns.count and .partial_messages == 0 and
		(.overhead_share == null) == (.turns < 3)'
}
check "round trips in windows" trips_in_turns
if [ "$(nproc)" -ge 2 ]; then
	seldom()
	{
		beside 60000 0.44 trips cpus 0 sink-cpus 1 rate 200 \
			messages 1200 &&
			holds '.slowest_messages >= 10 and
			$s.run.excess_ns > 30e6 and .tasks[0].task == "'"$task"'"'
	}
	check "a sink without CPU now and then: the slowest 1% waited for it" seldom
	check "and the verdict says so" holds \
		'(.stages[:-1] | max_by(.excess_ns)) as $worst | $result.binding_because |
		contains("; of what the slowest 1% take longer, " +
			($worst.excess_share * 100 | round | tostring) +
			"% passed in \u0027" + $worst.stage + "\u0027: ")'
else
	skip "a sink without CPU now and then: the slowest 1% waited for it" "one CPU"
	skip "and the verdict says so" "one CPU"
fi
to=fd00:9::2
check "a round trip of IPv6" trips messages 50
check "which adds up" add_up
to=10.9.0.2

# The sink is another's.
alone()
{
	background sink ktput-ctl sink netns "$b" udp layer user port 5010 \
		cookie 77 time 60s &&
		wait_for "$BOUND" sh -c "ip netns exec $b ss -Hlun | grep -q :5010" &&
		recorded 0 netns "$a" udp to 10.9.0.2 layer user alone cookie 77 \
			rate 200pps messages 100 stages &&
		holds '.messages == 100 and
			[.stages[].stage] == ["send", "ip", "queue", "whole"]' &&
		add_up
}
check "a source alone, as far as its driver" alone

# far COMMAND WORD...: the other end is on another host.
far()
{
	: >"$scratch/text"
	KTPUT_SSH='at() { ip netns exec "$1" sh -c "$2"; }; at' \
		ip netns exec "$a" ktput-ctl -j "$1" remote "$b" udp layer user \
		messages 100 stages "${@:2}" \
		>"$scratch/run" 2>"$scratch/err"
}
sends()
{
	far start rate 200pps to 10.9.0.2 sink-layer user && holds '.messages == 100 and
		[.stages[].stage] == ["send", "ip", "queue", "whole"]' && add_up
}
check "the sink on another host: what passes here" sends
receives()
{
	far start rate 200pps to 10.9.0.1 sink-layer user reverse && holds '.messages == 100 and
		[.stages[].stage] == ["softirq", "stack", "wake", "run", "socket",
			"copy", "whole"]' &&
		add_up
}
check "the source on another host: what passes here" receives

# The way there and back, and the sink, are one stage.
goes_away()
{
	holds '.messages == 100 and
		[.stages[].stage] == ["send", "ip", "queue", "back_link", "back_softirq",
			"back_stack", "back_wake", "back_run", "back_socket",
			"back_copy", "whole"]' && add_up
}
asks()
{
	far pingpong rate 200 to 10.9.0.2 && goes_away
}
check "a round trip with a sink on another host: the source's stages" asks
asks_another()
{
	background reply ktput-ctl reply netns "$b" udp layer user port 5011 \
		cookie 78 time 60s &&
		wait_for "$BOUND" sh -c "ip netns exec $b ss -Hlun | grep -q :5011" &&
		ask alone port 5011 cookie 78 messages 100 && goes_away
}
check "with a sink of another" asks_another
# Of so large a datagram the kernel has only the headers in the linear part.
paged()
{
	recorded 0 netns "$a" udp layer user sink-layer user size 30000 rate 200pps \
		messages 100 rcvbuf 8M stages &&
		holds '.messages == 0 and .stages == [] and .unread_packets >= 800' &&
		grep -q '^Stages .* 0 followed' "$scratch/text"
}
check "a payload in pages is not followed, and that is said" paged

unprivileged()
{
	as_nobody ktput-ctl -j start udp layer user sink-layer user messages 100 \
		rate 1kpps stages >"$scratch/run" 2>"$scratch/err"
	: >"$scratch/text"
	holds '(.unknown_because | test("CAP_BPF")) and $result.valid'
}
check "without privileges the run goes on, and says so" unprivileged

check_refusal()
{
	refused "$1" 2 "$2" ktput-ctl "${@:3}" stages
}
check_refusal "tcp" "'stages' works with udp only" start tcp
check_refusal "frames" "'stages' works with layer socket and layer user only" \
	start udp layer queue dev lo
check_refusal "the ingress hook" "say 'sink-layer user' or 'sink-layer socket'" \
	start udp layer user sink-layer ingress sink-dev lo
check_refusal "segments" "leave out 'segments'" \
	start udp layer user sink-layer user segments 4
check_refusal "payload in pages" "say 'method copy'" \
	start udp layer user sink-layer user method zerocopy
check_refusal "direct" "say 'method copy'" \
	start udp layer socket sink-layer user method direct
check_refusal "a sink without a queue" "say 'sink-method copy'" \
	start udp layer user sink-layer socket
check_refusal "detached" "leaves nobody to see to 'stages'" \
	start udp layer user sink-layer user detach
check_refusal "round trips of tcp" "'stages' works with udp only" pingpong tcp
check_refusal "round trips in frames" "works with layer socket and layer user only" \
	pingpong udp layer driver dev lo
check_refusal "a callback" "say 'reply worker'" \
	pingpong udp layer socket reply callback
check_refusal "a sweep" "'sizes' contradicts 'stages'" \
	pingpong udp layer user sizes 64..128
check_refusal "a trace of several runs" "'trace' contradicts 'repeat'" \
	start udp layer user sink-layer user repeat 2 trace "$scratch/trace"
refused "a share of nothing" 2 "'stages-share' needs 'stages'" \
	ktput-ctl start udp layer user sink-layer user stages-share 10
refused "a trace of nothing" 2 "'trace' needs 'stages'" \
	ktput-ctl start udp layer user sink-layer user trace "$scratch/trace"
refused "a trace without a directory" 1 "cannot write '/no/such/file': No such file" \
	ktput-ctl start udp layer user sink-layer user stages trace /no/such/file
refused "a trace that is a directory" 1 "cannot write '$scratch': Is a directory" \
	ktput-ctl pingpong udp layer user stages trace "$scratch"
refused "a full device" 1 "cannot write '/dev/full': No space left on device" \
	ktput-ctl start udp layer user sink-layer user stages messages 100 rate 1kpps \
	trace /dev/full
finish
