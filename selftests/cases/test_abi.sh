#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Requests of netlink that are malformed: each is refused, with a sentence.

# In a namespace of its own, whose loopback is all that there is.
[ -n "${KTPUT_UNSHARED-}" ] || KTPUT_UNSHARED=1 exec unshare -n bash "$0" "$@"

. "$(dirname "$0")/../lib/lib.sh"

need_root
need unshare ip
ip link set lo up
ktput_load || skip_all "ktput.ko does not load"

hand_over /usr/bin/python3 -B "$TOP/selftests/cases/abi.py" \
	"$TOP/kmod/uapi/linux/ktput.h"
