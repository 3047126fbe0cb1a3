#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# clang.sh: compile the module with clang, W=1 and no warning allowed
#
# usage: selftests/ci/clang.sh [--help]
#
# The headers of a stock kernel are configured for gcc, and clang refuses what
# they ask of it. So this unpacks linux-source-6.12 into the cache, once, and
# prepares it for LLVM with the configuration of the stock 6.12, less BTF and
# symbol versions, which the stock kernel's list of exported symbols stands in
# for. Nothing is kept or loaded: no kernel matches such a module.
#
# environment:
#   KTPUT_CACHE  the cache; build/cache
#
# exit: 0 compiled, 1 an error or a warning (shown), 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

tree=$CACHE/linux-6.12-clang
src=$BUILD/clang
archive=/usr/src/linux-source-6.12.tar.xz

# A linker of LLVM, and what preparing any kernel takes.
for command in clang ld.lld llvm-ar flex bison bc; do
	command -v "$command" >/dev/null ||
		die "$command is missing: run make setup"
done
release=$(kernel_release 6.12) || die "no kernel 6.12: run make setup"
[ -e "$archive" ] || die "no $archive: run make setup"

# prepare: a tree that modules can be built against, by clang.
prepare()
{
	make -s -C "$tree" LLVM=1 olddefconfig &&
	"$tree/scripts/config" --file "$tree/.config" -d DEBUG_INFO_BTF \
		-d MODVERSIONS --set-str SYSTEM_TRUSTED_KEYS '' &&
	make -s -C "$tree" LLVM=1 olddefconfig &&
	make -s -C "$tree" LLVM=1 modules_prepare
}

stamp="$release $(clang --version | head -n 1)"
if [ "$(cat "$tree/.ktput-version" 2>/dev/null)" != "$stamp" ]; then
	say "unpacking linux-source-6.12 (a minute)"
	rm -rf "$tree"
	mkdir -p "$tree"
	patiently tar -C "$tree" --strip-components=1 -xJf "$archive" ||
		die "could not unpack $archive"
	cp "/boot/config-$release" "$tree/.config"
	say "preparing it for clang (a minute)"
	patiently prepare >"$tree/prepare.log" 2>&1 || {
		tail -n 5 "$tree/prepare.log" >&2
		die "it cannot be prepared for clang"
	}
	cp "/lib/modules/$release/build/Module.symvers" "$tree" || exit 1
	echo "$stamp" >"$tree/.ktput-version"
fi

rm -rf "$src"
mkdir -p "$src"
cp -R "$TOP/Kbuild" "$TOP/kmod" "$src"
find "$src" -name '*.o' -delete
if ! make -C "$tree" M="$src" LLVM=1 W=1 KCFLAGS=-Werror modules \
	>"$src/log" 2>&1; then
	cat "$src/log" >&2
	die "clang does not compile the module"
fi
! grep -Ei '(warning|error):|^WARNING' "$src/log" >&2 ||
	die "warnings from clang"
say "compiled for $stamp"
