#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Isolated CPUs (isolcpus, nohz_full) serve runs that name them, and no others.
# check.sh has a VM for it.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

# list_of FILE: the CPUs in it, one a line.
list_of()
{
	local part

	tr , '\n' <"/sys/devices/system/cpu/$1" | while IFS=- read -r part last; do
		[ -z "$part" ] || seq "$part" "${last:-$part}"
	done
}

isolated=$({ list_of isolated; list_of nohz_full; } 2>/dev/null | sort -nu)
if [ -z "$isolated" ]; then
	grep -q isolcpus= /proc/cmdline || skip_all "no CPU is isolated"
	plan 1
	not_ok "a CPU is isolated" "$(cat /proc/cmdline)"
	finish
fi
others=$(list_of online | grep -vxF "$isolated")
begin 5
netns_add ns
online=$(cat /sys/devices/system/cpu/online)

# of ROLE: CPUs of its runs in the order of the runs, one a line.
of()
{
	# shellcheck disable=SC2154  # netns_add sets it
	ktput-ctl -j show netns "$ns" | jq -r ".runs[] |
		select(.role == \"$1\").config.cpus" | tr , '\n' |
		while IFS=- read -r part last; do
			seq "$part" "${last:-$part}"
		done
}

# served CPUS LIST COMMAND...: a task that may run on LIST has a sink, by COMMAND,
# which has those CPUs.
served()
{
	local want=$1 list=$2
	shift 2

	taskset -c "$list" "$@" >/dev/null || return 1
	local got
	got=$(of sink)
	ktput-ctl stop netns "$ns" all forget >/dev/null
	echo "has: $got; wants: $want"
	[ "$got" = "$want" ]
}

both()
{
	taskset -c "$online" ktput-ctl start netns "$ns" bytes 1M detach || return 1
	of source >"$scratch/both"
	of sink >>"$scratch/both"
	ktput-ctl stop netns "$ns" all forget >/dev/null
	sort -nu "$scratch/both"
	! grep -qxF "$isolated" "$scratch/both"
}

user()
{
	taskset -c "$online" ktput-ctl -j start layer user sink-layer user netns "$ns" \
		bytes 1M >"$scratch/user" || return 1
	jq -c '[.runs[].config.cpus]' "$scratch/user"
	jq -r '.runs[].config.cpus' "$scratch/user" | tr , '\n' >"$scratch/both"
	! grep -qxF "$isolated" "$scratch/both"
}

one=$(head -n 1 <<<"$isolated")
sink=(ktput-ctl sink netns "$ns" port 0 detach)
check "by default: none that is isolated" served "$others" "$online" "${sink[@]}"
check "who may run there alone: there" served "$one" "$one" "${sink[@]}"
check "named: there" served "$one" "$online" "${sink[@]}" cpus "$one"
check "both ends on one host: none" both
check "in user space: none" user
finish
