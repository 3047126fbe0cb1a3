# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# runs.sh: what the tests that start runs share. Sourced after lib.sh.
#
#   begin TESTS              need_root, the tools, the module; then plan TESTS
#   two_hosts                set a and b to two new namespaces that stand for
#                            hosts, a: veth0 10.6.0.1 ------- b: veth0 10.6.0.2
#   fields FILE FILTER NAME...
#                            set the variables NAME to the values that the jq
#                            FILTER, an array, makes of FILE
#   background NAME COMMAND...
#                            run COMMAND in the background; its output is in
#                            $scratch/NAME.out and .err, its number in
#                            ${background[NAME]}; killed at exit
#   ended NAME [SECONDS]     wait for it; its exit status. 255 if it did not end
#                            within SECONDS (twice BOUND)
#   recorded STATUS ARGUMENT...
#                            ktput-ctl -s start, which has to end with STATUS; its
#                            record is $scratch/run, its text $scratch/text
#   runs [NETNS]             the runs as JSON, an array
#   run_is NETNS ID FILTER   true if the run matches the jq FILTER
#   stack NETNS              sockets of the namespace that are not in time-wait
#   nothing_left [NETNS]...  true if there is no thread of ktput, and no run and
#                            no socket in the namespaces; says what there is
#   calm NETNS...            no frames of IPv6's own in devices to come
#   watch NETNS...           make what follows possible there
#   statistics NETNS DEVICE [NETNS DEVICE]
#                            what the devices have sent and received
#   standstill NETNS DEVICE [NETNS DEVICE]
#                            likewise, once it does not change any more

declare -A background=() watchers=()
statistics=()

begin()
{
	need_root
	need ktput-ctl gojq ip ss ps
	scratch=$(mktemp -d)
	at_exit rm -rf "$scratch"
	ip link set lo up
	ktput_load || skip_all "the module cannot be loaded"
	plan "$1"
}

two_hosts()
{
	a='' b=''
	netns_add a && netns_add b && calm "$a" "$b" &&
		veth_add "$a" 10.6.0.1/24 "$b" 10.6.0.2/24 && return
	# shellcheck disable=SC2154 # of lib.sh
	[ "$ktap_planned" != 0 ] || skip_all "no network namespaces with veth here"
	diag "no network namespaces with veth here"
	exit 1
}

fields()
{
	local file=$1 filter=$2 line
	shift 2

	line=$(jq -r "$filter | @tsv" "$file") || return 1
	IFS=$'\t' read -r "$@" <<<"$line"
}

background()
{
	local name=$1
	shift

	"$@" >"$scratch/$name.out" 2>"$scratch/$name.err" </dev/null &
	background[$name]=$!
	at_exit kill -9 $!
}

gone()
{
	! kill -0 "$1" 2>/dev/null
}

ended()
{
	local pid=${background[$1]} status=0

	wait_for "${2-$((2 * BOUND))}" gone "$pid" || return 255
	wait "$pid" 2>/dev/null || status=$?
	return $status
}

recorded()
{
	local want=$1 status=0
	shift

	ktput-ctl -s start "$@" record "$scratch/run" replace \
		>"$scratch/text" 2>"$scratch/err" || status=$?
	[ "$status" = "$want" ] && return
	echo "it ended with $status"
	cat "$scratch/text" "$scratch/err"
	return 1
}

runs()
{
	ktput-ctl -j show ${1:+netns "$1"} | jq -c .runs
}

run_is()
{
	ktput-ctl -j -s show run "$2" ${1:+netns "$1"} | jq -e "$3" >/dev/null
}

stack()
{
	# Port 22 is that of a host of the test.
	ss ${1:+-N "$1"} -tanH state all exclude time-wait 'sport != 22 and dport != 22'
}

left()
{
	local netns

	for netns in "$@"; do
		ktput-ctl -j show netns "$netns" | jq -c '.runs[]'
		# A socket in FIN-WAIT-2 with a time-wait's timer is one.
		stack "$netns" | grep -v '^FIN-WAIT-2'
	done
	pgrep -l '^ktput/'
}

clean()
{
	[ -z "$(left "$@")" ]
}

nothing_left()
{
	wait_for "$BOUND" clean "$@" || { left "$@"; return 1; }
}

calm()
{
	local netns

	for netns in "$@"; do
		ip netns exec "$netns" sysctl -qw \
			net.ipv6.conf.default.addr_gen_mode=1 \
			net.ipv6.conf.default.accept_ra=0 \
			net.ipv6.conf.default.router_solicitations=0 \
			net.ipv6.conf.default.mldv2_unsolicited_report_interval=1
	done
}

# watch NETNS...: have a process there, whose /proc/PID/net can be read.
watch()
{
	local netns

	for netns in "$@"; do
		background "watch-$netns" ip netns exec "$netns" sleep infinity
		watchers[$netns]=${background[watch-$netns]}
	done
}

# statistics NETNS DEVICE [NETNS DEVICE]: for each device packets and bytes that
# it sent, packets and bytes that it received; into the array statistics.
# No process is started, since that takes long under emulation.
statistics()
{
	local word

	statistics=()
	while [ $# -gt 1 ]; do
		while read -r -a word; do
			[ "${word[0]}" != "$2:" ] || statistics+=("${word[10]}" \
				"${word[9]}" "${word[2]}" "${word[1]}")
		done <"/proc/${watchers[$1]}/net/dev"
		shift 2
	done
}

unchanged()
{
	local before=${statistics[*]}

	statistics "$@"
	[ "${statistics[*]}" = "$before" ]
}

standstill()
{
	statistics=()
	wait_for "$BOUND" unchanged "$@"
}
