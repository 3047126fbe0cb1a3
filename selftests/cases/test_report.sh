#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-report on records of real runs. selftests/lab/test_report.sh has the rest,
# on records that are made there: it needs no kernel, and runs on the host.
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"

need ktput-ctl ktput-report gojq file
/usr/bin/python3 -c 'import numpy, scipy, matplotlib, jinja2' 2>/dev/null ||
	skip_all "what ktput-report imports is not installed"
need_root
ktput_load || skip_all "the module cannot be loaded"
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
cd "$scratch" || exit 1
ip link set lo up
plan 7

check "two runs" eval 'ktput-ctl -j -s start bytes 8M interval 20ms repeat 2 \
	disturbed-above 100 >real'
check "show" eval 'ktput-ctl show real | grep -q "^Goodput "'
check "ceilings" ktput-report ceilings real
# Of a run with itself nothing differs.
check "diff" eval 'ktput-report -j diff real real | jq -e "
	(.figures | length) > 0 and all(.figures[]; .difference == 0) and
	.settings == []"'
csv()
{
	ktput-report csv real >rows &&
		[ "$(wc -l <rows)" = "$(jq -s 'map(.intervals | length) | add + 1' real)" ]
}
check "csv" csv
check "plot" eval 'ktput-report plot cpu real out x.png &&
	file x.png | grep "PNG image"'
check "html" eval 'ktput-report html real out x.html && grep -q "</html>" x.html'
finish
