#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-slurm.sh: ktput-ctl mesh in an allocation of Slurm
#
# usage: selftests/ci/check-slurm.sh [--help]
#
# Debian's slurmctld, slurmd and munged with configurations of their own: a controller
# and four nodes, each in a network namespace of this machine. A mesh without hosts in
# an allocation measures its nodes, which srun leads to; then the job script of
# Documentation/measure/mesh.rst. Sockets of user space: no module. Wants root.
#
# exit: 0 nothing failed, or Slurm is not installed, which is said, 1 something failed

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

NODES=4

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
esac

need_root
need ktput-ctl ip gojq
need slurmctld slurmd munged salloc sbatch srun scontrol
need_lab
plan 9
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
chmod 755 "$scratch"

netns_add bridge
# Set by netns_add.
: "${bridge:?}" "${n100:=}"

# host_add N: namespace n followed by N, behind the bridge; it knows all names.
host_add()
{
	local -n netns=n$1

	netns_add "n$1" &&
		ip link add veth0 netns "$netns" type veth \
			peer name "port$1" netns "$bridge" &&
		ip -n "$netns" addr add "10.6.0.$1/24" dev veth0 &&
		ip -n "$netns" link set veth0 up &&
		ip -n "$bridge" link set "port$1" master br0 up &&
		mkdir -p "/etc/netns/$netns" || return 1
	at_exit rmdir -p --ignore-fail-on-non-empty "/etc/netns/$netns"
	at_exit rm "/etc/netns/$netns/hosts"
	{
		echo "127.0.0.1 localhost"
		echo "10.6.0.100 head"
		for ((i = 1; i <= NODES; i++)); do echo "10.6.0.$i node$i"; done
	} >"/etc/netns/$netns/hosts"
}

configure()
{
	dd if=/dev/urandom of="$scratch/munge.key" bs=128 count=1 status=none
	chmod 400 "$scratch/munge.key"
	cat >"$scratch/slurm.conf" <<END
ClusterName=ktput
SlurmctldHost=$(hostname)(10.6.0.100)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
CredType=cred/munge
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmctldPort=16817
StateSaveLocation=$scratch/state
SlurmdPidFile=$scratch/slurmd.%n.pid
SlurmdSpoolDir=$scratch/spool.%n
SlurmctldParameters=node_reg_mem_percent=1
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
$(for ((i = 1; i <= NODES; i++)); do
	echo "NodeName=node$i NodeAddr=10.6.0.$i NodeHostname=$(hostname) Port=$((17000 + i))"
done)
PartitionName=all Nodes=ALL Default=YES State=UP
END
	# ip-netns(8) mounts a /sys of its own.
	echo 'CgroupPlugin=cgroup/v1' >"$scratch/cgroup.conf"
}

# in_head COMMAND...: where the controller and the user are.
in_head()
{
	ip netns exec "$n100" "$@"
}

idle()
{
	[ "$(in_head scontrol -o show nodes | grep -c 'State=IDLE ')" = $NODES ]
}

cluster()
{
	configure
	# Not even root of another name has its key.
	background munged munged --foreground --force --key-file "$scratch/munge.key" \
		--socket "$scratch/munge.socket" --pid-file "$scratch/munged.pid" \
		--log-file "$scratch/munged.log" --seed-file "$scratch/munge.seed"
	wait_for "$BOUND" test -S "$scratch/munge.socket" || return 1
	background slurmctld ip netns exec "$n100" slurmctld -D -f "$SLURM_CONF"
	for ((i = 1; i <= NODES; i++)); do
		local -n netns=n$i

		background "slurmd$i" ip netns exec "$netns" slurmd -D -N "node$i" \
			-f "$SLURM_CONF"
	done
	wait_for "$BOUND" idle && return
	tail -n 3 "$scratch"/slurm*.err
	in_head scontrol show nodes
	return 1
}

# measured JSON: each pair of nodes has a result.
measured()
{
	jq -e --argjson nodes "$NODES" '.mesh | (.pairs | length == $nodes * ($nodes - 1))
		and .failed == [] and .left_out == [] and .hosts[0] == "node1" and
		all(.pairs[]; .goodput_bps > 0)' "$1" >/dev/null && return
	cat "$1" "$scratch/err"
	return 1
}

# allocated OPTION... -- WORD...: a mesh of the nodes of an allocation.
allocated()
{
	local options=()

	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	timeout 120 ip netns exec "$n100" salloc -Q "${options[@]}" \
		ktput-ctl -j mesh layer user time 100ms "$@" \
		>"$scratch/mesh" 2>"$scratch/err" </dev/null && return
	cat "$scratch/err"
	return 1
}

job_ended()
{
	! in_head squeue -h | grep -q .
}

# script FIRST N: the N lines of a script in the document, the second one begins so.
script()
{
	sed -n 's/^  //p' "$TOP/Documentation/measure/mesh.rst" |
		grep -B 1 -A $(($2 - 2)) -- "^$1"
}

batch()
{
	# With the words that take no module.
	script "#SBATCH" 4 | sed 's/ktput-ctl mesh/& layer user time 100ms/' \
		>"$scratch/job"
	in_head sbatch -D "$scratch" "$scratch/job" >"$scratch/out" 2>&1 &&
		wait_for "$BOUND" job_ended
	cat "$scratch/job" "$scratch/out" "$scratch"/slurm-*.out
	[ -s "$scratch/mesh.jsonl" ]
}

export SLURM_CONF=$scratch/slurm.conf
ip -n "$bridge" link add br0 up type bridge || { diag "no bridge here"; exit 1; }
for host in 100 $(seq $NODES); do
	host_add "$host" || exit 1
done
check "a controller and $NODES nodes" cluster
idle || exit 1
script "# Takes a host" 3 >"$scratch/by-srun"
chmod 755 "$scratch/by-srun"
export KTPUT_SSH=$scratch/by-srun
check "a mesh in an allocation, by srun" allocated -N $NODES --
check "each pair has a result" measured "$scratch/mesh"
check "some nodes" allocated -N 3 -w 'node[2-4]' -- pingpong 50ms
check "they alone are measured" jq -e '.mesh.hosts == ["node2", "node3", "node4"] and
	all(.mesh.pairs[]; .round_trip_p99_ns > 0)' "$scratch/mesh"
refused "a mesh without an allocation" 2 'this is no allocation of Slurm' \
	in_head ktput-ctl mesh
check "the job script of the document" batch
check "its record has each pair" sh -c \
	"jq -s '[.[] | select(.mesh)] | last' '$scratch/mesh.jsonl' >'$scratch/last'"
check "and a result for each" measured "$scratch/last"
finish
