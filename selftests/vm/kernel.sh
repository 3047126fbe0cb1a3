#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh: build a 6.1 kernel that looks for defects, for the VM runner
#
# usage: selftests/vm/kernel.sh [--help] debug|kcsan
#
# Configures Debian's sources of 6.1 by vm/kernel.config and vm/NAME.config, all
# else off, and builds them in the cache, outside the tree. What is there is kept
# as long as it is of these sources, this compiler and this configuration; else
# what has changed is built again. Interrupted, it goes on where it was. The
# kernel can be booted (vm/run NAME) and built for (module.sh NAME) once it is
# whole, and not before. Prints its release.
#
# environment:
#   KTPUT_CACHE  where the kernel goes, kernel/NAME in it; build/cache
#
# exit: 0 it is there, 1 it could not be built, 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"

name=${1-}
case $name in
--help|-h) usage; exit 0 ;;
debug|kcsan) ;;
*) usage >&2; exit 2 ;;
esac
[ $# = 1 ] || { usage >&2; exit 2; }
ME="kernel $name"

dir=$CACHE/kernel/$name
log=$dir/log
wanted=$dir/wanted.config
config=$dir/build/.config
mkdir -p "$dir/build" || exit 1
exec 9>"$dir/lock"
flock -n 9 || { say "another one is building it: waiting"; flock 9; }

key=$({
	cat "$KERNEL_SOURCE/.ktput-version" || exit 1
	gcc --version | head -n 1
	cat "$TOP/selftests/vm/"{kernel,"$name"}.config
} | sha256sum) || die "the sources of 6.1 are not there: run selftests/ci/setup.sh debug"
if [ "$(cat "$dir/key" 2>/dev/null)" = "$key" ] && kernel_release "$name"; then
	exit 0
fi

# make and all that it has started get what ends this script.
builder=
stop()
{
	trap - INT TERM HUP
	[ -z "$builder" ] || kill -- -"$builder" 2>/dev/null
	say "interrupted; it goes on from here the next time"
	exit 130
}
trap stop INT TERM HUP

# build ARGUMENT...: make, out of the way of others, with its output in the log;
# say now and then how far it is.
build()
{
	local next=$((SECONDS + 30))

	setsid nice -n 5 make -C "$KERNEL_SOURCE" "O=$dir/build" \
		-j"$(nproc)" "$@" >>"$log" 2>&1 9>&- &
	builder=$!
	while kill -0 "$builder" 2>/dev/null; do
		sleep 1
		[ $SECONDS -ge $next ] || continue
		next=$((SECONDS + 30))
		say "$(grep -c '^  CC ' "$log") files compiled in $SECONDS s," \
			"now $(tail -n 1 "$log" | sed 's/.* //')"
	done
	wait "$builder" && builder='' && return
	tail -n 20 "$log" >&2
	die "it does not build, see $log"
}

# What is there of a former one is not taken for this one from now on.
rm -rf "${dir:?}"/{key,boot,lib}
: >"$log"
cat "$TOP/selftests/vm/"{kernel,"$name"}.config >"$wanted"
KCONFIG_ALLCONFIG=$wanted build allnoconfig
while read -r line; do
	grep -qxF "$line" "$config" ||
		die "no kernel of 6.1 has '$line' with the rest of what is wanted"
done < <(grep -E '^(CONFIG_|# CONFIG_.* is not set)' "$wanted")
say "building $(grep -c =y "$config") options (a quarter of an hour on two cores)"
build bzImage modules
build INSTALL_MOD_PATH="$dir" modules_install
release=$(cat "$dir/build/include/config/kernel.release")
mkdir -p "$dir/boot"
cp "$dir/build/arch/x86/boot/bzImage" "$dir/boot/vmlinuz-$release"
say "built $release in $SECONDS s"
echo "$key" >"$dir/key"
kernel_release "$name" || die "$dir is not whole"
