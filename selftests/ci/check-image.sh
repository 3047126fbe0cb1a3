#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-image.sh: the OCI image of ktput-ctl, built and run
#
# usage: selftests/ci/check-image.sh [--help]
#
# In a root file system of check-bare.sh, which is the base of the image as well, as
# Docker Hub may not be within reach: Debian's buildah builds it, and runs it without the
# module and without privilege. Wants root, 4 GB and some ten minutes.
#
# exit: 0 nothing failed, or no buildah is to be had, which is said, 1 something failed

. "$(dirname "$0")/../lib/lib.sh"

# Where images are, in the root, and the name of the base.
store=/var/tmp/store
base=localhost/debian

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
'')
	need_root
	apt-cache show buildah >/dev/null 2>&1 ||
		skip_all "apt has no buildah: run apt-get update"
	plan 1
	scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/ktput-image.XXXXXX")
	at_exit rm -rf --one-file-system "$scratch"
	nested "in a bare Debian" "$TOP/selftests/ci/check-bare.sh" --root "$scratch/root" \
		"selftests/ci/check-image.sh inside"
	finish
	;;
inside) ;;
*) ktap_finished=1; usage >&2; exit 2 ;;
esac

# Not "name": check() has one.
image=localhost/ktput:$(version_of <"$TOP/kmod/version.h")
export DEBIAN_FRONTEND=noninteractive BUILDAH_ISOLATION=chroot
buildah=(buildah --root "$store" --runroot /run/store --storage-driver vfs)
plan 7

# based: the root as it is before anything is installed.
based()
{
	local container

	tar --one-file-system --exclude=./root --exclude=./var/tmp --exclude=./mnt \
		-C / -cf /var/tmp/base.tar . &&
		apt-get -qq update && apt-get -qq -y --no-install-recommends install buildah gojq &&
		container=$("${buildah[@]}" from scratch) &&
		"${buildah[@]}" add -q "$container" /var/tmp/base.tar / &&
		rm /var/tmp/base.tar &&
		"${buildah[@]}" commit -q --rm "$container" "$base"
}

built()
{
	[ "$(BASE=$base BUILDER="${buildah[*]}" "$TOP/packaging/image.sh")" = "$image" ]
}

# in_image WORD...: what a user types behind "docker run ktput"
in_image()
{
	"${buildah[@]}" run "$container" /usr/sbin/ktput-ctl "$@"
}

no_privilege()
{
	[ "$("${buildah[@]}" run "$container" id -u)" = 65534 ] &&
		! "${buildah[@]}" run "$container" sh -c 'command -v cc || command -v clang' &&
		"${buildah[@]}" inspect --type image "$image" |
			gojq -e '.OCIv1.config.Entrypoint == ["/usr/sbin/ktput-ctl"]'
}

runs()
{
	in_image -j start layer user sink-layer user bytes 8M >"$ktap_scratch/run" &&
		gojq -e '.result.valid and .result.bytes == 8388608' "$ktap_scratch/run"
}

# Each end in a container of its own, on the network of this machine.
two_ends()
{
	local other sink status=0

	other=$("${buildah[@]}" from "$image") || return 1
	"${buildah[@]}" run "$other" /usr/sbin/ktput-ctl sink layer user on 127.0.0.1 \
		port 5719 once time 60s >"$ktap_scratch/sink" 2>&1 &
	sink=$!
	wait_for "$BOUND" grep -q '^sink: ' "$ktap_scratch/sink" &&
		in_image start layer user alone to 127.0.0.1 port 5719 bytes 8M || status=1
	wait "$sink" || status=1
	grep -q '^Goodput .*, 8388608 bytes in ' "$ktap_scratch/sink" || status=1
	[ "$status" = 0 ] || cat "$ktap_scratch/sink"
	return "$status"
}

refuses()
{
	! in_image start >"$ktap_scratch/said" 2>&1 &&
		grep -q 'the module is not loaded' "$ktap_scratch/said" &&
		grep -q 'layer user sink-layer user' "$ktap_scratch/said"
}

check "a base, and Debian's buildah" based
check "the image is built" built
container=$("${buildah[@]}" from "$image") || container=none
check "it can be run" in_image -V
check "it has no compiler, and no privilege" no_privilege
check "both ends in it" runs
check "an end each" two_ends
check "what takes the module says so" refuses
finish
