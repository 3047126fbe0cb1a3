#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sweeps of message sizes by other engines than the module: over the sockets of an
# application, and by NPtcp, real or played. It takes no module.
#
# kernel: host

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need ktput-ctl gojq ip nc taskset pgrep
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
ip link set lo up
netns_add a || skip_all "no network namespaces here"
: "${a:?}"

plan 23

# One that listens, or tells of 10 us one way, and leaves its words behind.
mkdir "$scratch/bin"
cat >"$scratch/bin/NPtcp" <<'END'
#!/bin/sh
name=receiver
for word; do
	case $word in
	-h*) name=sender ;;
	-P*) port=${word#-P} ;;
	-l*) bytes=${word#-l} ;;
	-o*) file=${word#-o} ;;
	esac
done
echo "$@" >>"$PLAYED.$name"
taskset -cp $$ >>"$PLAYED.$name.cpus"
[ "$name" = sender ] || exec nc -l 127.0.0.1 "$port"
time=0.00001
[ "$bytes" != "$SLOW" ] || time=0.0001
printf '%8d %f %.8f\n%8d %f %.8f\n' 7 1 9 "$bytes" 1 $time >"$file"
END
chmod +x "$scratch/bin/NPtcp"

played()
{
	rm -f "$scratch"/words.*
	PLAYED=$scratch/words PATH=$scratch/bin:$PATH \
		ktput-ctl -j pingpong sizes 1000..1024 engine nptcp port 5046 \
		"$@" >"$scratch/out"
}

figures()
{
	played && jq -e '[.sizes[].bytes] == [1000, 1021, 1024] and
		all(.sizes[]; .latency_mean_ns == 20000 and
			.latency_p50_ns == null and .latency_min_ns == null and
			(.throughput_bps | round) == .bytes * 800000) and
		.dropouts == [] and .sweep.engine == "nptcp" and
		.sweep.to == "127.0.0.1"' "$scratch/out"
}

# words NAME: what an end was told that both have to be.
words()
{
	sed 's/-[ho][^ ]* *//g; s/ $//' "$scratch/words.$1"
}

same_words()
{
	[ "$(words sender)" = "$(words receiver)" ] &&
		[ "$(words sender | head -n 1)" = "-P5046 -l1000 -u1000 -p0 -n$1" ] &&
		[ "$(wc -l <"$scratch/words.sender")" = 3 ]
}

of_count()
{
	played messages 77 && same_words 77
}

# trips: how many round trips NPtcp is told for each size.
trips()
{
	sed 's/.* -n\([0-9]*\).*/\1/' "$scratch/words.sender" | xargs
}

of_bytes()
{
	played bytes "$1" && [ "$(trips)" = "$2" ]
}

# Both buffers of both ends.
buffers()
{
	played sndbuf 128K rcvbuf 128K &&
		[ "$(words sender)" = "$(words receiver)" ] &&
		! grep -qv -- ' -b131072 ' "$scratch/words.sender"
}

# slow BYTES: the size drops out; NPtcp has no median.
slow()
{
	SLOW=$1 played && jq -e "[.dropouts[] | .bytes, .by] == [$1, \"mean\"]" \
		"$scratch/out"
}

placed()
{
	local last=$(($(nproc) - 1))

	played cpus 0 sink-cpus "$last" && ! grep -qv ': 0$' "$scratch/words.sender.cpus" &&
		! grep -qv ": $last$" "$scratch/words.receiver.cpus"
}

elsewhere()
{
	PLAYED=$scratch/words PATH=$scratch/bin:$PATH ktput-ctl pingpong \
		netns "$a" sizes 8..8 engine nptcp port 5047 >/dev/null
}

check "what NPtcp writes is in the table" figures
check "both ends are told the same, and the default count" same_words 200
check "a count" of_count
check "by bytes, fewer for the larger" of_bytes 100000 "100 97 97"
check "by bytes, at least 3" of_bytes 1 "3 3 3"
check "by bytes, at most 200" of_bytes 1M "200 200 200"
check "buffers" buffers
refused "one buffer of NPtcp" 2 "NPtcp sets both buffers alike" \
	ktput-ctl pingpong sizes 8..8 engine nptcp sndbuf 128K
check "a size in the middle that drops out" slow 1021
check "the last that drops out" slow 1024
check "each end on its CPUs" placed
check "in another namespace" elsewhere

# PATH without it; the tools are where they are.
refused "without NPtcp" 1 "apt-get install netpipe-tcp" env PATH=/nonexistent \
	"$(command -v ktput-ctl)" pingpong sizes 8..8 engine nptcp
refused "engine without sizes" 2 "'engine nptcp' needs 'sizes'" \
	ktput-ctl pingpong engine nptcp
refused "bytes without sizes" 2 "'bytes' needs 'sizes'" ktput-ctl pingpong bytes 1M
refused "thin without sizes" 2 "'thin' needs 'sizes'" ktput-ctl pingpong thin 2
refused "what NPtcp has no setting for" 2 "'think' does not work with engine nptcp" \
	ktput-ctl pingpong sizes 1..2 engine nptcp think 1ms
ip -n "$a" route add 192.0.2.0/24 dev lo
refused "a sink on another host" 1 "not on this host" \
	ktput-ctl pingpong sizes 8..8 engine nptcp to 192.0.2.1 netns "$a"

own()
{
	ktput-ctl -j pingpong layer user sizes 5..30 messages 20 "$@" \
		>"$scratch/own" &&
		jq -e '[.sizes[].bytes] ==
		[5,6,7,8,9,11,12,13,15,16,19,21,24,27,29,30] and
		all(.sizes[]; .latency_min_ns <= .latency_p50_ns and
			.throughput_bps > 0) and (.dropouts | type) == "array" and
		.sweep.engine == "ktput" and .sweep.source.layer == "user"' \
		"$scratch/own"
}

# Of 1, 1, 2, 3, 4, 6, 8 ... each fourth.
thinned()
{
	ktput-ctl -j pingpong layer user sizes 5..300 thin 4 messages 3 |
		jq -e '[.sizes[].bytes] ==
			[5, 7, 13, 16, 19, 61, 64, 67, 253, 256, 259, 300]'
}

real()
{
	ktput-ctl -j pingpong sizes 1000..1024 engine nptcp port 5046 messages 50 \
		>"$scratch/nptcp" &&
		jq -e '[.sizes[].bytes] == [1000, 1021, 1024] and
		all(.sizes[]; .latency_mean_ns > 1000 and
			.latency_mean_ns < 1e9)' "$scratch/nptcp"
}

drawn()
{
	ktput-report plot pingpong "$@" out "$scratch/sweep.svg" &&
		grep -qF '>tcp, layer user, epoll<' "$scratch/sweep.svg"
}

check "over the sockets of an application" own
check "each fourth of the sizes, with its neighbours" thinned
if command -v NPtcp >/dev/null; then
	check "NPtcp itself" real
else
	skip "NPtcp itself" "NPtcp is not installed"
fi
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
	check "a picture of both" drawn "$scratch/own" "$scratch/out"
else
	skip "a picture of both" "python3-matplotlib is not installed"
fi
no_process()
{
	! pgrep -x NPtcp >/dev/null
}
check "no NPtcp is left" no_process
finish
