#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What holds a run back is named in situations that are made so, and none is taken
# for another: a matrix of what was made and what was found.
#
# The ends are in user space, where not said otherwise. Between the namespaces a and b
# there is a link, and a way through the router r. The source is on CPU 0, the sink on
# CPU 1. A situation is listed in Documentation/measure/ceilings.rst.
#
# runs: alone

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need tc modprobe python3 taskset sysctl nft ethtool pkill
for qdisc in netem tbf; do
	modprobe -q sch_$qdisc || skip_all "the kernel has no sch_$qdisc"
done
begin 32
netns_add a
netns_add b
netns_add r
# shellcheck disable=SC2154  # netns_add sets them
calm "$a" "$b" "$r"
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24

# way NETNS DEVICE ADDRESS VIA: a device of the router, and the link to it.
way()
{
	local here far

	here=kv$(random_name)
	far=kv$(random_name)
	ip link add "$here" netns "$1" type veth peer name "$far" netns "$r" &&
		ip -n "$1" link set "$here" name way0 &&
		ip -n "$r" link set "$far" name "$2" &&
		ip -n "$1" addr add "$3/24" dev way0 &&
		ip -n "$r" addr add "$4/24" dev "$2" &&
		ip -n "$1" link set way0 up && ip -n "$r" link set "$2" up &&
		ip -n "$1" route add 10.8.0.0/16 via "$4"
}
way "$a" in0 10.8.1.2 10.8.1.1
way "$b" out0 10.8.2.2 10.8.2.1
ip netns exec "$r" sysctl -qw net.ipv4.ip_forward=1
: >"$scratch/matrix"

# shaped WORD...: from now on at the source's device.
shaped()
{
	tc -n "$a" qdisc del dev veth0 root 2>/dev/null
	[ $# = 0 ] || tc -n "$a" qdisc add dev veth0 root "$@"
}

ends='layer user sink-layer user'
to='to 10.9.0.2'

# found WANT [WORD...]: what is said to hold such a run back. Where other work disturbed
# a run, or kept it from any limit, it is made again, twice at most. In a VM any is: an
# emulated CPU stands still while its host has other work, and no counter tells. How
# often that was needed is counted.
found()
{
	local binding='' attempt

	for attempt in 1 2 3; do
		held_by "$@" >"$scratch/found"
		set -- $? "$@"
		printf '%s %s %s\n' "$2" "$binding" "$attempt" >>"$scratch/matrix"
		[ "$1" != 0 ] || return 0
		shift
		[ "${KTPUT_VM-}" = 1 ] ||
			jq -e '.result | .disturbed or .binding == "none"' \
				"$scratch/run" >/dev/null || break
	done
	cat "$scratch/found"
	return 1
}

# once_more: of the situations at most this many were named by a second or third run.
AGAIN_AT_MOST=6
once_more()
{
	local again

	again=$(awk '$3 > 1' "$scratch/matrix" | wc -l)
	diag "$again of $(wc -l <"$scratch/matrix") runs were made again"
	[ "$again" -le "$AGAIN_AT_MOST" ]
}

# held_by WANT [WORD...]: the same, of one run.
held_by()
{
	local want=$1
	shift

	# shellcheck disable=SC2086  # words
	timeout 60 ktput-ctl "${command-start}" netns "$a" $ends $to \
		${there-sink-netns $b sink-cpus ${sink_cpu-1} drain-timeout 5s} \
		cpus 0 time "${time-1s}" \
		"$@" record "$scratch/run" replace >"$scratch/text" 2>&1
	binding=$(jq -r '.result | .binding // "nothing" |
		. + if $where then ":" + $where else "" end' \
		--argjson where "$(jq .result.binding_where "$scratch/run")" \
		"$scratch/run")
	[ "$binding" = "$want" ] && return
	echo "$binding, and not $want"
	cat "$scratch/text"
	jq -c '.result | .tcp, .ceilings, .reference, [.cpus[] | .attribution]' \
		"$scratch/run"
	return 1
}

# is FILTER: what the record of the run says beside it.
is()
{
	jq -e "$1" "$scratch/run" >/dev/null && return
	cat "$scratch/text"
	return 1
}

# hog CPU [NICE]: something that runs there until it is called off.
hog()
{
	background "hog$1" nice -n "${2-0}" taskset -c "$1" bash -c 'while :; do :; done'
}

calm_down()
{
	kill -9 "${background[hog$1]}"
	ended "hog$1"
	[ $? = 137 ]
}

time=3s check "a rate" found rate udp rate 200pps size 200
check "a pace" found pace pace 8mbit size 1448

# trips WANT [WORD...]: likewise of a ping-pong of applications that sleep.
trips()
{
	local command=pingpong ends='layer user'

	found "$@"
}
check "a ping-pong that wakes threads" trips wake_ups
check "a ping-pong with a rate" trips rate rate 50

# A paced stream, and CPUs that others keep busy: still the pace.
paced_among_others()
{
	hog 1
	time=3s found pace pace 8mbit size 1448 && is '.result.disturbed'
	set -- $?
	calm_down 1
	return "$1"
}
check "a pace, beside other work" paced_among_others

shaped tbf rate 20mbit burst 32k limit 4m
check "a queueing discipline that holds a rate" found queue:source_qdisc
check "a link of that rate" found ethernet link-rate 20mbit
shaped tbf rate 17mbit burst 32k limit 4m
time=3s check "ATM" found atm link atm link-rate 20mbit warmup 300ms
shaped tbf rate 20mbit burst 16k limit 24k
check "a queueing discipline that drops datagrams" \
	found loss:source_qdisc udp size 1400 rcvbuf 4M

shaped netem delay 20ms limit 10000
check "a ping-pong over a long way" trips way
check "a small window" found window rcvbuf 16K
check "a small send buffer" found send_buffer sndbuf 16K

# A route may bound it: for the connections after the first, which caches the bound.
few_segments()
{
	ip -n "$a" route change 10.9.0.0/24 dev veth0 cwnd lock 8 &&
		ip -n "$a" tcp_metrics flush &&
		time=100ms held_by any >/dev/null
	found congestion_window
	set -- $?
	ip -n "$a" route change 10.9.0.0/24 dev veth0
	ip -n "$a" tcp_metrics flush
	return "$1"
}
check "a small congestion window" few_segments
shaped
check "a small receive buffer of datagrams" found loss:sink_socket udp size 1400 \
	rcvbuf 8K

check "small messages" found cpu size 16
check "which the source sends" is '.result.binding_because | test("source calls")'

# stalled COMMAND: ktput-ctl COMMAND stands still most of the time from now on. No program
# is run for that, which takes long beside a busy CPU of an emulated machine.
stalled()
{
	cat >"$scratch/stall.py" <<-'END'
		import glob, os, signal, sys, time
		begin = b"ktput-ctl\0" + sys.argv[1].encode() + b"\0"

		def looked_up():
		    for name in glob.glob("/proc/[0-9]*/cmdline"):
		        try:
		            with open(name, "rb") as file:
		                if file.read().startswith(begin):
		                    yield int(name.split("/")[2])
		        except OSError:
		            pass

		pids = []
		print("ready", flush=True)
		while True:
		    time.sleep(0.02)
		    try:
		        for pid in pids:
		            os.kill(pid, signal.SIGSTOP)
		        time.sleep(0.5 if pids else 0)
		        for pid in pids:
		            os.kill(pid, signal.SIGCONT)
		    except ProcessLookupError:
		        pids = []
		    pids = pids or list(looked_up())
	END
	background stall python3 "$scratch/stall.py" "$1"
	wait_for "$BOUND" grep -q ready "$scratch/stall.out"
}

# apart COMMAND WANT [WORD...]: ends that are two processes, of which that of
# ktput-ctl COMMAND is stalled; the words are for the sink.
apart()
{
	local which=$1 want=$2 ends='layer user alone' there=
	shift 2

	background sink ktput-ctl sink tcp netns "$b" layer user on 10.9.0.2 \
		port 5010 cpus 1 time 60s "$@"
	stalled "$which" || return 1
	time=3s found "$want" port 5010
	set -- $?
	kill -9 "${background[stall]}"
	ended stall
	kill -CONT "${background[sink]}"
	kill -INT "${background[sink]}"
	ended sink
	return "$1"
}
check "an application that writes too seldom" apart start application
check "an application that reads too seldom" apart sink receiver rcvbuf 256K

tc -n "$r" qdisc add dev out0 root netem loss 3% limit 10000
to='to 10.8.2.2'
check "a way that loses segments" found loss:way pace 1gbit
tc -n "$r" qdisc change dev out0 root netem loss 20% limit 10000
check "a way that loses datagrams" found loss:way udp rate 500pps size 500 \
	rcvbuf 4M
to='to 10.9.0.2'

# steer MASK: which CPUs receive for b.
steer()
{
	# shellcheck disable=SC2016  # the shell within
	ip netns exec "$b" sh -c \
		'echo "$1" >/sys/class/net/veth0/queues/rx-0/rps_cpus' sh "$1"
}

# CPU 1 receives what CPU 0 sends, and may have two packets that wait.
backlog()
{
	local was

	was=$(sysctl -n net.core.netdev_max_backlog) && steer 2 &&
		sysctl -qw net.core.netdev_max_backlog=2 || return 1
	found loss:backlog udp size 200 rcvbuf 8M
	set -- $?
	sysctl -qw net.core.netdev_max_backlog="$was"
	steer 0
	return "$1"
}
check "the backlog of a CPU" backlog

sink_cpu=0 check "a CPU that both ends have to share" found cpu

# CPU 1 does nothing but receive, packet by packet, through many rules.
rules()
{
	{
		echo 'add table inet slow'
		echo 'add chain inet slow in { type filter hook input priority 0; }'
		for ((i = 0; i < 500; i++)); do
			echo "add rule inet slow in tcp dport $((20000 + i)) drop"
		done
	} | ip netns exec "$b" nft -f - &&
		ip netns exec "$a" ethtool -K veth0 tso off gso off >/dev/null &&
		steer 2 || return 1
	sink_cpu=0 time=3s found cpu warmup 1s streams 4 &&
		is '.result.binding_because | test("CPU 1.*softirq")'
	set -- $?
	steer 0
	ip netns exec "$b" nft flush ruleset
	ip netns exec "$a" ethtool -K veth0 tso on gso on >/dev/null
	return "$1"
}
check "a CPU that receives for another" rules

# beside CPU: a busy loop there. It is not said to be the run's. With a weight like that of
# the run it may have some per cent only: a source that sleeps often is put before it, and
# softirqs take their time out of the loop's. Then the CPU is the run's, as the verdict says.
beside()
{
	hog "$1" -5
	found other_work && is '.result | .disturbed and .disturbed_share > 0.1 and
		(.disturbed_by | test("CPU '"$1"'.*bash"))'
	set -- "$1" $?
	calm_down "$1"
	return "$2"
}
check "a busy loop beside the source" beside 0
check "a busy loop beside the sink" beside 1

# The sink copies, so that it has more to do than a source that does not.
in_kernel()
{
	local ends='method zerocopy sink-method copy'

	beside 1 && is '.readings.sink | [.begin, .end] | map(.cpus[] | select(.cpu == 1)) |
		(.[1].time_ns - .[0].time_ns) as $time |
		((.[1].thread_delay_ns - .[0].thread_delay_ns) / $time) as $delayed |
		((.[1].thread_ns - .[0].thread_ns) / $time) as $ran |
		$delayed > 0.2 and $ran > 0.1 and $delayed + $ran < 1.05'
}
check "a busy loop beside a sink in the kernel" in_kernel

# A fifth of a CPU.
quota()
{
	local group=/sys/fs/cgroup/ktput-$nr

	mkdir "$group" && at_exit rmdir "$group" &&
		echo '20000 100000' >"$group/cpu.max" || return 1
	(echo "$BASHPID" >"$group/cgroup.procs" && found quota)
}
nr=$(random_name)
if echo +cpu >/sys/fs/cgroup/cgroup.subtree_control; then
	check "a quota of CPU time" quota
else
	skip "a quota of CPU time" "there is no cgroup v2 with the cpu controller"
fi 2>/dev/null

# What a run says when it ends is what ktput-report says of its record.
agree()
{
	local said

	said=$(ktput-report ceilings "$scratch/run") || return 1
	grep -qF "$(jq -r .result.binding_because "$scratch/run" | cut -c -40)" \
		<<<"$said" && return
	echo "$said"
	return 1
}
check "start and ktput-report agree" agree

# Cycles of each CPU are divided without a rest.
exact()
{
	is 'all(.result.cpus[]; .cycles == (.attribution |
		del(.uncertain_cycles) | add))'
}
check "the parts add up" exact

quiet()
{
	for _ in 1 2 3 4 5; do
		found pace pace 8mbit size 1448 || return 1
		# What an emulated kernel does for itself is some per cent.
		is '.result.disturbed_share < 0.1' && return
	done
	return 1
}
check "nobody else: not disturbed" quiet
check "hardly any had to be measured again" once_more
check "nothing is left behind" nothing_left "$a" "$b" "$r"

diag "what was made, and what was found:"
diag "$(cut -d ' ' -f 1,2 "$scratch/matrix" | sort | uniq -c | awk '
	{ want[$2]; found[$3]; count[$2, $3] = $1 }
	END {
		for (i in found) column[++n] = i
		for (i in want) {
			line = sprintf("%-22s", i)
			for (j = 1; j <= n; j++)
				if ((i, column[j]) in count)
					line = line " " column[j] " x" \
						count[i, column[j]]
			print line
		}
	}' | sort)"
finish
