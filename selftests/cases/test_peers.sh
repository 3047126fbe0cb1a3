#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ordinary TCP programs as peers of sources and sinks: every byte arrives.
#
#   a: veth0 10.1.0.1 ------- b: veth0 10.1.0.2

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need nc /usr/bin/python3
begin 25

BYTES=3000001

setup()
{
	netns_add a && netns_add b &&
		veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24
}

# listening NETNS PORT
listening()
{
	ss -N "$1" -tlnH | grep -q ":$2 "
}

# sent FILTER: true if it holds for the source's result.
sent()
{
	timeout 60 ktput-ctl -j -s start netns "$a" to 10.1.0.2 alone "$@" \
		>"$scratch/run" &&
		jq -e ".result.bytes == $BYTES and .result.reason == \"bytes\" and
			([.intervals[-1].source.streams[].tcp.bytes_acked] | add) ==
			$BYTES + 2 * .source.config.streams" "$scratch/run"
}

# to_nc METHOD: what it got counts, and is what the module sends.
to_nc()
{
	background nc ip netns exec "$b" nc -l 10.1.0.2 5030
	wait_for "$BOUND" listening "$b" 5030 || return 1
	sent port 5030 streams 1 bytes "$BYTES" method "$1" && ended nc &&
		[ "$(stat -c %s "$scratch/nc.out")" = "$BYTES" ]
}

# discard: reads until each of two peers has closed; prints how much it got.
discard='
import socket
with socket.create_server(("10.1.0.2", 5031)) as listener:
    print("listening", flush=True)
    peers = [listener.accept()[0] for _ in range(2)]
    for peer in peers:
        total = 0
        while data := peer.recv(1 << 16):
            total += len(data)
        print(total, flush=True)
'

to_python()
{
	background discard ip netns exec "$b" /usr/bin/python3 -B -c "$discard"
	wait_for "$BOUND" listening "$b" 5031 || return 1
	sent port 5031 streams 2 bytes "$BYTES" && ended discard &&
		[ "$(tail -n 2 "$scratch/discard.out" | sort | tr '\n' ' ')" = \
		"1500000 1500001 " ]
}

# sink ARGUMENT...: in b, on port 5010 unless it says otherwise.
sink()
{
	background sink ktput-ctl -j -s sink netns "$b" on 10.1.0.2 "$@"
	wait_for "$BOUND" listening "$b" 5010
}

# received BYTES CONNECTIONS: true if that is what the sink got.
received()
{
	ended sink && jq -e ".result.bytes == $1 and .result.reason == \"peers\" and
		.intervals[-1].sink.run.accepted == $2 and
		([.intervals[-1].sink.streams[].tcp.bytes_received] | add) ==
			$1 + $2" "$scratch/sink.out" || {
		jq -c '.result, .intervals[-1].sink.run' "$scratch/sink.out"
		cat "$scratch/sink.err"
		return 1
	}
}

from_nc()
{
	sink once streams 1 method "$1" || return 1
	head -c "$BYTES" /dev/zero | ip netns exec "$a" nc -N 10.1.0.2 5010
	received "$BYTES" 1
}

from_python()
{
	sink once streams 3 || return 1
	ip netns exec "$a" /usr/bin/python3 -B -c '
import socket
peers = [socket.create_connection(("10.1.0.2", 5010)) for _ in range(3)]
for nr, peer in enumerate(peers):
    peer.sendall(bytes(1000000 + nr))
for peer in peers:
    peer.close()
' || return 1
	received 3000003 3
}

# detached sink|start ARGUMENT...: sinks in b, sources in a; prints the number.
detached()
{
	local netns=$b

	[ "$1" = sink ] || netns=$a
	ktput-ctl -j "$1" netns "$netns" "${@:2}" detach >"$scratch/detached" &&
		jq -e '.runs[0].id' "$scratch/detached"
}

# 200 peers, one after another, are served by 8 streams.
sequence='
import socket
for nr in range(200):
    with socket.create_connection(("10.1.0.2", 5010)) as peer:
        peer.sendall(bytes(1000 + nr))
        peer.shutdown(socket.SHUT_WR)
        # Until the sink has closed too: then its stream is free.
        if peer.recv(1):
            raise SystemExit("the sink has answered")
'

in_sequence()
{
	sequence_id=$(detached sink on 10.1.0.2 streams 8) || return 1
	ip netns exec "$a" /usr/bin/python3 -B -c "$sequence" || return 1
	wait_for "$BOUND" all_served
}

all_served()
{
	run_is "$b" "$sequence_id" ".run.accepted == 200 and .run.refused == 0 and
		.run.streams == 8 and
		([.cpus[].bytes] | add) == $((200 * 1000 + 199 * 200 / 2))"
}

# Streams of the last peers have numbers of their own.
fresh_numbers()
{
	run_is "$b" "$sequence_id" '([.streams[].stream] | unique | length) == 8 and
		([.streams[].stream] | max) == 199'
}

# As many peers as there are streams: others are reset, and counted.
crowd='
import socket
peers = [socket.create_connection(("10.1.0.2", 5010)) for _ in range(8)]
for peer in peers:
    peer.sendall(b"x")
for _ in range(3):
    # The reset may be there before connect() returns.
    try:
        with socket.create_connection(("10.1.0.2", 5010)) as other:
            if other.recv(1):
                raise SystemExit("the sink has answered")
        raise SystemExit("the sink has closed in order")
    except ConnectionResetError:
        pass
'

crowded()
{
	local id

	id=$(detached sink on 10.1.0.2 streams 8) || return 1
	ip netns exec "$a" /usr/bin/python3 -B -c "$crowd" || return 1
	wait_for "$BOUND" run_is "$b" "$id" '.run.refused == 3 and
		.run.accepted == 8 and (.streams | length) == 8 and
		(.streams | all(.bytes == 1 and .state == "ended" and .errno == 0))'
}

# Half-closed: the sink has seen all, and closes its half.
half_close='
import socket
with socket.create_connection(("10.1.0.2", 5010)) as peer:
    peer.sendall(bytes(3000001))
    peer.shutdown(socket.SHUT_WR)
    if peer.recv(1):
        raise SystemExit("the sink has answered")
'

half_closed()
{
	sink once streams 1 || return 1
	ip netns exec "$a" /usr/bin/python3 -B -c "$half_close" || return 1
	received 3000001 1
}

# A source's peer closes the half that it does not use.
half_closed_source()
{
	background half ip netns exec "$b" /usr/bin/python3 -B -c '
import socket
listener = socket.create_server(("10.1.0.2", 5032))
peer, _ = listener.accept()
peer.shutdown(socket.SHUT_WR)
total = 0
while data := peer.recv(1 << 16):
    total += len(data)
print(total)
'
	wait_for "$BOUND" listening "$b" 5032 || return 1
	sent port 5032 streams 1 bytes "$BYTES" && ended half &&
		[ "$(cat "$scratch/half.out")" = "$BYTES" ]
}

# A reset of one peer is not the end of a sink, and its stream serves others.
reset='
import socket, struct
for _ in range(3):
    peer = socket.create_connection(("10.1.0.2", 5010))
    peer.sendall(bytes(1000))
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()
with socket.create_connection(("10.1.0.2", 5010)) as peer:
    peer.sendall(bytes(2000))
    peer.shutdown(socket.SHUT_WR)
    peer.recv(1)
'

resets()
{
	reset_id=$(detached sink on 10.1.0.2 streams 8) || return 1
	ip netns exec "$a" /usr/bin/python3 -B -c "$reset" || return 1
	wait_for "$BOUND" run_is "$b" "$reset_id" '.run.accepted == 4 and
		.run.state == "running" and
		(.streams | all(.state == "ended")) and
		([.streams[] | select(.errno == 104)] | length) == 3'
}

after_reset()
{
	run_is "$b" "$reset_id" '.streams | max_by(.stream) |
		.bytes == 2000 and .errno == 0'
}

# An urgent byte is no payload: tcp_read_sock() stops there for good, and the
# calls that step over it leave it out. Then the peer sends nothing, which must
# cost nothing, and then it goes on, with another urgent byte at the very end.
urgent='
import socket, sys
with socket.create_connection(("10.1.0.2", 5010)) as peer:
    peer.sendall(bytes(1000))
    peer.send(b"!", socket.MSG_OOB)
    print("sent", flush=True)
    sys.stdin.readline()
    peer.sendall(bytes(2000))
    peer.send(b"!", socket.MSG_OOB)
'

# calls ID: how often the run in b has called; false unless it got 1000 bytes.
calls()
{
	ktput-ctl -j show netns "$b" run "$1" >"$scratch/show" &&
		jq -e 'if ([.cpus[].bytes] | add) == 1000 then
			[.cpus[].calls] | add else false end' "$scratch/show"
}

# quiet ID: true if it calls no more.
quiet()
{
	local before after

	before=$(calls "$1") && after=$(calls "$1") && [ "$before" = "$after" ]
}

urgent_byte()
{
	local id

	id=$(detached sink on 10.1.0.2 streams 1 once method "$1") || return 1
	rm -f "$scratch/more"
	mkfifo "$scratch/more"
	ip netns exec "$a" /usr/bin/python3 -B -c "$urgent" \
		<>"$scratch/more" >"$scratch/urgent.out" 2>&1 &
	background[urgent]=$!
	at_exit kill $!
	wait_for "$BOUND" grep -q sent "$scratch/urgent.out" &&
		wait_for "$BOUND" quiet "$id" || {
		echo "it does not come to rest"
		return 1
	}
	echo 1<>"$scratch/more"
	ended urgent || return 1
	wait_for "$BOUND" run_is "$b" "$id" '.run.state == "ended" and
		.run.reason == "peers" and (.streams | length) == 1 and
		.streams[0].bytes == 3000 and .streams[0].errno == 0'
}

# Nothing but an urgent byte.
urgent_only()
{
	local id

	id=$(detached sink on 10.1.0.2 streams 1 once method "$1") || return 1
	ip netns exec "$a" /usr/bin/python3 -B -c '
import socket
with socket.create_connection(("10.1.0.2", 5010)) as peer:
    peer.send(b"!", socket.MSG_OOB)
' || return 1
	wait_for "$BOUND" run_is "$b" "$id" '.run.state == "ended" and
		.run.reason == "peers" and .streams[0].bytes == 0 and
		.streams[0].errno == 0'
}

# still: accepts a peer of 5033 and reads nothing; closes when it gets a line.
still='
import socket, sys
listener = socket.create_server(("10.1.0.2", 5033))
peer, _ = listener.accept()
print("accepted", flush=True)
sys.stdin.readline()
'

still()
{
	# The one before goes even if its test went wrong.
	[ -z "${background[still]-}" ] || kill "${background[still]}" 2>/dev/null
	rm -f "$scratch/more"
	mkfifo "$scratch/more"
	ip netns exec "$b" /usr/bin/python3 -B -c "$still" \
		<>"$scratch/more" >"$scratch/still.out" 2>&1 &
	background[still]=$!
	at_exit kill $!
	wait_for "$BOUND" listening "$b" 5033 || return 1
	still_id=$(detached start to 10.1.0.2 port 5033 time 600 "$@") &&
		wait_for "$BOUND" full
}

# The buffers of both sides are full, and the source waits.
full()
{
	local before after

	before=$(sent_so_far) && after=$(sent_so_far) && [ "$before" = "$after" ]
}

sent_so_far()
{
	ktput-ctl -j show netns "$a" run "$still_id" >"$scratch/show" &&
		jq -e '[.cpus[] | .bytes, .calls] | select(.[0] > 0) | @text' \
			"$scratch/show"
}

# A peer that does not read gets its drain time and no more.
never_reads()
{
	still drain-timeout 1s || return 1
	run_is "$a" "$still_id" '.run.state == "running"' || return 1
	ktput-ctl stop netns "$a" run "$still_id" || return 1
	wait_for "$BOUND" run_is "$a" "$still_id" '.run.state == "ended" and
		.run.reason == "stopped"' || return 1
	echo 1<>"$scratch/more"
	ended still
}

# One that has all the time there is still goes when it is to be forgotten.
drains_until_forgotten()
{
	still drain-timeout 600s || return 1
	ktput-ctl stop netns "$a" run "$still_id" || return 1
	wait_for "$BOUND" run_is "$a" "$still_id" \
		'.run.state == "draining" and .run.reason == "stopped"' || return 1
	ktput-ctl stop netns "$a" run "$still_id" forget || return 1
	[ "$(runs "$a")" = "[]" ] && echo 1<>"$scratch/more" && ended still
}

# With data that it has not read, its close is a reset: the source's run ends.
resets_source()
{
	still || return 1
	echo 1<>"$scratch/more"
	ended still || return 1
	wait_for "$BOUND" run_is "$a" "$still_id" '.run.state == "ended" and
		.run.reason == "reset" and .run.errno > 0'
}

forget()
{
	local netns

	for netns in "$a" "$b"; do
		ktput-ctl stop netns "$netns" all forget || return 1
	done
	nothing_left "$a" "$b"
}

check "two namespaces" setup || finish
check "source to nc, copy: every byte" to_nc copy
check "source to nc, zerocopy: every byte" to_nc zerocopy
check "source to two sockets of a program: every byte" to_python
check "source to a peer that has closed its half: every byte" half_closed_source
for method in copy trunc zerocopy; do
	check "nc to sink, $method: every byte" from_nc $method
done
check "three sockets of a program to sink: every byte" from_python
check "half-closed socket to sink: every byte" half_closed
check "200 peers, one after another, to 8 streams" in_sequence
check "streams are used again under numbers of their own" fresh_numbers
forget >/dev/null
check "peers without a stream are reset, and counted" crowded
forget >/dev/null
check "peers that reset: the sink goes on, and says which" resets
check "peers that reset: the next one is served" after_reset
forget >/dev/null
for method in copy trunc zerocopy; do
	check "urgent bytes, $method: left out, and no turn is lost or wasted" \
		urgent_byte $method
	forget >/dev/null
	check "nothing but an urgent byte, $method" urgent_only $method
	forget >/dev/null
done
check "a peer that never reads: a stop takes the drain time" never_reads
forget >/dev/null
check "a peer that never reads: forgotten while it drains" \
	drains_until_forgotten
check "a peer that resets: the source ends, and says so" resets_source
check "nothing is left" forget
finish
