#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prices.sh: what each row of the price list takes, in a VM that counts instructions
#
# usage: selftests/compare/prices.sh
#
# What ktput-ctl compare price-list has a VM run: the steps of KTPUT_RESULTS/steps one
# after the other. KTPUT_RESULTS/STEP/step, which the shell reads, sets
#
#   at      where prepare runs: send, receive, both, between
#   router  if not empty, a namespace between the two forwards
#   to      the address that is sent to
#   wrap    what runs ktput-ctl
#   runs    lines of words of "ktput-ctl start"
#   repeat  runs of each line, of which the first fills caches of the kernel
#
# and KTPUT_RESULTS/STEP/prepare is for bash -eu. The namespaces are new in each step.
# With KTPUT_FUNCTIONS there is a mark before the first run and behind each;
# KTPUT_RESULTS/STEP/mark is the number of the first, and KTPUT_RESULTS/kallsyms says
# what is where. A step that has begun leaves KTPUT_RESULTS/STEP/runs, what ktput-ctl -j
# prints, and reason where that is nothing.
#
# There is no timeout here: while the only CPU waits for the host, time leaps.
#
# exit: 0, or 1 if a step has no result

set -u
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/exact.sh"
results=${KTPUT_RESULTS:?}

# because SENTENCE: this step has no result.
because()
{
	echo "$1" >"$step/reason"
	die "$1"
}

# clear: end what the commands of a row have started, and the cgroup they have made.
# The kernel does not know that RPS is off if a device goes that has it: from then on
# each packet would take 70 instructions more.
clear()
{
	local netns

	for netns in "$near" "$far" ${mid:+"$mid"}; do
		ip netns pids "$netns" | xargs -r kill
		# shellcheck disable=SC2016  # for the shell inside
		ip netns exec "$netns" bash -c '
			for of in /sys/class/net/*/queues/rx-*/rps_cpus; do
				echo 0 >"$of"
			done'
	done
	rmdir /sys/fs/cgroup/ktput
	echo "-memory -cpu" >/sys/fs/cgroup/cgroup.subtree_control
}

# called NAME: rename veth0 of mid, which has to be down meanwhile.
called()
{
	ip -n "$mid" link set veth0 down && ip -n "$mid" link set veth0 name "$1" up
}

# router: near and far have a link to mid each, and a route to the other's.
router()
{
	netns_add mid
	: "${mid:?}"
	veth_add "$near" 10.0.1.1/24 "$mid" 10.0.1.2/24 &&
		called left &&
		veth_add "$mid" 10.0.2.1/24 "$far" 10.0.2.2/24 &&
		called right &&
		ip -n "$near" route add 10.0.2.0/24 via 10.0.1.2 &&
		ip -n "$far" route add 10.0.1.0/24 via 10.0.2.1 &&
		ip netns exec "$mid" sysctl -q -w net.ipv4.ip_forward=1
}

# prepare NETNS N HOOK DIRECTION: run the commands of the row at a place.
prepare()
{
	export near far mid n=$2 hook=$3 direction=$4 dev=veth0
	export tree=$TOP bpf=$results/prices.bpf.o scratch=$ktap_scratch
	# With the cgroups, which ip-netns(8) hides.
	# shellcheck disable=SC2016  # for the shell inside
	ip netns exec "$1" bash -euc '
		mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
		. "$0"' "$step/prepare" \
		>"$step/prepare.log" 2>&1 </dev/null ||
		because "$(tail -n 1 "$step/prepare.log")"
}

# mark: have QEMU write what was executed since the last one.
mark()
{
	[ -z "${KTPUT_FUNCTIONS-}" ] || "$ktap_scratch/mark"
}

# in_cgroup COMMAND...: run it in the cgroup that a row has made.
in_cgroup()
{
	# shellcheck disable=SC2016  # for the shell that becomes COMMAND
	bash -c 'echo $$ >/sys/fs/cgroup/ktput/cgroup.procs && exec "$@"' - "$@"
}

measure()
{
	local line reports times again

	# shellcheck source=/dev/null
	. "$step/step"
	: >"$step/runs"
	netns_add near
	netns_add far
	at_exit clear
	: "${near:?}" "${far:?}" "${mid=}" "${at:?}" "${to:?}" "${runs:?}" "${repeat:?}"
	if [ -n "${router-}" ]; then
		router || because "there is no router"
	else
		veth_add "$near" 10.0.3.1/24 "$far" 10.0.3.2/24 &&
			addr_add "$near" fd00:3::1/64 veth0 &&
			addr_add "$far" fd00:3::2/64 veth0 || because "there is no veth"
	fi
	case $at in
	send|both) prepare "$near" 1 output egress ;;&
	receive|both) prepare "$far" 2 input ingress ;;
	between) prepare "$mid" 0 forward ingress ;;
	esac
	steady "$near" "$far" ${mid:+"$mid"} || because "TCP cannot be set"
	times=once again="repeat $repeat"
	# The kernel executes something while it waits for a file of the host.
	if [ -n "${KTPUT_FUNCTIONS-}" ]; then
		cp "$KTPUT_FUNCTIONS.mark" "$ktap_scratch/mark"
		reports=("$KTPUT_FUNCTIONS".[0-9]*)
		[ -e "${reports[0]}" ] && echo ${#reports[@]} >"$step/mark" ||
			echo 0 >"$step/mark"
		times=$(seq "$repeat") again=
	fi
	mark
	while read -r line; do
		for _ in $times; do
			# shellcheck disable=SC2086  # words
			${wrap-} ktput-ctl -j start $line to "$to" netns "$near" \
				sink-netns "$far" disturbed-above 100 $again </dev/null \
				>>"$ktap_scratch/runs" 2>"$ktap_scratch/said" ||
				because "$(jq -r '.error // empty' "$ktap_scratch/said" |
					   tail -n 1)"
			mark
		done
	done <<<"$runs"
	cp "$ktap_scratch/runs" "$step/runs"
}

[ "${KTPUT_ICOUNT-}" = 1 ] || die "the clock does not count instructions"
ip link set lo up
ktput_load || die "the module cannot be loaded"
quiet
failed=0
while read -r name; do
	# What it has made goes when it ends.
	(
		step=$results/$name exit_commands=() ktap_scratch=$(mktemp -d)
		trap run_exit_commands EXIT
		measure
		finish
	) </dev/null || failed=1
	echo "done: $name"
done <"$results/steps"
[ -z "${KTPUT_FUNCTIONS-}" ] || cat /proc/kallsyms >"$results/kallsyms"
ktap_failed=$failed
finish
