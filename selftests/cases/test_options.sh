#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each option of a run has the effect that it promises, seen from outside ktput
# where there is an outside: ss(8), traffic control, TCP_INFO.
#
#   a: veth0 10.1.0.1, fd01::1 ------- b: veth0 10.1.0.2, fd01::2

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

begin 49

# start ARGUMENT...: from a to b, until it is stopped; slowly, so that there is
# time for others to look at it.
start()
{
	[ -z "${source_id-}" ] || stop
	ktput-ctl -j start netns "$a" to 10.1.0.2 sink-netns "$b" detach \
		time 600 pace 8mbit "$@" >"$scratch/start" || return 1
	source_id=$(jq '.runs[] | select(.role == "source").id' "$scratch/start")
	sink_id=$(jq '.runs[] | select(.role == "sink").id' "$scratch/start")
}

stop()
{
	source_id=
	ktput-ctl stop all forget netns "$a" >/dev/null &&
		ktput-ctl stop all forget netns "$b" >/dev/null
}

# measure ARGUMENT...: a run to its end; its result is in $scratch/run.
measure()
{
	[ -z "${source_id-}" ] || stop
	timeout 60 ktput-ctl -j -s start netns "$a" to 10.1.0.2 sink-netns "$b" \
		"$@" >"$scratch/run"
}

# result FILTER: true if it holds for the last measurement.
result()
{
	jq -e "$1" "$scratch/run" || {
		jq -c '.result | del(.cpus)' "$scratch/run"
		return 1
	}
}

# socket NETNS PATTERN: ss(8) says so of an established socket there.
socket()
{
	ss -N "$1" -tinmOH state established | tee "$scratch/ss" |
		grep -qE -e "$2"
}

# socket_says NETNS PATTERN ARGUMENT...: it does of one of a run with ARGUMENTs.
socket_says()
{
	local netns=$1 pattern=$2
	shift 2

	start "$@" || return 1
	wait_for "$BOUND" socket "$netns" "$pattern" || {
		cat "$scratch/ss"
		return 1
	}
}

congestion()
{
	modprobe tcp_westwood && modprobe tcp_veno &&
		socket_says "$a" ' westwood ' congestion westwood &&
		socket_says "$a" ' veno ' congestion veno
}

mss()
{
	socket_says "$a" '[ :]mss:500 ' mss 512 &&
		ktput-ctl -j -s show netns "$a" run "$source_id" |
		jq -e '.streams[0].send_mss_bytes == 500'
}

# A message that does not fill a segment goes out at once, as one of its own, or
# waits for what is under way. Eight of them fit into the first window. The sink
# sees a SYN, an acknowledgement, the eight, and an end; or far fewer.
nodelay()
{
	local with without

	measure messages 8 size 100 nodelay || return 1
	with=$(sink_segments)
	measure messages 8 size 100 || return 1
	without=$(sink_segments)
	echo "$with segments with nodelay, $without without"
	[ "$with" -ge 10 ] && [ "$without" -le 7 ]
}

sink_segments()
{
	jq '.intervals[-1].sink.streams[0].tcp.segments_in' "$scratch/run"
}

# TCP paces what it sends, and the first window goes out at once: 10 segments of
# 1448 bytes, and a quantum of up to 2 ms. An upper bound of 10 % leaves room
# for these. Emulation may be slow to serve the timer: at least a third.
pace()
{
	measure pace 8mbit bytes 1M &&
		result '.result.goodput_bps | . < 8.8e6 and . > 2.6e6'
}

pace_socket()
{
	socket_says "$a" 'pacing_rate [^ ]*/8(000000bps|Mbps)'
}

# filter IP_PROTOCOL MATCH...: count packets that arrive in b and match.
filter()
{
	local protocol=$1
	shift

	tc -n "$b" qdisc replace dev veth0 clsact
	tc -n "$b" filter del dev veth0 ingress 2>/dev/null
	tc -n "$b" filter add dev veth0 ingress protocol "$protocol" \
		pref 1 flower "$@" action pass
}

filtered()
{
	tc -n "$b" -s -j filter show dev veth0 ingress |
		jq '[.[].options.actions[]?.stats.packets] | add'
}

# tos PROTOCOL ADDRESS: packets have it, and only with the option.
tos()
{
	local packets

	filter "$1" ip_tos 0x10 || return 1
	timeout 60 ktput-ctl -j -s start netns "$a" to "$2" sink-netns "$b" \
		bytes 300K tos 16 >"$scratch/run" || return 1
	packets=$(filtered)
	echo "$packets packets with it"
	[ "${packets:-0}" -gt 4 ] || return 1
	timeout 60 ktput-ctl start netns "$a" to "$2" sink-netns "$b" \
		bytes 300K >/dev/null || return 1
	echo "$(filtered) after a run without it"
	[ "$(filtered)" = "$packets" ]
}

# prio(8) has a band for each priority.
priority()
{
	local bands

	[ -z "$source_id" ] || stop
	tc -n "$a" qdisc replace dev veth0 root handle 1: prio bands 8 \
		priomap 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0 || return 1
	measure bytes 300K priority 5 || return 1
	bands=$(tc -n "$a" -s class show dev veth0 |
		awk '/^class/ { class = $3 } / Sent / { print class, $2 }')
	tc -n "$a" qdisc del dev veth0 root
	echo "$bands"
	# Bands count from 1, and handshakes have priority 0.
	[ "$(awk '$1 == "1:6" { print $2 }' <<<"$bands")" -gt 300000 ] &&
		[ "$(awk '$1 != "1:6" { sum += $2 } END { print sum + 0 }' \
			<<<"$bands")" -lt 10000 ]
}

cpus()
{
	measure bytes 1M streams 4 cpus "$1" sink-cpus "$2" &&
		result "[.intervals[-1].source.streams[].cpu] | unique == [$1]" &&
		result "[.intervals[-1].sink.streams[].cpu] | unique == [$2]" &&
		result "[.intervals[-1].source.cpus[] | select(.bytes > 0).cpu] == [$1]"
}

spread()
{
	measure bytes 1M streams 4 cpus 0-1 sink-cpus 0-1 &&
		result '[.intervals[-1].source.streams[].cpu] | sort == [0, 0, 1, 1]' &&
		result '[.intervals[-1].sink.streams[].cpu] | sort == [0, 0, 1, 1]'
}

pinned()
{
	start cpus 1 sink-cpus 1 || return 1
	taskset -pc "$(pgrep -x ktput/1)" | grep -q ': 1$' &&
		! pgrep -x ktput/0
}

# SO_SNDBUF and SO_RCVBUF are doubled, see socket(7); tb and rb are the result.
buffers()
{
	socket_says "$a" 'skmem:\([^)]*,tb40000[,)]' sndbuf 20000 &&
		socket_says "$b" 'skmem:\([^)]*,rb60000[,)]' rcvbuf 30000
}

# rcvlowat LAYER: each wake-up but those for begin and end finds so many bytes; without
# it there are more.
rcvlowat()
{
	local few='[.intervals[-1].sink.streams[].wake_ups] | add <= 16'

	set -- sink-layer "$1" bytes 4M pace 40mbit size 1M rcvbuf 1M sink-method copy
	measure "$@" rcvlowat 512K &&
		result ".sink.config.rcvlowat_bytes == 524288 and ($few)" &&
		measure "$@" && result "$few | not"
}

# The kernel would set less without a word.
rcvlowat_refused()
{
	local layer

	for layer in socket user; do
		! measure sink-layer "$layer" bytes 1M rcvbuf 64K rcvlowat 1M \
			2>"$scratch/err" && grep 'rcvlowat beyond half of the' \
			"$scratch/err" || return 1
	done
}

streams()
{
	start streams 7 || return 1
	[ "$(ss -N "$a" -tnH state established | wc -l)" = 7 ] &&
		run_is "$a" "$source_id" '.run.streams == 7 and (.streams | length) == 7' &&
		run_is "$b" "$sink_id" '.run.accepted == 7'
}

# ss(8) shows the device after the address.
device()
{
	socket_says "$a" '10.1.0.1%veth0:' dev veth0
}

sink_device()
{
	ktput-ctl -j sink netns "$b" dev veth0 port 5011 detach >"$scratch/sink" &&
		ss -N "$b" -tlnH | grep -q '%veth0:5011'
}

from()
{
	ip -n "$a" addr add 10.1.0.9/24 dev veth0
	start from 10.1.0.9 from-port 7000 streams 3 || return 1
	[ "$(ss -N "$a" -tnH state established | awk '{ print $3 }' | sort |
		tr '\n' ' ')" = "10.1.0.9:7000 10.1.0.9:7001 10.1.0.9:7002 " ]
}

port()
{
	start port 5012 || return 1
	ss -N "$b" -tlnH | grep -q '10.1.0.2:5012 '
}

ends_after_bytes()
{
	measure bytes 1000003 streams 3 &&
		result '.result.reason == "bytes" and .result.bytes == 1000003' &&
		result '[.intervals[-1].source.streams[].bytes] | sort ==
			[333334, 333334, 333335]'
}

ends_after_messages()
{
	measure messages 1001 size 333 streams 2 &&
		result '.result.reason == "messages" and .result.messages == 1001' &&
		result ".result.bytes == $((1001 * 333))"
}

# At least what was asked for, since the clock is the same. Above that, the time
# that the tools and the end take.
ends_after_time()
{
	measure time 0.7 &&
		result '.result.reason == "time"' &&
		result '.intervals[-1].source.run |
			(.ended_ns - .begun_ns) / 1e9 | . >= 0.7 and . < 10'
}

time_before_bytes()
{
	measure time 0.3 bytes 1000G && result '.result.reason == "time"'
}

bytes_before_time()
{
	measure time 600 bytes 1M && result '.result.reason == "bytes"'
}

warmup()
{
	measure warmup 0.5 time 0.5 interval 0.25 &&
		result '.intervals[0].warm_up and (.intervals[-1].warm_up | not)' &&
		result '.intervals[-1].source.run |
			(.ended_ns - .begun_ns) / 1e9 >= 1.0' &&
		result '.result.bytes < ([.intervals[-1].sink.cpus[].bytes] | add)' &&
		result '.result.bytes <=
			([.intervals[] | select(.warm_up | not).bytes] | add)'
}

# Intervals follow each other without gap, and add up to all.
intervals()
{
	measure time 1 interval 0.1 &&
		result '.intervals | length | . >= 3 and . <= 12' &&
		result '[.intervals[1:][].from_ns] == [.intervals[:-1][].to_ns]' &&
		result '([.intervals[].bytes] | add) == .result.bytes'
}

detached()
{
	start streams 2 && run_is "$a" "$source_id" '.run.state == "running"' &&
		runs "$a" | jq -e "[.[].id] == [$source_id]"
}

shown()
{
	run_is "$a" "$source_id" '.config.streams == 2 and
		.config.detach and .config.size_bytes == 131072 and
		(.streams | length) == 2'
}

stopped()
{
	ktput-ctl -j stop netns "$a" run "$source_id" | jq -e ".runs[0].id == $source_id" &&
		wait_for "$BOUND" run_is "$a" "$source_id" \
			'.run.state == "ended" and .run.reason == "stopped"' &&
		wait_for "$BOUND" run_is "$b" "$sink_id" \
			'.run.state == "ended" and .run.reason == "peers"'
}

# The counters of runs that have ended stay, and agree.
counters_stay()
{
	local sent received

	sent=$(ktput-ctl -j show netns "$a" run "$source_id" | jq '[.cpus[].bytes] | add')
	received=$(ktput-ctl -j show netns "$b" run "$sink_id" | jq '[.cpus[].bytes] | add')
	echo "sent $sent, received $received"
	[ "$sent" -gt 0 ] && [ "$sent" = "$received" ]
}

forgotten()
{
	stop && [ "$(runs "$a")$(runs "$b")" = "[][]" ]
}

size_in_calls()
{
	measure messages 64 size 1000 &&
		result ".result.bytes == 64000" &&
		result '[.intervals[-1].source.cpus[].messages] | add == 64'
}

# once: one peer, which is all that there is to come.
one_peer()
{
	background one ktput-ctl -j sink netns "$b" once port 5013
	wait_for "$BOUND" listening 5013 || return 1
	ktput-ctl start netns "$a" to 10.1.0.2 port 5013 bytes 1M >/dev/null &&
		ended one && jq -e '.result.bytes == 1048576 and
			.result.reason == "peers" and
			.sink.config.streams == 1' "$scratch/one.out"
}

sink_once()
{
	background once ktput-ctl -j sink netns "$b" once streams 2 port 5013
	wait_for "$BOUND" listening 5013 || return 1
	ktput-ctl start netns "$a" to 10.1.0.2 port 5013 streams 2 bytes 1M >/dev/null &&
		ended once && jq -e '.result.bytes == 1048576 and
			.result.reason == "peers"' "$scratch/once.out"
}

listening()
{
	ss -N "$b" -tlnH | grep -q ":$1 "
}

sink_time()
{
	background idle ktput-ctl -j sink netns "$b" time 0.3 port 5014
	ended idle && jq -e '.result.reason == "time"' "$scratch/idle.out"
}

# Nothing is acknowledged any more: the source gives up when its time to drain is
# over, and not before.
drain()
{
	start drain-timeout 3 || return 1
	ip -n "$b" link set veth0 down
	ktput-ctl stop netns "$a" run "$source_id" &&
		run_is "$a" "$source_id" '.run.state == "draining"' &&
		wait_for "$BOUND" run_is "$a" "$source_id" '.run.state == "ended"' &&
		run_is "$a" "$source_id" '.run.now_ns - .run.ended_ns >= 3e9'
}

# frames ARGUMENT...: a source of frames, instead of this shell.
frames()
{
	exec ktput-ctl -s start netns "$a" to 10.1.0.2 sink-netns "$b" udp layer \
		queue sink-layer ingress \
		mac "$(ip netns exec "$b" cat /sys/class/net/veth0/address)" "$@"
}

# They are never returned: ktput-ctl says what it waits for, and prints the rest.
kept()
{
	tc -n "$a" qdisc replace dev veth0 root netem delay 200s limit 100000 ||
		return 1
	(frames messages 20 drain-timeout 3) >"$scratch/kept" 2>"$scratch/told"
	grep -qF 'waiting for 20 frames that veth0 still holds, at most 3 s' \
		"$scratch/told" && grep -qF ', 20 buffers kept' "$scratch/kept" &&
		return
	cat "$scratch/kept" "$scratch/told"
	return 1
}

kept_all()
{
	background kept frames messages 100000 drain-timeout 1
	wait_for "$BOUND" grep -qF 'waiting for veth0: it holds all frames' \
		"$scratch/kept.err" || return 1
	kill -INT "${background[kept]}"
	ended kept
	grep -q 'Ended  *stopped' "$scratch/kept.out" &&
		grep -q ', [0-9]* buffers kept' "$scratch/kept.out" && return
	cat "$scratch/kept.out" "$scratch/kept.err"
	return 1
}

# Silence: no SYN is answered, nor ARP.
connect()
{
	local end

	ip -n "$b" link set veth0 down
	ktput-ctl -j sink netns "$b" port 5015 detach >/dev/null || return 1
	end=$((SECONDS + BOUND))
	ktput-ctl start netns "$a" to 10.1.0.2 port 5015 alone bytes 1K \
		connect-timeout 0.5 && return 1
	[ "$SECONDS" -lt "$end" ]
}

monitor()
{
	background monitor ktput-ctl -j monitor netns "$a"
	wait_for "$BOUND" subscribed || return 1
	measure bytes 64K || return 1
	wait_for "$BOUND" grep -q '"bytes"' "$scratch/monitor.out" || return 1
	kill -INT "${background[monitor]}"
	ended monitor && jq -es '[.[] | select(.run).run] | length > 0 and
		any(.role == "source" and .reason == "bytes")' "$scratch/monitor.out"
}

# A paced run, as others see it: the rates of each interval, and its counters.
monitor_rates()
{
	background monitor ktput-ctl -j monitor netns "$a" interval 500ms
	background sinks ktput-ctl -j monitor netns "$b" interval 500ms
	measure udp rate 500pps size 1000 time 4s || return 1
	kill -INT "${background[monitor]}" "${background[sinks]}"
	ended monitor && ended sinks || return 1
	jq -es '[.[] | .runs // empty | .[] | select(.state == "running")] |
		map(select(.role == "source")) | length >= 3 and
		all(.bytes > 0 and
		    (.bytes - 1000 * .messages_per_s * .elapsed_ns / 1e9 | fabs) < 1 and
		    (.goodput_bps - 8 * .bytes * 1e9 / .elapsed_ns | fabs) < 1 and
		    .cpu_share > 0 and .cpu_share < 1 and
		    .lost_datagrams == null)' "$scratch/monitor.out" || {
		cat "$scratch/monitor.out"
		return 1
	}
	jq -es '[.[] | .runs // empty | .[] | select(.role == "sink")] |
		length >= 3 and all(.lost_datagrams == 0)' "$scratch/sinks.out"
}

# The last file has the counters of a run, in a form that collectors read.
monitor_metrics()
{
	background monitor ktput-ctl monitor netns "$a" interval 100ms \
		metrics "$scratch/ktput.prom"
	measure bytes 64K detach || return 1
	wait_for "$BOUND" grep -q '^ktput_run_bytes_total{run=.*role="source",.*} 65536$' \
		"$scratch/ktput.prom" || { cat "$scratch/ktput.prom"; return 1; }
	kill -INT "${background[monitor]}"
	ended monitor || return 1
	ktput-ctl stop netns "$a" all && ktput-ctl stop netns "$b" all || return 1
	[ -z "$(ls "$scratch"/ktput.prom.* 2>/dev/null)" ] &&
		python3 - "$scratch/ktput.prom" <<-'END'
		import re, sys
		kinds = {}
		for line in open(sys.argv[1], encoding="ascii"):
		    head = re.fullmatch(r"# (HELP|TYPE) (ktput_run_\w+) (.+)\n", line)
		    if head:
		        kinds.setdefault(head[2], {})[head[1]] = head[3]
		        continue
		    value = re.fullmatch(
		        r'(ktput_run_\w+)\{run="\d+",role="(?:source|sink)",transport="tcp",'
		        r'layer="socket"(?:,peer="[\d.:]+")?,netns="ktput-\w+"\} \d+\n', line)
		    assert value and kinds[value[1]].keys() == {"HELP", "TYPE"}, line
		for name, kind in kinds.items():
		    assert name.endswith("_total") == (kind["TYPE"] == "counter"), name
		assert len(kinds) == 14, sorted(kinds)
		END
}

# Then it waits, with its two sockets: for requests and for events.
subscribed()
{
	grep -q poll "/proc/${background[monitor]}/wchan"
}

info()
{
	ktput-ctl -j info | jq -e '.version and (.clock | length) > 0 and
		.max_runs == 64'
}

setup()
{
	netns_add a && netns_add b &&
		veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24 &&
		addr_add "$a" fd01::1/64 veth0 && addr_add "$b" fd01::2/64 veth0
}

check "two namespaces" setup || finish
check "congestion: ss names it" congestion
check "mss: segments of that size, less the time stamps" mss
check "nodelay: small messages do not wait for each other" nodelay
check "pace: not above the rate" pace
check "pace: the socket has the rate" pace_socket
check "tos: IPv4 packets carry it" tos ip 10.1.0.2
check "tos: IPv6 packets carry it" tos ipv6 fd01::2
check "priority: packets take its band" priority
check "cpus: 0 and 1" cpus 0 1
check "cpus: 1 and 0" cpus 1 0
check "cpus: streams spread over a list" spread
check "cpus: threads are bound" pinned
check "sndbuf, rcvbuf: as socket(7) has it" buffers
check "rcvlowat: a kernel sink is woken less often" rcvlowat socket
check "rcvlowat: an application is woken less often" rcvlowat user
check "rcvlowat: not beyond half of the receive buffer" rcvlowat_refused
check "streams: so many connections" streams
check "dev: a source is bound to it" device
check "dev: a sink is bound to it" sink_device
check "from, from-port: consecutive ports of that address" from
check "port: the sink listens there" port
check "bytes: shared out and to the byte" ends_after_bytes
check "messages, size: to the message" ends_after_messages
check "size: calls of that size" size_in_calls
check "time: not before it is over" ends_after_time
check "time comes before bytes" time_before_bytes
check "bytes come before time" bytes_before_time
check "warmup: its bytes and time are left out" warmup
check "interval: lines follow each other and add up" intervals
check "detach: the run goes on" detached
check "show: the configuration in effect" shown
check "stop: reason stopped, and the sink sees its peers close" stopped
check "stop: the counters stay, and agree" counters_stay
check "stop forget: the runs are gone" forgotten
check "sink once: ends when its peer has closed" one_peer
check "sink once: ends when its peers have closed" sink_once
check "sink time: ends without a peer" sink_time
check "monitor: the end of a run, and its reason" monitor
check "monitor: rates of each interval" monitor_rates
check "monitor: metrics for a collector" monitor_metrics
refused "monitor: a file that cannot be written" 1 '/nowhere/x: No such file' \
	ktput-ctl monitor metrics /nowhere/x count 1
check "info: version, clock, limits" info
check "frames that a device keeps: it is told" kept
check "frames that a device keeps: Ctrl-C ends the run" kept_all
tc -n "$a" qdisc del dev veth0 root
check "drain-timeout: then the source gives up" drain
check "connect-timeout: then the source gives up" connect
check "stop all forget: ends what still runs" stop
check "nothing is left" nothing_left "$a" "$b"
finish
