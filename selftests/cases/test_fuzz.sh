#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Malformed and random requests, of a seed that is always the same and of one
# that never is: the kernel stays in good health, and nothing is left of them.
#
# environment:
#   FUZZ_MESSAGES  how many of each seed; 10000
#   FUZZ_SEED      instead of a random one
#   FUZZ_AGAIN     share of configurations that are made of former ones which
#                  reached more of the module, where the kernel has KCOV; 0.5
#
# What a seed has reached is left in KTPUT_RESULTS as fuzz-SEED.reached, for
# kcov.py.

# In a namespace of its own, where all sockets are ktput's, and no route leads
# out.
[ -n "${KTPUT_UNSHARED-}" ] || KTPUT_UNSHARED=1 exec unshare -n bash "$0" "$@"

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need unshare /usr/bin/python3
begin 11

messages=${FUZZ_MESSAGES:-10000}
kcov=/sys/kernel/debug/kcov
module=$BUILD/$(uname -r)/ktput.ko

# Two devices of their own for what is below the socket layer.
setup()
{
	ip link add fuzz0 index 2 type veth peer name fuzz1 index 3 &&
		ip addr add 192.0.2.1/24 dev fuzz0 &&
		ip link set fuzz0 address 02:00:00:00:00:01 up &&
		ip link set fuzz1 address 02:00:00:00:00:02 up
}

health()
{
	cat /proc/sys/kernel/tainted
	dmesg | grep -cEf <(grep -v '^#' "$TOP/selftests/vm/splats.txt")
}

# fuzz SEED
fuzz()
{
	PYTHONPATH=$TOP/selftests/lib \
		/usr/bin/python3 -B "$TOP/selftests/cases/fuzz_netlink.py" --messages "$messages" \
		--seed "$1" --again "${FUZZ_AGAIN:-0.5}" --module "$module" \
		--reached "${KTPUT_RESULTS:-$scratch}/fuzz-$1.reached" \
		"$TOP/kmod/uapi/linux/ktput.h" "$TOP/kmod/genl-gen.c" \
		>"$scratch/came"
}

# Each kind must occur often enough, else the messages are not as intended.
varied()
{
	cat "$scratch/came"
	jq -e ".faults == [] and (.came | .messages >= $messages and
		([.[\"runs started\"], .answers, .done, .EINVAL, .ERANGE, .ENOENT,
		  .[\"dumps read to the end\"]] | all(. >= $messages / 1000)))" \
		"$scratch/came"
}

# What was reached is of the module, and led to messages. Sixty messages reach a
# fourth of the points; the rest is mostly the data path, in other tasks.
guided()
{
	cat "$scratch/came"
	jq -e '.coverage.reached >= .coverage.points / 10 and (.came |
		[.["writes that reached more"], .["configurations kept"],
		 .["configurations changed further"]] | all(. > 0))' \
		"$scratch/came"
}

left_here()
{
	runs | grep -vx '\[\]'
	# Except sockets in TIME_WAIT, known by its timer, also in FIN_WAIT2.
	awk 'FNR > 1 && $6 !~ /^03:/ { print FILENAME, $0 }' /proc/net/tcp \
		/proc/net/tcp6 /proc/net/udp /proc/net/udp6
	pgrep -l '^ktput/'
}

nothing_here()
{
	[ -z "$(left_here)" ]
}

# nothing_remains: and say what does.
nothing_remains()
{
	wait_for "$BOUND" nothing_here || { left_here; return 1; }
}

# sound SEED: all checks after the messages of a seed.
sound()
{
	check "$messages messages, seed $1" fuzz "$1"
	check "seed $1: of many kinds" varied
	if [ -e "$kcov" ]; then
		check "seed $1: KCOV shows the way" guided
		diag "$(jq -r '.coverage | "\(.reached) of \(.points) points reached"' \
			"$scratch/came")"
	else
		skip "seed $1: KCOV shows the way" "the kernel has no KCOV"
	fi
	diag "$(jq -r '.came | to_entries | map("\(.key) \(.value)") | join(", ")' \
		"$scratch/came")"
	check "seed $1: no run, no socket, no thread is left" nothing_remains
}

as_before()
{
	[ "$(health)" = "$before" ] || { dmesg | tail -n 40; return 1; }
}

check "two devices" setup || finish
before=$(health)
sound 1
sound "${FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}"
check "the kernel has complained of nothing" as_before
check "the next run works" ktput-ctl start bytes 1M
finish
