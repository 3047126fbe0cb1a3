#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deb.sh: Debian packages of HEAD
#
# usage: packaging/deb.sh [--help]
#
# Builds source and binary packages from the tarball that dist.sh makes, in a
# directory of its own: nothing in the tree changes. The version, and the date that
# the packages carry, come from the commit. They go to build/deb, and their paths are
# printed. "apt-get build-dep ./packaging" installs what building needs;
# dpkg-buildpackage names what is missing.
#
# environment:
#   DEBFULLNAME, DEBEMAIL  the maintainer of the packages; user.name and user.email of
#                          git
#
# exit: 0 built, 1 not, 2 usage

set -u -o pipefail
. "$(dirname "$0")/../selftests/lib/env.sh"

out=$BUILD/deb
log=$out/build.log

case ${1-} in
--help|-h) usage; exit 0 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

command -v dpkg-buildpackage >/dev/null ||
	die "dpkg-buildpackage is missing: install dpkg-dev"
full=${DEBFULLNAME:-$(git -C "$TOP" config user.name)}
email=${DEBEMAIL:-$(git -C "$TOP" config user.email)}
[ -n "$full" ] && [ -n "$email" ] ||
	die "a package names its maintainer: set DEBFULLNAME and DEBEMAIL"
maintainer="$full <$email>"
tarball=$("$TOP/packaging/dist.sh") || exit 1
name=$(basename "$tarball" .tar.gz)
version=${name#ktput-}

rm -rf "$out"
mkdir -p "$out" || exit 1
scratch=$(mktemp -d "$BUILD/deb.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

cp "$tarball" "$scratch/ktput_$version.orig.tar.gz" &&
	tar -C "$scratch" -xzf "$tarball" &&
	cp -r "$scratch/$name/packaging/debian" "$scratch/$name/" || exit 1
mkdir "$scratch/$name/debian/source" &&
	echo '3.0 (quilt)' >"$scratch/$name/debian/source/format" &&
	MAINTAINER=$maintainer perl -pi -e \
		's/^(Source: .*)/$1\nMaintainer: $ENV{MAINTAINER}/' \
		"$scratch/$name/debian/control" || exit 1
cat >"$scratch/$name/debian/changelog" <<EOF
ktput ($version-1) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $maintainer  $(git -c safe.directory='*' -C "$TOP" log -1 --format=%cD)
EOF
say "building ktput $version-1: log in ${log#"$TOP/"}"
(cd "$scratch/$name" && patiently env -u KTPUT_CACHE dpkg-buildpackage -us -uc) \
	>"$log" 2>&1 || {
	tail -n 15 "$log" >&2
	die "the packages do not build"
}
find "$scratch" -maxdepth 1 -type f -exec mv -t "$out" {} + || exit 1
ls "$out"/*.deb
