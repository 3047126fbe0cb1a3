# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# user.sh: what the tests of sources and sinks in user space share. Sourced after
# lib.sh and runs.sh.
#
#   user_begin TESTS         what is needed, and two namespaces; then plan TESTS
#   start WORD...            a run whose record is $scratch/run
#   says FILTER              true if it holds for the record
#
#   a: veth0 10.4.0.1, fd04::1 ------- b: veth0 10.4.0.2, fd04::2

BYTES=3000001
DATAGRAMS=300
PORT=5040
# shellcheck disable=SC2034  # for the tests
user='layer user sink-layer user'

user_begin()
{
	need_root
	need ktput-ctl gojq ip ss nc setpriv /usr/bin/python3
	scratch=$(mktemp -d)
	at_exit rm -rf "$scratch"
	ip link set lo up
	netns_add a && netns_add b || skip_all "no network namespaces here"
	# Set by netns_add.
	: "${a:?}" "${b:?}"
	calm "$a" "$b"
	veth_add "$a" 10.4.0.1/24 "$b" 10.4.0.2/24 || skip_all "no veth here"
	addr_add "$a" fd04::1/64 veth0
	addr_add "$b" fd04::2/64 veth0
	link_up "$b" veth0
	# shellcheck disable=SC2034  # for the tests
	to_far="netns $a sink-netns $b to"
	plan "$1"
}

start()
{
	timeout 120 ktput-ctl -j -s start "$@" >"$scratch/run"
}

says()
{
	jq -e "$1" "$scratch/run" >/dev/null || {
		jq -c '.result, .source.config, .sink.config' "$scratch/run"
		return 1
	}
}

# all WORD...: BYTES over TCP arrive, in everybody's count.
all()
{
	# shellcheck disable=SC2086  # words
	start bytes "$BYTES" "$@" && says ".result.valid and
		.result.reason == \"bytes\" and .result.bytes == $BYTES and
		([.intervals[-1].source.streams[].bytes] | add) == $BYTES and
		([.intervals[-1].sink.streams[].bytes] | add) == $BYTES"
}

# each WORD...: DATAGRAMS at a low rate arrive, once and in order. The sink's
# buffer takes all of them, should nobody read for a while.
each()
{
	start udp messages "$DATAGRAMS" rate 1kpps rcvbuf 4M "$@" &&
		says ".result.valid and .result.reason == \"messages\" and
		.result.datagrams.sent == $DATAGRAMS and
		.result.datagrams.received == $DATAGRAMS and
		.result.datagrams.lost == 0 and
		.result.datagrams.reordered == 0 and
		.result.datagrams.duplicates == 0 and
		.result.datagrams.late == 0 and
		.result.datagrams.foreign == 0 and
		([.intervals[-1].sink.streams[].datagrams.lost] | add) == 0 and
		.result.bytes == $DATAGRAMS * .source.config.size_bytes"
}

# each_frame WORD...: the same out of the driver, whose sizes are of frames.
each_frame()
{
	start udp layer driver messages "$DATAGRAMS" rate 1kpps rcvbuf 4M "$@" &&
		says ".result.datagrams.sent == $DATAGRAMS and
		.result.datagrams.received == $DATAGRAMS and
		.result.datagrams.lost == 0"
}

# uring TEST NAME...: a test of io_uring, where ktput-ctl has it.
no_uring=$(without_uring)
uring()
{
	if [ -n "$no_uring" ]; then
		skip "$2" "ktput-ctl was $no_uring"
	else
		"$@"
	fi
}

moving()
{
	ss -N "$a" -tinH state established "dport = :$PORT" |
		grep -q 'bytes_acked:[0-9]\{6\}'
}

# endless: a source in a to PORT in b that nothing but a signal ends.
endless()
{
	background source ktput-ctl -j -s start layer user netns "$a" \
		to 10.4.0.2 port "$PORT" "$@" time 600s
	wait_for "$BOUND" moving
}
