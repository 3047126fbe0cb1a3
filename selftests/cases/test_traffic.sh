#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Traffic by every method, IP version and medium: all counts of it agree.
#
#   loopback   a: lo
#   veth       a: veth0 ------- veth0 :b
#   NIC        n1: eth ---//--- eth :n2    two devices wired to each other
#
# For each a run of BYTES over STREAMS connections, of which must be equal:
#
#   - the bytes that the source's CPUs and streams count, those of the sink, and
#     what TCP says: the source's bytes_acked less 2 a connection (SYN, FIN),
#     and the sink's bytes_received less 1 (FIN)
#   - on the devices, where frames are counted with their Ethernet header (14)
#     but without FCS, all frames, pure acknowledgements included:
#
#         tx_bytes = payload + HEADER * tx_packets + 8 * connections
#
#     HEADER = 14 + 20 (40 with IPv6) + 20 + 12 (time stamps); a SYN has 8 bytes
#     more than that, since its options are 20 bytes. Payload is BYTES one way
#     and 0 the other; loopback counts both ways in one, and no Ethernet header
#   - tx_packets on one side, rx_packets on the other, and the sink's segments
#     in TCP_INFO, which count the SYN that it got but not its SYN-ACK
#
# Offloads are off, so that a frame is a segment. A retransmission would add bytes,
# and so would SACK, of segments that come out of order, as they may where two CPUs
# send those of one stream: such a run is repeated.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

BYTES=2000001
STREAMS=2

need_root
need ethtool nstat
nic_pair >/dev/null && media=(loopback veth nic) || media=(loopback veth)
begin 73

# quiet_device NETNS DEVICE: frames are segments, and nothing but ours.
quiet_device()
{
	ethtool_off "$1" "$2" && ip -n "$1" link set "$2" up
}

ethtool_off()
{
	ip netns exec "$1" ethtool -K "$2" tso off gso off gro off
}

# neighbours NETNS DEVICE PEER_NETNS PEER_DEVICE ADDRESS...: no ARP, no ND.
neighbours()
{
	local netns=$1 device=$2 address mac
	mac=$(ip -n "$3" -j link show "$4" | jq -r '.[0].address')
	shift 4

	for address in "$@"; do
		ip -n "$netns" neigh replace "$address" lladdr "$mac" \
			nud permanent dev "$device" || return 1
	done
}

# A tail loss probe is a retransmission that only slowness of the machine asks
# for.
no_probes()
{
	ip netns exec "$1" sysctl -qw net.ipv4.tcp_early_retrans=0
}

setup_veth()
{
	netns_add a && netns_add b && watch "$a" "$b" && calm "$a" "$b" &&
		veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24 &&
		addr_add "$a" fd01::1/64 veth0 &&
		addr_add "$b" fd01::2/64 veth0 &&
		ethtool_off "$a" lo && ethtool_off "$a" veth0 &&
		ethtool_off "$b" veth0 &&
		neighbours "$a" veth0 "$b" veth0 10.1.0.2 fd01::2 &&
		neighbours "$b" veth0 "$a" veth0 10.1.0.1 fd01::1 &&
		no_probes "$a" && no_probes "$b" &&
		standstill "$a" veth0 "$b" veth0
}

# shellcheck disable=SC2154  # netns_add sets them
setup_nic()
{
	read -r nic1 nic2 < <(nic_pair) || return 1
	netns_add n1 && netns_add n2 && watch "$n1" "$n2" &&
		calm "$n1" "$n2" &&
		ip link set "$nic1" netns "$n1" &&
		ip link set "$nic2" netns "$n2" &&
		addr_add "$n1" 10.2.0.1/24 "$nic1" &&
		addr_add "$n2" 10.2.0.2/24 "$nic2" &&
		ip -n "$n1" link set "$nic1" addrgenmode none &&
		ip -n "$n2" link set "$nic2" addrgenmode none &&
		quiet_device "$n1" "$nic1" && quiet_device "$n2" "$nic2" &&
		addr_add "$n1" fd02::1/64 "$nic1" &&
		addr_add "$n2" fd02::2/64 "$nic2" &&
		neighbours "$n1" "$nic1" "$n2" "$nic2" 10.2.0.2 fd02::2 &&
		neighbours "$n2" "$nic2" "$n1" "$nic1" 10.2.0.1 fd02::1 &&
		no_probes "$n1" && no_probes "$n2" &&
		standstill "$n1" "$nic1" "$n2" "$nic2"
}

setup()
{
	setup_veth || return 1
	[ "${#media[@]}" = 2 ] || setup_nic
}

# equal WHAT VALUE OTHER: note in $why what is not.
equal()
{
	[ "$2" = "$3" ] || why+="$1: $2 is not $3; "
}

# The last reading of both ends.
# shellcheck disable=SC2016  # jq's variables
readings='.result as $result | .intervals[-1] | .source as $source | .sink as $sink |
	[$result.valid, $result.reason, $result.retransmissions,
	([$source.cpus[].bytes] | add), ([$source.streams[].bytes] | add),
	([$sink.cpus[].bytes] | add), ([$sink.streams[].bytes] | add),
	([$source.streams[].tcp.bytes_acked] | add),
	([$sink.streams[].tcp.bytes_received] | add),
	([$sink.streams[].tcp.segments_in] | add),
	([$sink.streams[].tcp.segments_out] | add),
	([$source.streams[] | select(.copied)] | length)]'

# Segments that came to the sink before others that they follow.
out_of_order()
{
	ip netns exec "$far" nstat --json -asz TcpExtTCPOFOQueue |
		jq '.kernel.TcpExtTCPOFOQueue'
}

# measure OUT IN: a run between $near and $far; sets what was counted.
measure()
{
	local before path=("$near" "$near_device")

	[ "$far" = "$near" ] || path+=("$far" "$far_device")
	statistics "${path[@]}"
	before=("${statistics[@]}")
	disordered=$(out_of_order)
	timeout 60 ktput-ctl -j -s start netns "$near" to "$address" \
		sink-netns "$far" bytes "$BYTES" streams "$STREAMS" \
		rcvbuf 64K method "$1" sink-method "$2" >"$scratch/run" 2>"$scratch/err" ||
		return 1
	standstill "${path[@]}" || return 1
	disordered=$(($(out_of_order) - disordered))
	near_tx=$((statistics[0] - before[0]))
	near_tx_bytes=$((statistics[1] - before[1]))
	near_rx=$((statistics[2] - before[2]))
	near_rx_bytes=$((statistics[3] - before[3]))
	far_tx=$((statistics[4] - before[4]))
	far_tx_bytes=$((statistics[5] - before[5]))
	far_rx=$((statistics[6] - before[6]))
	far_rx_bytes=$((statistics[7] - before[7]))
	fields "$scratch/run" "$readings" valid reason retransmissions \
		source_cpus source_streams sink_cpus sink_streams acked \
		received segments_in segments_out copied
}

# copies OUT: streams whose pages the kernel has to copy, since the device cannot
# gather them.
copies()
{
	if [ "$1" = copy ] || ip netns exec "$near" ethtool -k "$near_device" |
	   grep -q '^scatter-gather: on'; then
		echo 0
	else
		echo $STREAMS
	fi
}

# bytes_agree COPIED
bytes_agree()
{
	equal "valid" "$valid" true
	equal "reason" "$reason" bytes
	equal "bytes on the source's CPUs" "$source_cpus" $BYTES
	equal "bytes of the source's streams" "$source_streams" $BYTES
	equal "bytes on the sink's CPUs" "$sink_cpus" $BYTES
	equal "bytes of the sink's streams" "$sink_streams" $BYTES
	equal "bytes_acked" $((acked - 2 * STREAMS)) $BYTES
	equal "bytes_received" $((received - STREAMS)) $BYTES
	equal "streams whose pages were copied" "$copied" "$1"
}

frames_agree()
{
	local forth=$segments_in back=$((segments_out + STREAMS))

	if [ "$far" = "$near" ]; then
		equal "rx_packets" "$near_rx" "$near_tx"
		equal "rx_bytes" "$near_rx_bytes" "$near_tx_bytes"
		equal "frames of both ways" "$near_tx" $((forth + back))
		equal "payload both ways" $((near_tx_bytes - header * near_tx -
			8 * 2 * STREAMS)) $BYTES
		return
	fi
	equal "rx_packets at the source" "$near_rx" "$far_tx"
	equal "rx_bytes at the source" "$near_rx_bytes" "$far_tx_bytes"
	equal "rx_packets at the sink" "$far_rx" "$near_tx"
	equal "rx_bytes at the sink" "$far_rx_bytes" "$near_tx_bytes"
	equal "frames to the sink" "$near_tx" "$forth"
	equal "frames to the source" "$far_tx" $back
	equal "payload to the sink" $((near_tx_bytes - header * near_tx -
		8 * STREAMS)) $BYTES
	equal "payload to the source" $((far_tx_bytes - header * far_tx -
		8 * STREAMS)) 0
}

# traffic MEDIUM IP_VERSION OUT IN: two results.
traffic()
{
	local name="$1, IPv$2, out $3, in $4" why="" attempt
	local header=$((14 + ($2 == 4 ? 20 : 40) + 20 + 12))
	local near far near_device far_device address
	local valid reason retransmissions source_cpus source_streams
	local sink_cpus sink_streams acked received segments_in segments_out
	local copied disordered near_tx near_tx_bytes near_rx near_rx_bytes
	local far_tx far_tx_bytes far_rx far_rx_bytes

	case $1$2 in
	loopback4) address=127.0.0.1 ;;
	loopback6) address=::1 ;;
	veth4) address=10.1.0.2 ;;
	veth6) address=fd01::2 ;;
	nic4) address=10.2.0.2 ;;
	nic6) address=fd02::2 ;;
	esac
	case $1 in
	loopback) near=$a far=$a near_device=lo header=$((header - 14)) ;;
	veth) near=$a far=$b near_device=veth0 far_device=veth0 ;;
	nic) near=$n1 far=$n2 near_device=$nic1 far_device=$nic2 ;;
	esac

	for attempt in 1 2 3; do
		if ! measure "$3" "$4"; then
			not_ok "$name: bytes" "$(cat "$scratch/err")"
			not_ok "$name: frames" "no result"
			return
		fi
		[ $((retransmissions + disordered)) != 0 ] || break
		diag "$name: in attempt $attempt $retransmissions" \
			"retransmissions, $disordered segments out of order"
	done
	bytes_agree "$(copies "$3")"
	[ -z "$why" ] && ok "$name: bytes" || not_ok "$name: bytes" "$why"
	why=
	frames_agree
	[ -z "$why" ] && ok "$name: frames" || not_ok "$name: frames" "$why"
}

check "two paths without frames of others" setup || finish
for medium in loopback veth nic; do
	for version in 4 6; do
		for out in copy zerocopy; do
			for in in copy trunc zerocopy; do
				if [[ " ${media[*]} " = *" $medium "* ]]; then
					traffic $medium $version $out $in
					continue
				fi
				name="$medium, IPv$version, out $out, in $in"
				skip "$name: bytes" "no pair of NICs"
				skip "$name: frames" "no pair of NICs"
			done
		done
	done
done
finish
