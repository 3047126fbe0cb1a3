#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sources and sinks in user space beside those of the module, to the byte and the
# datagram; and a CPU that goes offline under them, which wants a VM.
#
#   a: veth0 10.4.0.1, fd04::1 ------- b: veth0 10.4.0.2, fd04::2
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/user.sh"

ktput_load || skip_all "the module cannot be loaded"
user_begin 11
# Set by user_begin.
: "${to_far:?}" "${b:?}"

for to in 127.0.0.1 ::1; do
	check "TCP from user space to the kernel, $to" \
		all layer user method zerocopy to "$to"
	check "TCP from the kernel to user space, $to" \
		all sink-layer user to "$to" streams 3
done
# shellcheck disable=SC2086  # words
{
	uring check "TCP by io_uring to the kernel, veth" \
		all layer user method io_uring $to_far 10.4.0.2
	uring check "TCP from the kernel by io_uring, veth" \
		all sink-layer user sink-method io_uring $to_far fd04::2
	check "TCP from a file to the kernel, veth" \
		all layer user method sendfile $to_far fd04::2
	check "UDP from user space to the kernel, veth" \
		each layer user $to_far 10.4.0.2 segments 4 size 1000
	check "UDP from the kernel to user space, veth" \
		each sink-layer user $to_far fd04::2 batch 4
	check "UDP from the driver to user space, veth" \
		each_frame sink-layer user $to_far 10.4.0.2
}

cpu=/sys/devices/system/cpu/cpu1/online

cpu_goes()
{
	endless sink-netns "$b" sink-layer user cpus 1 sink-cpus 0 || return 1
	at_exit sh -c "echo 1 >$cpu"
	echo 0 >"$cpu" || return 1
	ended source
	echo 1 >"$cpu"
	jq -e '.result.reason == "cpu" and (.result.valid | not)' \
		"$scratch/source.out"
}

# No CPU outside the affinity mask is used.
if [ "${KTPUT_VM-}" = 1 ] && [ -w $cpu ]; then
	check "a CPU that goes offline" cpu_goes
else
	skip "a CPU that goes offline" "no CPU 1 of a VM"
fi
finish
