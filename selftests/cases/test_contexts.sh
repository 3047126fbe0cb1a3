#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Cycles of each CPU by context: that they add up, and which they are.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip ktput-ctl
[[ $(uname -v) != *PREEMPT_RT* ]] ||
	skip_all "a PREEMPT_RT kernel does not tell contexts apart"
ktput_load || skip_all "ktput.ko does not load"
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
link_up "$a" veth0
link_up "$b" veth0

hand_over ip netns exec "$a" /usr/bin/python3 -B "$TOP/selftests/cases/contexts.py" \
	"$b" "$BUILD/$(uname -r)/ktput.ko"
