#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who may do what, and how much of it; what ktput-ctl says of it is in
# test_refusals.sh.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip tc unshare
unshare -Ur true || skip_all "there are no user namespaces"
ktput_load || skip_all "ktput.ko does not load"

# shellcheck disable=SC2016  # for the shell in there
hand_over unshare -n sh -c 'ip link set lo up && exec "$@"' - \
	/usr/bin/python3 -B "$TOP/selftests/cases/privileges.py" \
	"$(sysctl -n net.core.wmem_max)" "$(sysctl -n net.core.rmem_max)"
