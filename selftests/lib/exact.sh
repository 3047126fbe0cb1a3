# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# exact.sh: what repeats to a fraction of a percent where the clock counts
# instructions. Sourced after lib.sh.
#
#   steady NETNS...  nothing there follows from when a run begins: TCP has fixed
#                    buffers, reno, and no memory of former connections. Neighbours
#                    stay reachable: what goes to one that is not takes 90 instructions
#                    more, and time leaps between runs. Devices are there before
#   quiet            threads of the kernel that work now and then do not: one of
#                    them takes more instructions than 200 packets. Programs from
#                    here on do not preempt each other when they wake up: of two that
#                    share the CPU each works until it waits

steady()
{
	local netns

	for netns in "$@"; do
		ip netns exec "$netns" sysctl -q -w net.ipv4.tcp_congestion_control=reno \
			net.ipv4.tcp_moderate_rcvbuf=0 net.ipv4.tcp_no_metrics_save=1 \
			net.ipv4.tcp_rmem='4096 1048576 1048576' \
			net.ipv4.tcp_wmem='4096 262144 262144' || return 1
		# shellcheck disable=SC2016 # the shell in the namespace expands it
		ip netns exec "$netns" bash -c '
			for of in /proc/sys/net/ipv[46]/neigh/*; do
				echo 1000000000 >"$of/base_reachable_time_ms" &&
					echo 0 >"$of/delay_first_probe_time" || exit 1
			done' || return 1
	done
}

quiet()
{
	local slabs

	# SLUB frees an empty slab if its node has five others, and allocates it again
	# for the next frames. Whether one is empty follows from earlier runs.
	for slabs in /sys/kernel/slab/{skbuff_*,kmalloc-*}/min_partial; do
		[ ! -w "$slabs" ] || echo 128 >"$slabs"
	done
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
	sysctl -q -w vm.dirty_writeback_centisecs=0
	chrt --batch --pid 0 "$BASHPID"
}
