#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-arm64.sh: the module and the tools for arm64, compiled on amd64 and run
#
# usage: selftests/ci/check-arm64.sh [--help] [TEST...]
#
# Debian's packages for arm64 are unpacked below the cache, not installed, and apt of
# this machine does not learn of another architecture. The module is built against
# the stock 6.1, W=1 and no warning allowed, for which the scripts and the common
# headers are those of this machine; the tools against Debian's libraries. Then the
# packages are the root file system of an emulated arm64 machine, which runs the
# TESTs, by default those of traffic, datagrams, frames and lifetimes, from a copy of
# the tree, build/arm64/tree, in which the tools and the module are those of arm64.
#
# environment:
#   KTPUT_CACHE  the cache; build/cache
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
esac
[ $# -gt 0 ] || set -- test_traffic test_tcp test_udp test_frames test_lifetimes

need aarch64-linux-gnu-gcc clang bpftool pkg-config readelf qemu-system-aarch64
release=$(kernel_release 6.1) || skip_all "no kernel 6.1: run make setup"
arm_release=${release%-amd64}-arm64
sys=$CACHE/arm64
out=$BUILD/arm64
cross=aarch64-linux-gnu
plan 6

# What building takes, without what that depends on, and what runs, with it.
parts=("linux-headers-$arm_release" "linux-image-$arm_release" libnl-3-dev
	libnl-genl-3-dev libjson-c-dev libbpf-dev libelf-dev zlib1g-dev liburing-dev)
programs=('?essential' mount busybox-static udev kmod iproute2 iputils-ping ethtool procps
	gojq python3-yaml libnl-genl-3-200 libjson-c5 libbpf1 liburing2)

# apt ARGUMENT...: as on an arm64 machine, in directories of its own.
apt()
{
	apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o APT::Install-Recommends=no -o "Dir::State=$sys/apt" \
		-o "Dir::Cache=$sys/apt" -o Dir::State::status=/dev/null \
		-o APT::Sandbox::User=root "$@"
}

# fetched: once for a kernel and a list.
fetched()
{
	local mark

	mark=$sys/apt/$(sha256sum <<<"${parts[*]} ${programs[*]}" | cut -c 1-16)
	[ ! -e "$mark" ] || return 0
	rm -rf "$sys"
	mkdir -p "$sys/apt/lists/partial" "$sys/apt/archives/partial" &&
		apt update && cd "$sys/apt/archives" && apt download "${parts[@]}" &&
		apt --download-only install "${programs[@]}" && unpacked &&
		touch "$mark"
}

# unpacked: nothing of it has run. Links of libraries lead to their neighbours, that of
# the scripts to those of this machine, which runs them.
unpacked()
{
	local name link headers=$sys/usr/src/linux-headers-$arm_release

	mkdir "$sys"/{dev,etc,proc,run,sys,tmp,usr,var} &&
		ln -s ../run "$sys/var/run" || return 1
	for name in bin sbin lib; do
		mkdir "$sys/usr/$name" && ln -s "usr/$name" "$sys/$name" || return 1
	done
	for name in "$sys"/apt/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$name" |
			tar -C "$sys" --keep-directory-symlink -x || return 1
	done
	find "$sys/usr/lib/$cross" -lname '/lib/*' | while read -r link; do
		ln -sfn "$(basename "$(readlink "$link")")" "$link" || exit 1
	done || return 1
	# What the scripts of packages do that is wanted.
	ln -s mawk "$sys/usr/bin/awk"
	ln -s busybox "$sys/usr/bin/poweroff"
	cp "$sys/usr/share/base-passwd/passwd.master" "$sys/etc/passwd" &&
		cp "$sys/usr/share/base-passwd/group.master" "$sys/etc/group" &&
		depmod -b "$sys" "$arm_release" &&
		ln -sfn "$(realpath "$(kernel_build "$release")/scripts")" "$headers/scripts" &&
		[ -e "$headers/scripts/mod/modpost" ]
}

built_module()
{
	local log=$out/module.log

	rm -rf "$out/src" && mkdir -p "$out/src" &&
		cp -R "$TOP/Kbuild" "$TOP/kmod" "$out/src" &&
		find "$out/src" -name '*.o' -delete &&
		make -j "$(nproc)" -C "$sys/usr/src/linux-headers-$arm_release" \
			"M=$out/src" ARCH=arm64 CROSS_COMPILE="$cross-" W=1 \
			KCFLAGS=-Werror modules >"$log" 2>&1 ||
		{ tail -n 20 "$log"; return 1; }
	# The scripts are of the compiler of this machine, and say so.
	! grep -Ei '(warning|error):' "$log" | grep -v 'compiler differs' &&
		modinfo -F vermagic "$out/src/kmod/ktput.ko" |
			grep "^$arm_release .*aarch64"
}

built_tools()
{
	PKG_CONFIG_SYSROOT_DIR=$sys \
	PKG_CONFIG_LIBDIR=$sys/usr/lib/$cross/pkgconfig:$sys/usr/share/pkgconfig \
	make -s -j "$(nproc)" -C "$TOP/tools" O="$out/tools" CC="$cross-gcc" \
		CPPFLAGS="-I$sys/usr/include" \
		LDFLAGS="-L$sys/usr/lib/$cross -Wl,-rpath-link,$sys/usr/lib/$cross"
}

of_arm64()
{
	readelf -h "$out/tools/ktput-ctl" | grep 'Machine: *AArch64'
}

# copied: the tree, as if it had been built there.
copied()
{
	rsync -a --delete --exclude=/build --exclude=/.git "$TOP/" "$out/tree/" &&
		mkdir -p "$out/tree/build/$arm_release" "$out/tree/build/cache" &&
		rsync -a --delete "$out/tools" "$out/tree/build/" &&
		rsync -aR "$CACHE/./${LINUX#"$CACHE/"}/tools/net/ynl" "$out/tree/build/cache/" &&
		cp "$out/src/kmod/ktput.ko" "$out/tree/build/$arm_release/"
}

check "packages of arm64" fetched || finish
check "the module for $arm_release" built_module
check "the tools" built_tools
check "which are of arm64" of_arm64
check "a tree of arm64" copied
nested "tests on arm64" "$out/tree/selftests/vm/run" --root "$sys" --nic e1000e \
	--timeout 2400 --results "$BUILD/check/arm64" "$arm_release" -- \
	selftests/ci/run.sh "$@"
finish
