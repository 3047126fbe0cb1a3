#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-debug.sh: the tests on a kernel that looks for defects, in a VM
#
# usage: selftests/ci/check-debug.sh [--help] [KERNEL [TEST]...]
#
# KERNEL is debug (memory, locks, objects, references; calls that fail), kcsan
# (data races), or one with PREEMPT_RT, 6.1-rt or 6.12-rt; debug if it is left
# out. Makes it, if it is not there, and the module and tools; runs every
# test of cases, or the TESTs, in one VM. What is printed in full stays in
# build/check/KERNEL. A test that fails is a failure, and so is anything that
# the kernel reports, and what is left in memory once the module is gone.
#
# exit: 0 nothing failed and nothing was reported, 1 something, 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"

kernel=${1-debug}
case $kernel in
--help|-h) usage; exit 0 ;;
debug|kcsan) part=debug ;;
6.1-rt|6.12-rt) part=rt ;;
*) usage >&2; exit 2 ;;
esac
[ $# = 0 ] || shift

"$TOP/selftests/ci/setup.sh" $part || exit 1
[ $part = rt ] || "$TOP/selftests/vm/kernel.sh" "$kernel" >/dev/null || exit 1
make -s -C "$TOP/tools" || exit 1
"$TOP/selftests/ci/module.sh" "$kernel" >/dev/null || exit 1

# All that is checked at each access, and each lock, takes time and memory.
"$TOP/selftests/vm/run" --memory 3G --boot-timeout 900 --timeout 20000 \
	--results "$BUILD/check/$kernel" "$kernel" -- \
	"$TOP/selftests/ci/run.sh" "$@" || exit 1
