#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dist.sh: a tarball of HEAD, the same to the byte wherever it is made
#
# usage: packaging/dist.sh [--help]
#
# Writes build/ktput-VERSION.tar.gz and prints its path. What is in it, its order and
# times come from the commit alone; settings of git and the umask have no say. Beside
# it, build/ktput-VERSION.spdx has the licence and the hashes of each file. A tag that
# HEAD has, and the first section of CHANGELOG.md, must be of the version.
#
# exit: 0 written, 1 not, 2 usage

set -u -o pipefail
. "$(dirname "$0")/../selftests/lib/env.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

# git ARGUMENT...: in the tree, as if nobody had configured it.
git()
{
	command git -c safe.directory='*' -c core.attributesFile=/dev/null \
		-c core.autocrlf=false -c core.eol=lf -c tar.umask=0022 \
		-C "$TOP" "$@"
}

git rev-parse -q --verify HEAD >/dev/null ||
	die "$TOP is no clone: a tarball is made of what git has"
git diff --quiet HEAD || say "what is not committed stays out"
version=$(git show HEAD:kmod/version.h | version_of)
[ -n "$version" ] || die "kmod/version.h of HEAD has no version"

tags=$(git tag --points-at HEAD 'v*')
[ "${tags:-v$version}" = "v$version" ] ||
	die "kmod/version.h has $version, but the tag of HEAD is $tags"
[ "$(git show HEAD:CHANGELOG.md | sed -n 's/^## //p' | head -n 1)" = "$version" ] ||
	die "CHANGELOG.md does not begin with $version"

name=ktput-$version
mkdir -p "$BUILD" || exit 1
git archive --format=tar --prefix="$name/" HEAD | gzip -9n \
	>"$BUILD/$name.tar.gz.new" &&
	mv "$BUILD/$name.tar.gz.new" "$BUILD/$name.tar.gz" &&
	"$TOP/packaging/spdx.py" "$BUILD/$name.tar.gz" >"$BUILD/$name.spdx" ||
	die "that failed"
echo "$BUILD/$name.tar.gz"
