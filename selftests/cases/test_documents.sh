#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of README.md and of all documents, manuals too: each is run as it
# stands there, but for a moment. The peers of the documents are in a namespace called
# far. lib/commands.py says how a document tells of a command that is not run here.
#
# kernel: any

# The name is known to this test alone.
if [ -z "${KTPUT_UNSHARED-}" ]; then
	mkdir -p /run/netns
	KTPUT_UNSHARED=1 exec unshare -mn bash "$0" "$@"
fi

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/sshd.sh"

need_root
need_lab
need iperf3
marked=ok
list=$("$TOP/selftests/lib/commands.py" "$TOP" 2>&1) || marked=not_ok
mapfile -t commands < <(grep -E '^(ktput-(ctl|report)|for) ' <<<"$list")
begin $((${#commands[@]} + 4))
mount -t tmpfs netns /run/netns

# here: two namespaces. The one of this test is near, and ssh leads to the other.
here()
{
	ip netns add far &&
		ip link add veth0 numtxqueues 2 type veth peer name veth0 netns far \
			numrxqueues 2 &&
		ip addr add 192.0.2.1/24 dev veth0 &&
		ip -n far addr add 192.0.2.2/24 dev veth0 &&
		ip -n far addr add 192.0.2.7/24 dev veth0 &&
		ip link set lo up && ip link set veth0 up &&
		ip -n far link set veth0 up && ip -n far link set lo up &&
		stand_in far 192.0.2.2
}

# shortened: ktput-ctl and iperf3 as the commands find them: they do not take long.
shortened()
{
	mkdir "$scratch/bin" || return 1
	sed "s|REAL|$(type -P ktput-ctl)|" >"$scratch/bin/ktput-ctl" <<-'END'
	#!/bin/bash
	for word in "$@"; do
		[[ $word = -* ]] || break
	done
	given=("$@") words=()
	case $word in
	start|pingpong)
		while [ $# -gt 0 ]; do
			[ "$1" = time ] && shift 2 || { words+=("$1"); shift; }
		done
		words+=(time 300ms disturbed-above 100)
		;;
	improve) words=("$@" time 100ms limit 2s) ;;
	ladder) words=("$@" time 100ms limit 1s disturbed-above 100) ;;
	*) words=("${given[@]/#10s/1s}") ;;
	esac
	exec REAL "${words[@]}"
	END
	cat >"$scratch/bin/iperf3" <<-END
	#!/bin/bash
	exec $(type -P iperf3) "\$@" -t 1
	END
	chmod 755 "$scratch"/bin/*
}

# as_written COMMAND: what it wants on the other host is there.
as_written()
{
	local status=0 peer=

	case $1 in
	*sink-netns*) ;;
	"ktput-ctl start to "*|"ktput-ctl pingpong to "*)
		peer=sink
		[[ $1 != *pingpong* ]] || peer="reply ${1#* to * }"
		# shellcheck disable=SC2086 # words
		background peer ktput-ctl $peer netns far
		wait_for "$BOUND" eval "runs far | jq -e 'length > 0'"
		;;
	*"iperf3 -c"*)
		peer=iperf3
		background peer ip netns exec far iperf3 -s
		wait_for "$BOUND" eval 'stack far | grep -q :5201'
		;;
	esac
	(cd "$scratch" && PATH=$scratch/bin:$PATH bash -c "$1") || status=$?
	[ -z "$peer" ] || {
		kill -INT "${background[peer]}"
		ended peer
	}
	# A machine of tests is no place to measure.
	[[ "$1 " != *" doctor "* ]] || [ "$status" != 1 ] || status=0
	return "$status"
}

# pictured: the figures of the table of README.md are those of its picture.
pictured()
{
	local figure figures

	mapfile -t figures < <(grep -oE '\| [0-9][0-9,]* ' "$TOP/README.md" | tr -d '| ')
	[ ${#figures[@]} -ge 40 ] || return 1
	for figure in "${figures[@]}"; do
		grep -qF ">$figure<" "$TOP/Documentation/measure/releases.svg" ||
			{ echo "the picture has no $figure"; return 1; }
	done
}

[ $marked = ok ] && ok "each command of a document is run" ||
	not_ok "each command of a document is run" "$(grep ': by whom\|: no ' <<<"$list")"
check "README.md has the figures of its picture" pictured
check "the documents have commands" [ ${#commands[@]} -ge 40 ]
check "the other host is there" eval 'here && shortened'
for command in "${commands[@]}"; do
	check "$command" as_written "$command"
done
finish
