#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fan_out.sh: what a mesh of many hosts costs the machine that asks
#
# usage: selftests/lab/fan_out.sh [--help] HOSTS [WORD...]
#
# The far ends are a stub: for each, a process in place of ssh that answers with the
# record of a run, which is made once here. With "real" in place of HOSTS, 64 network
# namespaces, with an sshd each where there is one. WORDs are of the mesh.
#
# Prints, as JSON: hosts, pairs, connections, bytes of answers, seconds, the CPU time of
# the mesh and the most memory that it had.
#
# environment:
#   KTPUT_STAND_IN    1: with real, no ssh, though there is an sshd
#   KTPUT_MESH_LAYER  with real: socket, with the module, or user; user

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/sshd.sh"

ktap_finished=1
case ${1-} in
--help|-h) usage; exit 0 ;;
'') usage >&2; exit 2 ;;
esac
hosts=$1
shift
need ktput-ctl gojq
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"

# simulated: each of them answers at once.
simulated()
{
	ktput-ctl -j start layer user sink-layer user time 100ms >"$scratch/record" ||
		exit 1
	cat >"$scratch/ssh" <<END
#!/bin/sh
echo "\$1" >>"$scratch/calls"
case "\$2" in
*--version) exec echo "$(ktput-ctl --version)" ;;
esac
exec cat "$scratch/record"
END
	chmod 755 "$scratch/ssh"
	export KTPUT_SSH=$scratch/ssh
}

# real: HOSTS namespaces behind a bridge.
real()
{
	local names=() far i

	netns_add bridge
	# Set by netns_add.
	: "${bridge:?}" "${far:=}"
	ip -n "$bridge" link add br0 up type bridge || exit 1
	for ((i = 1; i <= hosts; i++)); do
		netns_add far &&
			ip link add veth0 netns "$far" type veth \
				peer name "port$i" netns "$bridge" &&
			ip -n "$far" addr add "10.6.0.$i/24" dev veth0 &&
			ip -n "$far" link set veth0 up &&
			ip -n "$bridge" link set "port$i" master br0 up || exit 1
		names+=("host$i=$far=10.6.0.$i")
	done
	# The mesh asks from where all are reached.
	ip -n "$bridge" addr add 10.6.0.254/24 dev br0
	inside=(ip netns exec "$bridge")
	hosts_begin "$bridge" "${names[@]}"
	# Set by hosts_begin.
	echo "far ends: ${real_ssh:-a stand-in for ssh}" >&2
}

inside=()
layer=(layer user)
if [ "$hosts" = real ]; then
	need_root
	if [ "${KTPUT_MESH_LAYER-user}" = socket ]; then
		ktput_load || exit 1
		layer=()
	fi
	hosts=64
	real
else
	simulated
fi
touch "$scratch/calls"
"${inside[@]}" /usr/bin/python3 - "host[1-$hosts]" "${layer[@]}" time 100ms \
	record "$scratch/mesh" "$@" >"$scratch/cost" <<'END' || exit 1
import json, resource, subprocess, sys, time
begin = time.monotonic()
done = subprocess.run(["ktput-ctl", "-j", "mesh", *sys.argv[1:]], check=True,
                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
took = time.monotonic() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
mesh = json.loads(done.stdout)["mesh"]
print(json.dumps({
    "hosts": len(mesh["hosts"]), "pairs": len(mesh["pairs"]),
    "failed_pairs": len(mesh["failed"]), "left_out": len(mesh["left_out"]),
    "took_s": round(took, 1), "memory_max_bytes": used.ru_maxrss * 1024}))
END
jq -c --argjson calls "$(wc -l <"$scratch/calls")" \
	--argjson bytes "$(stat -c %s "$scratch/mesh")" \
	'. + {connections: $calls, record_bytes: $bytes}' "$scratch/cost"
