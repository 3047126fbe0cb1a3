# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# sshd.sh: hosts behind ssh, which are network namespaces. Sourced after lib.sh
# and runs.sh.
#
#   hosts_begin NEAR NAME=NETNS=ADDRESS...
#                            the host NAME is NETNS, which NEAR and the other hosts
#                            reach at ADDRESS; sets KTPUT_SSH to what reaches it: ssh,
#                            with an sshd there, or without one a stand-in that like
#                            it hands on what is written, and no signals. real_ssh is
#                            empty then
#   far_begin NEAR NETNS ADDRESS
#                            likewise, of one host "far"
#
# environment:
#   KTPUT_STAND_IN  1: the stand-in, though there is an sshd

# Set by begin, of runs.sh.
: "${scratch:=}"

# real_sshd: the path of an sshd that can run here.
real_sshd()
{
	[ "${KTPUT_STAND_IN-}" != 1 ] && type -P ssh ssh-keygen nft >/dev/null &&
		PATH=$CACHE/sshd/usr/sbin:$PATH type -P sshd
}

# stand_ins NAME=NETNS=ADDRESS...: a NAME may be a pattern
stand_ins()
{
	local host name netns address

	{
		echo '#!/bin/bash'
		echo 'exec 3<&0'
		# shellcheck disable=SC2016 # expanded there
		echo 'case $1 in'
		for host in "$@"; do
			IFS='=' read -r name netns address <<<"$host"
			echo "$name) netns=$netns address=$address ;;"
		done
		cat <<'END'
*) echo "no host $1" >&2; exit 255 ;;
esac
export SSH_CONNECTION="10.6.0.1 1 $address 22"
setsid ip netns exec "$netns" sh -c "$2" < <(exec cat <&3 3<&-) 3<&-
END
	} >"$scratch/ssh"
	chmod 755 "$scratch/ssh"
	export KTPUT_SSH=$scratch/ssh
}

# stand_in NETNS ADDRESS: of one host of any name
stand_in()
{
	stand_ins "*=$1=$2"
}

# logged_in NEAR NAME
logged_in()
{
	# shellcheck disable=SC2086 # it is several words
	ip netns exec "$1" $KTPUT_SSH "$2" true 2>/dev/null
}

# sshd_begin NAME NETNS ADDRESS: an sshd there, and what leads to it.
sshd_begin()
{
	cat >"$scratch/sshd_config.$1" <<END
ListenAddress $3
HostKey $scratch/host_key
AuthorizedKeysFile $scratch/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
SetEnv PATH=$PATH "KTPUT_SSH=$KTPUT_SSH"
END
	cat >>"$scratch/ssh_config" <<END
Host $1
	HostName $3
	IdentityFile $scratch/key
	UserKnownHostsFile $scratch/known_hosts
	BatchMode yes
	ConnectTimeout 10
END
	echo "$3 $(cut -d ' ' -f 1,2 "$scratch/host_key.pub")" \
		>>"$scratch/known_hosts"
	# shellcheck disable=SC2016 # expanded there
	background "sshd.$1" ip netns exec "$2" sh -c '
		mount --bind "$0/passwd" /etc/passwd &&
			mount --bind "$0/shadow" /etc/shadow && exec "$@"' \
		"$scratch" "$real_ssh" -D -e -f "$scratch/sshd_config.$1"
}

hosts_begin()
{
	local near=$1 host name netns address
	shift

	# Read by the test.
	# shellcheck disable=SC2034
	real_ssh=$(real_sshd) || { stand_ins "$@"; return; }
	ssh-keygen -q -t ed25519 -N '' -f "$scratch/host_key" &&
		ssh-keygen -q -t ed25519 -N '' -f "$scratch/key" || return 1
	mkdir -p /run/sshd
	# It wants a user of its own, whom its package would have added, and a root
	# whose account is not locked, and whose shell reads nothing of this host.
	cat >"$scratch/passwd" <<END
root:x:0:0::/run:/bin/sh
sshd:x:65534:65534::/run/sshd:/usr/sbin/nologin
END
	echo 'root:*:1::::::' >"$scratch/shadow"
	export KTPUT_SSH="ssh -T -F $scratch/ssh_config --"
	for host in "$@"; do
		IFS='=' read -r name netns address <<<"$host"
		sshd_begin "$name" "$netns" "$address"
	done
	for host in "$@"; do
		name=${host%%=*}
		wait_for "$BOUND" logged_in "$near" "$name" && continue
		diag "nobody gets in: $(tail -n 2 "$scratch/sshd.$name.err")"
		for name in "$@"; do
			# shellcheck disable=SC2154 # of runs.sh
			kill "${background[sshd.${name%%=*}]}"
		done
		real_ssh=
		stand_ins "$@"
		return
	done
}

far_begin()
{
	hosts_begin "$1" "far=$2=$3"
}
