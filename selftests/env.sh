# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every script of selftests/ shares: where things are, which kernels are
# installed, and how to speak. Sourced, never run.
#
# Sets:
#   TOP    the source tree
#   BUILD  what is built, TOP/build
#   CACHE  what setup.sh fetched, KTPUT_CACHE or BUILD/cache
#   ME     the name that messages of the script carry

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$TOP/build
CACHE=${KTPUT_CACHE:-$BUILD/cache}
ME=$(basename "$0" .sh)
export TOP BUILD CACHE ME

# The part of linux-source-6.12 that setup.sh unpacked.
# shellcheck disable=SC2034  # for the scripts that source this
LINUX=$CACHE/linux-6.12

say()
{
	echo "$ME: $*" >&2
}

die()
{
	say "$*"
	exit 1
}

# patiently COMMAND...: run it, and say every half minute that it is not done.
patiently()
{
	local status=0 start=$SECONDS talker

	# Away from our output: who reads that must not wait for the last sleep.
	while sleep 30 >/dev/null 2>&1; do
		say "still at it ($((SECONDS - start)) s)"
	done &
	talker=$!
	"$@" || status=$?
	kill $talker
	wait $talker 2>/dev/null
	return $status
}

# usage: print the header comment of the script, which is its documentation.
usage()
{
	sed -n '3,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$0"
}

# kernel_release VERSION: the newest installed stock Debian kernel of VERSION
# (6.1, 6.12) that has an image, modules and headers; a full release is taken as
# it is. Empty output and status 1 when there is none.
kernel_release()
{
	local release found=

	if [ -d "/lib/modules/$1/build" ]; then
		echo "$1"
		return 0
	fi
	while read -r release; do
		case $release in
		*-rt-*|*-cloud-*) continue ;;
		esac
		[ -e "/lib/modules/$release/build/Makefile" ] || continue
		[ -e "/lib/modules/$release/modules.dep" ] || continue
		[ -e "/boot/vmlinuz-$release" ] || continue
		found=$release
	done < <(find /lib/modules -mindepth 1 -maxdepth 1 -name "$1.*-amd64" \
		-printf '%f\n' 2>/dev/null | sort -V)
	[ -n "$found" ] && echo "$found"
}
