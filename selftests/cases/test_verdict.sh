#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What holds a run back is named in situations that are made so, and none is taken
# for another: a matrix of what was made and what was found.
#
# The ends are in user space, where not said otherwise. Between the namespaces a and b
# there is a link, and a way through the router r. The source is on CPU 0, the sink on
# CPU 1. A situation is listed in Documentation/measure/ceilings.rst.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need tc modprobe python3 taskset sysctl
for qdisc in netem tbf; do
	modprobe -q sch_$qdisc || skip_all "the kernel has no sch_$qdisc"
done
begin 20
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

# found WANT [WORD...]: what is said to hold such a run back. An emulated machine
# has other work: where that disturbed a run, it is made again, twice at most.
found()
{
	local binding='' status=1

	for _ in 1 2 3; do
		held_by "$@" >"$scratch/found" && status=0 && break
		jq -e .result.disturbed "$scratch/run" >/dev/null || break
	done
	printf '%s %s\n' "$1" "$binding" >>"$scratch/matrix"
	[ "$status" = 0 ] || cat "$scratch/found"
	return "$status"
}

# held_by WANT [WORD...]: the same, of one run.
held_by()
{
	local want=$1
	shift

	# shellcheck disable=SC2086  # words
	timeout 60 ktput-ctl start netns "$a" sink-netns "$b" $ends $to \
		cpus 0 sink-cpus "${sink_cpu-1}" time 1s drain-timeout 5s \
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

# hog CPU: something that runs there until it is called off.
hog()
{
	background "hog$1" taskset -c "$1" bash -c 'while :; do :; done'
}

calm_down()
{
	kill -9 "${background[hog$1]}"
	ended "hog$1"
	[ $? = 137 ]
}

check "a rate" found rate udp rate 200pps size 200
check "a pace" found pace pace 8mbit size 1448

# A paced stream, and CPUs that others keep busy: still the pace.
paced_among_others()
{
	hog 1
	found pace pace 8mbit size 1448 && is '.result.disturbed'
	set -- $?
	calm_down 1
	return "$1"
}
check "a pace, beside other work" paced_among_others

shaped tbf rate 20mbit burst 32k limit 4m
check "a queueing discipline that holds a rate" found queue:source_qdisc
check "a link of that rate" found ethernet link-rate 20mbit
shaped tbf rate 17mbit burst 32k limit 4m
check "ATM" found atm link atm link-rate 20mbit warmup 300ms
shaped tbf rate 20mbit burst 16k limit 24k
check "a queueing discipline that drops datagrams" \
	found loss:source_qdisc udp size 1400 rcvbuf 4M

shaped netem delay 20ms limit 10000
check "a small window" found window rcvbuf 16K
shaped

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

# beside CPU END: a busy loop there. It is not said to be the run's.
beside()
{
	hog "$1"
	found other_work && is '.result | .disturbed and .disturbed_share > 0.2 and
		(.disturbed_by | test("CPU '"$1"'.*bash"))'
	set -- "$1" $?
	calm_down "$1"
	return "$2"
}
check "a busy loop beside the source" beside 0
check "a busy loop beside the sink" beside 1

in_kernel()
{
	local ends=

	beside 1
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
		is '.result.disturbed_share < 0.05' && return
	done
	return 1
}
check "nobody else: not disturbed" quiet
check "nothing is left behind" nothing_left "$a" "$b" "$r"

diag "what was made, and what was found:"
diag "$(sort "$scratch/matrix" | uniq -c | awk '
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
