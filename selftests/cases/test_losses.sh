#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Where datagrams are lost: each place is made to drop, and must be the one that is
# named, in the record and in the text, instead of a CPU that was busy meanwhile.
#
#   a: veth0 10.9.0.1 ------- b: veth0 10.9.0.2

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need ktput-ctl gojq ip tc nft modprobe
for module in sch_ingress sch_netem sch_tbf cls_u32 act_gact act_mirred dummy; do
	modprobe -q "$module" || skip_all "the kernel has no $module"
done
plan 25
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
calm "$a" "$b"
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
ip -n "$b" link add away type dummy
ip -n "$b" link set away up
tc -n "$b" qdisc add dev veth0 clsact

run()
{
	recorded "$1" netns "$a" sink-netns "$b" udp to 10.9.0.2 \
		drain-timeout 60s drops "${@:2}"
}

# The sink's buffer holds all of them, however long its thread waits for a CPU.
user()
{
	run "$1" layer user sink-layer user rcvbuf 8M "${@:2}"
}

# lost_by PLACE: most was lost there; no ceiling binds that is not reached.
lost_by()
{
	jq -e --arg place "$1" '.result | .datagrams.lost > 0 and
		.datagrams.lost_by == $place and
		(.datagrams | .lost as $lost | .losses |
		 length > 0 and all(.datagrams > 0) and
		 ([.[].datagrams] | add) == $lost and
		 max_by(.datagrams).place == $place) and
		(.ceilings // [] | all(.name != "cpu" or (.binds | not)))' \
		"$scratch/run" >/dev/null &&
		grep -q '^Lost by  *[A-Za-z]' "$scratch/text" &&
		! grep '^Bottleneck  *CPU' "$scratch/text" && return
	jq -c '.result | .datagrams, .ceilings' "$scratch/run"
	cat "$scratch/text"
	return 1
}

# because REASON: of the kernel's reasons that is the first, and all that was lost has
# one; with "none" nothing has.
because()
{
	jq -e --arg reason "$1" '.result.datagrams |
		(.drop_reasons[0].reason // "none") == $reason and
		([.drop_reasons[].datagrams] | add // 0) + .lost_without_reason == .lost and
		(.lost_without_reason == 0) == ($reason != "none")' \
		"$scratch/run" >/dev/null && grep -q '^Drop reasons  *' "$scratch/text" &&
		return
	jq -c .result.datagrams "$scratch/run"
	cat "$scratch/text"
	return 1
}

# The buffer takes three of them, and they come as fast as they can.
socket()
{
	run 0 layer user sink-layer user size 1448 rcvbuf 8K time 1s &&
		lost_by sink_socket
}
check "a receive buffer that is small" socket
check "the kernel has the reason" because socket_rcvbuff
shown()
{
	ktput-ctl -s show "$scratch/run" | grep '^Drop reasons' >"$scratch/shown" &&
		grep -qxFf "$scratch/shown" "$scratch/text"
}
check "which its record has" shown
check "it is named beside the ceilings" sh -c "tr -s ' \n' ' ' <'$scratch/text' |
	grep -E 'Bottleneck loss: [0-9.]+% of the datagrams were lost, most by the sink.s sockets'"
check "and what may help" sh -c \
	"tr -s ' \n' ' ' <'$scratch/text' | grep -F 'Try a greater rcvbuf'"
check "in 80 columns" sh -c \
	"! sed -n '/^Ended/,\$p' '$scratch/text' | grep -E '.{81}'"

qdisc()
{
	tc -n "$a" qdisc replace dev veth0 root tbf rate 8mbit burst 10k \
		limit 20k && user 0 rate 4kpps messages 2000 &&
		lost_by source_qdisc
}
check "a queueing discipline that is full" qdisc
check "for which the kernel has a reason" because qdisc_drop

impaired()
{
	tc -n "$a" qdisc replace dev veth0 root netem loss 20% &&
		user 0 rate 2kpps messages 1000 && lost_by source_qdisc
}
check "netem" impaired
check "which has the same reason" because qdisc_drop

mtu()
{
	ip -n "$a" link set veth0 mtu "$1" && ip -n "$b" link set veth0 mtu "$1"
}

# Its cookie cannot be read there.
paged()
{
	mtu 40000 && user 0 size 32000 rate 500pps messages 400 &&
		lost_by source_qdisc
}
check "netem, and payload in pages" paged
check "which is known by its ports" because qdisc_drop
mtu 1500

# Full buffers are not to blame, and a greater one is no remedy.
damaged()
{
	tc -n "$a" qdisc replace dev veth0 root netem corrupt 20% &&
		user 0 size 1000 rate 500pps messages 400 && lost_by sink_checksum &&
		! grep -E 'buffers were full|rcvbuf' "$scratch/text"
}
check "wrong checksums" damaged
tc -n "$a" qdisc del dev veth0 root

# The sink's device has received all: what a firewall drops behind it is a loss, and no
# contradiction, whether the kernel's reasons are watched or not.
firewall()
{
	ip netns exec "$b" nft -f - <<-END
	table inet ktput {
		chain c {
			type filter hook input priority 0
			meta l4proto udp numgen inc mod 8 0 drop
		}
	}
	END
}
dropped()
{
	firewall && user 0 rate 2kpps messages 800 && lost_by sink_host
}
check "a firewall behind the sink's device" dropped
check "for which the kernel has a reason, too" because netfilter_drop
unwatched()
{
	recorded 0 netns "$a" sink-netns "$b" udp to 10.9.0.2 drain-timeout 60s \
		layer user sink-layer user rcvbuf 8M rate 2kpps messages 800 &&
		lost_by sink_host
}
check "and without it" unwatched
# Who asks for the reasons gets them, with and without -s.
asked()
{
	ktput-ctl start udp layer user sink-layer user netns "$a" sink-netns "$b" \
		to 10.9.0.2 rcvbuf 8M rate 2kpps messages 800 drops |
		grep -q '^Drop reasons  *netfilter_drop '
}
check "the reasons are shown" asked
ip netns exec "$b" nft delete table inet ktput

# pick ACTION...: for every eighth datagram.
pick()
{
	tc -n "$b" filter add dev veth0 ingress protocol ip u32 \
		match ip protocol 17 0xff match u32 0 0x7 at 32 action "$@"
}

filtered()
{
	pick drop && user 0 rate 2kpps messages 800 && lost_by sink_filter
}
check "a filter" filtered
check "the reason of a filter" because tc_ingress
tc -n "$b" filter del dev veth0 ingress

taken()
{
	pick mirred egress redirect dev away &&
		user 0 rate 2kpps messages 800 && lost_by sink_host
}
check "somebody who does not count" taken
check "nor is there a reason" because none
tc -n "$b" filter del dev veth0 ingress

# Packets go through the backlog of the other CPU, where one may wait, and are taken
# in softirq there: no socket's buffer is in the way. The limit is that of the
# machine.
backlog()
{
	local limit=/proc/sys/net/core/netdev_max_backlog before status=0

	ip netns exec "$b" sh -c \
		'echo 2 >/sys/class/net/veth0/queues/rx-0/rps_cpus' || return 1
	before=$(cat "$limit")
	echo 0 >"$limit"
	run 0 cpus 0 sink-cpus 1 size 64 messages 50000 || status=1
	echo "$before" >"$limit"
	[ "$status" = 0 ] && lost_by backlog
}
refused "drops without privileges" 1 'refused: drops: it takes root' as_nobody \
	ktput-ctl start udp layer user sink-layer user drops time 100ms
if [ "${KTPUT_VM-}" != 1 ]; then
	skip "a backlog" "the limit is that of the machine"
	skip "the reason of a backlog" "the limit is that of the machine"
	skip "nothing is left behind" "the module is not loaded"
elif ktput_load; then
	check "a backlog" backlog
	check "the reason of a backlog" because cpu_backlog
	check "nothing is left behind" nothing_left "$a" "$b"
else
	not_ok "a backlog" "the module cannot be loaded"
	not_ok "the reason of a backlog"
	not_ok "nothing is left behind"
fi
finish
