#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl ladder remote: each run of a ladder is start remote, and so is one before
# them; test_far has what that does. Here the ladder's own part is tested: the words
# of its runs, their costs, directions and how it ends, by a stand-in for ssh.
#
#   a: veth0 10.6.0.1 ------- b: veth0 10.6.0.2
#
# kernel: any

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need_root
need setsid pgrep
need_lab
begin 19
two_hosts
: "${a:?}" "${b:?}"

cat >"$scratch/ssh" <<END
#!/bin/bash
echo "\$1" >>"$scratch/hosts"
exec 3<&0
setsid ip netns exec "$b" sh -c "\$2" < <(exec cat <&3 3<&-) 3<&-
END
chmod 755 "$scratch/ssh"
export KTPUT_SSH=$scratch/ssh

# ladder WORD...: short runs; the result is $scratch/ladder.
ladder()
{
	timeout 200 ip netns exec "$a" ktput-ctl -j ladder remote far \
		to 10.6.0.2 rounds 3 time 100ms until ci 0.001% disturbed-above 100 \
		"$@" \
		>"$scratch/ladder" 2>"$scratch/progress"
}

# says FILTER: true if there is a ladder, and it holds for that.
says()
{
	jq -es ".[0] | $1" "$scratch/ladder" || {
		cat "$scratch/ladder" "$scratch/progress"
		return 1
	}
}

# calls N: the other host was called N times at least.
calls()
{
	[ "$(wc -l <"$scratch/hosts")" -ge "$1" ]
}

nobody()
{
	! pgrep -r D,R,S -x 'ktput-[cl].*'
}

# ended_all: no process, no run, no socket, here or there.
ended_all()
{
	wait_for "$BOUND" nobody || {
		pgrep -a -r D,R,S -x 'ktput-[cl].*'
		return 1
	}
	nothing_left "$a" "$b"
}

# begin_ladder NAME CALLS WORD...: a long one, until the other host was called so
# often.
begin_ladder()
{
	local name=$1 calls=$2
	shift 2

	: >"$scratch/hosts"
	background "$name" env --default-signal=INT ip netns exec "$a" \
		ktput-ctl -j ladder remote far to 10.6.0.2 rounds 100 \
		until ci 0.001% disturbed-above 100 "$@"
	wait_for $((4 * BOUND)) calls "$calls" || { cat "$scratch/$name.err"; return 1; }
}

# interrupted NAME: it ends in order, with what there is.
interrupted()
{
	local status=0

	kill -INT "${background[$1]}"
	ended "$1" || status=$?
	cp "$scratch/$1.out" "$scratch/ladder"
	cp "$scratch/$1.err" "$scratch/progress"
	[ "$status" = 0 ] || { cat "$scratch/$1.err"; return 1; }
}

# The record of a run has both ends, and the cost is that of the CPUs of both.
both_counted()
{
	jq -es --slurpfile l "$scratch/ladder" '
		[.[] | select(.result and .source.config.layer == "user" and
			      .source.config.method == "copy")] as $runs |
		([$runs[].result.own_cycles_per_byte] | add / length) as $want |
		($l[0].ladder.tcp[] | select(.name == "user, copy")
		 .cycles_per_byte.mean) as $got |
		[$want, $got],
		(($runs | length == 3 and
		  all([.result.cpus[].end] | unique == ["sink", "source"])) and
		 ($want - $got | fabs) < 1e-9 * $want)
	' "$scratch/record"
}

# sinks N: so many runs are there.
sinks()
{
	[ "$(runs "$b" | jq length)" = "$1" ]
}

# A sink of UDP is not told by the transport that its source is gone.
killed()
{
	begin_ladder killed 2 udp rate 500pps time 100s || return 1
	wait_for "$BOUND" sinks 1 || return 1
	pkill -KILL -P "${background[killed]}" -x ktput-ctl
	kill -KILL "${background[killed]}"
	ended_all
}

TCP=$(rungs '.group == "tcp"')
check "TCP to another host" ladder tcp record "$scratch/record" replace
check "each rung has a result in each round" says \
	'.ladder.tcp | length == '"$TCP"' and all(.runs == 3 and .failed_runs == 0)'
check "no other host than that" sh -c \
	"[ \"\$(sort -u '$scratch/hosts')\" = far ] && [ \"\$(wc -l <'$scratch/hosts')\" = $((1 + 3 * TCP)) ]"
check "cycles are those of both ends" both_counted
check "nothing is left there" ended_all

check "UDP to another host" begin_ladder udp 6 udp rate 500pps time 100ms
check "Ctrl-C ends it in order" interrupted udp
# Rungs are in an order of chance.
check "what was done is printed" says '.ladder.interrupted and
	([.ladder.transmit[], .ladder.receive[] | select(.runs > 0)] |
	 length > 0 and all(.runs == 1 and .failed_runs == 0 and .loss_share < 0.1))'
check "and the other end has ended" ended_all

check "from the other host to this one" begin_ladder reverse 5 reverse tcp \
	from 10.6.0.1 time 100ms
check "is interrupted likewise" interrupted reverse
check "and says as much" says '.ladder.interrupted and
	([.ladder.tcp[] | select(.runs > 0)] |
	 length > 0 and all(.runs == 1 and .failed_runs == 0))'
check "and nothing is left there" ended_all
check "SIGKILL here ends the other end" killed

# wrong NAME PATTERN SSH: a ladder by what stands for ssh there.
wrong()
{
	refused "$1" 1 "$2" env KTPUT_SSH="$3" ktput-ctl ladder remote far
}
wrong "no connection" 'far: nobody is at home' \
	"sh -c 'echo nobody is at home >&2; exit 255'"
mkdir "$scratch/empty"
ln -s "$(command -v ktput-ctl)" "$scratch/empty/ktput-ctl"
refused "no ssh" 1 "'ssh' cannot be run: No such file" \
	env KTPUT_SSH= PATH="$scratch/empty" ktput-ctl ladder remote far
refused "a host that is an option" 2 'is no host' ktput-ctl ladder remote -lfar
refused "what both ends of one host are for" 2 "'profile' is for ends on one" \
	ktput-ctl ladder remote far profile

# A word of the command line there is one, whatever is in it.
words_stay_words()
{
	ktput-ctl ladder remote far tcp to "'\$(touch $scratch/run)'" rounds 3 \
		time 100ms
	[ ! -e "$scratch/run" ]
}
check "no word is run there" words_stay_words
finish
