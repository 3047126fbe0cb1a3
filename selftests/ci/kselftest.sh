#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kselftest.sh: the tests as a target of the kernel's own selftests
#
# usage: selftests/ci/kselftest.sh [--help]
#
# Installs HEAD into the parts of linux-source-6.12 that the kernel's rules for tests
# are, and has those rules build it, run tests of user space here and a test of the
# module in a VM with 6.1, and install it.
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
esac

archive=/usr/src/linux-source-6.12.tar.xz
[ -e "$archive" ] || skip_all "$archive is not there: run make setup"
need rsync make tar xz
release=$(kernel_release 6.1) || skip_all "no kernel 6.1: run make setup"
plan 6
mkdir -p "$BUILD"
# Not in /tmp, which is another one in the VM.
scratch=$(mktemp -d "$BUILD/kselftest.XXXXXX")
at_exit rm -rf "$scratch"
linux=$scratch/linux

unpacked()
{
	mkdir "$linux" &&
		tar -C "$linux" --strip-components=1 -xJf "$archive" --wildcards \
			'*/tools/testing/selftests/Makefile' \
			'*/tools/testing/selftests/lib.mk' \
			'*/tools/testing/selftests/*kselftest*' \
			'*/tools/scripts' '*/scripts/subarch.include'
}

# rules VARIABLE... TARGET: those of the kernel.
rules()
{
	make -C "$linux/tools/testing/selftests" TARGETS=drivers/net/ktput \
		KTPUT_KERNEL="$release" "$@"
}

# passes COMMAND...: the one test passes, and is not skipped.
passes()
{
	"$@" >"$scratch/output" 2>&1
	cat "$scratch/output"
	grep -q '^ok 1 selftests: drivers/net/ktput: test_[a-z_]*\.sh$' "$scratch/output" &&
		! grep -q '^not ok' "$scratch/output"
}

list_is_whole()
{
	diff <(cd "$TOP/selftests/cases" && printf '%s\n' test_*.{sh,py} |
			sed 's/\.py$/.sh/' | sort) \
		<(sed -n 's|^drivers/net/ktput:||p' "$scratch/installed/kselftest-list.txt" |
			sort)
}

unpacked || skip_all "could not unpack $archive"
check "make kselftest-install" make -s -C "$TOP" kselftest-install DEST="$linux"
check "the kernel's rules build it" rules
check "they run a test of user space" passes rules run_tests TEST_PROGS=test_nuttcp.sh
# The rules write there before they run anything.
check "and in a VM one of the module" passes "$TOP/selftests/vm/run" \
	--shared "$scratch" 6.1 -- \
	make -C "$linux/tools/testing/selftests" TARGETS=drivers/net/ktput \
	run_tests TEST_PROGS=test_abi.sh
check "they install it" rules install KSFT_INSTALL_PATH="$scratch/installed"
check "with each test" list_is_whole
finish
