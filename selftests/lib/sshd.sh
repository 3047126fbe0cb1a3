# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# sshd.sh: a host behind ssh, which is a network namespace. Sourced after lib.sh
# and runs.sh.
#
#   far_begin NEAR NETNS ADDRESS
#                            the host "far" is NETNS, which NEAR reaches at ADDRESS;
#                            sets KTPUT_SSH to what reaches it: ssh, with an sshd
#                            there, or without one a stand-in that like it hands on
#                            what is written, and no signals. real_ssh is empty then

# Set by begin, of runs.sh.
: "${scratch:=}"

# real_sshd: the path of an sshd that can run here.
real_sshd()
{
	type -P ssh ssh-keygen nft >/dev/null &&
		PATH=$CACHE/sshd/usr/sbin:$PATH type -P sshd
}

stand_in()
{
	cat >"$scratch/ssh" <<END
#!/bin/bash
exec 3<&0
export SSH_CONNECTION="10.6.0.1 1 $2 22"
setsid ip netns exec "$1" sh -c "\$2" < <(exec cat <&3 3<&-) 3<&-
END
	chmod 755 "$scratch/ssh"
	export KTPUT_SSH=$scratch/ssh
}

logged_in()
{
	# shellcheck disable=SC2086 # words
	ip netns exec "$1" $KTPUT_SSH far true 2>/dev/null
}

far_begin()
{
	local near=$1 netns=$2 address=$3

	# Read by the test.
	# shellcheck disable=SC2034
	real_ssh=$(real_sshd) || { stand_in "$netns" "$address"; return; }
	ssh-keygen -q -t ed25519 -N '' -f "$scratch/host_key" &&
		ssh-keygen -q -t ed25519 -N '' -f "$scratch/key" || return 1
	cat >"$scratch/sshd_config" <<END
ListenAddress $address
HostKey $scratch/host_key
AuthorizedKeysFile $scratch/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
SetEnv PATH=$PATH
END
	cat >"$scratch/ssh_config" <<END
Host far
	HostName $address
	IdentityFile $scratch/key
	UserKnownHostsFile $scratch/known_hosts
	BatchMode yes
	ConnectTimeout 10
END
	echo "$address $(cut -d ' ' -f 1,2 "$scratch/host_key.pub")" \
		>"$scratch/known_hosts"
	mkdir -p /run/sshd
	# It wants a user of its own, whom its package would have added, and a root
	# whose account is not locked, and whose shell reads nothing of this host.
	cat >"$scratch/passwd" <<END
root:x:0:0::/run:/bin/sh
sshd:x:65534:65534::/run/sshd:/usr/sbin/nologin
END
	echo 'root:*:1::::::' >"$scratch/shadow"
	# shellcheck disable=SC2016 # expanded there
	background sshd ip netns exec "$netns" sh -c '
		mount --bind "$0/passwd" /etc/passwd &&
			mount --bind "$0/shadow" /etc/shadow && exec "$@"' \
		"$scratch" "$real_ssh" -D -e -f "$scratch/sshd_config"
	export KTPUT_SSH="ssh -T -F $scratch/ssh_config --"
	# An account that is locked is let in by no key.
	wait_for "$BOUND" logged_in "$near" && return
	# shellcheck disable=SC2154 # of lib.sh
	kill "${background[sshd]}"
	diag "nobody gets in: $(tail -n 2 "$scratch/sshd.err")"
	real_ssh=
	stand_in "$netns" "$address"
}
