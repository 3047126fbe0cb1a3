#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Records: runs of each kind, checked against Documentation/measure/record.schema.json;
# whole or not there at all; with the text beside them.
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need nc /usr/bin/python3
/usr/bin/python3 -c 'import jsonschema' 2>/dev/null ||
	skip_all "python3-jsonschema is not installed"
begin 33
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
calm "$a" "$b"
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
mkdir "$scratch/records"
cd "$scratch/records" || exit 1

# record NAME ARGUMENT...: the record of a run, alone in its file.
record()
{
	local name=$1
	shift

	ktput-ctl "$@" record "$name" replace >"../$name.text" 2>"../$name.err" &&
		[ "$(wc -l <"$name")" = 1 ] && return
	cat "../$name.text" "../$name.err"
	return 1
}

says()
{
	jq -e "$2" "$1" >/dev/null && return
	jq -c "${3-.result}" "$1"
	return 1
}

datagrams()
{
	local name=$1
	shift

	record "$name" start netns "$a" sink-netns "$b" udp to 10.9.0.2 \
		messages 400 rate 4kpps "$@"
}

check "TCP over loopback" record tcp -s start bytes 4M interval 50ms streams 2
check "IPv6" record ipv6 start to ::1 bytes 4M warmup 0
check "UDP sockets" datagrams udp
check "stages of datagrams" datagrams stages layer user sink-layer user stages
check "stages of round trips" record trips pingpong netns "$a" sink-netns "$b" udp \
	to 10.9.0.2 layer user messages 1200 stages
check "queue to ingress" datagrams queue layer queue sink-layer ingress
check "driver to ingress, with a mix of sizes" \
	datagrams driver layer driver sink-layer ingress size imix burst 4
check "driver to XDP" datagrams xdp layer driver sink-layer xdp

# The text is what it is without a record: all lines begin as there.
# headings: what lines of a result begin with, but for statistics, which there are
# if there were enough intervals. Streams of one run may differ in what limits TCP,
# and have a line each then.
headings()
{
	sed -n '/^Ended/,$p' |
		awk '/^[^ ]/ && !/^(Intervals|Disturbed)/ { print $1 }' | uniq
}

same_text()
{
	diff <(headings <../tcp.text) \
		<(ktput-ctl -s start bytes 4M interval 50ms streams 2 | headings)
}
check "the text is as without a record" same_text

steady()
{
	record screen start time 1s interval 100ms &&
		! grep 'percentiles' ../screen.text &&
		record steady -s start time 1s interval 100ms &&
		grep '^Intervals' ../steady.text &&
		says steady '.result.statistics.goodput_bps | has("p05")'
}
check "statistics too, and the record has the rest of them" steady

# All that -j -s print of a run is in its record, and the other way round.
keys()
{
	jq -c '[paths | map(if type == "number" then 0 else . end) | join(".")] |
		unique | map(select(startswith("environment") | not)) | .[]' "$1"
}

same_keys()
{
	ktput-ctl -j -s start bytes 4M interval 50ms streams 2 record both >../json &&
		diff <(keys both) <(keys ../json)
}
check "a record has what -j and -s print" same_keys

begun()
{
	grep -q '^ *[0-9.]*-[0-9.]* ' "../$1.text"
}

interrupted()
{
	background interrupted env --default-signal=INT ktput-ctl start \
		time 1h interval 100ms record interrupted
	ln -s interrupted.out ../interrupted.text
	wait_for "$BOUND" begun interrupted || return 1
	[ ! -e interrupted ] || { echo "it is there before the end"; return 1; }
	kill -INT "${background[interrupted]}"
	ended interrupted && says interrupted '.result | .interrupted and .valid'
}
check "interrupted: a record all the same" interrupted

given_up()
{
	background given_up env --default-signal=INT ktput-ctl start \
		time 1h interval 100ms record given_up
	ln -s given_up.out ../given_up.text
	wait_for "$BOUND" begun given_up || return 1
	kill -STOP "${background[given_up]}"
	kill -INT "${background[given_up]}"
	kill -TERM "${background[given_up]}"
	kill -CONT "${background[given_up]}"
	! ended given_up && grep -q 'given up' ../given_up.err &&
		! find . -name 'given_up*' | grep .
}
check "given up: no record" given_up

invalid()
{
	local status=0

	ktput-ctl start bytes 64K warmup 1h record invalid >../invalid.text \
		2>&1 || status=$?
	[ "$status" = 1 ] && says invalid '.result | (.valid | not) and
		.invalid_because == "it ended before the warm-up was over"'
}
check "not valid: a record that says so" invalid

listening()
{
	[ -n "$(ss -N "$b" -tlnH 'sport = :5010')" ]
}

alone()
{
	background alone ktput-ctl sink netns "$b" dev veth0 once streams 1 \
		interval 100ms record alone
	wait_for "$BOUND" listening || return 1
	head -c 1000000 /dev/zero | ip netns exec "$a" nc -N 10.9.0.2 5010
	ended alone && says alone '.result | .valid and .bytes == 1000000 and
		(.reconciliation | length == 3 and all(.agrees))'
}
check "a sink alone" alone

# validate FILE...: against the schema, of which all members are described.
validate()
{
	/usr/bin/python3 - "$TOP/Documentation/measure/record.schema.json" "$@" <<'END'
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as file:
        for line in file:
            for error in validator.iter_errors(json.loads(line)):
                where = ".".join(map(str, error.absolute_path))
                print(f"{name}: {where}: {error.message[:200]}")
                bad = 1


def undescribed(part, where):
    """Members that the schema does not say anything of."""
    for name, member in part.get("properties", {}).items():
        if not {"description", "$ref"} & set(member):
            yield f"{where}.{name}"
        yield from undescribed(member, f"{where}.{name}")


for name, part in {"": schema, **schema["$defs"]}.items():
    for member in undescribed(part, name):
        print(f"{member}: no description")
        bad = 1
sys.exit(bad)
END
}
check "all of them are as the schema has it" validate tcp ipv6 udp stages trips queue \
	driver xdp interrupted invalid alone

unknown_key()
{
	jq -c '.result.surprise = 1' tcp >../surprise
	! validate ../surprise >../said && grep -q "'surprise' was unexpected" ../said
}
check "a member that the schema does not have is found" unknown_key

check "version and command" says tcp '.record_version == 1 and .command ==
	["start", "bytes", "4M", "interval", "50ms", "streams", "2",
	 "record", "tcp", "replace"]' .command
check "kernel and CPUs" says tcp '.environment |
	.kernel.release == "'"$(uname -r)"'" and .cpu.online != null and
	(.mitigations | length > 0) and .memory_bytes > 0 and
	.module_version != null and .clocksource != null' .environment
sysctls()
{
	local memory="4096 65536 2000000"

	ip netns exec "$b" sysctl -qw net.ipv4.tcp_rmem="$memory"
	record sysctls start netns "$a" sink-netns "$b" to 10.9.0.2 bytes 1M &&
		[ "$(jq -r '.environment | .sink, .source |
			.sysctls."net.ipv4.tcp_rmem" | gsub("\t"; " ") == "'"$memory"'"' \
			sysctls | xargs)" = "true false" ]
}
check "sysctls are those of the end's network namespace" sysctls
check "devices are those that packets pass" says udp '.environment |
	[.source, .sink] | all(.device | .name == "veth0" and
	.kind == "veth" and .driver == "veth" and .mtu_bytes == 1500 and
	(.features | index("tx-checksum-ip-generic")))' .environment

# The name of this host is that of the test for a while.
no_names()
{
	local mac name

	name=$(random_name)
	mac=$(ip -n "$a" -j link show dev veth0 | jq -r '.[0].address')
	unshare --uts sh -c "echo $name >/proc/sys/kernel/hostname &&
		exec ktput-ctl start netns $a sink-netns $b to 10.9.0.2 bytes 64K \
			record named" >/dev/null || return
	! grep -iF -e "$name" -e "$mac" named
}
check "no names of hosts, and no MAC addresses" no_names

nic()
{
	local devices

	read -r -a devices <<<"$(nic_pair)"
	[ ${#devices[@]} = 2 ] || return 2
	ip link set "${devices[0]}" netns "$a"
	ip link set "${devices[1]}" netns "$b"
	addr_add "$a" 10.9.1.1/24 "${devices[0]}"
	addr_add "$b" 10.9.1.2/24 "${devices[1]}"
	link_up "$a" "${devices[0]}" && link_up "$b" "${devices[1]}" &&
		record nic start netns "$a" sink-netns "$b" to 10.9.1.2 \
			bytes 1M &&
		says nic '.environment.source.device | .name == "'"${devices[0]}"'" and
			.driver == "virtio_net" and (.bus | test(":")) and
			.rings.transmit > 0 and .channels.combined > 0 and
			.qdisc != null' .environment.source &&
		says nic '.result.valid and (.result.reconciliation |
			map(.where) | index("source, '"${devices[0]}"'"))'
}
if [ "${KTPUT_VM-}" = 1 ]; then
	check "a NIC in another network namespace" nic
else
	skip "a NIC in another network namespace" "there is no pair of them"
fi

replaced()
{
	echo old >file && record file start bytes 64K && says file .result.valid
}
check "replace: what is in FILE goes" replaced

appended()
{
	cp file before &&
		ktput-ctl start bytes 64K repeat 2 record file >../appended.text &&
		[ "$(wc -l <file)" = 3 ] && head -n 1 file | cmp - before &&
		jq -es 'length == 3 and all(.result.valid)' file
}
check "what is in FILE stays, and records go behind it" appended

# A process that is killed while it runs has no record, and leaves what there is.
killed()
{
	cp file before
	background killed ktput-ctl start time 1h interval 100ms record file
	ln -s killed.out ../killed.text
	wait_for "$BOUND" begun killed || return 1
	kill -KILL "${background[killed]}"
	ended killed
	cmp file before && ! find . -name 'file?*' | grep .
}
check "killed: FILE is as it was" killed
refused "replace is for a record" 2 "'replace' needs 'record'" \
	ktput-ctl start replace

summary()
{
	ktput-ctl -j start bytes 64K repeat 3 until ci 50% >../summary || return 1
	tail -n 1 ../summary | jq -e 'keys == ["summary"]' && validate ../summary
}
check "the summary of repeated runs is as the schema has it" summary
refused "a directory that is not there" 1 "cannot write the record '/nonexistent/file'" \
	ktput-ctl start record /nonexistent/file
refused "a device that is full" 1 "cannot write the record '/dev/full': No space" \
	ktput-ctl start bytes 64K record /dev/full
refused "detach leaves nobody to write it" 2 "'detach' leaves nobody" \
	ktput-ctl start detach record file
refused "and of a run that is refused nothing is left" 1 "no route" \
	ktput-ctl start to 203.0.113.1 netns "$a" record refused
nothing()
{
	nothing_left "$a" "$b" && ! find . -name 'refused*' | grep .
}
check "nothing is left behind" nothing
finish
