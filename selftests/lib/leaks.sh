#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# leaks.sh: memory that is left when the module is gone
#
# usage: selftests/lib/leaks.sh [--help]
#
# Removes ktput.ko, has the kernel look for memory that nothing refers to, and
# prints what it found. Says nothing on a kernel without kmemleak.
#
# exit: 0 nothing is left, 1 something, or the module cannot be removed

set -u
case ${1-} in
--help|-h) . "$(dirname "$0")/env.sh"; usage; exit 0 ;;
esac

kmemleak=/sys/kernel/debug/kmemleak

[ ! -d /sys/module/ktput ] || rmmod ktput || exit 1
[ -w $kmemleak ] || exit 0
# What is younger than 5 s is never reported, and what moves may be missed once.
sleep 6
echo scan >$kmemleak
echo scan >$kmemleak
! grep '' $kmemleak
