#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Counters of each CPU add up, with however many there are, and one may go; see
# cpus.py.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip
ktput_load || skip_all "ktput.ko does not load"
netns_add here
others=()
for ((i = 0; i < 5; i++)); do
	netns_add name
	# shellcheck disable=SC2154  # netns_add sets it
	others+=("$name")
done
at_exit sh -c 'echo 1 | tee /sys/devices/system/cpu/cpu*/online'
# shellcheck disable=SC2154  # netns_add sets it
hand_over ip netns exec "$here" /usr/bin/python3 -B "$TOP/selftests/cases/cpus.py" \
	"${others[@]}"
