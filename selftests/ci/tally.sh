# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# tally.sh: count results. Sourced by what runs tests, after env.sh.
#
#   tally NAME STATUS FILE   add the KTAP results in FILE, the output of NAME
#                            that ended with STATUS. Missing, surplus or contra-
#                            dictory results make one failure more, with a
#                            diagnostic line on stdout.
#   tally_tests FILE [TEST]...
#                            add what the lines of run.sh in FILE tell of each test
#                            but these; status 1 where FILE does not end with totals
#   totals                   print the line; status 1 if anything failed
#
# Set by the script that sources this:
#   judged  what skips.txt calls the kernel: skips that it does not list there are
#           failures. Nothing unless given: all are fine
#   where   text behind the name of a test
# For them:
#   skips   a line for each skip

passed=0
failed=0
skipped=0
skips=()
judged=
where=

# judged_kernel: print what skips.txt calls this kernel; nothing for one of others.
judged_kernel()
{
	case $(uname -r):$(cat /proc/cmdline) in
	*isolcpus=*) echo isolated ;;
	*-ktput-*) uname -r | sed 's/.*-ktput-//' ;;
	6.1.*-rt-amd64:*|6.12.*-rt-amd64:*) echo rt ;;
	6.1.*-amd64:*|6.12.*-amd64:*) echo stock ;;
	esac
}

# may_skip TEST RESULT REASON: true if skips.txt says so.
may_skip()
{
	local kernels test results reason

	while IFS='|' read -r kernels test results reason; do
		[[ " $kernels " = *" $judged "* && ${test// /} = "$1" ]] || continue
		[[ $2 =~ ^${results:1:-1}$ && $3 =~ ^${reason:1}$ ]] && return
	done < <(grep '^[a-z]' "$TOP/selftests/ci/skips.txt")
	return 1
}

tally()
{
	local ok bad skip planned result reason why=

	# A result that follows deeper ones sums them up, and counts only if it
	# tells of a failure that they do not.
	read -r ok bad skip planned < <(awk '
		{
			depth = match($0, /[^ ]/)
			$0 = substr($0, depth)
		}
		/^1\.\.0 # SKIP/	{ plans++; skip++; next }
		/^1\.\.[0-9]+/		{ plans++; planned += substr($1, 4); next }
		!/^(not )?ok /		{ next }
		{ seen++ }
		depth < last {
			if (/^not ok / && !bad_inside)
				bad++
			last = depth
			bad_inside = 0
			next
		}
		{ last = depth }
		/# (SKIP|skip|TODO)/	{ skip++; next }
		/^ok /			{ ok++; next }
		{ bad++; bad_inside = 1 }
		END { print ok + 0, bad + 0, skip + 0,
			plans ? planned - seen : "none" }' "$3")
	if [ "$planned" = none ]; then
		why="it printed no plan"
	elif [ "$planned" -gt 0 ]; then
		why="$planned planned results are missing"
	elif [ "$planned" -lt 0 ]; then
		why="it printed more results than planned"
	elif [ "$2" != 0 ] && [ "$bad" = 0 ]; then
		why="it ended with $2 although no result was bad"
	elif [ "$2" = 0 ] && [ "$bad" != 0 ]; then
		why="it ended with 0 although a result was bad"
	fi
	[ "$2" = 124 ] || [ "$2" = 137 ] && why="it did not end in time"
	if [ -n "$why" ]; then
		bad=$((bad + 1))
		echo "# $1: $why"
	fi
	while IFS=$'\t' read -r result reason; do
		if [ -z "$judged" ] || may_skip "$1" "$result" "$reason"; then
			echo "# $1: skipped: $result: $reason"
			skips+=("$1$where: $result: $reason")
		else
			echo "# $1: skipped, and not in skips.txt for $judged: $result: $reason"
			skip=$((skip - 1))
			bad=$((bad + 1))
		fi
	done < <(sed -nE -e 's/^ *1\.\.0 # SKIP /all\t/p' \
		-e 's/^ *ok [0-9]+ (- )?(.*) # SKIP /\2\t/p' "$3")
	passed=$((passed + ok))
	failed=$((failed + bad))
	skipped=$((skipped + skip))
}

tally_tests()
{
	local file=$1 name ok bad skip line
	shift

	tail -n 1 "$file" | grep -qE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' ||
		return 1
	while read -r _ name ok _ bad _ skip _; do
		[[ " $* " != *" ${name%:} "* ]] || continue
		passed=$((passed + ok))
		failed=$((failed + bad))
		skipped=$((skipped + skip))
	done < <(grep -E '^# test_[a-z0-9_]+: [0-9]+ passed, ' "$file")
	while read -r _ name _ line; do
		[[ " $* " = *" ${name%:} "* ]] || skips+=("${name%:}$where: $line")
	done < <(grep -E '^# test_[a-z0-9_]+: skipped: ' "$file")
}

totals()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}
