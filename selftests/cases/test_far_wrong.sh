#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl start remote HOST where something is wrong: with HOST, with ssh, with what
# is there, or with the way between the two. Each is said in a sentence with what to
# do, and nothing is left. Words of the command line are words there too, and words
# from there do not control the terminal here.
#
#   a: veth0 10.6.0.1 ------- b: veth0 10.6.0.2
#
# kernel: any

# shellcheck disable=SC2016  # what is expanded by the shell of another host

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/sshd.sh"

need setsid setpriv
begin 26
two_hosts
: "${a:?}" "${b:?}"
stand_in "$b" 10.6.0.2

far()
{
	timeout "$BOUND" ip netns exec "$a" ktput-ctl "$@"
}

# wrong NAME PATTERN SSH: a run by what stands for ssh there.
wrong()
{
	refused "$1" 1 "$2" env KTPUT_SSH="$3" ktput-ctl start remote far
}

# says NAME PATTERN TEXT: likewise, where ssh says TEXT and ends.
says()
{
	printf '%b' "$3" >"$scratch/said"
	wrong "$1" "$2" "sh -c 'cat $scratch/said >&2; exit 255'"
}

says "an unknown host" "far: .* not known: give a name that 'ssh far' reaches" \
	'ssh: Could not resolve hostname far: Name or service not known\r\n'
says "no sshd there" "Connection refused: make 'ssh far' reach it first" \
	'ssh: connect to host far port 22: Connection refused\r\n'
says "a password is wanted" \
	"\(publickey,password\): make 'ssh far' work without a question" \
	'root@far: Permission denied (publickey,password).\r\n'
says "a host whose key is not known" "verification failed: make 'ssh far' work without" \
	'No ED25519 host key is known for far.\r\nHost key verification failed.\r\n'
says "a host whose key has changed" "has changed, then 'ssh-keygen -R far'" \
	'@ REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.\r\n'
says "an earlier version, without a far end" "an earlier ktput-ctl is there: install" \
	"ktput-ctl: unknown command 'far-end'\n"
says "ssh says something else" 'ktput-ctl: far: nobody is at home$' \
	'nobody is at home\n'
wrong "ssh says nothing" 'far: ssh ended without a word' false
# In UTF-8 a C1 character is two bytes.
says "words there do not control the terminal" '^ktput-ctl: far: a \[31mb  c$' \
	'a\033[31mb\302\233c\n'
wrong "another version there" "far: 'ktput-ctl 0.0.1' is there, this is .*: install the" \
	'sh -c '\''echo "{\"tool_version\":\"0.0.1\"}"; exec cat'\'''
wrong "no ktput-ctl there" 'far: ktput-ctl is not in the search path there: install' \
	"sh -c 'PATH=/nowhere /bin/sh -c \"\$1\"'"
wrong "the same host under another name" "far is this host: leave 'remote' out" \
	"sh -c 'exec ktput-ctl -j far-end'"
refused "a host that is an option" 2 "'-lfar' is no host" \
	ktput-ctl start remote -lfar
refused "'alone' beside it" 2 "'alone' contradicts 'remote'" \
	ktput-ctl start remote far alone to 10.6.0.2
refused "an address that is not of that host" 1 \
	'far: refused: .* is not an address of this network namespace' \
	far start remote far to 10.6.0.9
refused "an address without a route" 1 'no route to 198.51.100.1' \
	far start remote far to 198.51.100.1

# firewall RULE: what comes in there meets the rule.
firewall()
{
	ip netns exec "$b" nft -f - <<END
table inet ktput {
	chain in {
		type filter hook input priority 0;
		$1
	}
}
END
}

# behind NAME RULE WORD...: behind such a firewall the run is refused.
behind()
{
	local name=$1 rule=$2
	shift 2

	if firewall "$rule" 2>/dev/null; then
		refused "$name" 1 \
			'from here reaches 10.6.0.2:5099 on far.*: open the port in the firewall' \
			far "$@" remote far port 5099 time 300ms
		ip netns exec "$b" nft delete table inet ktput
	else
		skip "$name" "no nft here"
	fi
}
behind "a firewall refuses the port" 'meta l4proto tcp reject with tcp reset' start
behind "a firewall drops what comes" 'meta l4proto tcp drop' start \
	connect-timeout 500ms
behind "also for user space" 'meta l4proto tcp drop' start layer user \
	sink-layer user connect-timeout 500ms
behind "a firewall drops datagrams" 'meta l4proto udp drop' start udp rate 500pps
behind "a firewall drops requests" 'meta l4proto udp drop' pingpong udp

# As ssh lets in a user without privileges.
cp "$(command -v ktput-ctl)" "$ktap_scratch/"
chmod 755 "$ktap_scratch/ktput-ctl"
cat >"$scratch/powerless" <<END
#!/bin/bash
PATH=$ktap_scratch:\$PATH exec ip netns exec $b setpriv --reuid 65534 \\
	--regid 65534 --clear-groups --inh-caps=-all sh -c "\$2"
END
chmod 755 "$scratch/powerless"
refused "no privilege there" 1 \
	"far: that takes CAP_NET_ADMIN there; give .* 'sink-layer user'" \
	env KTPUT_SSH="$scratch/powerless" ip netns exec "$a" ktput-ctl start \
	remote far to 10.6.0.2
check "user space takes none" env KTPUT_SSH="$scratch/powerless" ip netns exec "$a" \
	ktput-ctl start remote far to 10.6.0.2 sink-layer user bytes 1M

# words_stay_words KEYWORD: a word of the command line does not reach a shell there.
words_stay_words()
{
	far start remote far "$1" "\$(touch $scratch/run)'\`touch $scratch/run\`;touch $scratch/run" &&
		return 1
	[ ! -e "$scratch/run" ]
}
check "no word is run there: a device" words_stay_words sink-dev

check "nothing is left after all that" nothing_left "$a" "$b"
ktput_unload
refused "no module there" 1 "far: the module is not loaded there; load it, or say 'sink-layer user'" \
	far start remote far layer user
finish
