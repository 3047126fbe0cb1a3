#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl scenario: wherever it is killed, nothing stays behind; it resumes from
# its records.
#
# In the place of ip, tc, sysctl and ktput-ctl are programs that count their calls,
# and kill the scenario at one of them.
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"

need_root
need jq ip tc sysctl
need_lab
mapfile -t names < <(ktput-ctl -j scenario list | jq -r '.scenarios[].name')
plan $((13 + ${#names[@]}))

scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
mkdir "$scratch/bin"
cd "$scratch" || exit 1

# A call is counted, done, and if it is the one, the scenario is dead before it says so.
for program in ip tc sysctl; do
	cat >"bin/$program" <<END
#!/bin/bash
echo "$program \$*" >>$scratch/calls
$(type -P $program) "\$@"
status=\$?
[ "\$(wc -l <$scratch/calls)" != "\$(cat $scratch/at)" ] ||
	kill -KILL "\$(cat $scratch/pid)"
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
		[ "$(sysctl -n kernel.printk_ratelimit)" = "$was" ]
}

# killed AT: it is killed there, and all it changed is undone.
killed()
{
	scenario "$1" mine.toml seed 1
	[ $? = 137 ] || { cat out err; echo "it was not killed"; return 1; }
	wait_for "$BOUND" clean || { cat calls; ip netns list; return 1; }
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
	check "killed at call $place" killed "$place"
done

resumed()
{
	sed -i 1d records
	scenario 0 -j mine.toml record records &&
		[ "$(grep -c ktput-ctl calls)" = 1 ] &&
		jq -e '.scenario | .made == 2 and .resumed == 1' out
}
check "it makes the runs that its records do not have" resumed

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
