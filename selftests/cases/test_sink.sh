#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A sink that stays: what it tells while nobody sends, clients that vanish, more of them
# than it has places or descriptors.
#
#   a: veth0 10.13.0.1 ------- b: veth0 10.13.0.2
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need ktput-ctl gojq ip ss nft /usr/bin/python3
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
netns_add a && netns_add b || skip_all "no network namespaces here"
# Set by netns_add.
: "${a:?}" "${b:?}"
calm "$a" "$b"
veth_add "$a" 10.13.0.1/24 "$b" 10.13.0.2/24 || skip_all "no veth here"

plan 20

listening() { ss -N "$b" -tulnH "sport = :$1" | grep -q .; }
connected() { [ "$(ss -N "$b" -tnH state established sport = ":$1" | wc -l)" = "$2" ]; }

# client COUNT PORT: connects so often, sends a byte each time, and stays.
client='
import socket, sys, time
peers = [socket.create_connection(("10.13.0.2", int(sys.argv[2])))
         for _ in range(int(sys.argv[1]))]
for peer in peers:
    peer.sendall(b"x")
time.sleep(600)
'
client()
{
	ip netns exec "$a" /usr/bin/python3 -B -c "$client" "$@"
}

# Its output goes to a file: the heading is there at once, and nothing is added.
background idle ktput-ctl sink udp layer user netns "$b" port 5020 cookie 42 interval 100ms
wait_for "$BOUND" listening 5020
check "the heading comes at once" wait_for "$BOUND" grep -q 'port 5020.*cookie 42' \
	"$scratch/idle.out"
# Ten intervals of it: those of another sink that has a connection.
background busy ktput-ctl sink layer user netns "$b" port 5021 interval 100ms
wait_for "$BOUND" listening 5021
background one client 1 5021
lines()
{
	[ "$(grep -cE '^ *[0-9.]+-[0-9.]+ ' "$scratch/$1.out")" -ge "$2" ]
}
check "a peer that says nothing has lines" wait_for "$BOUND" lines busy 10
check "without a peer there are none" sh -c "! grep -qE '^ *[0-9.]+-[0-9.]+ ' '$scratch/idle.out'"
ktput-ctl start udp layer user netns "$a" to 10.13.0.2 port 5020 cookie 42 messages 50 \
	rate 500pps >/dev/null
check "datagrams have" wait_for "$BOUND" lines idle 1
check "and whose they are" wait_for "$BOUND" grep -q 'peer  10.13.0.1: ' "$scratch/idle.out"
kill -INT "${background[idle]}"
check "it ends in order" ended idle
kill -9 "${background[one]}"
kill -INT "${background[busy]}"
check "as with TCP" ended busy

# A place for one: others are told, and so is who reads the result.
background full ktput-ctl sink layer user netns "$b" port 5022 streams 1
wait_for "$BOUND" listening 5022
background one client 1 5022
wait_for "$BOUND" connected 5022 1
turned_away()
{
	! timeout 60 ktput-ctl start layer user netns "$a" to 10.13.0.2 port 5022 \
		time 300ms >"$scratch/start" 2>&1 &&
		grep -qE 'turned the connection away|reset' "$scratch/start"
}
check "a full sink turns a source away" turned_away
check "it says so meanwhile" wait_for "$BOUND" grep -q \
	"refused: all places are taken; 'streams'" "$scratch/full.err"
kill -9 "${background[one]}"
kill -INT "${background[full]}"
ended full
check "and in its result" grep -qE '^Refused  *[0-9]+ connections?: all places' \
	"$scratch/full.out"

# Descriptors for some only: the sink stays for who comes later.
background few bash -c "ulimit -n 64 && exec ktput-ctl sink layer user netns $b port 5023"
wait_for "$BOUND" listening 5023
ip netns exec "$a" /usr/bin/python3 -B -c '
import socket, sys
peers, refused = [], 0
for _ in range(100):
    try:
        peers.append(socket.create_connection(("10.13.0.2", 5023), 20))
    except ConnectionError:
        refused += 1
for peer in peers:
    try:
        peer.settimeout(20)
        peer.sendall(b"x")
        peer.shutdown(socket.SHUT_WR)
        peer.recv(1)
    except ConnectionError:
        refused += 1
sys.exit(not refused)'
check "more connections than descriptors" test $? = 0
check "another client is served" timeout 60 ktput-ctl start layer user netns "$a" \
	to 10.13.0.2 port 5023 bytes 20000
kill -INT "${background[few]}"
check "the sink has stayed" ended few
check "and tells whom it refused" grep -qE '^Refused  *[0-9]+ connections: no descriptor' \
	"$scratch/few.out"

# Clients whose host is gone, without a FIN: nothing but probes tells of that. Those
# whose host answers stay as long as they like.
for layer in user socket; do
	port=$([ "$layer" = user ] && echo 5030 || echo 5040)
	if [ "$layer" = socket ] && [ "${KTPUT_VM-}" != 1 ]; then
		for what in "a vanished client ends a sink for one" "leaves its place" \
			"probes begin soon"; do
			skip "$layer: $what" "the module is not loaded"
		done
		continue
	fi
	if [ "$layer" = socket ]; then
		ktput_load || diag "the module cannot be loaded"
	fi
	background once ktput-ctl sink layer "$layer" netns "$b" port "$port" once
	background stays ktput-ctl sink layer "$layer" netns "$b" port $((port + 1))
	wait_for "$BOUND" listening "$port"
	wait_for "$BOUND" listening $((port + 1))
	background one client 1 "$port"
	background two client 2 $((port + 1))
	wait_for "$BOUND" connected "$port" 1
	wait_for "$BOUND" connected $((port + 1)) 2
	check "$layer: probes begin soon" sh -c "ss -N $b -tnoH sport = :$port |
		grep -E 'keepalive,([0-9]|10)(\.[0-9]+)?(sec|ms)'"
	ip netns exec "$b" nft "add table inet gone$port; \
		add chain inet gone$port c { type filter hook input priority 0; }; \
		add rule inet gone$port c tcp dport { $port, $((port + 1)) } drop"
	check "$layer: a vanished client ends a sink for one" \
		wait_for $((2 * BOUND)) gone "${background[once]}"
	check "$layer: leaves its place" wait_for $((2 * BOUND)) connected $((port + 1)) 0
	kill -9 "${background[one]}" "${background[two]}"
	kill -INT "${background[stays]}"
	ended stays
done
finish
