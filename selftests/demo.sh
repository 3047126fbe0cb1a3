#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh: the main job on real traffic, with its reports
#
# usage: selftests/demo.sh [--help]
#
# TCP inside the kernel, copied and by reference to pages: over loopback, and
# over the two pairs of NICs that the VM runner wires to each other, each NIC in a
# network namespace of its own. Then the same flow of UDP over the first pair at
# each layer: datagrams of 1448 bytes, which are frames of 1490. In the end the
# ladder, over that pair and over a veth pair: what each place costs, and what lies
# between. Its runs and what they came to are kept in KTPUT_RESULTS, or build/demo.
#
# exit: 0 all measured, 1 something failed

set -u
. "$(dirname "$0")/lib/lib.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

# show WORD...: run ktput-ctl with them, saying so.
show()
{
	printf '\n# ktput-ctl %s\n' "$*"
	ktput-ctl "$@" || die "ktput-ctl ended with $?"
}

# The namespaces of the latest pair.
near='' far=''

# over_pair DRIVER NET: the pair of NICs of DRIVER, with addresses 10.0.NET.1 and
# 10.0.NET.2.
over_pair()
{
	local nics

	read -ra nics <<<"$(nic_pair "$1")"
	[ ${#nics[@]} = 2 ] || die "no pair of $1 NICs"
	netns_add near
	netns_add far
	ip link set "${nics[0]}" netns "$near"
	ip link set "${nics[1]}" netns "$far"
	addr_add "$near" "10.0.$2.1/24" "${nics[0]}"
	addr_add "$far" "10.0.$2.2/24" "${nics[1]}"
	link_up "$near" "${nics[0]}" || die "${nics[0]}: no carrier"
	link_up "$far" "${nics[1]}" || die "${nics[1]}: no carrier"
	for out in copy zerocopy; do
		show start netns "$near" sink-netns "$far" to "10.0.$2.2" \
			out $out in $out time 3s
	done
}

# every_layer NET: UDP over the pair of NICs that has the addresses of NET.
every_layer()
{
	local layer size sink

	for layer in socket queue driver; do
		[ $layer = socket ] && size=1448 || size=1490
		for sink in socket ingress xdp; do
			show start udp netns "$near" sink-netns "$far" \
				to "10.0.$1.2" layer $layer sink-layer $sink \
				size $size rate 2kpps messages 4000
		done
	done
}

# climb NAME NEAR FAR ADDRESS: the ladder between two namespaces.
climb()
{
	show ladder netns "$2" sink-netns "$3" to "$4" limit 2m \
		record "${results#"$TOP"/}/ladder-$1.jsonl" replace
}

need_root
cd "$TOP" || exit 1
results=${KTPUT_RESULTS:-$BUILD/demo}
mkdir -p "$results"
ktput_load
ip link set lo up
show info
show wire
for out in copy zerocopy; do
	show start out $out in $out time 3s
done
over_pair virtio_net 1
every_layer 1
virtio=("$near" "$far")
over_pair e1000e 2
climb nics "${virtio[@]}" 10.0.1.2
netns_add near
netns_add far
veth_add "$near" 10.0.3.1/24 "$far" 10.0.3.2/24 || die "no veth here"
climb veth "$near" "$far" 10.0.3.2
finish
