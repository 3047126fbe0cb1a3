#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl scenario: wherever it is killed, nothing stays behind; it resumes from
# its records.
#
# In the place of ip, tc, sysctl and ktput-ctl are programs that count their calls,
# and kill the scenario at one of them. The NFS server of anl-1998-atm-lane is real.
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"

need_root
need gojq ip tc sysctl
need_lab
mapfile -t names < <(ktput-ctl -j scenario list | jq -r '.scenarios[].name')
plan $((17 + ${#names[@]}))

scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
mkdir "$scratch/bin"
cd "$scratch" || exit 1

# A call is counted, done, and if it is the one, the scenario is dead before it says so.
# The one is a number, words of it, or "timed": amidst a command, which has a mount.
for program in ip tc sysctl; do
	cat >"bin/$program" <<END
#!/bin/bash
echo $program \$* >>$scratch/calls
at=\$(cat $scratch/at)
if [ "\$at" = timed ] && [[ "\$*" = *timed* ]]; then
	$(type -P $program) "\$@" &
	until grep -qs ' nfs4\? ' /proc/[0-9]*/mounts; do sleep 0.1; done
	kill -KILL "\$(cat $scratch/pid)"
	wait
fi
$(type -P $program) "\$@"
status=\$?
if [ "\$(wc -l <$scratch/calls)" = "\$at" ] ||
   [[ \$at = *[a-z]* && "\$*" = *"\$at"* ]]; then
	kill -KILL "\$(cat $scratch/pid)"
fi
exit \$status
END
done
# A run: its record, or, if the scenario is to be killed in it, one without end.
cat >bin/ktput-ctl <<END
#!/bin/bash
echo "ktput-ctl \$*" >>$scratch/calls
if [ "\$(wc -l <$scratch/calls)" = "\$(cat $scratch/at)" ]; then
	kill -KILL "\$(cat $scratch/pid)"
	exec sleep infinity
fi
echo '{"source": {}, "sink": {}, "result": {"valid": true, "goodput_bps": 5e8}}'
END
chmod 755 bin/*
cat >mine.toml <<'END'
title = "T"
[network]
link = "mtu {mtu}"
qdisc = "pfifo limit 9"
sysctl = ["net.ipv4.tcp_sack=0"]
host_sysctl = ["kernel.printk_ratelimit=77"]
[form.full]
[sweep]
mtu = [9000, 1500]
[runs.one]
title = "one"
words = "start"
[[table]]
title = "Rates"
figures = ["rate"]
[[table.row]]
title = "9000"
of = "one(mtu=9000)"
memo = {rate = 500}
END
was=$(sysctl -n kernel.printk_ratelimit)

# scenario AT WORD...: run it, and kill it at that call; 0 is none.
scenario()
{
	echo "$1" >"at"
	: >calls
	shift
	(
		echo "$BASHPID" >pid
		PATH=$scratch/bin:$PATH KTPUT_CTL=$scratch/bin/ktput-ctl \
			exec "$BUILD/tools/ktput-scenario" "$@"
	) >out 2>err </dev/null
}

clean()
{
	! ip netns list | grep -q '^ktput-\(near\|far\)' &&
		[ "$(sysctl -n kernel.printk_ratelimit)" = "$was" ] &&
		! pgrep -x 'nfsd|rpc.mountd' && ! grep -qs ' nfs[d4]\? ' /proc/[0-9]*/mounts
}

# killed AT WORD...: it is killed there, and all it changed is undone.
killed()
{
	scenario "$@" seed 1
	[ $? = 137 ] || { cat out err; echo "it was not killed"; return 1; }
	wait_for "$BOUND" clean ||
		{ cat calls; ip netns list; grep ' nfs' /proc/[0-9]*/mounts; return 1; }
}

whole()
{
	scenario 0 mine.toml seed 1 record records || { cat err; return 1; }
	grep 'rate Mb/s *500 *500.000$' out && clean
}
check "a scenario, whole" whole
calls=$(wc -l <calls)
check "it has changes enough" test "$calls" -gt 20
# Ten of them: from the first to the last change, and in a run.
for place in 1 2 3 5 7 11 14 "$(grep -n ktput-ctl calls | head -n 1 | cut -d : -f 1)" \
	     $((calls - 5)) $((calls - 3)); do
	check "killed at call $place" killed "$place" mine.toml
done
why=
if ! type -P rpc.nfsd mount.nfs rpcbind >/dev/null; then
	why="no NFS server is installed"
elif ! modprobe -qa nfsd nfsv3 nfsv4; then
	why="the kernel has no NFS server"
fi
sed 's/; sleep 11//' "$TOP/tools/lab/ktput/scenarios/anl-1998-atm-lane.toml" >nfs.toml
for place in "rpc.nfsd -G" timed; do
	if [ "$why" ]; then
		skip "killed at NFS: $place" "$why"
	else
		check "killed at NFS: $place" killed "$place" nfs.toml short
	fi
done

# resumed: of two runs it makes the one that is not in its records.
resumed()
{
	scenario 0 -j mine.toml record records &&
		[ "$(grep -c ktput-ctl calls)" = 1 ] &&
		jq -e '.scenario | .made == 2 and .resumed == 1' out
}
sed -i 1d records
check "it makes the runs that its records do not have" resumed

# The records of both runs, the last one cut.
cut_off()
{
	grep scenario_run records >runs && mv runs records && truncate -s -9 records &&
		resumed
}
check "a record that was cut costs its run alone" cut_off

# A stand-in for ssh: the host is a namespace.
cat >ssh <<END
#!/bin/bash
exec 3<&0
address()
{
	ip "\$@" -o -4 addr show scope global | sed 's|.*inet \(.*\)/.*|\1|; q'
}
export SSH_CONNECTION="\$(address) 1 \$(address -n "\$1") 22"
setsid ip netns exec "\$1" sh -c "\$2" < <(exec cat <&3 3<&-) 3<&-
END
chmod 755 ssh
cat >hosts.toml <<'END'
title = "T"
[network]
link = "mtu {mtu}"
[variables]
tcp = "start layer user sink-layer user link-rate 1kbit disturbed-above 100 time 200ms"
[form.full]
[sweep]
mtu = [1500]
[runs.one]
title = "one"
words = "{tcp}"
sweep = {mtu = [9000, 1500]}
[runs.back]
title = "back"
words = "{tcp}"
reverse = true
[runs.slow]
title = "slow"
words = "{tcp}"
qdisc = "netem delay 1s"
[[table]]
title = "Rates"
figures = ["rate"]
[[table.row]]
title = "1500"
of = "one(mtu=1500)"
END
on_hosts()
{
	KTPUT_SSH=$scratch/ssh ktput-ctl -j scenario hosts.toml hosts "$a" "$b" \
		>out 2>err &&
		jq -e --arg a "$a" --arg b "$b" '.scenario |
			.hosts == {near: $a, far: $b} and .made == 2 and .runs == 4 and
			.tables[0].rows[0].here > 1 and
			([.left_out[].because[:20]] | sort ==
				["it needs an MTU of 9", "it needs shaping, an"])' out ||
		{ cat out err; return 1; }
}
netns_add a
netns_add b
: "${a:?}" "${b:?}"
if veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24; then
	check "between two hosts" on_hosts
else
	skip "between two hosts" "no veth here"
fi

# Of its commands, one of those that differ by numbers alone: none is a usage error.
taken()
{
	local line

	ktput-ctl scenario show "$1" | grep ^ktput-ctl |
		awk '{ key = $0; gsub(/[0-9]+/, "", key) } !seen[key]++' >lines
	[ -s lines ] || return 1
	while read -r line; do
		# shellcheck disable=SC2086  # words
		$line >out 2>&1 </dev/null
		[ $? != 2 ] || { echo "$line"; cat out; return 1; }
	done <lines
}
for name in "${names[@]}"; do
	check "$name: ktput-ctl takes its commands" taken "$name"
done
finish
