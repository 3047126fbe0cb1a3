#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-arm64.sh: the module and the tools compiled for arm64, on amd64
#
# usage: selftests/ci/check-arm64.sh [--help]
#
# Debian's packages for arm64 are unpacked below the cache, not installed, and apt of
# this machine does not learn of another architecture. The module is built against
# the stock 6.1, W=1 and no warning allowed, for which the scripts and the common
# headers are those of this machine; the tools against Debian's libraries. Nothing
# runs: that needs an arm64 kernel. Wants gcc-aarch64-linux-gnu and libc6-dev-arm64-cross.
#
# environment:
#   KTPUT_CACHE  the cache; build/cache
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
esac

need aarch64-linux-gnu-gcc clang bpftool pkg-config readelf
release=$(kernel_release 6.1) || skip_all "no kernel 6.1: run make setup"
arm_release=${release%-amd64}-arm64
sys=$CACHE/arm64
out=$BUILD/arm64
cross=aarch64-linux-gnu
plan 5

# apt COMMAND...: as on an arm64 machine, in directories of its own.
apt()
{
	"apt-$1" -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o "Dir::State=$sys/apt" -o "Dir::Cache=$sys/apt" \
		-o Dir::State::status=/dev/null -o APT::Sandbox::User=root "${@:2}"
}

# fetched: once for a kernel.
fetched()
{
	[ ! -e "$sys/apt/archives/$arm_release" ] || return 0
	mkdir -p "$sys/apt/lists/partial" "$sys/apt/archives/partial" &&
		apt get update && cd "$sys/apt/archives" &&
		apt get download "linux-headers-$arm_release" libnl-3-dev libnl-3-200 \
			libnl-genl-3-dev libnl-genl-3-200 libjson-c-dev libjson-c5 \
			libbpf-dev libbpf1 libelf-dev libelf1 zlib1g-dev zlib1g \
			liburing-dev liburing2 && touch "$arm_release"
}

# unpacked: links of libraries lead to what was unpacked, that of the scripts to those
# of this machine, which runs them.
unpacked()
{
	local package link headers=$sys/usr/src/linux-headers-$arm_release

	for package in "$sys"/apt/archives/*.deb; do
		dpkg-deb -x "$package" "$sys" || return 1
	done
	find "$sys/usr/lib/$cross" -lname '/lib/*' | while read -r link; do
		ln -sfn "$sys$(readlink "$link")" "$link" || exit 1
	done || return 1
	ln -sfn "$(realpath "$(kernel_build "$release")/scripts")" "$headers/scripts" &&
		[ -e "$headers/scripts/mod/modpost" ]
}

built_module()
{
	local log=$out/module.log

	rm -rf "$out/src" && mkdir -p "$out/src" &&
		cp -R "$TOP/Kbuild" "$TOP/kmod" "$out/src" &&
		find "$out/src" -name '*.o' -delete &&
		make -C "$sys/usr/src/linux-headers-$arm_release" "M=$out/src" \
			ARCH=arm64 CROSS_COMPILE="$cross-" W=1 KCFLAGS=-Werror \
			modules >"$log" 2>&1 || { tail -n 20 "$log"; return 1; }
	# The scripts are of the compiler of this machine, and say so.
	! grep -Ei '(warning|error):' "$log" | grep -v 'compiler differs' &&
		modinfo -F vermagic "$out/src/kmod/ktput.ko" |
			grep "^$arm_release .*aarch64"
}

built_tools()
{
	PKG_CONFIG_SYSROOT_DIR=$sys \
	PKG_CONFIG_LIBDIR=$sys/usr/lib/$cross/pkgconfig:$sys/usr/share/pkgconfig \
	make -s -C "$TOP/tools" O="$out/tools" CC="$cross-gcc" \
		CPPFLAGS="-I$sys/usr/include" \
		LDFLAGS="-L$sys/usr/lib/$cross -L$sys/lib/$cross -Wl,-rpath-link,$sys/usr/lib/$cross:$sys/lib/$cross"
}

of_arm64()
{
	local file

	for file in ktput-ctl ktput-report-show; do
		readelf -h "$out/tools/$file" | grep 'Machine: *AArch64' || return 1
	done
}

check "packages of arm64" fetched || finish
check "they are unpacked" unpacked
check "the module for $arm_release" built_module
check "the tools" built_tools
check "which are of arm64" of_arm64
finish
