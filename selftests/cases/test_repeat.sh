#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# repeat and until: as many documents as runs, a summary that follows from them,
# and an end in order where a run is not valid, cannot be made, or is interrupted.
#
# kernel: any

# shellcheck disable=SC2016  # jq's variables, and what eval is for

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

begin 13

# Each run is short, of 1 MB.
BYTES=1M

# repeated WORDS...: the documents are in $scratch/runs, an array.
repeated()
{
	local status=0

	timeout 120 ktput-ctl -j start "$@" >"$scratch/out" 2>"$scratch/err" ||
		status=$?
	cat "$scratch/err"
	jq -c -s . "$scratch/out" >"$scratch/runs" && return "$status"
}

cat >"$scratch/words.jq" <<'JQ'
def near($other): (. - $other | fabs) <= 1e-6 * ($other | fabs);
# Student's quantile of 95 %, for 1 to 6 degrees of freedom.
def student: [0, 12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818,
	2.4469119][. - 1];
def sigma: length as $n | (add / $n) as $mean |
	map(. - $mean | . * .) | add / ($n - 1) | sqrt;
def share($error): (add / length) as $mean | $error / (length | sqrt) / $mean |
	exp - 1;
# How far the interval reaches above the mean, over the mean, of goodputs.
def half_share: share(sigma * (length | student));
# Where that decides when to stop: no less than the first five have.
def until_share: [half_share, share(.[:5] | sigma * (length | student))] | max;
def goodputs: [.[:-1][].result.goodput_bps];
def summary: .[-1].summary;
JQ

# holds FILTER: true if it does for the documents.
holds()
{
	jq -e -f <(cat "$scratch/words.jq"; echo "$1") "$scratch/runs" || {
		jq -c 'map(.summary // .result.goodput_bps)' "$scratch/runs"
		return 1
	}
}

check "three runs" repeated bytes "$BYTES" repeat 3
check "three documents and a summary" holds '
	length == 4 and (.[:-1] | all(.result.valid and .result.bytes == 1048576))
	and (map(has("summary")) == [false, false, false, true])'
check "the summary follows from the runs" holds '
	goodputs as $all | summary | .runs == 3 and .valid_runs == 3 and
	(.goodput_bps | .count == 3 and .batches == 3 and (.too_short | not) and
		(.mean | near($all | add / 3)) and .min == ($all | min) and
		((.ci_high - .mean) / .mean | near($all | half_share))) and
		(has("met") | not)'

# However much the runs differ: it ends with the first five or more that do not
# differ more than that, or after the last. Four that are alike are not enough.
check "until the interval is narrow" repeated bytes 100K pace 4mbit mss 1448 \
	until ci 50% repeat 7
check "it ends when it is, and no run later" holds '
	goodputs as $all | [range(5; $all | length + 1) |
		$all[:.] | until_share <= 0.5] as $met | summary |
	.runs == ($all | length) and .wanted_ci_share == 0.5 and
	.pilot_runs == 5 and .met == $met[-1] and ($met[:-1] | any | not) and
	(.met or .runs == 7) and (.goodput_bps |
		(.ci_high - .mean) / .mean | near($all | until_share))'

check "an interval that cannot be met is no failure" \
	repeated bytes "$BYTES" until ci 0.000001% repeat 3
check "the summary says so, and a warning" eval \
	'holds "summary | .met == false and .runs == 3" &&
		grep -q "\"warning\".*not known to +-1e-06% after 3 runs" "$scratch/err"'

not_valid()
{
	local status=0

	repeated bytes "$BYTES" warmup 100s repeat 2 || status=$?
	[ "$status" = 1 ] && holds 'length == 3 and
		(.[:-1] | all(.result.valid == false)) and
		(summary | .runs == 2 and .valid_runs == 0 and
			.goodput_bps.count == 0 and .goodput_bps.mean == null)'
}
check "runs that are not valid are not in the summary, and the status is 1" \
	not_valid

refused "a run that cannot be made ends it" 1 'netns|namespace' \
	ktput-ctl start netns "$(random_name)" repeat 3

interrupted()
{
	local status=0

	background many ktput-ctl -j start bytes "$BYTES" repeat 10000
	wait_for "$BOUND" sh -c "[ \$(wc -l <'$scratch/many.out') -ge 2 ]" ||
		return 1
	kill -INT "${background[many]}"
	ended many || status=$?
	[ "$status" = 0 ] || { echo "status $status"; return 1; }
	jq -c -s . "$scratch/many.out" >"$scratch/runs"
	holds '(length - 1) as $runs | summary | .interrupted and
		.runs == $runs and .runs >= 2 and .valid_runs >= .runs - 1'
}
check "Ctrl-C ends in order, with a summary of what there is" interrupted

# What is said between the runs, and in the end.
text()
{
	timeout 120 ktput-ctl start bytes "$BYTES" repeat 2 >"$scratch/text" &&
		sed -n '/^Run/,/^$/p; /^Summary/,$p' "$scratch/text" |
		awk 'length > 80 { print; bad = 1 } END { exit bad }' &&
		grep -q '^Run 1/2  .*; mean of 1 run: ' "$scratch/text" &&
		grep -q '^Run 2/2 ' "$scratch/text" &&
		grep -q '^Summary  *2 valid of 2 runs[;,].* mean of 2 runs: ' "$scratch/text" &&
		grep -q 'a confidence interval needs 3 runs' <(tr -s ' \n' ' ' <"$scratch/text") &&
		! grep -e '+-' "$scratch/text"
}
check "two runs have no interval" eval 'repeated bytes "$BYTES" repeat 2 &&
	holds "summary | .goodput_bps | .too_short and .ci_low == null and
		.ci_high == null and .mean > 0"'
check "text: a line for each run, and a summary" text
check "nothing is left" nothing_left
finish
