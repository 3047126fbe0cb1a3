#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The unit of a long-lived sink: what systemd says of it, and its command.

. "$(dirname "$0")/../lib/lib.sh"

command -v systemd-analyze >/dev/null || skip_all "systemd-analyze is not installed"
# Exposure from 0 to 10, as systemd-analyze counts it, times 10.
EXPOSURE_MAX=40
plan 3
unit=$ktap_scratch/ktput-sink.service
sed "s|@SBIN@|$(dirname "$KTPUT_CTL")|" "$TOP/tools/systemd/ktput-sink.service.in" \
	>"$unit"

# Of other units of the host it may have something to say as well.
verified()
{
	systemd-analyze verify --man=no "$unit" >"$ktap_scratch/said" 2>&1
	! grep ktput "$ktap_scratch/said"
}

check "systemd understands it" verified
check "little is exposed" systemd-analyze security --offline=yes \
	--threshold="$EXPOSURE_MAX" "$unit"

# Its default words, by an application's sockets, until Ctrl-C as systemd sends it.
serves()
{
	local words status=0

	words=$(sed -n 's/^Environment=KTPUT_SINK="\(.*\)"$/\1/p' "$unit")
	# shellcheck disable=SC2086 # words
	timeout --preserve-status -s INT 1 "$KTPUT_CTL" sink $words layer user port 0 || status=$?
	[ "$status" = 0 ]
}
check "its command ends in order" serves
finish
