#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP sources are connected while nobody waits; see connecting.py.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip ss genl modprobe ktput-ctl
ktput_load || skip_all "ktput.ko does not load"
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
link_up "$a" veth0
link_up "$b" veth0
ip -n "$a" neigh add 10.9.0.3 lladdr 02:00:00:00:00:03 dev veth0

hand_over ip netns exec "$a" /usr/bin/python3 -B "$TOP/selftests/cases/connecting.py" \
	"$b" "$BUILD/$(uname -r)/ktput.ko"
