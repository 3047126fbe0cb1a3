#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cache.sh: what a packet takes on its paths, in a VM that counts cache lines
#
# usage: selftests/compare/cache.sh
#
# What compare/cache.py has a VM run. Between two namespaces over veth go datagrams of
# 1448 bytes, 20,000 per second, so that each has passed before the next one comes, and
# TCP as fast as it can. Where KTPUT_RESULTS/paths has lines of NAME|FUNCTION|WORDS, these
# are the paths, each once. Leaves KTPUT_RESULTS/cases and kallsyms.
#
# exit: 0, or 1 if something failed

set -u
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/exact.sh"
. "$(dirname "$0")/../lib/cache.sh"

# path NAME WORDS...: a case, a run of ktput-ctl. It is made REPEATS times, and the median
# counts.
path()
{
	for ((i = 0; i < REPEATS; i++)); do
		steadily "${1// /\~}" run "${@:2}" || die "$1: $(cat "$ktap_scratch/said")"
	done
}

# shellcheck disable=SC2154  # netns_add sets them
run()
{
	local words=("$@")

	words=("${words[@]/#NEAR/$near}")
	exec ktput-ctl -j "${words[@]/#FAR/$far}" interval 1h disturbed-above 100 \
		</dev/null >>"$KTPUT_RESULTS/runs" 2>"$ktap_scratch/said"
}

# The first words of a run.
start=(start netns NEAR sink-netns FAR to 10.0.3.2 time 1h)

need_root
: "${KTPUT_RESULTS:?}"
[ -n "${KTPUT_CACHE_REPORTS-}" ] || die "no cache lines are counted: vm/run --cache"
need_cache
: >"$KTPUT_RESULTS/runs"
ip link set lo up
ktput_load || die "the module cannot be loaded"
netns_add near
netns_add far
: "${near:?}" "${far:?}"
veth_add "$near" 10.0.3.1/24 "$far" 10.0.3.2/24 && steady "$near" "$far" ||
	die "no veth here"
quiet
kinds || die "it is not known what kinds of objects there are"
if [ -s "$KTPUT_RESULTS/paths" ]; then
	REPEATS=1
	while IFS='|' read -r name function words <&3; do
		epochs "$function" || die "no $function begins a packet"
		# shellcheck disable=SC2086  # words
		path "$name" $words
	done 3<"$KTPUT_RESULTS/paths"
else
	REPEATS=3
	epochs __netif_receive_skb_core || die "no function begins a packet"
	path programs "${start[@]}" udp rate 20kpps size 1448 layer user sink-layer user
	path sockets "${start[@]}" udp rate 20kpps size 1448 layer socket method copy \
		sink-layer socket sink-method copy
	path receive "${start[@]}" udp rate 20kpps size 1448 layer driver sink-layer socket \
		sink-method trunc
	path frames "${start[@]}" udp rate 20kpps size 1490 layer driver sink-layer ingress
	epochs tcp_event_data_recv || die "no function begins a segment"
	path TCP "${start[@]}" method zerocopy sink-method zerocopy
fi
printf '%s\n' "${cache_cases[@]}" >"$KTPUT_RESULTS/cases"
cat /proc/kallsyms >"$KTPUT_RESULTS/kallsyms"
finish
