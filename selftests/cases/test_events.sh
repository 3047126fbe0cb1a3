#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Events of each CPU that perf counts: that they are right, and let go.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ktput-ctl ktput-report
ktput_load || skip_all "ktput.ko does not load"

hand_over /usr/bin/python3 -B "$TOP/selftests/cases/events.py" \
	"$BUILD/$(uname -r)/ktput.ko"
