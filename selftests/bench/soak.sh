#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# soak.sh: full load with runs that start and stop, for a long time
#
# usage: selftests/bench/soak.sh [--here] [VERSION]
#
# In a VM on kernel VERSION (6.1), or --here: two veth pairs, TCP over one, UDP
# and frames at every layer over the other, as fast as they go, one ktput-ctl
# after the other. All that is counted has to agree, of both ends and of the
# devices, and memory has to stay; see soak.py. A line of what there is so far
# comes each half minute. Ctrl-C ends it soon, with the result so far.
#
# environment:
#   KTPUT_MINUTES  how long; 60
#
# exit: 0 all agreed, 1 something did not, 2 usage

set -u
minutes=${KTPUT_MINUTES:-60}
case ${1-} in
--help|-h) . "$(dirname "$0")/../lib/env.sh"; usage; exit 0 ;;
--here) ;;
-*) . "$(dirname "$0")/../lib/env.sh"; usage >&2; exit 2 ;;
*)
	. "$(dirname "$0")/../lib/env.sh"
	results=$BUILD/soak
	mkdir -p "$results"
	rm -f "$results/stop"
	# In a session of its own, whom a Ctrl-C does not reach.
	setsid "$TOP/selftests/vm/run" --results "$results" \
		--timeout $((minutes * 60 + 600)) "${1-6.1}" -- \
		env KTPUT_MINUTES="$minutes" "$TOP/selftests/bench/soak.sh" --here &
	vm=$!
	trap 'say "it ends with its next run"; touch "$results/stop"' INT TERM HUP
	while kill -0 $vm 2>/dev/null; do
		status=0
		wait $vm || status=$?
	done
	exit "$status"
	;;
esac

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
need_ynl
begin 2

# pair NET NS1 NS2: a veth pair with no traffic of its own.
pair()
{
	veth_add "$2" "10.$1.0.1/24" "$3" "10.$1.0.2/24" &&
		ip netns exec "$2" sysctl -qw net.ipv6.conf.veth0.disable_ipv6=1 &&
		ip netns exec "$3" sysctl -qw net.ipv6.conf.veth0.disable_ipv6=1 &&
		link_up "$2" veth0 && link_up "$3" veth0 &&
		neighbour "$2" "10.$1.0.2" "$3" && neighbour "$3" "10.$1.0.1" "$2"
}

# neighbour NS1 ADDRESS NS2: NS1 knows it, and does not ask.
neighbour()
{
	ip -n "$1" neigh replace "$2" dev veth0 nud permanent lladdr \
		"$(ip -n "$3" -j link show dev veth0 | jq -r '.[0].address')"
}

for ns in a b c d; do
	netns_add $ns
done
# shellcheck disable=SC2154  # netns_add sets them
calm "$a" "$b" "$c" "$d"
pair 1 "$a" "$b" && pair 2 "$c" "$d" || skip_all "no veth here"
# shellcheck disable=SC2154
ktap_finished=1
PYTHONPATH=$TOP/selftests/lib /usr/bin/python3 -B "$TOP/selftests/bench/soak.py" "$minutes" \
	"${KTPUT_RESULTS:-$scratch}/stop" "$a" "$b" "$c" "$d"
