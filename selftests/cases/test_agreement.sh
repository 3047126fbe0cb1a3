#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The ladder and the samples of its runs: two methods that have neither runs nor
# instruments in common come to the same costs, and where they do not it is said.
#
# Bounds. In one run, clocks and samples see a CPU equally busy but for BOUND_SHARE.
# A rung's cost by all samples is within BOUND_RUNG of what the ladder has for it, or
# the two intervals meet: runs of a third of a second differ by some tens of a hundred
# from each other, sampled or not. Where the CPU is emulated, each sample takes it so
# long, in a walk over the stack, that what is sampled costs 1.2 to 1.9 times as much.
# What is between two rungs then differs by as much of the dearer one. A method that
# takes idle time for work, or work for idle time, is off by several times. So short
# runs do not tell how much a copy costs, only that leaving it out costs nothing.
#
# kernel: any
# runs: alone

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

BOUND_SHARE=0.4
BOUND_RUNG=0.4
BYTES_COPIED='["user copy", "kernel copy, out", "kernel copy, in"]'

need_root
need ktput-ctl gojq ip
need_lab
begin 15

# says FILE FILTER: true if it holds for the document.
says()
{
	jq -e --argjson share "$BOUND_SHARE" --argjson rung "$BOUND_RUNG" \
		--argjson copied "$BYTES_COPIED" "$2" "$scratch/$1" \
		>"$scratch/said" || {
		cat "$scratch/said"
		jq -c . "$scratch/$1" | cut -c -4000
		return 1
	}
}

# climb: three rounds of all TCP rungs, plain and sampled; the ladder stands behind
# the records of its runs. Samples are set beside what the clocks say of the same runs:
# sampling takes time of its own, on an emulated machine as much as the traffic.
climb()
{
	timeout 500 ktput-ctl ladder tcp rounds 3 time 300ms until ci 0.001% \
		disturbed-above 100 \
		profile limit 450s record "$scratch/record" replace \
		>"$scratch/text" 2>"$scratch/progress" || {
		cat "$scratch/progress"
		return 1
	}
	tail -n 1 "$scratch/record" >"$scratch/ladder"
	jq -s '{ladder: .[-1].ladder, clocks: [.[] | select(.profile)] |
		group_by(.ladder_run.rung) | map({key: .[0].ladder_run.rung, value:
		([.[].result.busy_cycles_per_byte] | add / length)}) | from_entries}' \
		"$scratch/record" >"$scratch/sampled"
}

one_run()
{
	ktput-ctl -j start method copy sink-method copy time 1s profile \
		>"$scratch/run" 2>"$scratch/run.err"
}

text_fits()
{
	cat "$scratch/text"
	grep -q '^By both methods' "$scratch/text" && ! grep -E '.{81}' "$scratch/text"
}

# validate SCHEMA FILTER FILE: documents of FILE that FILTER selects.
validate()
{
	jq -c "select($2)" "$3" | /usr/bin/python3 -c '
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    validator = jsonschema.Draft202012Validator(json.load(file))
bad = seen = 0
for line in sys.stdin:
    seen += 1
    for error in validator.iter_errors(json.loads(line)):
        print(list(error.absolute_path), error.message[:200])
        bad = 1
sys.exit(bad or not seen)' "$TOP/Documentation/measure/$1"
}

as_schema()
{
	local name=$1
	shift

	if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
		check "$name" validate "$@"
	else
		skip "$name" "python3-jsonschema is not installed"
	fi
}

check "a run that is sampled" one_run
check "its samples are those of its time, on each CPU" says run '
	.profile as $p | .result.valid and $p.elapsed_ns > 8e8 and
	($p.cpus | length == '"$(nproc)"' and all(.samples as $n |
		.samples * 1e9 / $p.frequency_hz / $p.elapsed_ns |
		. > 0.8 and . < 1.2)) and
	($p.effective_samples <= $p.samples) and
	([$p.classes[].share] | add - 1 | fabs) < 1e-9'
check "they see the CPUs as busy as their clocks do" says run '
	([.result.cpus[].busy_share] | add) as $clocks |
	([.profile.cpus[] | .samples as $n | [.classes[] |
		select(.class != "idle") | .samples] | add / $n] | add) as $samples |
	[$clocks, $samples], ($clocks - $samples | fabs) < $share * $clocks'

check "a ladder whose runs are sampled" climb
check "each rung is sampled in each round" says ladder '.ladder.tcp |
	length == '"$(rungs '.group == "tcp"')"' and all(.runs == 3 and .sampled_all.runs == 3)'
check "a rung costs the same by both methods" says sampled '.clocks as $clocks |
	[.ladder.tcp[] | $clocks[.name] as $l | .sampled_all as $s |
	{name, clocks: $l, samples: $s.mean, ok:
	 (($l - $s.mean | fabs) <= ([$rung * $l, $s.half_width] | max))}] |
	., all(.ok)'
check "so does what is between two" says sampled '.clocks as $clocks |
	[.ladder.agreement.tcp[] | .sampled_all as $s | $clocks[.above] as $dearer |
	 ($dearer - $clocks[.below]) as $l |
	 {cost, clocks: $l, samples: $s.mean, ok:
	  (($l - $s.mean | fabs) <= ([$rung * $dearer, $s.half_width] | max))}] |
	., (length == '"$(steps '.group == "tcp"')"' and all(.ok))'
check "no copy is sampled where none is made" says ladder '
	[.ladder.agreement.tcp[] | select(.cost | IN($copied[])) |
	 {cost, at_most: (.sampled.mean + .sampled.half_width)}] |
	., (length == 3 and all(.at_most > 0))'
check "classes add up to all" says ladder '.ladder.agreement.tcp | all(
	([.by_class[].mean] | add) as $sum |
	([.by_class[] | select(.counted) | .mean] | add) as $counted |
	($sum - .sampled_all.mean | fabs) < 1e-6 * ($sum | fabs) + 1e-9 and
	($counted - .sampled.mean | fabs) < 1e-6 * ($counted | fabs) + 1e-9)'
check "what disagrees is flagged, and nothing else" says ladder '
	.ladder.agreement.tcp | all(.cycles_per_byte as $l |
	 (.sampled, .sampled_all) | .agrees ==
		(($l.mean - .mean | fabs) <=
		 $l.ci_high - $l.mean + .half_width))'
check "no interval is narrower than by chance" says ladder '
	[.ladder | .. | objects | select(has("binomial_half_width"))] |
	length >= 15 and all(.half_width >= .binomial_half_width and
		.effective_share <= 1)'
as_schema "the ladder is as its schema has it" ladder.schema.json \
	'has("ladder")' "$scratch/ladder"
as_schema "records with a profile are as theirs has it" record.schema.json \
	'has("profile")' "$scratch/record"
check "the text fits 80 columns" text_fits
refused "detach" 2 "'detach' leaves nobody to see to 'profile'" \
	ktput-ctl start detach profile
finish
