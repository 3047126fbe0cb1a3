#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Memory of ktput-ctl does not grow with the intervals of a run, whoever gets them: the
# screen, a record or -j. What has no room on the way to the record is told, and the run
# goes on.
#
# kernel: host

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need ktput-ctl jq unshare /usr/bin/python3
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
ip link set lo up
netns_add a && netns_add b || skip_all "no network namespaces here"
# shellcheck disable=SC2154  # netns_add sets them
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24 || skip_all "no veth here"
link_up "$b" veth0
plan 9

# An interval of this run has 200 KB of text, and as objects 2 MB.
run=(start layer user sink-layer user streams 100 interval 10ms pace 100mbit)

# What is kept of an interval for the statistics has 48 bytes.
MOST_BYTES=16384
FIRST=10
LAST=40

# seen NAME NUMBER: it has printed so many intervals.
seen()
{
	[ "$(grep -c -e '^{"interval"' -e '^ *[0-9.]*-[0-9.]* ' \
		"$scratch/$1.out")" -ge "$2" ]
}

# anonymous NAME: the memory of its own that it has, in bytes
anonymous()
{
	awk '/^RssAnon/ { print $2 * 1024 }' "/proc/${background[$1]}/status"
}

# flat NAME WORD...: memory after LAST intervals is that after FIRST.
flat()
{
	local name=$1 first last
	shift

	background "$name" env --default-signal=INT ktput-ctl "$@" time 1h
	wait_for "$BOUND" seen "$name" "$FIRST" && first=$(anonymous "$name") &&
		wait_for "$BOUND" seen "$name" "$LAST" &&
		last=$(anonymous "$name") || return 1
	kill -INT "${background[$name]}"
	diag "$name: $first bytes, then $last"
	ended "$name" || return 1
	[ $((last - first)) -le $(((LAST - FIRST) * MOST_BYTES)) ]
}
check "the screen" flat screen "${run[@]}"
check "a record" flat record "${run[@]}" record "$scratch/file"
check "-j" flat json -j -s "${run[@]}" json-stream

# The whole document comes at the end, and Ctrl-C is an end.
whole()
{
	jq -es 'length == 1 and (.[0].intervals | length >= '"$LAST"' and
		all(.sink.streams | length == 100)) and .[0].result.interrupted' \
		"$scratch/file" >/dev/null &&
		[ "$(grep -c '^{"interval"' "$scratch/json.out")" = \
			"$(tail -n 1 "$scratch/json.out" | jq '.intervals | length')" ]
}
check "which then have all of them" whole

# peak INTERVALS WORD...: the most memory that a run and who writes its record ever had, in
# bytes, and the intervals of all of its record
peak()
{
	rm -f "$scratch/peak"
	/usr/bin/python3 - "$1" ktput-ctl "${run[@]}" "${@:2}" time 1h record "$scratch/peak" <<'END'
import re
import resource
import signal
import subprocess
import sys

intervals = 0
with subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True) as run:
    for line in run.stdout:
        intervals += bool(re.match(r" *[0-9.]+-[0-9.]+ ", line))
        if intervals == int(sys.argv[1]):
            run.send_signal(signal.SIGINT)
            intervals += 1
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
END
	jq '.intervals, (.reverse | select(.) | .intervals) | length' "$scratch/peak"
}

# the_end WORD...: of long and short runs alike
the_end()
{
	local short long intervals

	mapfile -t short < <(peak "$FIRST" "$@")
	mapfile -t long < <(peak "$LAST" "$@")
	diag "bytes and intervals: ${short[*]}, then ${long[*]}"
	for intervals in "${short[@]:1}"; do
		[ "$intervals" -ge $((FIRST / 2)) ] || return
	done
	for intervals in "${long[@]:1}"; do
		[ "$intervals" -ge $((LAST / 2)) ] || return
	done
	[ ${#long[@]} -gt 1 ] &&
		[ $((long[0] - short[0])) -le $(((LAST - FIRST) * MOST_BYTES)) ]
}
check "the end of a run, which prints and records them" the_end
check "bidir, which prints and records those of another process" \
	the_end netns "$a" sink-netns "$b" from 10.9.0.1 to 10.9.0.2 bidir

# A run whose record is on a file system of 2 MiB.
full()
{
	mkdir -p "$scratch/small"
	# shellcheck disable=SC2016  # the shell's there
	background full unshare -m env -u TMPDIR --default-signal=INT sh -c 'cd "$1" &&
		mount -t tmpfs -o size=2m none small && shift || exit
		"$@" & echo $! >pid
		wait $!; echo $? >status
		cp small/file full' - "$scratch" ktput-ctl "${run[@]}" time 1h record small/file
	wait_for "$BOUND" seen full "$LAST" && kill -INT "$(cat "$scratch/pid")" && ended full
}

no_room()
{
	local intervals

	full || return 1
	cd "$scratch" || return 1
	intervals=$(grep -c '^ *[0-9.]*-[0-9.]* ' full.out)
	[ "$(cat status)" = 0 ] && [ "$(grep -c 'cannot keep' full.err)" = 1 ] &&
		grep 'cannot keep the intervals in small: No space left on device. The run goes on' \
			full.err && grep '^Goodput ' full.out &&
		jq -e '.intervals == [] and .intervals_missing == '"$intervals"' and
			.result.valid and .result.statistics.goodput_bps.count > 0' full && return
	head -c 1000 full.err full.out status
	return 1
}
check "no room: the run goes on, and its record has the rest" no_room

shown()
{
	ktput-ctl show "$scratch/full" >"$scratch/shown" 2>"$scratch/said" &&
		grep 'the record has no intervals, since there was no room' "$scratch/said" &&
		diff <(grep '^Goodput' "$scratch/full.out") <(grep '^Goodput' "$scratch/shown")
}
check "which can be shown" shown

nothing()
{
	! find "$scratch" /var/tmp /tmp -maxdepth 1 -name 'ktput.??????' -newer "$scratch/file" | grep .
}
check "no temporary file is left" nothing
finish
