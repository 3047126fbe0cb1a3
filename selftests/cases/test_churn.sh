#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whatever happens to runs under traffic, at every layer, as often as KTPUT_CHURN
# says; see churn.py.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip ktput-ctl
ktput_load || skip_all "ktput.ko does not load"
hand_over /usr/bin/python3 -B "$TOP/selftests/cases/churn.py" \
	"$BUILD/$(uname -r)/ktput.ko"
