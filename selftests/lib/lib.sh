# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib.sh: what the tests of selftests/ share. A test sources it first:
#
#   . "$(dirname "$0")/lib.sh"
#   plan 2
#   check "ip can list links" ip link show
#   [ "$a" = "$b" ] && ok "bytes agree" || not_ok "bytes agree" "$a is not $b"
#   finish
#
# Results (KTAP, on stdout; from the test's own shell, not from a subshell):
#   plan N                   N results follow
#   skip_all REASON          this test cannot run here at all; exits
#   ok NAME
#   not_ok NAME [WHY]
#   skip NAME REASON
#   check NAME COMMAND...    ok if COMMAND succeeds; shows its output if not
#   refused NAME STATUS PATTERN COMMAND...
#                            ok if COMMAND exits with STATUS and a line of its
#                            output matches the extended regular expression
#   nested NAME COMMAND...   ok if COMMAND succeeds; its own results are shown as
#                            they come
#   diag TEXT                a line that explains
#   finish                   exits 1 if a result was bad, else 0
#   hand_over COMMAND...     instead of all these: COMMAND prints plan and
#                            results; exits as it does
#
# Surroundings:
#   need COMMAND...          skip_all unless all of them are there
#   need_root                skip_all unless root
#   need_lab                 skip_all unless the laboratory can run
#   rungs FILTER             how many rungs of the ladder, without those of a keyword
#                            of their own, jq's FILTER holds for
#   steps FILTER             how many steps between these
#   need_ynl                 skip_all unless what ktput.py imports is there
#   at_exit COMMAND...       run it when the test ends, last one first
#   wait_for SECONDS COMMAND...
#                            until COMMAND succeeds; status 1 after SECONDS
#   as_nobody COMMAND [ARGUMENT]...
#                            without any privilege. Of COMMAND it runs a copy,
#                            since the tree may stand where only root may look
#   without_uring            print why ktput-ctl has no io_uring; status 1 if it has
#   netns_add VARIABLE       a network namespace of a random name, with lo up
#   veth_add NS1 ADDRESS1 NS2 ADDRESS2
#                            join two namespaces by a veth pair; both devices are
#                            called veth0; an ADDRESS has a prefix length
#   nic_pair [DRIVER]        print the two devices of DRIVER (virtio_net) that
#                            the VM runner wired to each other; status 1 if none
#   nic_words                print words of ktput-ctl scenario: the pairs of NICs
#   link_up NETNS DEVICE     set it up and wait for its carrier
#   ktput_load [PARAMETER=VALUE]...
#                            insmod build/RELEASE/ktput.ko, unloaded at exit; or
#                            use the one that is loaded, if there is no build
#   ktput_unload             rmmod, waiting at most BOUND while it is in use
#
# A bound on real time is BOUND seconds: under emulation two virtual CPUs share
# one core of a machine that has other work, and what takes milliseconds on a
# host may take some seconds there, or a minute where the kernel checks each access.

set -u
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

PATH=$BUILD/tools:$PATH:/usr/sbin:/sbin

BOUND=30
[[ $(uname -r) != *-ktput-* ]] || BOUND=120

ktap_planned=0
ktap_nr=0
ktap_failed=0
ktap_finished=
exit_commands=()
ktap_scratch=$(mktemp -d)
chmod 755 "$ktap_scratch"

plan()
{
	ktap_planned=$1
	echo "TAP version 13"
	echo "1..$1"
}

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

ok()
{
	ktap_nr=$((ktap_nr + 1))
	echo "ok $ktap_nr $1"
}

not_ok()
{
	ktap_nr=$((ktap_nr + 1))
	ktap_failed=$((ktap_failed + 1))
	echo "not ok $ktap_nr $1"
	[ $# -lt 2 ] || diag "$2"
}

skip()
{
	ktap_nr=$((ktap_nr + 1))
	echo "ok $ktap_nr $1 # SKIP $2"
}

skip_all()
{
	echo "TAP version 13"
	echo "1..0 # SKIP $1"
	ktap_finished=1
	exit 0
}

check()
{
	local name=$1 status=0
	shift

	# In this very shell: COMMAND may be a function that calls at_exit.
	"$@" >"$ktap_scratch/output" 2>&1 </dev/null || status=$?
	if [ $status = 0 ]; then
		ok "$name"
		return 0
	fi
	not_ok "$name" "$(head -n 1 <<<"$*" | cut -c 1-200) ended with $status"
	sed 's/^/# /' "$ktap_scratch/output"
	return 1
}

refused()
{
	local name=$1 want=$2 pattern=$3 output status=0
	shift 3

	output=$("$@" 2>&1 </dev/null) || status=$?
	if [ "$status" != "$want" ]; then
		not_ok "$name" "$* ended with $status, not $want"
	elif ! grep -qE -e "$pattern" <<<"$output"; then
		not_ok "$name" "$* did not say '$pattern'"
	else
		ok "$name"
		return 0
	fi
	[ -z "$output" ] || diag "$output"
	return 1
}

nested()
{
	local name=$1
	shift

	"$@" </dev/null | sed -u 's/^/  /'
	[ "${PIPESTATUS[0]}" = 0 ] && ok "$name" || not_ok "$name"
}

finish()
{
	ktap_finished=1
	if [ $ktap_nr != "$ktap_planned" ]; then
		diag "$ktap_planned results were planned, $ktap_nr came"
		exit 1
	fi
	[ $ktap_failed = 0 ] && exit 0
	exit 1
}

hand_over()
{
	ktap_finished=1
	PYTHONPATH=$TOP/selftests/lib "$@"
	exit
}

at_exit()
{
	exit_commands+=("$(printf '%q ' "$@")")
}

run_exit_commands()
{
	local status=$? i

	# timeout(1) sends its signal twice, to the command and to its group.
	trap '' INT TERM HUP
	trap - EXIT
	for ((i = ${#exit_commands[@]} - 1; i >= 0; i--)); do
		eval "${exit_commands[i]}" >/dev/null 2>&1
	done
	rm -rf "$ktap_scratch"
	[ -n "$ktap_finished" ] || echo "Bail out! ended with $status before finish"
	exit $status
}
trap run_exit_commands EXIT
trap 'exit 130' INT TERM HUP

need()
{
	local command

	for command in "$@"; do
		type -P "$command" >/dev/null || skip_all "$command is not installed"
	done
}

# An emulated machine takes half a second to start jq 1.6, which compiles its own library
# each time, and a twentieth for gojq, which knows the same language.
jq()
{
	gojq "$@"
}
export -f jq

need_lab()
{
	local said

	said=$(ktput-ctl help ladder 2>&1 >/dev/null </dev/null) || skip_all "$said"
}

ladder_table()
{
	PYTHONPATH=$BUILD/tools/lab /usr/bin/python3 -B - \
		<"$TOP/selftests/lib/rungs.py"
}

rungs()
{
	ladder_table | jq "[.rungs[] | select(.asked == \"\") | select($1)] | length"
}

steps()
{
	ladder_table | jq "[.rungs[] | select(.asked != \"\").name] as \$asked |
		[.steps[] | select([.above, .below] - \$asked == [.above, .below]) |
		 select($1)] | length"
}

need_root()
{
	[ "$(id -u)" = 0 ] || skip_all "wants root"
}

need_ynl()
{
	need /usr/bin/python3
	[ -e "$LINUX/tools/net/ynl/lib/ynl.py" ] ||
		skip_all "the ynl library is not there: run make setup"
	/usr/bin/python3 -c 'import yaml' 2>/dev/null ||
		skip_all "python3-yaml is not installed"
}

wait_for()
{
	local end=$((SECONDS + $1))
	shift

	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

random_name()
{
	tr -dc a-z0-9 </dev/urandom | head -c 8
}

as_nobody()
{
	local command

	command=$ktap_scratch/$(basename "$1")
	# ktput-ctl looks for the table and the laboratory beside itself.
	[ -e "$command" ] || install -m 755 "$(type -P "$1")" "$command" &&
		install -m 644 "$TOP/tools/bpf/classes.txt" "$ktap_scratch" &&
		cp -r "$BUILD"/tools/{lab,ktput-ladder,ktput-scenario} "$ktap_scratch" ||
		return 1
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all \
		--inh-caps=-all "$command" "$@"
}

without_uring()
{
	ktput-ctl start layer user sink-layer user method io_uring bytes 1 2>&1 |
		grep -o 'built without liburing'
}

netns_add()
{
	local netns

	netns=ktput-$(random_name)
	ip netns add "$netns" || return 1
	at_exit ip netns del "$netns"
	printf -v "$1" %s "$netns"
	ip -n "$netns" link set lo up
}

# addr_add NS ADDRESS DEVICE: without waiting for duplicate detection on IPv6.
addr_add()
{
	case $2 in
	*:*) ip -n "$1" addr add "$2" dev "$3" nodad ;;
	*) ip -n "$1" addr add "$2" dev "$3" ;;
	esac
}

# Both ends are born in one namespace, under passing names, and renamed where
# they arrive.
veth_add()
{
	local a b

	a=kv$(random_name)
	b=kv$(random_name)
	ip link add "$a" netns "$1" type veth peer name "$b" netns "$3" &&
		ip -n "$1" link set "$a" name veth0 &&
		ip -n "$3" link set "$b" name veth0 &&
		addr_add "$1" "$2" veth0 && addr_add "$3" "$4" veth0 &&
		ip -n "$1" link set veth0 up && ip -n "$3" link set veth0 up
}

nic_pair()
{
	local driver=${1-virtio_net} device found=()

	[ "${KTPUT_VM-}" = 1 ] || return 1
	for device in /sys/class/net/*; do
		[ "$(basename "$(readlink -f "$device/device/driver")")" = "$driver" ] &&
			found+=("$(basename "$device")")
	done
	[ ${#found[@]} = 2 ] && echo "${found[@]}"
}

nic_words()
{
	local driver pair

	for driver in virtio_net e1000e; do
		! pair=$(nic_pair "$driver") || printf 'nics %s ' "${pair/ /,}"
	done
}

link_up()
{
	ip -n "$1" link set "$2" up &&
		wait_for "$BOUND" sh -c "ip -n '$1' link show dev '$2' | grep -q LOWER_UP"
}

ktput_load()
{
	local module

	module=$BUILD/$(uname -r)/ktput.ko
	if [ -e "$module" ]; then
		[ ! -d /sys/module/ktput ] || ktput_unload || return 1
		insmod "$module" "$@" || return 1
		at_exit ktput_unload
	else
		[ -d /sys/module/ktput ] || modprobe ktput "$@"
	fi
}

ktput_unload()
{
	[ ! -d /sys/module/ktput ] || wait_for "$BOUND" rmmod ktput
}
