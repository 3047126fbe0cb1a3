#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Addresses and ports: a port that a connection has just left, a host with several
# addresses, link-local ones in other network namespaces, a name whose first address is
# dead.
#
#   a: veth0 10.12.0.1, fd0c::1 ------- b: veth0 10.12.0.2, .22, fd0c::2, ::22
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need ktput-ctl gojq ip ss getent
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
netns_add a && netns_add b || skip_all "no network namespaces here"
# Set by netns_add.
: "${a:?}" "${b:?}"
calm "$a" "$b"
veth_add "$a" 10.12.0.1/24 "$b" 10.12.0.2/24 || skip_all "no veth here"
for host in 2 22; do
	addr_add "$b" "10.12.0.$host/24" veth0 2>/dev/null
	addr_add "$b" "fd0c::$host/64" veth0
done
addr_add "$a" fd0c::1/64 veth0
near=fe80::c:1
far=fe80::c:2
addr_add "$a" "$near/64" veth0
addr_add "$b" "$far/64" veth0
link_up "$b" veth0

plan 23

user='layer user sink-layer user'

# valid WORD...: a run of 20000 bytes that all arrive.
valid()
{
	timeout 120 ktput-ctl -j start bytes 20000 "$@" >"$scratch/run" &&
		jq -e '.result.valid and .result.bytes == 20000' "$scratch/run"
}

# again LAYER: three runs from one port; the connections before are in TIME_WAIT.
again()
{
	local i

	for i in 1 2 3; do
		valid layer "$1" sink-layer "$1" netns "$a" sink-netns "$b" \
			to 10.12.0.2 from-port 41000 streams 2 || return 1
	done
}

# answered ADDRESS: at that address of a host that answers at any.
answered()
{
	timeout 60 ktput-ctl -j pingpong udp layer user netns "$a" to "$1" \
		cookie 7 messages 20 >"$scratch/run" &&
		jq -e '.result.round_trips == 20 and .result.timeouts == 0' \
			"$scratch/run"
}

check "user: from one port, again and again" again user
for layer in user socket; do
	if [ "$layer" = socket ] && [ "${KTPUT_VM-}" != 1 ]; then
		skip "socket: from one port, again and again" "the module is not loaded"
		skip "socket: an address of several answers" "the module is not loaded"
		skip "socket: link-local" "the module is not loaded"
		skip "socket: link-local with dev" "the module is not loaded"
		continue
	fi
	if [ "$layer" = socket ]; then
		ktput_load || diag "the module cannot be loaded"
		check "socket: from one port, again and again" again socket
	fi
	background reply ip netns exec "$b" ktput-ctl reply udp layer "$layer" cookie 7
	wait_for "$BOUND" sh -c "ss -N $b -ulnH | grep -q ':5010 '"
	if [ "$layer" = user ]; then
		for to in 10.12.0.2 10.12.0.22 fd0c::2 fd0c::22 "$far%veth0"; do
			check "user: $to answers" answered "$to"
		done
	else
		check "socket: an address of several answers" answered 10.12.0.22
	fi
	kill "${background[reply]}"
	ended reply || diag "reply ended otherwise"
	ends="layer $layer sink-layer $layer netns $a sink-netns $b"
	# shellcheck disable=SC2086  # words
	check "$layer: link-local" valid $ends to "$far%veth0"
	# shellcheck disable=SC2086  # words
	check "$layer: link-local with dev" valid $ends to "$far" dev veth0
done
# shellcheck disable=SC2086  # words
check "link-local, with the source's" valid $user netns "$a" sink-netns "$b" \
	from "$near%veth0" to "$far%veth0"
# shellcheck disable=SC2086  # words
check "link-local, of this host" valid $user netns "$a" to "$near%veth0"
# shellcheck disable=SC2086  # words
check "link-local, of UDP" sh -c "ktput-ctl -j start udp $user netns $a \
	sink-netns $b to $far%veth0 messages 20 | jq -e '.result.datagrams.lost == 0'"
refused "a zone that is none there" 1 'device of its network namespace' \
	ktput-ctl start layer user netns "$a" to "$far%nowhere"

background sink ktput-ctl sink layer user netns "$b" on "$far%veth0" port 5011
wait_for "$BOUND" sh -c "ss -N $b -tlnH | grep -q ':5011 '"
check "a sink on a link-local address" sh -c "ktput-ctl -j start layer user netns $a \
	to $far%veth0 port 5011 bytes 20000 | jq -e .result.valid"
kill "${background[sink]}"
ended sink || diag "the sink ended otherwise"

# Names are those of the namespace that the program runs in.
mkdir -p "/etc/netns/$a"
at_exit rm -r "/etc/netns/$a"
printf '10.12.0.3 two.example\n10.12.0.2 two.example\n10.12.0.3 one.example\n' \
	>"/etc/netns/$a/hosts"
background sink ip netns exec "$b" ktput-ctl sink layer user port 5012
wait_for "$BOUND" sh -c "ss -N $b -tlnH | grep -q ':5012 '"
named()
{
	timeout 60 ip netns exec "$a" ktput-ctl -j "$1" layer user "${@:3}" to "$2" \
		connect-timeout 2s >"$scratch/run" 2>"$scratch/err"
}
first=$(ip netns exec "$a" getent ahostsv4 two.example | awk 'NR == 1 { print $1 }')
if [ "$first" = 10.12.0.3 ]; then
	check "the second address of a name" named start two.example port 5012 time 200ms
	check "which is told" grep -q \
		'two.example is 10.12.0.3: .*; the next address is tried' "$scratch/err"
	check "and recorded" jq -e '.source.config.remote == "10.12.0.2"' "$scratch/run"
else
	skip "the second address of a name" "the names are sorted otherwise"
	skip "which is told" "the names are sorted otherwise"
	skip "and recorded" "the names are sorted otherwise"
fi
dead()
{
	! named start one.example port 5012 && grep -q 'one.example is 10.12.0.3: ' \
		"$scratch/run" "$scratch/err"
}
check "the only address of a name" dead
literal()
{
	! named start 10.12.0.3 port 5012 && ! grep -q ' is 10.12.0.3' \
		"$scratch/run" "$scratch/err"
}
check "an address is no name" literal
# The address answers, and nothing listens: that is told of the last one.
nobody()
{
	! named pingpong two.example port 5013 && grep -q 'two.example is 10.12.0.2: ' \
		"$scratch/run" "$scratch/err"
}
if [ "$first" = 10.12.0.3 ]; then
	check "each address of a name" nobody
else
	skip "each address of a name" "the names are sorted otherwise"
fi
finish
