#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh: every test there is, on this machine and on two stock kernels in VMs
#
# usage: selftests/ci/check.sh [--help | --all] [PART...]
#
# Sets the machine up and builds the tools. Then it runs the parts of the table below,
# one more at a time than there are CPUs if there is enough memory, since the tests in
# a VM sleep for a third of their time: the longest first, as times.txt knows them. The
# stock kernels share the tests that any kernel serves for (run.sh), and so does a VM of
# these alone, so all end at about the same time; with --all, both run all of them.
# Tests that depend on what rates are reached come at the end, in VMs that have a CPU
# each, beside which nothing else runs.
# With names of PARTs, only these run, and what they want.
# Tests of cases/ that want no module run on this machine. One that lacks something
# here runs in a VM instead, which is said in a line.
#
# A result that is bad is shown when it comes. What the tests print in full stays in
# build/check. Every half minute a line says what runs, what is left and how long that
# takes by times.txt, which is written anew when nothing failed.
#
# A test that fails in a VM whose kernel stayed in good health, or on this machine, runs
# once more, alone. It counts as it ends there. One that passes there is flaky: it is
# named with what was bad, both outputs are kept in build/check/flaky, and more than two
# of them are a failure. What is skipped in a VM is a failure, unless skips.txt lists it.
# The last lines say what was skipped, what was flaky and what failed; the very last sums
# all results up.
#
# exit: 0 nothing failed, 1 something did

set -u
. "$(dirname "$0")/../lib/env.sh"
. "$TOP/selftests/ci/tally.sh"

all=
case ${1-} in
--help|-h) usage; exit 0 ;;
--all) all=1; shift ;;
-*) usage >&2; exit 2 ;;
esac

versions=(6.1 6.12)
out=$BUILD/check
times=$TOP/selftests/ci/times.txt
# Of each part: how it is judged, what has to be done before, its command, and whether
# it has a CPU to itself.
declare -A kind=() after=() command=() alone=()
# Of each part that has begun: its process, its CPU if it has one to itself, when it began,
# the lines that were looked at.
declare -A job=() cpu=() began=() looked=()
# Of each part that has ended: its exit status.
declare -A status=() took=()
parts=()
failures=() flaky=()
FLAKY_AT_MOST=2
# shellcheck disable=SC2034  # of tally.sh
judged=host

# Jobs in the background do not get Ctrl-C: pass it on.
stop()
{
	trap - EXIT
	[ ${#job[@]} = 0 ] || kill "${job[@]}" 2>/dev/null
	wait
	say "interrupted"
	totals
	exit 130
}
trap stop INT TERM HUP

# judge NAME STATUS: one result.
judge()
{
	if [ "$2" = 0 ]; then
		echo "ok - $1"
		passed=$((passed + 1))
	else
		echo "not ok - $1"
		failed=$((failed + 1))
		failures+=("$1")
	fi
}

# part NAME KIND AFTER COMMAND...: a row of the table. KIND is
#   single  the command is one result
#   ktap    it prints KTAP
#   tests   it is run.sh, here or in a VM
# and AFTER names the parts, if any, without whose success it cannot begin.
part()
{
	local name=$1

	parts+=("$name")
	kind[$name]=$2 after[$name]=$3
	shift 3
	command[$name]=$(printf '%q ' "$@")
}

# guest NAME VERSION OPTION... -- TEST...: a part that is run.sh in a VM.
guest()
{
	local name=$1 version=$2 options=()
	shift 2

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	part "$name" tests "module-$version" "$TOP/selftests/vm/run" \
		--results "$out/$name" --timeout 6000 "${options[@]}" "$version" -- \
		"$TOP/selftests/ci/run.sh" "$@"
	again[$name]="$version ${options[*]}"
}
declare -A again=()

# What times.txt says that each part takes.
declare -A expected=()
while read -r name number; do
	[[ ! $number =~ ^[0-9]+$ ]] || expected[$name]=$number
done < <(cat "$times" 2>/dev/null)

# begin NAME
begin()
{
	local words=${command[$1]}

	began[$1]=$SECONDS looked[$1]=0
	rm -rf "${out:?}/$1"
	echo "--- $1 begins ($SECONDS s)"
	if [ -n "${alone[$1]-}" ]; then
		cpu[$1]=$(comm -23 <(cpus | sort) <(printf '%s\n' "${cpu[@]}" | sort) |
			head -n 1)
		words="taskset -c ${cpu[$1]} $words"
	fi
	# What a VM says of itself is no output of a test.
	case $words in
	*/vm/run*) eval "exec $words" >"$out/$1.log" & ;;
	*) eval "exec $words" >"$out/$1.log" 2>&1 & ;;
	esac
	job[$1]=$!
}

# cpus: the numbers of those that we may run on.
cpus()
{
	python3 -c 'import os; print(*os.sched_getaffinity(0), sep="\n")'
}

# show_bad NAME: of the lines that its log has got since the last look, what is bad.
show_bad()
{
	local lines

	lines=$(wc -l <"$out/$1.log")
	[ "$lines" -gt "${looked[$1]}" ] || return
	sed -n "$((looked[$1] + 1)),${lines}p" "$out/$1.log" | awk -v part="$1" '
		/^ *not ok /			{ shown = 12 }
		/^ *ok |^ *# Subtest|^# test_/	{ shown = 0 }
		shown				{ shown--; print part ": " substr($0, 1, 160) }'
	looked[$1]=$lines
}

# ready NAME: what it wants has ended; status 2 if that failed. Tests that fail are
# in nobody's way.
ready()
{
	local name

	for name in ${after[$1]}; do
		[ -n "${status[$name]-}" ] || return 1
		[ "${status[$name]}" = 0 ] || [ "${kind[$name]}" = tests ] || return 2
	done
}

# failed_tests NAME: their names.
failed_tests()
{
	sed -n 's/^not ok [0-9]* \(test_[a-z0-9_]*\).*/\1/p' "$out/$1.log"
}

# output_of TEST NAME: all that it printed in that part.
output_of()
{
	sed -n "/^# Subtest: $1\$/,/^# $1: [0-9]* passed/p" "$out/$2.log"
}

# bad_of FILE: the results that are bad in the output of a test, in a line.
bad_of()
{
	sed -nE 's/^ *not ok [0-9]+ (- )?//p' "$1" | grep -v '^test_[a-z0-9_]*$' | paste -sd ,
}

# keep_flaky NAME TEST...: which passed when they ran alone.
keep_flaky()
{
	local name=$1 test bad
	shift

	mkdir -p "$out/flaky"
	for test in "$@"; do
		output_of "$test" "$name" >"$out/flaky/$test-$name.failed"
		output_of "$test" "$name-again" >"$out/flaky/$test-$name.passed"
		bad=$(bad_of "$out/flaky/$test-$name.failed")
		flaky+=("$test on $name, bad: $bad; both outputs are ${out#"$TOP/"}/flaky/$test-$name.*")
	done
}

# lacking: the tests that lacked something on this machine.
lacking()
{
	sed -n 's/^# \(test_[a-z0-9_]*\): skipped.*/\1/p' "$out/host.log" | sort -u
}

# results NAME: add up what a part of tests has given, or plan its repetition.
results()
{
	local name=$1 first=${1%-again} where=" on ${1%-again}" bad=() left=()

	grep '^# test_' "$out/$name.log" | grep -v ': skipped'
	[ "${status[$name]}" != 1 ] || mapfile -t bad < <(failed_tests "$name")
	# Not counted here: what lacks something, and what is repeated.
	if [ "$name" = host ]; then
		mapfile -t left < <(lacking)
		[ ${#left[@]} = 0 ] || [ ${#bootable[@]} = 0 ] ||
			echo "# this machine lacks what these want, so a VM has them: ${left[*]}"
		rmdir "${left[@]/#/$out/shared/}" 2>/dev/null
		mapfile -t bad < <(printf '%s\n' "${bad[@]}" |
			grep -vxF -f <(printf '%s\n' "${left[@]-}"))
		[ -n "${bad-}" ] || bad=()
	fi
	if [ "$name" != "$first" ]; then
		tally_tests "$out/$name.log" || status[$name]=5
		failures+=("${bad[@]/%/ on $first}")
		[ "${status[$name]}" -gt 1 ] ||
			mapfile -t left < <(failed_tests "$first" |
				grep -vxF -f <(printf '%s\n' "${bad[@]-}" "${lacked[@]-}")) &&
			keep_flaky "$first" "${left[@]}"
	else
		tally_tests "$out/$name.log" "${bad[@]}" "${left[@]}" || status[$name]=5
		[ ${#bad[@]} = 0 ] || repeat "$name" "${bad[@]}"
		[ "$name" != host ] || lacked=("${left[@]}")
	fi
	if [ "${status[$name]}" -gt 1 ]; then
		judge "VM $name to the end (vm/run ended with ${status[$name]})" 1
	fi
}
lacked=()

# repeat NAME TEST...: a part that runs these alone.
repeat()
{
	local name=$1 version options
	shift

	say "once more, alone: $* on $name"
	if [ "$name" = host ]; then
		part host-again tests "" "$TOP/selftests/ci/run.sh" "$@"
	else
		read -r version options <<<"${again[$name]}"
		# shellcheck disable=SC2086  # options are words
		guest "$name-again" "$version" ${options/--shared */} -- "$@"
		alone[$name-again]=${alone[$name]-}
	fi
}

# finish NAME: it has ended.
finish()
{
	local name=$1

	wait "${job[$name]}"
	status[$name]=$?
	took[$name]=$((SECONDS - began[$name]))
	unset "job[$name]" "cpu[$name]"
	show_bad "$name"
	echo "=== $name (${took[$name]} s)"
	case ${kind[$name]} in
	single)
		[ "${status[$name]}" = 0 ] || tail -n 40 "$out/$name.log"
		judge "$name" "${status[$name]}"
		;;
	ktap)
		local before=("$passed" "$failed" "$skipped")

		tally "$name" "${status[$name]}" "$out/$name.log" >"$out/$name.told"
		cat "$out/$name.told"
		[ "$failed" = "${before[1]}" ] || failures+=("$name: $(
			{ sed "s/^# $name: //" "$out/$name.told" | grep -v '^skipped'
			bad_of "$out/$name.log"; } | grep . | paste -sd ,)")
		echo "# $name: $((passed - before[0])) passed," \
			"$((failed - before[1])) failed, $((skipped - before[2])) skipped"
		;;
	tests) results "$name" ;;
	esac
}

# slots: how many parts may run at a time: a VM has 2 GiB.
slots()
{
	local most=$(($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) / 2500000))

	[ "$(nproc)" = 1 ] || [ "$most" -lt 2 ] && echo 1 && return
	echo $((most <= $(nproc) ? most : $(nproc) + 1))
}

# next: print the part that begins next: the longest of those that can, but what wants
# a CPU to itself when nothing else can run any more. Nothing if none can.
next()
{
	local name rank

	for name in "${parts[@]}"; do
		[ -z "${began[$name]-}" ] && [ -z "${status[$name]-}" ] && ready "$name" ||
			continue
		rank=${expected[$name]-60}
		if [ -n "${alone[$name]-}" ]; then
			[ ${#job[@]} = ${#cpu[@]} ] && [ ${#job[@]} -lt "$(nproc)" ] ||
				continue
			rank=-1
		elif [ ${#cpu[@]} != 0 ]; then
			continue
		fi
		# It takes what is left of what the kernels share.
		[ "$name" != any ] || rank=0
		# What others wait for.
		case " ${after[*]} " in *" $name "*) rank=9999 ;; esac
		echo "$rank $name"
	done | sort -srn -k 1,1 | head -n 1 | cut -d ' ' -f 2
}

# give_up: parts that cannot begin, since what they want has failed.
give_up()
{
	local name gone

	for name in "${parts[@]}"; do
		[ -z "${began[$name]-}" ] && [ -z "${status[$name]-}" ] || continue
		ready "$name"
		[ $? = 2 ] || continue
		gone=1 status[$name]=5 took[$name]=0
		judge "$name, which wants ${after[$name]}" 1
	done
	[ -z "${gone-}" ] || give_up
}

# progress: what runs, what is left, and how long by times.txt.
progress()
{
	local name each sum=0 longest=0 waiting=() running=()

	for name in "${parts[@]}"; do
		[ -z "${status[$name]-}" ] || continue
		each=${expected[$name]-60}
		if [ -n "${began[$name]-}" ]; then
			each=$((each - (SECONDS - began[$name])))
			[ "$each" -gt 5 ] || each=5
			running+=("$name$(grep -a '^# Subtest' "$out/$name.log" |
				tail -n 1 | sed 's/# Subtest: test_/: /')")
		else
			waiting+=("$name")
		fi
		sum=$((sum + each))
		[ "$each" -le "$longest" ] || longest=$each
	done
	sum=$((sum / slots))
	[ "$sum" -ge "$longest" ] || sum=$longest
	say "$SECONDS s, $passed passed, $failed failed; running ${running[*]};" \
		"waiting: ${waiting[*]:-nothing}; about $((sum / 60 + 1)) min left"
}

# run_parts: all of them, until none is left.
run_parts()
{
	local name due=$((SECONDS + 30)) idle

	while :; do
		give_up
		while [ ${#job[@]} -lt "$slots" ]; do
			name=$(next)
			[ -n "$name" ] || break
			begin "$name"
		done
		[ ${#job[@]} -gt 0 ] || break
		sleep 1
		idle=1
		for name in "${!job[@]}"; do
			show_bad "$name"
			kill -0 "${job[$name]}" 2>/dev/null && continue
			finish "$name"
			idle=
		done
		[ -n "$idle" ] && [ $SECONDS -ge $due ] || continue
		due=$((SECONDS + 30))
		progress
	done
}

# write_times: how long each part and each test has taken.
write_times()
{
	local name

	{
		cat <<-END
		# SPDX-License-Identifier: GPL-2.0
		# Seconds that each part of make check took, and each test in it. check.sh
		# writes this when nothing failed, and begins with the longest.
		END
		for name in "${parts[@]}"; do
			[[ $name = *-again ]] || echo "$name ${took[$name]}"
		done | sort
		sed -n 's/^# \(test_[a-z0-9_]*\): [0-9]* passed, .* in \([0-9]*\) s$/\1 \2/p' \
			"$out"/*.log | sort -k 1,1 -k 2,2rn | awk '!seen[$1]++'
	} >"$times.new"
	mv "$times.new" "$times"
}

rm -rf "$out"
mkdir -p "$out/shared"
slots=$(slots)
shared=(--shared "$out/shared")
[ -z "$all" ] || shared=()

bootable=()
for version in "${versions[@]}"; do
	part "module-$version" single "" \
		"$TOP/selftests/ci/module.sh" --sparse "$version"
	bootable+=("$version")
done
part host tests "" "$TOP/selftests/ci/run.sh" "${shared[@]}" --host
for version in "${versions[@]}"; do
	guest "$version" "$version" --nic e1000e "${shared[@]}" -- "${shared[@]}" --beside
	after[$version]+=" host"
done
guest exact 6.1 --cache --nic e1000e -- exact
part static ktap "module-6.1 module-6.12" "$TOP/selftests/ci/static.sh" --results --no-modules
part unit ktap "" make -s -j "$(nproc)" -C "$TOP/selftests/unit" run
part laboratory ktap "" "$TOP/selftests/ci/lab.sh"
part mutants single "" "$TOP/selftests/mutants/mutants.py" --sample 60 --jobs 1
part installation ktap "" "$TOP/selftests/ci/install.sh"
guest isolated 6.1 --append isolcpus=1 -- test_isolated
guest signed 6.12 --append module.sig_enforce=1 -- test_signed
if [ -z "$all" ]; then
	guest any 6.1 --nic e1000e "${shared[@]}" -- "${shared[@]}" --any
	after[any]+=" host"
fi
for version in "${versions[@]}"; do
	guest "alone-$version" "$version" --nic e1000e "${shared[@]}" -- \
		"${shared[@]}" --alone
	alone[alone-$version]=1
done

# wanted PART...: these, and what they come after.
wanted()
{
	local name

	for name in "$@"; do
		[ -n "${kind[$name]-}" ] ||
			{ say "no part $name: there are ${!kind[*]}"; exit 2; }
		# shellcheck disable=SC2086  # names are words
		[ -z "${after[$name]}" ] || wanted ${after[$name]}
		echo "$name"
	done
}
if [ $# -gt 0 ]; then
	parts_wanted=$(wanted "$@") || exit
	mapfile -t parts < <(printf '%s\n' "${parts[@]}" | grep -xF -f <(echo "$parts_wanted"))
fi

echo "=== setup"
"$TOP/selftests/ci/setup.sh"
judge setup $?
[ "$failed" = 0 ] || { totals; exit 1; }
echo "=== tools"
make -s -j "$(nproc)" -C "$TOP/tools"
judge "tools build" $?
[ "$failed" = 0 ] || { totals; exit 1; }
run_parts

echo "=== done ($SECONDS s)"
[ ${#flaky[@]} -le $FLAKY_AT_MOST ] ||
	judge "no more than $FLAKY_AT_MOST flaky tests" 1
[ "$failed" != 0 ] || [ $# -gt 0 ] || write_times
[ ${#skips[@]} = 0 ] || printf 'skipped: %s\n' "${skips[@]}"
[ ${#flaky[@]} = 0 ] || printf 'flaky: %s\n' "${flaky[@]}"
[ ${#failures[@]} = 0 ] || printf 'failed: %s\n' "${failures[@]}"
totals
