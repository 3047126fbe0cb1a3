# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# engines.sh: what the tests of other programs as engines share. Sourced after
# lib.sh and runs.sh; engine is the program's name, and server_word the word that
# makes it a server.
#
#   engine_begin TESTS       what is needed, and two namespaces; then plan TESTS
#   start WORD...            a run whose record is $scratch/run; what the ends
#                            printed is in $scratch/client.out and server.out
#   told END WORD...         the client or the server was called with them, one
#                            after the other
#   interrupted              Ctrl-C ends a run in order, with a result
#   killed                   SIGKILL leaves no process behind
#
#   a: veth0 10.5.0.1, fd05::1 ------- b: veth0 10.5.0.2, fd05::2

# shellcheck disable=SC2154  # engine and server_word

engine_begin()
{
	need_root
	need ktput-ctl gojq ip ss "$engine"
	scratch=$(mktemp -d)
	at_exit rm -rf "$scratch"
	ip link set lo up
	netns_add a && netns_add b || skip_all "no network namespaces here"
	# Set by netns_add.
	: "${a:?}" "${b:?}"
	veth_add "$a" 10.5.0.1/24 "$b" 10.5.0.2/24 || skip_all "no veth here"
	addr_add "$a" fd05::1/64 veth0
	addr_add "$b" fd05::2/64 veth0
	link_up "$b" veth0

	# Keeps what the real one prints, a file for each end, and passes it on.
	mkdir "$scratch/bin"
	cat >"$scratch/bin/$engine" <<-END
	#!/bin/sh
	end=client
	case " \$* " in *" $server_word "*) end=server ;; esac
	echo "\$*" >"$scratch/\$end.words"
	$(command -v "$engine") "\$@" >"$scratch/\$end.out"
	status=\$?
	cat "$scratch/\$end.out"
	exit \$status
	END
	chmod 755 "$scratch/bin/$engine"
	plan "$1"
}

start()
{
	PATH=$scratch/bin:$PATH timeout 120 ktput-ctl -j -s start \
		engine "$engine" "$@" >"$scratch/run"
}

told()
{
	local end=$1
	shift

	grep -qF -e " $* " <<<" $(cat "$scratch/$end.words") " ||
		{ cat "$scratch/$end.words"; return 1; }
}

# both NAME: client and server of a run in the background are connected, and payload has
# arrived: before that, an interrupted client has no result.
both()
{
	[ "$(pgrep -c -P "${background[$1]}" -x "$engine")" = 2 ] &&
		ss -tnpiHO state established | grep "$engine" |
		grep -qE 'bytes_received:[0-9]{6}'
}

interrupted()
{
	local status=0

	background interrupted env --default-signal=INT ktput-ctl -j start \
		engine "$engine" time 100s
	wait_for "$BOUND" both interrupted || return 1
	kill -INT "${background[interrupted]}"
	ended interrupted || status=$?
	[ "$status" = 0 ] && jq -e '.result | .interrupted and .valid and
		.reason == "stopped"' "$scratch/interrupted.out"
}

killed()
{
	local children child

	background killed ktput-ctl start engine "$engine" time 100s
	wait_for "$BOUND" both killed || return 1
	children=$(pgrep -P "${background[killed]}")
	kill -KILL "${background[killed]}"
	for child in $children; do
		wait_for "$BOUND" gone "$child" || return 1
	done
}

# without: a run where the program is in no directory of the search path.
without()
{
	mkdir -p "$scratch/empty"
	ln -sf "$(command -v ktput-ctl)" "$scratch/empty/ktput-ctl"
	env PATH="$scratch/empty" ktput-ctl start engine "$engine" time 1s
}
