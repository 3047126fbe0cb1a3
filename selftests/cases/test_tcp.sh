#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP sockets: what a run counts, tells and ends with, to the byte.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ethtool ip ss
ktput_load || skip_all "ktput.ko does not load"
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
link_up "$a" veth0
link_up "$b" veth0

hand_over ip netns exec "$a" /usr/bin/python3 -B "$TOP/selftests/cases/tcp.py" "$b"
