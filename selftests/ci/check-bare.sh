#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-bare.sh: what README.md promises a new user, on a machine with nothing on it
#
# usage: selftests/ci/check-bare.sh [--root DIRECTORY] [--help] [COMMAND...]
#
# Makes a Debian 12 that has git, make and ca-certificates beside the least that
# there is (by mmdebstrap, or debootstrap), clones the tree's HEAD into root's home
# there, which is for root alone, and runs the COMMANDs in the clone, each a line
# for the shell: 'make demo' and then 'make check', unless others are given. That
# root is theirs, as are mounts and processes; kernel, network and devices are
# this machine's. So are package sources of Debian, proxies, certificates and the
# settings of apt and pip that lead to them. Wants root, 8 GB and about an hour.
#
#   --root DIRECTORY  make it in DIRECTORY, or go on with the one that is there,
#                     and keep it; without, a scratch directory is used, and no
#                     mount, file or process is left, however this ends
#
# What is printed stays in build/bare, with what the commands left in build/check.
#
# environment:
#   TMPDIR  where the scratch directory goes; /var/tmp
#
# exit: 0 all commands succeeded, 1 one did not, 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"

SUITE=bookworm
CLONE=root/ktput
logs=$BUILD/bare

kept=
while [ $# -gt 0 ]; do
	case $1 in
	--root)
		[ $# -gt 1 ] || { say "$1 wants a value"; exit 2; }
		kept=$2; shift ;;
	--help|-h) usage; exit 0 ;;
	-*) say "unknown option: $1"; usage >&2; exit 2 ;;
	*) break ;;
	esac
	shift
done
[ $# -gt 0 ] || set -- 'make demo' 'make check'
[ "$(id -u)" = 0 ] || die "wants root: it mounts and changes roots"

# clean_up: end what runs inside and remove the scratch directory, once the script
# has ended in whatever way: then nobody is left who could write to stdin.
clean_up()
{
	trap '' INT TERM HUP
	cat
	[ ! -e "$scratch/inside" ] || kill -KILL "$(cat "$scratch/inside")"
	# What still dies may still write.
	for _ in {1..100}; do
		! rm -rf --one-file-system "$scratch" || return
		sleep 0.2
	done 2>/dev/null
	say "could not remove $scratch"
}

# inside COMMAND...: run it where mounts are its own, and where all processes end
# with it.
inside()
{
	local status=0

	unshare --mount --propagation private --pid --fork --kill-child \
		--mount-proc -- "$@" </dev/null {life}>&- &
	echo $! >"$scratch/inside"
	wait $! || status=$?
	rm -f "$scratch/inside"
	return $status
}

# enter ROOT DIRECTORY COMMAND: run the line in that directory of ROOT; inside.
enter()
{
	mount --bind "$1" "$1" && cd "$1" &&
		mount -t proc proc proc &&
		mount --rbind /sys sys && mount --rbind /dev dev &&
		pivot_root . mnt && umount --lazy /mnt &&
		cd "$2" && exec bash -c "$3"
}

# sources: the package sources of the release that apt knows on this machine.
sources()
{
	# shellcheck disable=SC2016  # apt-get's variables
	apt-get indextargets --format \
		'$(CODENAME) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' |
		sed -nE "s/^$SUITE(-updates|-security)? //p" | sort -u
}

# make_root: a root file system with what leads to the package sources.
make_root()
{
	local with=git,make,ca-certificates mirror proxy='' file

	if command -v mmdebstrap >/dev/null; then
		inside mmdebstrap --variant=minbase --include="$with" \
			--aptopt="$scratch/apt.conf" \
			"$SUITE" "$root" "$scratch/sources.list" || return 1
	else
		mirror=$(awk -v suite="$SUITE" '$3 == suite { print $2; exit }' \
			"$scratch/sources.list")
		eval "$(apt-config shell proxy Acquire::http::Proxy)"
		inside env ${proxy:+"http_proxy=$proxy"} \
			debootstrap --variant=minbase --include="$with" \
			"$SUITE" "$root" "$mirror" || return 1
	fi
	# mmdebstrap has them in a file of its own.
	rm -f "$root/etc/apt/sources.list.d/"*
	cp "$scratch/sources.list" "$root/etc/apt/sources.list"
	cp "$scratch/apt.conf" "$root/etc/apt/apt.conf.d/99reach"
	for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
		[ ! -e "$file" ] || cat "$file" >"$root$file"
	done
	find /usr/local/share/ca-certificates -name '*.crt' -exec \
		cp -t "$root/usr/local/share/ca-certificates" {} +
	chroot "$root" update-ca-certificates
} >"$logs/root.log" 2>&1

# clone: the tree as it is committed.
clone()
{
	git -C "$TOP" diff --quiet HEAD || say "what is not committed stays out"
	git init -q "$root/$CLONE" &&
		git -C "$root/$CLONE" fetch -q --depth 1 "file://$TOP" HEAD &&
		git -C "$root/$CLONE" checkout -q --force FETCH_HEAD
}

# carried: the variables that lead to package sources, as words for env.
carried()
{
	env | grep -E '^(https?|ftp|all|no)_proxy=|^(SSL_CERT_FILE|PIP_[A-Z_]*)=' -i
}

"$TOP/selftests/ci/setup.sh" bare || exit 1
mkdir -p "$logs"
scratch=$(mktemp -d "${kept:-${TMPDIR:-/var/tmp}/ktput-bare}.XXXXXX") || exit 1
export scratch
exec {life}> >(setsid bash -c "$(declare -f say clean_up)
	clean_up")
cleaner=$!
trap 'exec {life}>&-; wait $cleaner' EXIT
trap 'say interrupted; exit 130' INT TERM HUP

root=${kept:-$scratch/root}
if [ ! -d "$root" ]; then
	root=$scratch/root
	sources >"$scratch/sources.list"
	apt-config dump | grep -E '^Acquire::https?::' >"$scratch/apt.conf"
	[ -s "$scratch/sources.list" ] ||
		die "apt has no package source of Debian 12 here: run apt-get update on a machine that has"
	say "making a root file system: log in $logs/root.log"
	# In the background, since a signal that is trapped waits for what is not.
	(exec {life}>&-; patiently make_root) &
	wait $! ||
		{ tail -n 5 "$logs/root.log" >&2; die "that failed"; }
	[ -z "$kept" ] || { mv "$root" "$kept" && root=$kept; } || exit 1
fi
clone || die "could not clone $TOP"

mapfile -t environment < <(carried)
status=0 nr=0
for command in "$@"; do
	nr=$((nr + 1))
	start=$SECONDS
	say "$command"
	inside env -i HOME=/root LANG=C.UTF-8 "PATH=/usr/sbin:/usr/bin:/sbin:/bin" \
		"${environment[@]}" bash -c "$(declare -f enter)"'; enter "$@"' - \
		"$root" "/$CLONE" "$command" \
		> >(tee "$logs/$nr.log" {life}>&-) 2>&1
	ended=$?
	say "$command: ended with $ended after $((SECONDS - start)) s"
	[ $ended = 0 ] || status=1
	[ ! -d "$root/$CLONE/build/check" ] ||
		cp -a "$root/$CLONE/build/check" "$logs/"
done
exit $status
