#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# module.sh: build ktput.ko for a kernel, with W=1 and no warning allowed
#
# usage: selftests/ci/module.sh [--sparse | --changed | --uncounted] [--help] VERSION
#
# VERSION is 6.1, 6.12, 6.1-rt, 6.12-rt, a kernel of vm/kernel.sh (debug, kcsan),
# or a full release whose headers are installed. The sources are mirrored into
# build/RELEASE/src and built there, so that kernels do not get in each other's
# way and the tree stays clean; the result is build/RELEASE/ktput.ko, and its path
# is printed.
#
#   --sparse     compile every source anew, and check it with sparse too
#   --changed    check with sparse what differs from HEAD, and what is compiled for it
#   --uncounted  build a module that counts nothing, build/RELEASE/uncounted/
#                ktput.ko, for bench to show what counting costs
#
# exit: 0 built, 1 an error or a warning (shown), 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"

variant=
case ${1-} in
--help|-h) usage; exit 0 ;;
--sparse|--changed|--uncounted) variant=${1#--}; shift ;;
esac
if [ $# != 1 ]; then
	usage >&2
	exit 2
fi

release=$(kernel_release "$1") ||
	die "no kernel $1 with headers is installed: run make setup"
# The headers of ci/newest.sh want the compiler that is with them.
root=$(kernel_root "$release")
if [[ $root = "$CACHE"/newest/* ]]; then
	map=()
	[ "$(id -u)" = 0 ] || map=(--map-root-user)
	# shellcheck disable=SC2016  # for the shell inside
	exec unshare "${map[@]}" --mount --pid --fork -- bash -c '
		root=$1 top=$2 release=$3
		mkdir -p "$root$top" &&
		mount --bind "$top" "$root$top" &&
		mount -t proc proc "$root/proc" &&
		mount --rbind /dev "$root/dev" &&
		exec chroot "$root" env PATH=/usr/bin:/usr/sbin \
			KTPUT_CACHE=/none "$top/selftests/ci/module.sh" "${@:4}" "$release"' \
		- "$root" "$TOP" "$release" ${variant:+"--$variant"}
fi
dir=$BUILD/$release
src=$dir/src
log=$dir/module.log
kept=$dir/ktput.ko
flags=-Werror
args=(-j "$(nproc)" W=1)
case $variant in
sparse) args+=(C=2 "CHECK=sparse -Wsparse-error") ;;
changed) args+=(C=1 "CHECK=sparse -Wsparse-error") ;;
uncounted)
	flags+=" -DCONFIG_KTPUT_UNCOUNTED"
	src=$dir/src-uncounted
	log=$dir/module-uncounted.log
	kept=$dir/uncounted/ktput.ko
	;;
esac
args+=(-C "$(kernel_build "$release")" "M=$src" "KCFLAGS=$flags")

mkdir -p "$src" "$(dirname "$kept")"
rsync -a --delete --delete-excluded --filter='P *.o' --filter='P *.ko' \
	--filter='P *.mod' --filter='P *.mod.c' --filter='P .*.cmd' \
	--filter='P Module.symvers' --filter='P modules.order' \
	--include=/Kbuild --include=/kmod/ --include='/kmod/**/' \
	--include='/kmod/**.[ch]' --include=/kmod/Kbuild --exclude='*' \
	"$TOP/" "$src/" || exit 1
# The rules check what they compile.
[ "$variant" != sparse ] || find "$src" -name '*.o' -delete
if [ "$variant" = changed ]; then
	git -c safe.directory='*' -C "$TOP" diff --name-only HEAD -- 'kmod/*.c' |
		while read -r file; do
			rm -f "$src/${file%.c}.o"
		done
fi

if ! make "${args[@]}" modules >"$log" 2>&1; then
	cat "$log" >&2
	die "ktput.ko does not build for $release"
fi
# Debian's 6.1 headers carry no vmlinux, so there is nothing to derive BTF from.
if grep -v 'Skipping BTF generation' "$log" |
   grep -Ei '(warning|error):|^WARNING' >&2; then
	die "warnings building for $release"
fi
cmp -s "$src/kmod/ktput.ko" "$kept" || cp "$src/kmod/ktput.ko" "$kept"
echo "$kept"
