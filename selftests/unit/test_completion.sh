#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Completion: what the program says may follow, and what shells make of it under a
# terminal.

. "$(dirname "$0")/../lib/lib.sh"

scripts=$TOP/tools/completion
# What is tested, rather than what is installed.
PATH=$(dirname "$KTPUT_CTL"):$PATH

# candidates WORD...: the words that may follow, on one line.
candidates()
{
	"$KTPUT_CTL" complete "$@" | cut -f 1 | paste -s -d ' '
}

# offers "WORD..." CANDIDATE...: all of these, among others perhaps.
offers()
{
	local words given=$1 found wanted
	shift

	IFS='|' read -r -a words <<<"$given"
	found=" $(candidates "${words[@]}" "") "
	for wanted; do
		[[ $found == *" $wanted "* ]] || {
			echo "no '$wanted' in:$found"
			return 1
		}
	done
}

# withholds "WORD..." CANDIDATE...: none of these.
withholds()
{
	local wanted

	for wanted in "${@:2}"; do
		! offers "$1" "$wanted" >/dev/null || return 1
	done
}

is()
{
	local found
	found=$(candidates "${@:2}")

	[ "$found" = "$1" ] || { echo "'$found' instead of '$1'"; return 1; }
}

# shell NAME SCRIPT: it completes lines.
shell()
{
	if ! command -v "$1" >/dev/null; then
		skip "$1" "$1 is not installed"
		return
	fi
	(cd "$TOP" && "$TOP/selftests/unit/completion.py" "$1" "$scripts/$2" \
		"ktput-ctl start rate 1mpps seg<tab>" \
		"ktput-ctl start to fd00::1 layer driv<tab>" \
		"ktput-ctl start dev l<tab>" "ktput-ctl wire at<tab>" \
		"ktput-ctl start record Make<tab>" "ktput-report mod<tab>" \
		"ktput-report plot percen<tab>" "ktput-report html Make<tab>") >"$ktap_scratch/lines" 2>&1
	cat >"$ktap_scratch/wanted" <<-EOF
		start rate 1mpps segments
		start to fd00::1 layer driver
		start dev lo
		wire atm
		start record Makefile
		model
		plot percentiles
		html Makefile
	EOF
	check "$1" diff "$ktap_scratch/wanted" "$ktap_scratch/lines"
}

plan 18
check "commands" is "start stop" st
check "a command of two words" is "atm" wire at
check "a command of the laboratory" is "scenario" scena
check "its keywords" offers "scenario|list" short record
check "a file of its keyword" is ":files" scenario x figure ""
check "keywords that begin so" is "segments" start seg
check "a choice" is "driver" start layer d
check "of one field only one is offered" withholds "start|udp" tcp udp
check "keywords of one transport" withholds "start|tcp" rate cookie
check "a keyword decides the transport" withholds "start|rate|1mpps" tcp \
	congestion mss
check "and the layer" is "driver xdp" start burst 4 layer ""
check "a layer decides the transport" withholds "start|layer|driver" tcp nodelay
check "nothing typed leaves all open" offers "start" tcp udp rate congestion
check "congestion controls" offers "start|congestion" \
	"$(cut -d ' ' -f 1 /proc/sys/net/ipv4/tcp_available_congestion_control)"
check "CPUs go on" is "0,0" start cpus 0,0
shell bash ktput-ctl.bash
shell zsh _ktput-ctl
shell fish ktput-ctl.fish
finish
