# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# shown.sh: what the tests of ktput-ctl show FILE share. Sourced after lib.sh and
# runs.sh, in a scratch directory.

# results: of what a command printed all but which runs there are, and the
# intervals, up to an empty line.
results()
{
	awk '/^(source|sink): / { skip = 1 }
		!skip { print }
		/^$/ { skip = 0 }' printed
}

# shown OPTIONS: the results that were printed are those that show prints.
shown()
{
	results >wanted
	# shellcheck disable=SC2086  # OPTIONS may be none
	ktput-ctl $1 show record >shown 2>shown.err || {
		cat shown.err
		return 1
	}
	[ -s wanted ] && diff wanted shown
}

# ended_with STATUS OPTIONS WORD...: a command that ends with STATUS, a pattern, and
# its record.
ended_with()
{
	local wanted=$1 options=$2 status=0
	shift 2

	rm -f record
	# shellcheck disable=SC2086
	timeout 120 ktput-ctl $options "$@" record record >printed 2>printed.err ||
		status=$?
	# shellcheck disable=SC2053  # it is a pattern
	[[ $status == $wanted ]] || {
		echo "it ended with $status"
		cat printed printed.err
		return 1
	}
	shown "$options"
}

# The record has the document that -j prints.
same_document()
{
	ktput-ctl -j show record | grep -v '^{"summary"' >shown
	[ -s record ] && cmp shown record
}

# all_forms NAME COMMAND WORD...: COMMAND takes options of ktput-ctl before WORD...
all_forms()
{
	local name=$1 command=$2
	shift 2

	check "$name" "$command" "" "$@"
	check "$name, -s" "$command" -s "$@"
	check "$name, -j" same_document
}

begun()
{
	grep -qE '^ *[0-9.]+-[0-9.]+ ' run.out
}

listening()
{
	[ -n "$(ss -tlnH "sport = :$port")" ]
}

# background_run OPTIONS WORD...: a command whose record is to be "record".
background_run()
{
	local options=$1
	shift

	rm -f record
	# shellcheck disable=SC2086
	background run timeout 120 ktput-ctl $options "$@" record record
}

# background_shown OPTIONS: that command has ended, and is shown.
background_shown()
{
	ended run || {
		cat run.out run.err
		return 1
	}
	cp run.out printed
	shown "$1"
}

interrupted()
{
	background_run "$@"
	wait_for "$BOUND" begun || return 1
	# shellcheck disable=SC2154 # of runs.sh
	pkill -INT -P "${background[run]}" ktput-ctl
	background_shown "$1" && jq -e .result.interrupted record >/dev/null
}

# sink_alone OPTIONS WORD...: a sink whose source is another command.
sink_alone()
{
	local port=$((20000 + RANDOM % 10000))

	background_run "$1" sink once port "$port" interval 10ms "${@:2}"
	wait_for "$BOUND" listening && ktput-ctl start to 127.0.0.1 alone port "$port" \
		bytes 1M layer user && background_shown "$1"
}

# source_alone OPTIONS WORD...: a source whose sink is another command.
source_alone()
{
	local port=$((20000 + RANDOM % 10000))

	background other ktput-ctl sink once port "$port" layer user
	wait_for "$BOUND" listening && ended_with 0 "$1" start to 127.0.0.1 alone \
		port "$port" bytes 1M "${@:2}" && ended other
}

same()
{
	ended_with 0 "$@"
}

# With a busy machine there may be no payload after a warm-up, which is shown, too.
timed()
{
	ended_with "[01]" "$@"
}

invalid()
{
	ended_with 1 "$@" && grep '^INVALID' shown
}
