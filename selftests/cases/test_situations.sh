#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The bottleneck in situations that are drawn, each of another kind: thirty of those of
# make check-verdict, which has two hundred and says how often it is right.
#
# Bounds. Of what is right in 95 of 100 cases, thirty have more than five misses in one of
# 300 lists; of what is wrong with confidence high in 2 of 100, more than two in one of 50.
#
# kernel: any
# runs: alone

. "$(dirname "$0")/../lib/lib.sh"

need_root
need ip tc sysctl nft ethtool taskset chrt python3 iperf3
ktput_load || skip_all "the module cannot be loaded"
modprobe -q tun
plan 2

drawn=$(mktemp)
at_exit rm -f "$drawn"

situations()
{
	"$TOP/selftests/verdict/situations.py" --count 30 --right 83 --wrong 8 "$@" \
		>"$drawn" 2>&1 || { cat "$drawn"; return 1; }
}

check "it says so if it is not as often right as is wanted" \
	eval '! situations --count 1 --only nothing'
check "the bottleneck is right" situations
while read -r line; do
	diag "${line:0:300}"
done < <(grep '^[0-9]* *\(wrong\|unknown\|not made\|of\)' "$drawn")
finish
