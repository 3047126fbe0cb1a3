#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ladder.sh: the exact ladder of a setup, in a VM that counts instructions
#
# usage: selftests/compare/ladder.sh [WORD]...
#
# What ktput-ctl compare has a VM run. Two namespaces, $near and $far, with a veth0
# each; KTPUT_RESULTS/prepare is run by bash with both names in its environment; then
# the ladder with the WORDs. Leaves KTPUT_RESULTS/ladder.json and records.jsonl, and
# reason where there is none.
#
# exit: 0 there is a ladder, 1 there is none

set -u
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/exact.sh"
results=${KTPUT_RESULTS:?}

# because SENTENCE: this setup cannot be measured.
because()
{
	echo "$1" >"$results/reason"
	die "$1"
}

[ "${KTPUT_ICOUNT-}" = 1 ] || because "the clock does not count instructions"
ip link set lo up
ktput_load || because "the module cannot be loaded"
netns_add near
netns_add far
: "${near:?}" "${far:?}"
veth_add "$near" 10.0.3.1/24 "$far" 10.0.3.2/24 || because "there is no veth"
steady "$near" "$far" || because "TCP cannot be set"
quiet
env near="$near" far="$far" bash -eu "$results/prepare" >"$results/prepare.log" 2>&1 ||
	because "what prepares it failed: $(tail -n 1 "$results/prepare.log")"
ktput-ctl -j ladder netns "$near" sink-netns "$far" to 10.0.3.2 warmup 20ms \
	rate 20kpps until ci 0.01% limit 1000h seed 1 disturbed-above 100 \
	record "$results/records.jsonl" replace "$@" 2>&1 >"$results/ladder.json" |
	tee "$results/progress" | jq -r --unbuffered '.progress // .error // .'
[ -s "$results/ladder.json" ] ||
	because "$(jq -r '.error // empty' "$results/progress" | tail -n 1)"
finish
