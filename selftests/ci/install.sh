#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make, make install and make uninstall, in a copy of the tree: with and without
# headers of a kernel. Nothing is installed outside of a scratch directory.
#
# usage: selftests/ci/install.sh
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

need make cc readelf rsync
plan 10
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
tree=$scratch/tree root=$scratch/root
rsync -a --exclude=/build --exclude=.git --exclude='*.o' --exclude='*.ko' \
	"$TOP/" "$tree/"

# without: a kernel that has no headers here.
without()
{
	make -s -C "$tree" KDIR="$scratch/none" "$@"
}

refused "make without headers says what the module lacks" 2 \
	"the module is not built: no kernel headers in $scratch/none" without
check "and has built the tools" "$tree/build/tools/ktput-ctl" -V
check "make tools needs no headers" without tools
refused "make install needs them" 2 "no kernel headers" \
	without install DESTDIR="$root"
check "and installs nothing then" [ ! -e "$root" ]

release=$(kernel_release 6.1) && kdir=$(kernel_build "$release")
if [ -z "${kdir-}" ] || [ ! -e "$kdir/Makefile" ]; then
	for name in "make install" "the module is stripped" "it can be loaded" \
	    "one version" "make uninstall"; do
		skip "$name" "no headers of 6.1"
	done
	finish
fi

with()
{
	make -s -C "$tree" KDIR="$kdir" DESTDIR="$root" PREFIX=/usr "$@"
}

installed()
{
	with install || return 1
	module=$(find "$root/lib/modules/$release" -name 'ktput.ko*')
	[ -x "$root/usr/sbin/ktput-ctl" ] && [ -x "$root/usr/bin/ktput-report" ] &&
		[ -s "$root/usr/share/ktput/classes.txt" ] && [ -s "$module" ]
}

# no_debug: symbols are there, and what a debugger wants is not.
no_debug()
{
	readelf -S "$module" >"$scratch/sections" &&
		grep -q '\.symtab' "$scratch/sections" &&
		! grep '\.debug_' "$scratch/sections"
}

# one_version: all say what version.h says.
one_version()
{
	local version

	version=$(version_of <"$tree/kmod/version.h") &&
		[ "$(modinfo -F version "$module")" = "$version" ] &&
		[ "$("$root/usr/sbin/ktput-ctl" -V)" = "ktput-ctl $version" ] &&
		[ "$("$tree/build/tools/ktput-report" -V)" = "ktput-report $version" ] &&
		[ "$(set +u; . "$tree/dkms.conf" && echo "$PACKAGE_VERSION")" = "$version" ]
}

gone()
{
	with uninstall || return 1
	! find "$root" ! -type d | grep .
}

check "make install" installed
check "the module is stripped" no_debug
check "it still says what it is" eval "modinfo '$module' | grep -q '^vermagic: *$release '"
check "module, tools and dkms.conf have one version" one_version
check "make uninstall removes all of it" gone
finish
