#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every figure of a result, against a derivation of its own from the counters.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip tc modprobe
# Of what the engine in user space measures, all is the same without the module.
module=
if [ "${KTPUT_VM-}" = 1 ]; then
	ktput_load || skip_all "ktput.ko does not load"
	module=module
fi
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
veth_add "$a" 10.77.0.1/24 "$b" 10.77.0.2/24
link_up "$a" veth0
link_up "$b" veth0
loses=
modprobe -q sch_netem && tc -n "$a" qdisc add dev veth0 root netem loss 5% && loses=loses
# A loopback device of an Ethernet's MTU has fragments.
ip -n "$a" link set lo mtu 1500
hand_over /usr/bin/python3 -B "$TOP/selftests/cases/figures.py" "$a" "$b" \
	$loses $module
