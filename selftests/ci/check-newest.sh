#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-newest.sh: build and try the module on the newest kernel of later suites
#
# usage: selftests/ci/check-newest.sh [--help] [SUITE]
#
# Fetches the kernel by newest.sh, which SUITE is for, with the compiler that it
# was built by; builds the module as for any other, W=1 and without warning; boots
# the kernel in a VM and runs the tests of traffic, datagrams, frames and events.
# This machine has nothing of that kernel installed before or after: what builds
# and what boots see it where it would be, in a mount namespace of their own.
# What the tests print in full stays in build/check-newest. Prints KTAP of the
# tests, and as the last line "N passed, N failed, N skipped".
#
# exit: 0 nothing failed, 1 something did, 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"
. "$TOP/selftests/ci/tally.sh"

tests=(test_traffic test_udp test_frames test_events)
out=$BUILD/check-newest

case ${1-} in
--help|-h) usage; exit 0 ;;
-*) usage >&2; exit 2 ;;
esac

# private OPTION... -- COMMAND...: in a mount namespace of its own, and in others
# by options of unshare(1); as root there, whoever calls.
private()
{
	local map=()

	[ "$(id -u)" = 0 ] || map=(--map-root-user)
	unshare "${map[@]}" --mount "$@"
}

# build: the module, by module.sh in the kernel's own tree.
build()
{
	# shellcheck disable=SC2016  # for the shell inside
	private --pid --fork -- bash -c '
		root=$1 top=$2 release=$3
		mkdir -p "$root$top" &&
		mount --bind "$top" "$root$top" &&
		mount -t proc proc "$root/proc" &&
		mount --rbind /dev "$root/dev" &&
		exec chroot "$root" env PATH=/usr/bin:/usr/sbin \
			"$top/selftests/ci/module.sh" "$release"' \
		build "$root" "$TOP" "$release"
}

# boot: the tests in a VM, which sees what is mounted here.
boot()
{
	# shellcheck disable=SC2016
	private -- bash -c '
		root=$1 top=$2 release=$3 out=$4
		shift 4
		for dir in boot usr/lib/modules usr/src; do
			mount --bind "$root/$dir" "/$dir" || exit
		done
		exec "$top/selftests/vm/run" --timeout 1800 --boot-timeout 400 \
			--results "$out/vm" "$release" -- \
			"$top/selftests/ci/run.sh" "$@"' \
		boot "$root" "$TOP" "$release" "$out" "${tests[@]}"
}

mkdir -p "$out"
tree=$("$TOP/selftests/ci/newest.sh" "$@") || exit
read -r root release <<<"$tree"
make -s -C "$TOP/tools" || die "the tools do not build"
if ! build >"$out/module"; then
	echo "not ok - module for $release"
	failed=1
	totals
	exit
fi
echo "ok - module for $release"
passed=1
boot | tee "$out/log"
status=${PIPESTATUS[0]}
if ! tally_tests "$out/log" || [ "$status" -gt 1 ]; then
	echo "not ok - VM to the end (vm/run ended with $status)"
	failed=$((failed + 1))
fi
totals
