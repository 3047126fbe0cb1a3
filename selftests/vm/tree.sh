#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tree.sh: make a kernel of a build tree one that vm/run and module.sh take
#
# usage: selftests/vm/tree.sh [--help] DIR
#
# DIR is a build tree of Linux (O=DIR) with bzImage and modules built. Image and
# modules are installed below build/kernel, in the place of those of another tree.
# Prints the release.
#
# exit: 0 it is there, 1 DIR has no whole kernel, 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
esac
[ $# = 1 ] || { usage >&2; exit 2; }
ME=tree

tree=$1
image=$tree/arch/x86/boot/bzImage
to=$BUILD/kernel
release=$(cat "$tree/include/config/kernel.release" 2>/dev/null) && [ -e "$image" ] ||
	die "$tree has no kernel that is built"
[ -e "$tree/Module.symvers" ] || die "$tree has no modules that are built"
rm -rf "$to"
mkdir -p "$to/boot" || exit 1
make -s -C "$tree" INSTALL_MOD_PATH="$to" INSTALL_MOD_STRIP=1 modules_install \
	>"$to/log" 2>&1 || {
	tail -n 5 "$to/log" >&2
	die "the modules of $tree cannot be installed"
}
cp "$image" "$to/boot/vmlinuz-$release"
kernel_whole "$release" || die "$to is not whole"
echo "$release"
