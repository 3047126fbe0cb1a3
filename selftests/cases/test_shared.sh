#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What else on the host notices of runs; see shared.py.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip nsenter
tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing
grep -qw function $tracing/available_tracers ||
	skip_all "the kernel has no function tracer"
ktput_load || skip_all "ktput.ko does not load"
netns_add here
# shellcheck disable=SC2154  # netns_add sets it
# Not ip netns exec, which hides tracefs.
hand_over nsenter --net="/run/netns/$here" /usr/bin/python3 -B "$TOP/selftests/cases/shared.py"
