#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl start remote HOST: the sink is on another host, which is a network
# namespace here, through ssh. Both ends are in one record and agree, and nothing
# outlives the connection, whoever breaks it. test_far_wrong has what is refused.
#
#   a: veth0 10.6.0.1 ------- b: veth0 10.6.0.2
#
# kernel: any
# runs: alone

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/sshd.sh"

need setsid pgrep
begin 42
two_hosts
: "${a:?}" "${b:?}" "${real_ssh:=}"
far_begin "$a" "$b" 10.6.0.2
[ -n "$real_ssh" ] || diag "no sshd here: a stand-in for ssh"

# Time for the far run to end after the connection: 2 s on a machine that is not busy.
limit=$BOUND

far()
{
	ip netns exec "$a" ktput-ctl "$@"
}

# measured WORD...: a short run; its record is $scratch/run.
measured()
{
	[[ " $* " == *" time "* ]] || set -- "$@" time 300ms
	timeout 100 ip netns exec "$a" ktput-ctl -j start remote far \
		disturbed-above 100 "$@" >"$scratch/run" \
		2>"$scratch/said" || { cat "$scratch/run" "$scratch/said"; return 1; }
}

# says FILTER: true if the record matches.
says()
{
	jq -e "$1" "$scratch/run" >/dev/null || {
		cat "$scratch/run" "$scratch/said"
		return 1
	}
}

nobody()
{
	! pgrep -r D,R,S -f 'ktput-ctl -j far-end' && ! pgrep -r D,R,S -x ktput-ctl
}

ended_all()
{
	wait_for "$limit" nobody || { pgrep -a -f ktput-ctl; return 1; }
	nothing_left "$a" "$b"
}

# of_far: the number of what runs the far end.
of_far()
{
	pgrep -r D,R,S -f '^ktput-ctl -j far-end'
}

# sinks N: so many runs are there.
sinks()
{
	[ "$(runs "$b" | jq "[.[] | select(.role == \"sink\")] | length")" = "$1" ]
}

# long NAME WORD...: a run of datagrams that ends only from outside, and has begun.
long()
{
	background "$1" env --default-signal=INT ip netns exec "$a" \
		ktput-ctl start remote far udp rate 200pps time 600 \
		disturbed-above 100 "${@:2}"
	wait_for "$BOUND" sinks 1 && wait_for "$BOUND" grep -q '^ *0.00-' \
		"$scratch/$1.out" || { cat "$scratch/$1.err"; return 1; }
}

agree='.result.valid and
	([.result.reconciliation[] | select(.where == "source to sink")] |
	 length > 0 and all(.agrees))'
both="$agree and .sink.host == \"far\""

check "TCP, all words: start remote far" measured
check "both ends agree" says "$both"
check "there are CPUs of both" says \
	'[.result.cpus[].end] | unique == ["sink", "source"]'
check "and what the far host says of itself" says \
	'.sink.environment | .kernel.release and .sink.sysctls and .cpu'
check "and the offset of its clock, with its error" says \
	'.sink.clock | .from == "ssh" and .error_ns > 0 and (.offset_ns | fabs) < 1e9'
check "and its device" says '.readings.sink.device |
	.name == "veth0" and .end.received_bytes > .begin.received_bytes'
check "intervals are of the far sink" says \
	'[.intervals[].bytes] | add > 0'
check "the record is shown again" sh -c "ktput-ctl show '$scratch/run'"
check "streams, a warm-up, from user space" measured layer user sink-layer user \
	streams 3 warmup 100ms
check "agree too" says "$both and (.readings.sink.end.streams | length == 3)"
check "UDP" measured udp rate 1000pps
check "no datagram is lost, or it is said where" says \
	"$both and .result.packets > 100"
check "UDP to the ingress hook of the far device" measured udp rate 1000pps \
	sink-layer ingress
check "agrees too" says "$both and .sink.config.layer == \"ingress\""
check "reverse: the far host sends" measured reverse
check "both ends agree, and the route is that of the source" says "$agree and
	.source.host == \"far\" and .route.device == \"veth0\" and
	.source.environment.kernel.release and .readings.source.device.end"
check "UDP, from its user space" measured reverse udp rate 500pps layer user \
	streams 2
check "agrees too" says "$agree and .result.packets > 50"
check "frames, from its driver" measured reverse udp rate 500pps layer driver \
	sink-layer ingress
check "agree too" says "$agree and .result.packets > 50 and
	.source.config.layer == \"driver\" and .source.config.local == \"10.6.0.2\""

# late WORD...: measured, but of two connections the second is there 5 s later.
late()
{
	cat >"$scratch/late" <<END
#!/bin/sh
mkdir "$scratch/early" 2>/dev/null || sleep 5
exec $KTPUT_SSH "\$@"
END
	chmod 755 "$scratch/late"
	KTPUT_SSH=$scratch/late measured "$@"
}

check "both ways at one time" late bidir time 2s streams 2 \
	record "$scratch/both" replace
check "both ends of each agree" says "$both and .both.together_share > 0.5 and
	.both.goodput_bps == .result.goodput_bps + .reverse.result.goodput_bps and
	([.readings, .reverse.readings | .source.end.streams, .sink.end.streams |
	  length] | all(. == 2)) and
	(.reverse | $agree and .source.host == \"far\" and .sink.host == null)"
check "and are shown again" sh -c "ktput-ctl show '$scratch/both' | grep 'Both directions'"
refused "they have to be named" 2 "'bidir' needs 'remote', or 'netns'" ktput-ctl \
	start bidir netns "$a" sink-netns "$b" to 10.6.0.2
check "UDP, from user space" measured bidir udp rate 500pps layer user \
	sink-layer user time 1s
check "agree too" says "$both and (.reverse | $agree and .result.packets > 50)"
check "both ways between two namespaces of this host" sh -c "ktput-ctl -j start bidir \
	netns '$a' from 10.6.0.1 sink-netns '$b' to 10.6.0.2 disturbed-above 100 \
	streams 2 time 500ms >'$scratch/run' 2>'$scratch/said'"
check "each has its own ends" says "$agree and .both.together_share > 0.5 and
	.both.goodput_bps == .result.goodput_bps + .reverse.result.goodput_bps and
	([.source, .reverse.sink | .netns] | all(. == \"$a\")) and
	([.sink, .reverse.source | .netns] | all(. == \"$b\")) and
	([.route, .reverse.route | .device] | all(. == \"veth0\")) and
	.reverse.source.config.remote == \"10.6.0.1\" and (.reverse | $agree)"
check "round trips" sh -c "ip netns exec '$a' ktput-ctl -j pingpong remote far \
	disturbed-above 100 time 300ms >'$scratch/run' 2>'$scratch/said'"
check "have the cycles of both ends" says '.result.valid and
	([.result.cpus[] | .sink_cycles_per_round_trip // 0] | add > 0)'

# As into a container: what runs a command there is the user's.
by_command()
{
	KTPUT_SSH='at() { ip netns exec "$1" sh -c "$2"; }; at' \
		ip netns exec "$a" ktput-ctl -j start remote "$b" to 10.6.0.2 \
		layer user sink-layer user time 300ms disturbed-above 100 \
		>"$scratch/run" 2>"$scratch/said" || { cat "$scratch/said"; return 1; }
}
check "by a command in the place of ssh" by_command
check "both ends agree" says "$agree and .sink.host == \"$b\""
check "nothing is left" ended_all

interrupted()
{
	long interrupted "$@" || return 1
	kill -INT "${background[interrupted]}"
	ended interrupted || { cat "$scratch/interrupted.err"; return 1; }
	grep -q '^Goodput' "$scratch/interrupted.out" && ended_all
}
check "Ctrl-C ends it in order" interrupted
check "and both ways likewise" interrupted bidir

# broken NAME COMMAND...: with COMMAND the connection breaks; this end says so.
broken()
{
	local name=$1
	shift

	long "$name" || return 1
	"$@" || return 1
	! ended "$name" || return 1
	grep 'far: the connection broke' "$scratch/$name.err" && ended_all
}

kill_far()
{
	pkill -KILL -f '^ktput-ctl -j far-end'
}

# What is between: ssh here, or what stands for it.
kill_ssh()
{
	kill -KILL -- "-$(pgrep -P "${background[ssh]}")"
}

pause_far()
{
	pkill -STOP -f '^ktput-ctl -j far-end'
}

# It ends once it goes on: it has heard nothing meanwhile.
paused()
{
	long paused || return 1
	pause_far
	! ended paused || return 1
	pkill -CONT -f '^ktput-ctl -j far-end'
	ended_all
}

killed()
{
	long killed || return 1
	kill -KILL "${background[killed]}"
	ended_all
}

# A process that is stopped sends no beats.
stopped()
{
	long stopped || return 1
	kill -STOP "${background[stopped]}"
	wait_for "$limit" sinks 0 || return 1
	kill -CONT "${background[stopped]}"
	! ended stopped && ended_all
}

partition()
{
	ip netns exec "$b" nft -f - <<END
table inet ktput {
	chain in { type filter hook input priority 0; policy drop; }
	chain out { type filter hook output priority 0; policy drop; }
}
END
}

partitioned()
{
	broken partitioned partition
	local status=$?

	ip netns exec "$b" nft delete table inet ktput
	return "$status"
}

check "SIGKILL to this end ends the far one" killed
check "SIGKILL to the far end ends this one" broken far kill_far
check "SIGKILL to ssh ends both" broken ssh kill_ssh
check "a far end that stands still ends this one" paused
check "this end standing still ends the far one" stopped
if [ -n "$real_ssh" ] && ip netns exec "$b" nft list ruleset >/dev/null 2>&1; then
	check "a partition ends both" partitioned
else
	skip "a partition ends both" "takes sshd and nft"
fi

check "nothing is left after all that" ended_all
finish
