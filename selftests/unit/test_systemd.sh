#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The units of a long-lived sink and of a measurement that is repeated: what systemd
# says of them, and their commands; and what logrotate keeps of the records.

. "$(dirname "$0")/../lib/lib.sh"

command -v systemd-analyze >/dev/null || skip_all "systemd-analyze is not installed"
rotate=$(PATH="$PATH:$CACHE/logrotate/usr/sbin" command -v logrotate) ||
	skip_all "logrotate is not there: run make setup"
# Exposure from 0 to 10, as systemd-analyze counts it, times 10.
EXPOSURE_MAX=40
plan 12
state=$ktap_scratch/state
mkdir -p "$state/ktput" "$ktap_scratch/share"
sed "s|/var/lib/ktput/|$state/ktput/|" "$TOP/tools/systemd/ktput-probe.logrotate" \
	>"$ktap_scratch/share/ktput-probe.logrotate"
for unit in ktput-sink.service ktput-probe.service; do
	sed "s|@SBIN@|$(dirname "$KTPUT_CTL")|; s|@SHARE@|$ktap_scratch/share|" \
		"$TOP/tools/systemd/$unit.in" >"$ktap_scratch/$unit"
done
cp "$TOP/tools/systemd/ktput-probe.timer" "$ktap_scratch"
# One that is in the cache needs the library beside it.
cat >"$ktap_scratch/logrotate" <<END
#!/bin/sh
LD_LIBRARY_PATH=$CACHE/logrotate/usr/lib/$(uname -m)-linux-gnu exec $rotate "\$@"
END
chmod 755 "$ktap_scratch/logrotate"

# Of other units of the host it may have something to say as well.
verified()
{
	systemd-analyze verify --man=no "$ktap_scratch/$1" >"$ktap_scratch/said" 2>&1
	! grep ktput "$ktap_scratch/said"
}

# exposed UNIT: true if little is
exposed()
{
	systemd-analyze security --offline=yes --threshold="$EXPOSURE_MAX" \
		"$ktap_scratch/$1"
}

check "systemd understands the sink" verified ktput-sink.service
check "little of it is exposed" exposed ktput-sink.service
check "systemd understands the measurement" verified ktput-probe.service
check "little of it is exposed" exposed ktput-probe.service
check "systemd understands its timer" verified ktput-probe.timer

# setting UNIT KEY: its values in a unit, a line each, without what tells systemd how to
# run a command
setting()
{
	sed -n "s/^$2=[-+]*//p" "$ktap_scratch/$1"
}

# Its default words, by an application's sockets, until Ctrl-C as systemd sends it.
serves()
{
	local words status=0

	words=$(setting ktput-sink.service Environment | sed -n 's/^KTPUT_SINK="\(.*\)"$/\1/p')
	# shellcheck disable=SC2086 # words
	timeout --preserve-status -s INT 1 "$KTPUT_CTL" sink $words layer user port 0 || status=$?
	[ "$status" = 0 ]
}
check "the sink ends in order" serves

# as_systemd KEY: run the commands of the measurement, those of the host left out; status
# of the last one
as_systemd()
{
	local line

	while read -r line; do
		case $line in
		/sbin/modprobe*) continue ;;
		esac
		line=${line//%S/$state}
		line=${line//\/usr\/sbin\/logrotate/$ktap_scratch/logrotate}
		(eval "$(setting ktput-probe.service Environment)"; eval "$line")
	done < <(setting ktput-probe.service "$1")
}

# measure [WORDS]: what the timer starts
measure()
{
	local status=0

	as_systemd ExecStartPre
	if [ $# -gt 0 ]; then
		sed -i "s|^Environment=KTPUT_PROBE=.*|Environment=KTPUT_PROBE=\"$*\"|" \
			"$ktap_scratch/ktput-probe.service"
	fi
	as_systemd ExecStart || status=$?
	as_systemd ExecStopPost || status=$?
	return "$status"
}

records=$state/ktput/probe.jsonl

measured()
{
	measure && measure start layer user sink-layer user bytes 1M &&
		[ "$(wc -l <"$records")" = 2 ] && tail -n 1 "$records" | cmp - "$state/ktput/last.jsonl" &&
		[ "$(jq -s 'map(.result.valid) | all' "$records")" = true ]
}
check "each measurement is a record" measured

failed()
{
	! measure start layer user to 192.0.2.1 nosuch &&
		[ ! -e "$state/ktput/last.jsonl" ] && [ "$(wc -l <"$records")" = 2 ]
}
check "one that fails adds nothing" failed

# rotated: the names of files that were put aside
rotated()
{
	find "$state/ktput" -name 'probe.jsonl-*'
}

keep()
{
	as_systemd ExecStopPost
}

beyond()
{
	head -c 8388608 /dev/zero >>"$records" && rm -f "$state/ktput/last.jsonl" && keep &&
		[ ! -e "$records" ] && [ "$(rotated | wc -l)" = 1 ] &&
		[ "$(zcat "$(rotated)" | head -n 2 | wc -l)" = 2 ]
}
check "beyond 8 MiB records are put aside, compressed" beyond

# a_day_later: logrotate has seen the file yesterday
a_day_later()
{
	rotated | xargs -r rm
	echo one >"$records"
	keep && [ -s "$records" ] || return 1
	sed -i "s|^\(\"$records\"\) .*|\1 $(date -d '2 days ago' +%Y-%-m-%-d-0:0:0)|" \
		"$state/ktput/rotated"
	keep && [ ! -e "$records" ] && [ "$(rotated | wc -l)" = 1 ]
}
check "so they are after a day" a_day_later

# another_day: write more than 8 MiB, and put it aside
another_day()
{
	head -c 8388609 /dev/zero >"$records" && keep
}

# of_days COUNT: files that were put aside, one a day
of_days()
{
	local day

	rotated | xargs -r rm
	for day in $(seq "$1"); do
		touch -d "$day days ago" \
			"$records-$(date -d "$day days ago" +%Y%m%d-%s).gz"
	done
}

thirty()
{
	of_days 29 && another_day && [ "$(rotated | wc -l)" = 30 ]
}
check "30 of them stay" thirty

no_more()
{
	of_days 40 && another_day && [ "$(rotated | wc -l)" = 30 ] &&
		! find "$state/ktput" -name 'probe.jsonl-*' -mtime +30 | grep . &&
		of_days 3 && touch -d '31 days ago' "$(rotated | sort | head -n 1)" &&
		another_day && [ "$(rotated | wc -l)" = 3 ]
}
check "and no more, and none longer than 30 days" no_more
finish
