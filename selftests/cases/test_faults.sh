#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Calls fail that hardly ever fail, while runs start and while they last. With
# arguments, those cases that have one of them in their names: "udp, direct:".

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip nsenter
[ -e /proc/thread-self/fail-nth ] && [ -d /sys/kernel/debug/failslab ] ||
	skip_all "the kernel injects no faults: see selftests/ci/check-debug.sh"
# Each end of a run waits for grace periods, and there are thousands.
at_exit sh -c 'echo 0 >/sys/kernel/rcu_expedited'
echo 1 >/sys/kernel/rcu_expedited
ktput_load || skip_all "ktput.ko does not load"
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
link_up "$a" veth0
link_up "$b" veth0

# Not by ip netns exec, which mounts a /sys without debugfs.
hand_over nsenter --net="/run/netns/$a" /usr/bin/python3 -B \
	"$TOP/selftests/cases/faults.py" "$b" "$@"
