#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The sampled breakdown: what it samples, how samples are classed, what it says of
# itself, and that nothing of it stays. Where a run has brought too few samples, a
# longer one is made.
#
#   a: veth0 10.1.0.1 ------- b: veth0 10.1.0.2
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/selftests/lib/runs.sh"

FREQUENCY=999
ENOUGH=600	# samples of CPUs that are not idle
LIMIT=0.03	# what is unclassified of all samples at most
SECONDS_OF="2 8 30"

need iperf3 bpftool
begin 25
netns_add a
netns_add b
# Set by netns_add.
: "${a:?}" "${b:?}"
veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24 || skip_all "no veth here"
dummy=kd$(random_name)
ip link add "$dummy" type dummy && at_exit ip link del "$dummy"
ip addr add 10.7.0.1/24 dev "$dummy"
ip link set "$dummy" up
ip neigh add 10.7.0.2 lladdr 02:00:00:00:00:07 dev "$dummy"

# judge NAME: "enough" if there are samples enough; then what is wrong with the
# profile: samples without a class, sums and intervals that do not hold.
# shellcheck disable=SC2016	# what jq is to expand
judge()
{
	jq -r --argjson enough "$ENOUGH" --argjson limit "$LIMIT" '.profile |
		def of($class): map(select(.class == $class) | .samples) |
			add // 0;
		def sum: map(.samples) | add;
		.samples as $all | ($all - (.classes | of("idle"))) as $busy |
		(if $busy >= $enough then "enough" else "few" end),
		(if (.classes | of("unclassified")) > $limit * $all then
			"unclassified: \(.unclassified)" else empty end),
		(if .lost_samples > 0 then "lost: \(.lost_samples)"
			else empty end),
		(if (.classes | sum) == $all and (.cpus | sum) == $all and
			(.classes | map(.share) | add - 1 | fabs) < 1e-6 and
			(.cpus | all(.samples as $all | .classes | sum == $all))
			then empty else "sums differ" end),
		(.classes[] | select(.ci_low > .share or .share > .ci_high))
		' "$scratch/$1"
}

# classed NAME WORD...: all samples of a command, in which @ stands for seconds,
# have a class, but for a few. The document of the profile is $scratch/NAME; what
# the command prints is no part of it.
classed()
{
	local name=$1 time
	shift

	for time in $SECONDS_OF; do
		# With any result of the run: other tests check that.
		ktput-ctl -j -s profile freq "$FREQUENCY" -- "${@//@/$time}" \
			>"$scratch/$name" 2>"$scratch/$name.err"
		judge "$name" >"$scratch/verdict" 2>&1
		[ "$(head -n 1 "$scratch/verdict")" != enough ] || break
	done
	[ "$(cat "$scratch/verdict")" != enough ] || return 0
	cat "$scratch/verdict" "$scratch/$name.err"
	return 1
}

# The standard output of a profile of a command that prints text.
alone()
{
	jq -es 'length == 1 and (.[0] | keys == ["profile"])' "$scratch/$1" &&
		grep -q '^Goodput' "$scratch/$1.err"
}

# says NAME FILTER: true if it holds for the profile.
says()
{
	jq -e ".profile | $2" "$scratch/$1" >/dev/null ||
		{ cat "$scratch/$1"; return 1; }
}

# Where the record of the run has cycles of an end, there is transport.
# shellcheck disable=SC2016
both_ends()
{
	jq -es '.[0].result.cpus as $cpus | .[1].profile.cpus |
		map(. as $cpu | $cpus[] | select(.cpu == $cpu.cpu) |
			select(.source_call_cycles + .sink_call_cycles > 0) |
			[$cpu.classes[] | select(.class == "transport")][0]) |
		length >= 1 and all(.samples > 0)' "$scratch/run" \
		"$scratch/copy" || { cat "$scratch/run" "$scratch/copy"; return 1; }
}

# Shares of samples that are not idle differ by four standard deviations.
# shellcheck disable=SC2016
more_copying()
{
	jq -es 'map(.profile | .samples as $all | .classes |
			map({(.class): .samples}) | add |
			($all - .idle) as $n | (.copy / $n) |
			{p: ., error: (. * (1 - .) / $n)}) as [$copy, $zerocopy] |
		$copy, $zerocopy, $copy.p - $zerocopy.p >
			4 * ($copy.error + $zerocopy.error | sqrt)' \
		"$scratch/copy" "$scratch/zerocopy"
}

frames_only()
{
	says frames '[.classes[] | select(.class == "driver" or
		.class == "ktput") | .samples > 0] | length == 2 and all' &&
		says frames '[.functions[] | select(.symbol |
			test("^(__)?tcp_")) | .samples] | add // 0 | . <= 5'
}

text_fits()
{
	ktput-ctl -s profile freq "$FREQUENCY" folded "$scratch/folded" \
		time 1s >"$scratch/text" \
		2>"$scratch/err" || return 1
	cat "$scratch/text"
	grep -q '^All CPUs' "$scratch/text" && ! grep -E '.{81}' "$scratch/text"
}

# Each sample is in a line of folded stacks, which has a CPU, functions and a count.
folded()
{
	! grep -vE '^CPU [0-9]+(;[^; ]+|;user space)+ [0-9]+$' "$scratch/folded" &&
		awk -v all="$(awk '$1 == "Samples" { print $2 }' "$scratch/text")" '
			{ sum += $NF } END { print sum, all; exit sum != all }' \
			"$scratch/folded"
}

# A guest without a PMU, as in the tests, gets a warning.
falls_back()
{
	grep -q 'hardware event' "$scratch/copy.err" &&
		says copy '.clock == "cpu-clock"' ||
		says copy '.clock == "cycles"'
}

# Those that profile leaves, or has while it runs.
programs()
{
	bpftool -j prog show | jq '[.[] | select(.name == "profile_sample")] | length'
}

sampling()
{
	[ "$(programs)" = 1 ]
}

interrupt()
{
	background interrupted ktput-ctl -j profile -- sleep infinity
	wait_for "$BOUND" sampling && wait_for "$BOUND" child interrupted ||
		return 1
	kill -INT "${background[interrupted]}"
	ended interrupted
	[ $? = 1 ] && jq -e '.profile | .interrupted and .samples > 0 and
		.command == ["sleep", "infinity"] and .command_status == 130' \
		"$scratch/interrupted.out"
}

# The child of a profile in the background.
child()
{
	pgrep -P "${background[$1]}" -x sleep
}

# killed: the command and the program go with it.
killed()
{
	local child

	background killed ktput-ctl -j profile -- sleep infinity
	wait_for "$BOUND" child killed || return 1
	child=$(child killed)
	kill -KILL "${background[killed]}"
	wait_for "$BOUND" gone "$child"
}

# hidden: kernel.kptr_restrict is for all, so it is put back.
hidden()
{
	local status=0

	sysctl -qw kernel.kptr_restrict=2
	ktput-ctl profile time 1s || status=$?
	sysctl -qw kernel.kptr_restrict=0
	return "$status"
}

no_programs()
{
	[ "$(programs)" = 0 ]
}

server()
{
	background server iperf3 -s
	wait_for "$BOUND" sh -c 'ss -tlnH "sport = :5201" | grep -q .'
}

check "TCP over loopback, copied" classed copy ktput-ctl start \
	method copy sink-method copy time @s record "$scratch/run" replace
check "JSON is that of the profile alone" alone copy
check "source's and sink's CPU are sampled" both_ends
check "TCP over loopback, without a copy" classed zerocopy ktput-ctl -j start \
	method zerocopy sink-method zerocopy time @s
check "a copy is seen as one" more_copying
check "TCP over IPv6, veth" classed veth ktput-ctl -j start netns "$a" \
	sink-netns "$b" to 10.1.0.2 time @s
check "UDP sockets" classed udp ktput-ctl -j start udp time @s
check "frames to a driver" classed frames ktput-ctl -j start udp to 10.7.0.2 \
	layer driver size 60 time @s
check "they meet no TCP" frames_only
check "iperf3's server comes up" server
check "iperf3" classed iperf3 iperf3 -c 127.0.0.1 -t @
check "its user space and system calls are seen" says iperf3 \
	'[.classes[] | select(.class == "user" or .class == "entry") |
		.samples > 0] | all'

check "the event that is sampled is named" falls_back
check "text fits 80 columns" text_fits
check "folded stacks have every sample" folded
check "Ctrl-C prints what there is" interrupt
check "SIGKILL ends the command too" killed
check "no program stays" wait_for "$BOUND" no_programs

refused "neither a time nor a command" 2 "'time' is missing" ktput-ctl profile
refused "a command that is not there" 1 "'/nonexistent' cannot be run" \
	ktput-ctl profile -- /nonexistent
refused "a CPU that is not there" 1 'cpus: 4000: not online' \
	ktput-ctl profile cpus 0,4000 time 1
printf 'class user User\n\nclass x\n' >"$scratch/classes"
refused "a table with a wrong line" 1 "classes:3: 'class' lacks its name" \
	ktput-ctl profile classes "$scratch/classes" time 1
refused "hidden addresses" 1 'are hidden: .*kptr_restrict' hidden
refused "without privilege" 1 'may not sample CPUs|are hidden' \
	as_nobody ktput-ctl profile time 1
kill "${background[server]}"
check "nothing is left" nothing_left "$a" "$b"
finish
