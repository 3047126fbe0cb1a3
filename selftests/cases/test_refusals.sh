#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What is refused, with a sentence that names it, and leaves nothing behind:
# no run, no socket, no thread.

# In a namespace of its own, where all sockets are ktput's, and no route leads
# out.
[ -n "${KTPUT_UNSHARED-}" ] || KTPUT_UNSHARED=1 exec unshare -n bash "$0" "$@"

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need setpriv unshare
begin 114

remains=

# refuses NAME STATUS PATTERN COMMAND...: and look for what is left of it.
refuses()
{
	local name=$1

	refused "$@"
	wait_for "$BOUND" nothing_here ||
		remains+="$name: $(left_here); "
}

nothing_here()
{
	[ -z "$(left_here)" ]
}

# left_here: sockets, time-waits (06) apart, and threads.
left_here()
{
	awk 'FNR > 1 && $4 != "06"' /proc/net/tcp /proc/net/tcp6
	pgrep -l '^ktput/'
}

# no NAME PATTERN ARGUMENT...: refused by the module or its surroundings.
no()
{
	local name=$1 pattern=$2
	shift 2

	refuses "$name" 1 "^ktput-ctl: .*$pattern" ktput-ctl "$@"
}

# wrong NAME PATTERN ARGUMENT...: refused as a command line, and told of the help.
wrong()
{
	local name=$1 pattern=$2 command=$3 status=0 output
	shift 2

	output=$(ktput-ctl "$@" 2>&1) || status=$?
	if [ "$status" = 2 ] && grep -qE "^ktput-ctl: $pattern" <<<"$output" &&
	   grep -qx "Try 'ktput-ctl $command help'." <<<"$output"; then
		ok "$name"
	else
		not_ok "$name" "status $status: $output"
	fi
}

powerless()
{
	setpriv --bounding-set -all --inh-caps -all "$@"
}

# taken: port 5020 has a listener that is not ours.
taken()
{
	ss -tlnH | grep -q ':5020 '
}

privilege()
{
	local why='needs CAP_NET_ADMIN in the network namespace'

	for command in start sink "stop run 1" "show run 1"; do
		# shellcheck disable=SC2086  # words
		refuses "no privilege: $command" 1 "$why" \
			powerless ktput-ctl $command
	done
	check "no privilege: show" powerless ktput-ctl show
	check "no privilege: info" powerless ktput-ctl info
	refuses "privilege in another user namespace only" 1 "$why" \
		unshare -U ktput-ctl start bytes 1K
	check "privilege in a network namespace of one's own" unshare -Urn sh -c \
		'ip link set lo up && ktput-ctl start bytes 1M'
	refuses "privilege for larger buffers" 1 'sndbuf beyond .*wmem_max' \
		unshare -Urn sh -c 'ip link set lo up &&
			ktput-ctl start bytes 1M sndbuf 1G'
}

offline()
{
	local cpu=/sys/devices/system/cpu/cpu1/online

	if ! { echo 0 >$cpu; } 2>/dev/null; then
		skip "CPU that is offline" "CPU 1 cannot be taken offline"
		return
	fi
	at_exit sh -c "echo 1 >$cpu"
	no "CPU that is offline" 'cpus has a CPU that is not online' \
		start cpus 1 sink-cpus 0
	echo 1 >$cpu
}

# Numbers of runs belong to a namespace.
# shellcheck disable=SC2154  # netns_add sets it
foreign()
{
	local id

	netns_add other || return 1
	id=$(ktput-ctl -j sink netns "$other" port 5021 detach | jq '.runs[0].id') ||
		return 1
	refused "run of another namespace: show" 1 'no such run' \
		ktput-ctl show run "$id"
	refused "run of another namespace: stop" 1 'no such run' \
		ktput-ctl stop run "$id"
	refused "run of another namespace: forget" 1 'no such run' \
		ktput-ctl stop run "$id" forget
	check "run of another namespace: not listed" [ "$(runs)" = "[]" ]
	check "run of another namespace: goes on" run_is "$other" "$id" \
		'.run.state == "running"'
	ktput-ctl stop netns "$other" run "$id" forget >/dev/null
}

insisted()
{
	ktput-ctl -j start udp to 127.0.0.1 port 9 alone unchecked messages 20 \
		rate 100pps >"$scratch/insisted" &&
		jq -e '.result.datagrams | .refusals > 0 and .sent == 20' \
			"$scratch/insisted"
}

unloaded()
{
	local command instead

	while IFS=: read -r command instead; do
		# shellcheck disable=SC2086  # words
		refused "no module: $command" 1 \
			"^ktput-ctl: the module is not loaded; insmod ktput.ko or modprobe ktput$instead\$" \
			timeout "$BOUND" ktput-ctl $command
	done <<END
show:
info:
stop all:
monitor:
start:; or say 'layer user sink-layer user', which takes no module
start layer user:; or say 'sink-layer user', which takes no module
start sink-layer user:; or say 'layer user', which takes no module
start udp to 127.0.0.1 alone:; or say 'layer user', which takes no module
sink:; or say 'layer user', which takes no module
pingpong:; or say 'layer user', which takes no module
ladder:; or say 'layer user', which takes no module
END
	out_of_range ", no module"
	check "no module: none is needed in user space" \
		ktput-ctl start layer user sink-layer user bytes 1M
}

ip link add down0 type dummy

no "congestion control" 'congestion: no such congestion control' \
	start congestion nosuch
no "address without a route" 'there is no route to 192\.0\.2\.1$' \
	start to 192.0.2.1
no "IPv6 address without a route" 'there is no route to 2001:db8::1$' \
	start to 2001:db8::1
no "name that is none" "address 'no such host'" start to "no such host"
no "port where nobody listens" 'refused: port: nothing listens there' \
	start to 127.0.0.1 port 9 alone
nobody="nobody receives at 127\.0\.0\.1:9: start 'ktput-ctl sink udp'"
no "port where nobody receives" "$nobody" start udp to 127.0.0.1 port 9 alone
no "port where nobody receives, detached" "$nobody" \
	start udp to 127.0.0.1 port 9 alone detach
no "port where nobody receives, layer user" "$nobody" \
	start udp layer user to 127.0.0.1 port 9 alone
check "port where nobody receives, and the user insists" insisted
no "link-local address without device" 'route|needs a device' \
	start to fe80::1 alone
no "address of others" '192\.0\.2\.9 is not an address of this network namespace' \
	start from 192.0.2.9
no "IPv4 from IPv6" "address '127\.0\.0\.1'" start from ::1 to 127.0.0.1

background listener nc -lk 127.0.0.1 5020
wait_for "$BOUND" taken
refused "port in use: sink" 1 'port 5020 is in use' \
	ktput-ctl sink on 127.0.0.1 port 5020
refused "port in use: start" 1 'port 5020 is in use' \
	ktput-ctl start to 127.0.0.1 port 5020
refused "port in use: from-port" 1 'port 5020 is in use' \
	ktput-ctl start from 127.0.0.1 from-port 5020
refused "ports in use: from-port of several streams" 1 \
	'one of the ports 5019 to 5021 is in use' \
	ktput-ctl start from 127.0.0.1 from-port 5019 streams 3
refused "port in use: user space" 1 'port 5020 is in use' \
	ktput-ctl sink layer user on 127.0.0.1 port 5020
kill "${background[listener]}"
ended listener

# no_port: of the one port that there is.
no_port()
{
	local range=/proc/sys/net/ipv4/ip_local_port_range before

	before=$(cat $range)
	echo 5020 5020 >$range
	refused "no port is left: $1" 1 'no local port is free' \
		ktput-ctl start layer "$1" sink-layer "$1"
	echo "$before" >$range
}
background listener nc -lk 127.0.0.1 5020
wait_for "$BOUND" taken
no_port socket
no_port user
kill "${background[listener]}"
ended listener
for layer in socket user; do
	refuses "port of privilege: $layer" 1 'CAP_NET_BIND_SERVICE alone' \
		setpriv --bounding-set -net_bind_service \
		--inh-caps -net_bind_service ktput-ctl sink layer $layer port 80
done

# out_of_range: what is never valid, whoever would run it, with or without the module.
out_of_range()
{
	local range words

	while IFS=: read -r range words; do
		# shellcheck disable=SC2086  # words
		wrong "out of range$1: $words" ".*' is not in the range $range\$" $words
	done <<-END
	1 B to 16 MiB:start size 0
	1 B to 16 MiB:start size 16777217 layer user sink-layer user
	1 to 16384:start streams 0
	1 to 16384:start engine iperf3 layer user streams 16385
	1 to 16384:sink streams 0
	88 to 32767:start mss 87
	88 to 32767:start mss 32768
	4608 B to 1 GiB:start sndbuf 4607
	4608 B to 1 GiB:sink rcvbuf 2G
	0 to 6:start priority 7
	1 ns to 604800 s:start time 169h
	1 to 64:pingpong outstanding 65
	1 B to 9223372036854775807 B:start bytes 9223372036854775808
	END
}

out_of_range ""
no "fewer bytes than streams" 'refused: bytes must be at least one' \
	start bytes 1 streams 2
no "fewer messages than streams" 'refused: messages must be at least one' \
	start messages 1 streams 2
no "ports beyond the last" 'from-port plus streams must not pass 65535' \
	start from-port 65535 streams 2
offline
no "CPU that there is not" 'cpus|CPU' start cpus 200
no "device that there is not" "device: there is no 'nodev'" start dev nodev
no "device that is down" "refused: dev is down; set it up first" \
	sink dev down0
no "namespace that there is not" "there is no network namespace 'nosuch'" \
	start netns nosuch
no "namespace of the sink that there is not" \
	"there is no network namespace 'nosuch'" \
	start to 127.0.0.1 sink-netns nosuch
no "run that there is not: stop" 'run-id: no such run' stop run 4000000000
no "run that there is not: show" 'no such run' show run 4000000000
no "sink's option without a sink" "'sink-method' is for a sink on this host" \
	start to 127.0.0.1 alone sink-method copy

wrong "contradictory ends" "'(bytes|messages)' contradicts" \
	start bytes 1K messages 1
wrong "alone contradicts sink-netns" "'alone' contradicts 'sink-netns'" \
	start to 127.0.0.1 alone sink-netns x
wrong "alone without to" "'alone' needs 'to'" start alone
wrong "sink-netns without to" "'sink-netns' needs 'to'" start sink-netns x
wrong "detach contradicts interval" "'detach' leaves nobody" \
	start detach interval 1
wrong "rate without unit" "pace: .* lacks its unit" start pace 10
wrong "rate with a unit of others" "pace: .* unknown unit" \
	start pace 10gbyte
wrong "size that is none" "size: .*'10Q'" start size 10Q
wrong "size that is negative" "bytes: .* is negative" start bytes -1
wrong "no byte" "bytes: .* is below the least, 1 B" start bytes 0
wrong "no message" "messages: .* is below the least, 1" start messages 0
wrong "no time" "time: .* is not in the range 1 ns to" start time 0
wrong "pace of less than a byte" "pace: .* is below the least, 8 b/s" \
	start pace 1bit
wrong "time that is none" "time: .*'soon'" start time soon
wrong "CPUs that run downwards" "cpus: .* runs downwards" start cpus 3-1
wrong "port that is none" "port: .*'70000'" start port 70000
wrong "port of a sink that is none" "port: .*'x'" sink port x
wrong "tos above the limit" "tos: .*'256'" start tos 256
wrong "interval below the least" "interval: .* is not in the range 10 ms to" \
	start interval 1ms
wrong "method that there is not" "sink-method: .*'sideways'" start sink-method sideways
wrong "unknown keyword" "unknown word 'fast'" start fast
wrong "keyword without value" "'streams' lacks its value" start streams
wrong "keyword twice" "'streams' is given twice" start streams 1 streams 2
wrong "stop nothing in particular" "either 'run' or 'all' is needed" stop
refused "unknown command" 2 "^ktput-ctl: unknown command 'begin'" ktput-ctl begin
check "no run is left of these" [ "$(runs)" = "[]" ]

privilege
foreign

ktput-ctl -j start streams 0 2>"$scratch/err"
check "errors are JSON with -j" jq -e '.error | test("streams: .* range")' \
	"$scratch/err"

[ -z "$remains" ] && ok "nothing was left behind by any of these" ||
	not_ok "nothing was left behind by any of these" "$remains"
check "the module can be removed" ktput_unload
unloaded
finish
