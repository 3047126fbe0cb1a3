#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whatever ends a run, it ends with its reason, within a bound, and leaves
# nothing behind.
#
#   a: veth0 10.1.0.1 ------- b: veth0 10.1.0.2

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

begin 42

# until_ended NETNS ID REASON: the run ends so.
until_ended()
{
	wait_for "$BOUND" run_is "$1" "$2" '.run.state == "ended"' &&
		run_is "$1" "$2" ".run.reason == \"$3\"" || {
		ktput-ctl -j show ${1:+netns "$1"} run "$2"
		return 1
	}
}

# detached ARGUMENT...: a run from a to b; sets source_id and sink_id. Slow, so
# that there is time for others.
detached()
{
	ktput-ctl -j start netns "$a" to 10.1.0.2 sink-netns "$b" detach \
		time 600 pace 20mbit sndbuf 64K "$@" >"$scratch/start" || return 1
	source_id=$(jq '.runs[] | select(.role == "source").id' "$scratch/start")
	sink_id=$(jq '.runs[] | select(.role == "sink").id' "$scratch/start")
	wait_for "$BOUND" moving
}

# Payload has arrived.
moving()
{
	run_is "$b" "$sink_id" '[.cpus[].bytes] | add > 0'
}

forget()
{
	ktput-ctl stop netns "$a" all forget >/dev/null
	ktput-ctl stop netns "$b" all forget >/dev/null
	nothing_left "$a" "$b"
}

# attended NAME ARGUMENT...: likewise with a ktput-ctl that waits.
attended()
{
	local name=$1
	shift

	background "$name" ktput-ctl -j start netns "$a" to 10.1.0.2 \
		sink-netns "$b" time 600 pace 20mbit sndbuf 64K "$@"
	wait_for "$BOUND" a_run_moves
}

a_run_moves()
{
	sink_id=$(runs "$b" | jq '.[0].id // empty')
	[ -n "$sink_id" ] && moving
}

# said NAME STATUS FILTER: how it ended, and what its result says.
said()
{
	local status=0

	ended "$1" || status=$?
	[ "$status" = "$2" ] && jq -e "$3" "$scratch/$1.out" >/dev/null && return
	echo "status $status"
	jq -c '.result | del(.cpus)' "$scratch/$1.out"
	cat "$scratch/$1.err"
	return 1
}

setup()
{
	netns_add a && netns_add b &&
		veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24
}

killed()
{
	attended killed streams 4 || return 1
	background monitor ktput-ctl -j monitor netns "$a"
	wait_for "$BOUND" grep -q poll "/proc/${background[monitor]}/wchan" ||
		return 1
	kill -9 "${background[killed]}"
	wait_for "$BOUND" grep -q owner "$scratch/monitor.out"
	local status=$?
	kill "${background[monitor]}"
	return "$status"
}

interrupted()
{
	attended interrupted streams 2 || return 1
	kill -INT "${background[interrupted]}"
	said interrupted 0 '.result | .interrupted and .valid and .bytes > 0 and
		.reason == "stopped"'
}

terminated()
{
	attended terminated || return 1
	kill -TERM "${background[terminated]}"
	said terminated 0 '.result | .interrupted and .valid and .bytes > 0'
}

sink_interrupted()
{
	background sink ktput-ctl -j sink netns "$b" port 5020
	wait_for "$BOUND" listening 5020 || return 1
	kill -INT "${background[sink]}"
	said sink 0 '.result.reason == "stopped"'
}

listening()
{
	ss -N "$b" -tlnH | grep -q ":$1 "
}

stopped_by_another()
{
	attended stopped || return 1
	ktput-ctl stop netns "$a" run "$(runs "$a" | jq '.[0].id')" >/dev/null &&
		said stopped 0 '.result | .reason == "stopped" and .valid and
			(.interrupted | not)'
}

forgotten_by_another()
{
	attended forgotten || return 1
	ktput-ctl stop netns "$a" run "$(runs "$a" | jq '.[0].id')" forget >/dev/null
	ended forgotten
	# What it says depends on when it looks: after the end, or after that.
	[ $? = 1 ] && grep -qE 'is gone|no such run|not valid' "$scratch/forgotten.err" || {
		cat "$scratch/forgotten.err"
		return 1
	}
}

stopped_twice()
{
	local ended_ns

	detached || return 1
	ktput-ctl stop netns "$a" run "$source_id" &&
		until_ended "$a" "$source_id" stopped || return 1
	ended_ns=$(ktput-ctl -j show netns "$a" run "$source_id" | jq .run.ended_ns)
	ktput-ctl stop netns "$a" run "$source_id" &&
		run_is "$a" "$source_id" ".run.reason == \"stopped\" and
			.run.ended_ns == $ended_ns"
}

removed()
{
	attended removed streams 4 || return 1
	background removed_sink ktput-ctl -j sink netns "$b" port 5020
	wait_for "$BOUND" listening 5020 || return 1
	background lonely ktput-ctl -j monitor
	# A dump that is under way holds the module.
	wait_for "$BOUND" rmmod ktput && [ ! -d /sys/module/ktput ]
}

# told NAME: ktput-ctl failed with a message about the module.
told()
{
	local status=0

	ended "$1" || status=$?
	cat "$scratch/$1.err"
	[ "$status" = 1 ] && grep -q 'module' "$scratch/$1.err"
}

no_socket()
{
	[ -z "$(stack "$a")$(stack "$b")$(pgrep "^ktput/")" ]
}

reloaded()
{
	ktput_load && ktput-ctl start bytes 1M
}

# other_pair: a veth pair c -- d, whose parts are to be lost.
# shellcheck disable=SC2154  # netns_add sets them
other_pair()
{
	netns_add c && netns_add d &&
		veth_add "$c" 10.3.0.1/24 "$d" 10.3.0.2/24
}

# doomed ARGUMENT...: a run from c to d, bound to the device.
doomed()
{
	ktput-ctl -j start netns "$c" to 10.3.0.2 sink-netns "$d" detach \
		time 600 pace 20mbit sndbuf 64K drain-timeout 1 "$@" >"$scratch/start" ||
		return 1
	source_id=$(jq '.runs[] | select(.role == "source").id' "$scratch/start")
	sink_id=$(jq '.runs[] | select(.role == "sink").id' "$scratch/start")
}

forget_doomed()
{
	ktput-ctl stop netns "$c" all forget >/dev/null
	ktput-ctl stop netns "$d" all forget >/dev/null
	nothing_left "$c" "$d"
}

netns_source()
{
	other_pair && doomed || return 1
	ip netns del "$c" && ktput-ctl stop netns "$d" all forget >/dev/null &&
		nothing_left "$d"
}

netns_both()
{
	other_pair && doomed || return 1
	ip netns del "$c" && ip netns del "$d" && nothing_left
}

# With a ktput-ctl that waits: its sockets hold the namespaces until it is gone.
netns_attended()
{
	other_pair || return 1
	background holder ktput-ctl -j start netns "$c" to 10.3.0.2 \
		sink-netns "$d" time 600 pace 20mbit sndbuf 64K
	wait_for "$BOUND" run_there || return 1
	ip netns del "$c"
	ip netns del "$d"
	kill -9 "${background[holder]}"
	nothing_left
}

run_there()
{
	[ "$(runs "$c" | jq length)" = 1 ]
}

device_down()
{
	other_pair && doomed dev veth0 &&
		ip -n "$c" link set veth0 down &&
		until_ended "$c" "$source_id" device-down
}

device_removed()
{
	other_pair && doomed dev veth0 &&
		ip -n "$c" link del veth0 &&
		until_ended "$c" "$source_id" device-removed
}

device_moved()
{
	other_pair && doomed dev veth0 &&
		ip -n "$c" link set veth0 netns "$a" name moved0 &&
		until_ended "$c" "$source_id" device-removed
	local status=$?
	ip -n "$a" link del moved0
	return "$status"
}

device_of_sink()
{
	local id

	other_pair || return 1
	id=$(ktput-ctl -j sink netns "$d" dev veth0 detach | jq '.runs[0].id')
	ip -n "$d" link set veth0 down && until_ended "$d" "$id" device-down
}

# Not bound to it: a run does without the device until it is back.
device_not_bound()
{
	detached || return 1
	ip -n "$a" link set veth0 down && ip -n "$a" link set veth0 up &&
		run_is "$a" "$source_id" '.run.state == "running"'
}

cpu=/sys/devices/system/cpu/cpu1/online

cpu_offline()
{
	detached cpus 1 sink-cpus 0 || return 1
	echo 0 >"$cpu" || return 1
	until_ended "$a" "$source_id" cpu
}

cpu_others_go_on()
{
	run_is "$b" "$sink_id" '.run.reason != "cpu"'
}

cpu_back()
{
	forget
	echo 1 >"$cpu" && detached cpus 1 sink-cpus 0
}

# peer_program: accepts, and reads until it gets another command.
peer_program='
import signal, socket, struct, sys
listener = socket.create_server(("10.1.0.2", 5030))
print("listening", flush=True)
peer, _ = listener.accept()
peer.recv(1000)
print("connected", flush=True)
if sys.argv[1] == "reset":
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()
    sys.exit()
signal.pause()
'

# peer HOW: starts it, and a source that feeds it.
peer()
{
	background peer ip netns exec "$b" /usr/bin/python3 -B -c \
		"$peer_program" "$1"
	wait_for "$BOUND" grep -q listening "$scratch/peer.out" || return 1
	shift
	source_id=$(ktput-ctl -j start netns "$a" to 10.1.0.2 port 5030 alone \
		detach time 600 "$@" |
		jq '.runs[] | select(.role == "source").id') &&
		wait_for "$BOUND" grep -q connected "$scratch/peer.out"
}

peer_reset()
{
	peer reset && until_ended "$a" "$source_id" reset &&
		ended peer && run_is "$a" "$source_id" '.run.errno > 0'
}

# A process that dies with unread data resets.
peer_killed()
{
	peer pause || return 1
	kill -9 "${background[peer]}"
	until_ended "$a" "$source_id" reset
}

# The window is closed, and then the peer is silent. A stop has its time to drain.
peer_vanished()
{
	peer pause drain-timeout 1 || return 1
	wait_for "$BOUND" window_closed || return 1
	ip -n "$b" link set veth0 down
	ktput-ctl stop netns "$a" run "$source_id" &&
		until_ended "$a" "$source_id" stopped
	local status=$?
	kill -9 "${background[peer]}"
	ip -n "$b" link set veth0 up
	return "$status"
}

window_closed()
{
	ss -N "$a" -tinmH state established | grep -q 'rwnd_limited'
}

# A peer that does not read, and a tool that is killed: nothing is waited for.
peer_stuck_killed()
{
	peer pause || return 1
	wait_for "$BOUND" window_closed &&
		ktput-ctl stop netns "$a" all forget >/dev/null || return 1
	kill -9 "${background[peer]}"
	nothing_left "$a"
}

many_runs()
{
	local i

	for ((i = 0; i < 64; i++)); do
		ktput-ctl sink netns "$b" port 0 streams 1 detach >/dev/null ||
			return 1
	done
}

same_port()
{
	local ids=() netns

	for netns in "$a" "$b"; do
		ids+=("$(ktput-ctl -j start netns "$netns" to 127.0.0.1 port 5040 \
			detach time 600 pace 20mbit sndbuf 64K |
			jq '.runs[] | select(.role == "sink").id')")
	done
	for netns in "$a" "$b"; do
		wait_for "$BOUND" run_is "$netns" "${ids[0]}" \
			'.run.local_port == 5040 and .run.accepted == 1 and
			([.cpus[].bytes] | add > 0)' || return 1
		ids=("${ids[@]:1}")
	done
}

# Who frees a trampoline of ftrace, or of BPF, waits until each task has slept or
# said that it is in none (RCU Tasks). A source that is not paced never sleeps.
trampoline_freed()
{
	local instance=$tracing/instances/$a

	ktput-ctl start udp netns "$a" time 600 detach >/dev/null || return 1
	mkdir "$instance" && at_exit rmdir "$instance" &&
		echo schedule >"$instance/set_ftrace_filter" &&
		echo function >"$instance/current_tracer" || return 1
	background trampoline sh -c "echo nop >$instance/current_tracer"
	ended trampoline "$BOUND"
}

check "two namespaces" setup || finish

check "owner is killed: reason owner" killed
check "owner is killed: nothing is left" nothing_left "$a" "$b"
check "SIGINT: what there is, and 0" interrupted
check "SIGTERM: what there is, and 0" terminated
check "SIGINT: a sink without a peer" sink_interrupted
check "nothing is left of these" nothing_left "$a" "$b"
check "stopped by another process" stopped_by_another
check "forgotten by another process" forgotten_by_another
check "stopped twice: once" stopped_twice
check "nothing is left of these" forget

check "module is removed while runs last" removed
check "module is removed: start says so" told removed
check "module is removed: sink says so" told removed_sink
check "module is removed: no socket is left" no_socket
check "module is loaded again, and works" reloaded

check "network namespace of a source is deleted" netns_source
check "network namespaces of both are deleted" netns_both
check "network namespaces are deleted under ktput-ctl" netns_attended
check "device is taken down: reason device-down" device_down
check "nothing is left" forget_doomed
check "device is removed: reason device-removed" device_removed
check "nothing is left" forget_doomed
check "device moves to another namespace: reason device-removed" device_moved
check "nothing is left" forget_doomed
check "device of a sink is taken down" device_of_sink
check "device that is not asked for is taken down: it goes on" device_not_bound
forget

if [ -w $cpu ]; then
	at_exit sh -c "echo 1 >$cpu"
	check "CPU is taken offline: reason cpu" cpu_offline
	check "CPU is taken offline: a sink elsewhere is not ended by it" \
		cpu_others_go_on
	check "CPU is back online: it serves runs" cpu_back
else
	for name in "is taken offline" "leaves others alone" "is back online"; do
		skip "CPU $name" "CPU 1 cannot be taken offline"
	done
fi
forget

check "peer resets" peer_reset
check "peer is killed" peer_killed
check "peer stops reading, and vanishes" peer_vanished
check "peer stops reading, and the run is forgotten" peer_stuck_killed
forget
check "64 runs" many_runs
refused "65 runs" 1 'has 64 runs already; delete some' \
	ktput-ctl sink netns "$b" port 0 streams 1 detach
check "nothing is left of them" forget
check "two namespaces, one port" same_port
check "nothing is left" forget
tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing
if grep -qw function $tracing/available_tracers; then
	check "a trampoline is freed while a source never sleeps" trampoline_freed
else
	skip "a trampoline is freed" "the kernel has no function tracer"
fi
check "nothing is left" forget
check "the module can be removed" ktput_unload
finish
