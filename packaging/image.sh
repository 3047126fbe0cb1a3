#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# image.sh: an OCI image of ktput-ctl, of HEAD
#
# usage: packaging/image.sh [--help]
#
# Builds packaging/Containerfile from what is committed, with podman, buildah or docker,
# whichever there is, as localhost/ktput:VERSION, and prints that name. The base is
# Debian 12 of Docker Hub.
#
# environment:
#   BASE     another base, with apt-get and the packages of Debian 12
#   BUILDER  command line that takes the place of "podman" before the word "build"
#
# exit: 0 built, 1 not, 2 usage

set -u -o pipefail
. "$(dirname "$0")/../selftests/lib/env.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

if [ -z "${BUILDER-}" ]; then
	for BUILDER in podman buildah docker ''; do
		command -v "$BUILDER" >/dev/null && break
	done
fi
[ -n "$BUILDER" ] || die "nothing builds images here: install podman, buildah or docker"
git -C "$TOP" diff --quiet HEAD || say "what is not committed stays out"
version=$(git -C "$TOP" show HEAD:kmod/version.h | version_of)
[ -n "$version" ] || die "$TOP is no clone: an image is made of what git has"
name=localhost/ktput:$version
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

git -C "$TOP" archive HEAD | tar -xC "$context" || exit 1
# shellcheck disable=SC2086 # a command line
$BUILDER build ${BASE:+--build-arg "BASE=$BASE"} -t "$name" \
	-f "$context/packaging/Containerfile" "$context" >&2 || die "that failed"
echo "$name"
