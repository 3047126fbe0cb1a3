#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of README.md and of the tutorial: each is run as it stands there, but
# for a second. 192.0.2.2 is in a namespace called far, as there.
#
# kernel: any

# The name is known to this test alone.
if [ -z "${KTPUT_UNSHARED-}" ]; then
	mkdir -p /run/netns
	KTPUT_UNSHARED=1 exec unshare -mn bash "$0" "$@"
fi

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need_lab
mapfile -t commands < <(sed -nE \
	's/^    (ktput-(ctl|report) [^#]*[^# ]) *(#.*)?$/\1/p' \
	"$TOP/README.md" "$TOP/Documentation/tutorial.rst" | awk '!seen[$0]++')
begin $((${#commands[@]} + 2))
mount -t tmpfs netns /run/netns

# here: two namespaces. The one of this test is near.
here()
{
	ip netns add far &&
		ip link add veth0 type veth peer name veth0 netns far &&
		ip addr add 192.0.2.1/24 dev veth0 &&
		ip -n far addr add 192.0.2.2/24 dev veth0 &&
		ip link set lo up && ip link set veth0 up &&
		ip -n far link set veth0 up && ip -n far link set lo up
}

# bounded COMMAND: the command, with a bound on its time.
bounded()
{
	case $1 in
	*" ladder "*) echo "$1 time 100ms rounds 3 limit 60s disturbed-above 100" ;;
	*" start "*|*" pingpong "*) echo "$1 time 1s" ;;
	*) echo "$1" ;;
	esac
}

as_written()
{
	local status=0 words

	read -ra words <<<"$(bounded "$1")"
	case $1 in
	"ktput-ctl start to 192.0.2.2"*)
		background sink ktput-ctl sink netns far
		wait_for "$BOUND" eval "runs far | jq -e 'length > 0'" ;;
	esac
	(cd "$scratch" && "${words[@]}") || status=$?
	[ -z "${background[sink]-}" ] || {
		kill -INT "${background[sink]}"
		ended sink
		unset "background[sink]"
	}
	# A machine of tests is no place to measure.
	[[ $1 != *" doctor "* ]] || [ "$status" != 1 ] || status=0
	return "$status"
}

check "the documents have commands" [ ${#commands[@]} -ge 16 ]
check "192.0.2.2 is there" here
for command in "${commands[@]}"; do
	check "$command" as_written "$command"
done
finish
