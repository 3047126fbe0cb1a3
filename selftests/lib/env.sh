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

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=$TOP/build
CACHE=${KTPUT_CACHE:-$BUILD/cache}
ME=$(basename "$0" .sh)
export TOP BUILD CACHE ME

# The part of linux-source-6.12 that setup.sh unpacked.
# shellcheck disable=SC2034  # for the scripts that source this
LINUX=$CACHE/linux-6.12

# The sources of the kernels that vm/kernel.sh builds.
# shellcheck disable=SC2034
KERNEL_SOURCE=$CACHE/linux-6.1

say()
{
	echo "$ME: $*" >&2
}

die()
{
	say "$*"
	exit 1
}

# version_of: that of the kmod/version.h on stdin; status 1 if it has none.
version_of()
{
	sed -n 's/^#define KTPUT_VERSION "\(..*\)"$/\1/p' | grep .
}

# place_fits PATH...: make, Kbuild and virtme-ng take such a path; says why not.
place_fits()
{
	local place

	for place in "$@"; do
		[[ $place = *[!A-Za-z0-9_+/.-]* ]] || continue
		say "a path may have letters, digits and _ + / . - alone: $place"
		return 1
	done
}

# patiently COMMAND...: run it, and say every half minute that it is not done.
patiently()
{
	local status=0 start=$SECONDS talker

	# Not to our output: its reader must not wait for the last sleep.
	while sleep 30 >/dev/null 2>&1 && kill -0 $$; do
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

# kernel_root RELEASE: what /boot and /lib/modules of that kernel are under:
# nothing for one that is installed, the cache for one of vm/kernel.sh or ci/newest.sh,
# build/kernel for the one of vm/tree.sh.
kernel_root()
{
	local root

	[ ! -d "$BUILD/kernel/lib/modules/$1" ] || { echo "$BUILD/kernel"; return; }
	for root in "$CACHE"/newest/*; do
		[ ! -d "$root/lib/modules/$1" ] || { echo "$root"; return; }
	done
	case $1 in
	*-ktput-*) echo "$CACHE/kernel/${1##*-ktput-}" ;;
	esac
}

# kernel_image RELEASE, kernel_build RELEASE: what boots, and what modules are
# built against.
kernel_image()
{
	echo "$(kernel_root "$1")/boot/vmlinuz-$1"
}

kernel_build()
{
	echo "$(kernel_root "$1")/lib/modules/$1/build"
}

# kernel_whole RELEASE: it has an image, modules and headers.
kernel_whole()
{
	[ -e "$(kernel_build "$1")/Makefile" ] && [ -e "$(kernel_image "$1")" ] &&
		[ -e "$(kernel_root "$1")/lib/modules/$1/modules.dep" ]
}

# kernel_release VERSION: the newest kernel of VERSION that is whole: a stock
# Debian one (6.1, 6.12), one with PREEMPT_RT (6.1-rt, 6.12-rt), one of vm/kernel.sh
# (debug, kcsan), or what ci/newest.sh has fetched (newest). A full release is taken as
# it is. Empty output and status 1 when there is none.
kernel_release()
{
	local release found='' roots=('') pattern

	if [ -d "$(kernel_build "$1")" ]; then
		echo "$1"
		return 0
	fi
	case $1 in
	debug|kcsan) roots=("$CACHE/kernel/$1") pattern="*-ktput-$1" ;;
	newest) roots=("$CACHE"/newest/*) pattern='[0-9]*' ;;
	*-rt) pattern="${1%-rt}.*-rt-amd64" ;;
	*) pattern="$1.*-amd64" ;;
	esac
	while read -r release; do
		case $1:$release in
		*-rt:*-rt-amd64) ;;
		*:*-rt-*|*:*-cloud-*) continue ;;
		esac
		! kernel_whole "$release" || found=$release
	done < <(find "${roots[@]/%//lib/modules}" -mindepth 1 -maxdepth 1 \
		-name "$pattern" -printf '%f\n' 2>/dev/null | sort -V)
	[ -n "$found" ] && echo "$found"
}
