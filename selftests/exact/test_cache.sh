#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Cache lines by vm/cache.c: what can be counted by hand, and 1448 bytes of UDP, of which
# a sink that does not copy them reads the header; the same again is within 1 %. Where
# they are copied, the kernel reads some lines to check that it may. An epoch without
# anything in it has getppid() alone, which all cases by hand have, too.
#
# By kind of object: a file is in pages, and a buffer in the memory of a program.

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/exact.sh"
. "$(dirname "$0")/../lib/cache.sh"

need_cache
begin 20

setup()
{
	netns_add a && netns_add b && veth_add "$a" 10.0.3.1/24 "$b" 10.0.3.2/24 &&
		steady "$a" "$b"
}

# hand: cases by touch.c, of which the last is the same file by the kernel.
hand()
{
	head -c 1M /dev/zero >"$scratch/file" &&
		epochs __x64_sys_getppid &&
		touches empty read 0 64 &&
		touches read read 1000 64 &&
		touches few read 100 64 &&
		touches write write 1000 64 &&
		touches set write 16 4096 &&
		touches ways write 4 4096 &&
		touches copy copy 1048576 &&
		touches pread pread "$scratch/file" 1048576
}

# shellcheck disable=SC2154  # netns_add sets them
receive()
{
	exec ktput-ctl -j start netns "$a" sink-netns "$b" to 10.0.3.2 udp size 1448 \
		rate 20kpps time 1h interval 1h layer driver sink-layer socket "$@" \
		>"$scratch/run"
}

real()
{
	epochs __netif_receive_skb_core &&
		steadily udp-copy receive sink-method copy &&
		steadily udp-again receive sink-method copy &&
		steadily udp-trunc receive sink-method trunc &&
		cache_figures >"$scratch/figures" &&
		cp "$scratch/figures" "$KTPUT_RESULTS/cache-figures.json"
}

# holds NAME FILTER: all that FILTER makes of the figures is true. more() is what a case
# has more than another one, or than an empty epoch. What else the kernel has to do now
# and then is near(), and so is the end of a loop.
holds()
{
	check "$1" jq -e '. as $all |
		def of(name; whose; $key): $all[name][whose][$key + "_per_epoch"];
		def more(name; less; whose; $key):
			of(name; whose; $key) - of(less; whose; $key);
		def user(name; $key): more(name; "empty"; "user"; $key);
		def kernel(name; $key): more(name; "empty"; "kernel"; $key);
		def kind(name; $kind; $key): [$all[name].kinds[] | select(.name == $kind) |
			.[$key + "_per_epoch"]] | add // 0;
		def more_of(name; less; $kind; $key):
			kind(name; $kind; $key) - kind(less; $kind; $key);
		def near($value): . - $value | fabs <= 1 + $value / 1000;
		def within(least; most): . >= least and . <= most;
		['"$2"'] | all' "$scratch/figures"
}

quiet
check "two network namespaces" setup
check "what kinds of objects there are" kinds
check "epochs of getppid()" hand
check "epochs of packets" real
holds "an empty epoch" '.empty | .epochs == 20, .user.lines_per_epoch < 6,
	.user.l1d_misses_per_epoch < 1, .kernel.copied_bytes_per_epoch < 100'
holds "1000 lines are read, and none is written" '
	(user("read"; "lines", "lines_read") | near(1000)), (user("few"; "lines") | near(100)),
	(user("read"; "lines_written") | near(0))'
holds "1000 lines are written, and none is read" '
	(user("write"; "lines", "lines_written") | near(1000)),
	(user("write"; "lines_read") | near(0))'
holds "L1d holds 100 lines, and not 1000" 'user("few"; "l1d_misses") < 2,
	(user("read"; "l1d_misses") | near(1001))'
holds "a set has 8 ways" '(user("set"; "l1d_misses") | near(16)),
	(user("ways"; "l1d_misses") | near(0))'
holds "L2 holds 1000 lines, and not 2 MiB" 'user("read"; "l2_misses") < 10,
	user("copy"; "l2_misses") > 32700'
holds "a copy of 1 MiB" 'user("copy"; "lines_read", "lines_written") |
	near(16384)'
holds "a copy of 1 MiB by the kernel" 'kernel("pread"; "copied_bytes") |
	within(1048576; 1049600)'
holds "the copy's instructions are apart" 'kernel("pread"; "copy_instructions") |
	within(131072; 136000)'
holds "1 MiB of a file is in pages" '(kind("pread"; "pages"; "lines", "lines_read") |
	near(16384)), kind("pread"; "pages"; "lines_written") < 10'
holds "1 MiB of a program is its memory" '
	more_of("pread"; "empty"; "memory of programs"; "lines", "lines_written") |
	near(16384)'
holds "each line is of some kind" '.[] | ([.kinds[].lines_per_epoch] | add) -
	.kernel.lines_per_epoch | fabs < 1'
holds "a packet is in pages, and what it is copied to, too" '
	more_of("udp-copy"; "udp-trunc"; "pages"; "lines_read", "lines_written") |
	within(21; 25)'
holds "a socket that receives is one" '
	(more_of("udp-copy"; "udp-trunc"; "udp_sock"; "lines") | fabs < 0.5),
	(kind("udp-copy"; "udp_sock"; "lines") | within(5; 18))'
holds "1448 bytes are 23 or 24 lines, less one of the header, read and written" '
	(more("udp-copy"; "udp-trunc"; "kernel"; "copied_bytes") | within(1384; 1448)),
	(more("udp-copy"; "udp-trunc"; "kernel"; "copy_lines") / 2 | within(21.9; 23.1)),
	(more("udp-copy"; "udp-trunc"; "kernel"; "lines_written") | within(21; 24)),
	(more("udp-copy"; "udp-trunc"; "kernel"; "lines_read") | within(21.9; 32))'
holds "the same again is within 1 %" '.["udp-copy"].kernel as $one |
	.["udp-again"].kernel as $two |
	("instructions", "lines", "lines_written", "code_lines") + "_per_epoch" |
	$two[.] / $one[.] - 1 | fabs < 0.01'
diag "$(jq -c 'map_values(.kernel)' "$scratch/figures")"
finish
