#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh: the main job on real traffic, and what each layer costs
#
# usage: selftests/demo.sh [--help] [exact]
#
# TCP over loopback: inside the kernel, and from user space. Then one flow over the two
# NICs that the VM runner wires to each other, each in a network namespace of its own:
# TCP by copy and by reference to pages, UDP from each layer to each layer, in
# datagrams of 1448 bytes, which are frames of 1490. These runs last a second each: in
# an emulated machine their rates are those of the emulator.
#
# With "exact" it is the ladder, between two namespaces over veth, in instructions: in
# a VM that counts them (selftests/vm/run --icount) runs repeat, whatever else this
# machine does. TCP has fixed buffers and reno there, since what the kernel makes of
# buffers and windows by itself follows from times at the begin of a run. Such a count
# does not see cache misses, DMA, and NICs. The record is in KTPUT_RESULTS, or
# build/demo.
#
# exit: 0 all measured, 1 something failed

set -u
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/exact.sh"

exact=
case ${1-} in
--help|-h) usage; exit 0 ;;
exact) exact=1 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

# show WORD...: run ktput-ctl with them, saying so.
show()
{
	printf '\n# ktput-ctl %s\n' "$*"
	ktput-ctl "$@" || die "ktput-ctl ended with $?"
}

# feel: a short run of each layer.
feel()
{
	local nics words

	show info
	show start time 1s
	show start layer user sink-layer user time 1s
	read -ra nics <<<"$(nic_pair virtio_net)"
	[ ${#nics[@]} = 2 ] || die "no pair of virtio NICs"
	netns_add near
	netns_add far
	# Set by netns_add.
	: "${near:?}" "${far:?}"
	ip link set "${nics[0]}" netns "$near"
	ip link set "${nics[1]}" netns "$far"
	addr_add "$near" 10.0.1.1/24 "${nics[0]}"
	addr_add "$far" 10.0.1.2/24 "${nics[1]}"
	link_up "$near" "${nics[0]}" || die "${nics[0]}: no carrier"
	link_up "$far" "${nics[1]}" || die "${nics[1]}: no carrier"
	while read -r words; do
		# shellcheck disable=SC2086  # words
		show start netns "$near" sink-netns "$far" to 10.0.1.2 $words time 1s \
			</dev/null
	done <<-END
	method copy sink-method copy
	method zerocopy sink-method zerocopy
	udp layer user sink-layer user size 1448 rate 2kpps
	udp layer socket sink-layer socket size 1448 rate 2kpps
	udp layer queue sink-layer ingress size 1490 rate 2kpps
	udp layer driver sink-layer xdp size 1490 rate 2kpps
	END
}

climb()
{
	[ "${KTPUT_ICOUNT-}" = 1 ] || die "the clock does not count: vm/run --icount"
	netns_add near
	netns_add far
	veth_add "$near" 10.0.3.1/24 "$far" 10.0.3.2/24 || die "no veth here"
	steady "$near" "$far" || die "TCP cannot be set"
	quiet
	show ladder netns "$near" sink-netns "$far" to 10.0.3.2 time 80ms \
		warmup 20ms rate 20kpps until ci 1% limit 1000h seed 1 \
		disturbed-above 7 \
		record "${results#"$TOP"/}/ladder.jsonl" replace
}

need_root
cd "$TOP" || exit 1
results=${KTPUT_RESULTS:-$BUILD/demo}
mkdir -p "$results"
ktput_load
ip link set lo up
if [ -n "$exact" ]; then
	climb
else
	feel
fi
finish
