#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rpm.sh: RPM packages of HEAD
#
# usage: packaging/rpm.sh [--help]
#
# Builds source and binary packages from the tarball that dist.sh makes. They go to
# build/rpm, and their paths are printed. Where rpm knows the installed packages,
# rpmbuild names those that are missing; on Debian it knows none, and does not ask.
#
# exit: 0 built, 1 not, 2 usage

set -u -o pipefail
. "$(dirname "$0")/../selftests/lib/env.sh"

out=$BUILD/rpm
log=$out/build.log

case ${1-} in
--help|-h) usage; exit 0 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

command -v rpmbuild >/dev/null || die "rpmbuild is missing"
tarball=$("$TOP/packaging/dist.sh") || exit 1
name=$(basename "$tarball" .tar.gz)
version=${name#ktput-}

rm -rf "$out"
mkdir -p "$out" || exit 1
scratch=$(mktemp -d "$BUILD/rpm.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# The spec of the tarball, since that is what is built.
tar -xOzf "$tarball" "$name/packaging/ktput.spec" |
	sed "s/^\(Version: *\).*/\1$version/" >"$out/ktput.spec" || exit 1
cat >>"$out/ktput.spec" <<EOF

%changelog
* $(LC_ALL=C git -c safe.directory='*' -C "$TOP" log -1 --format=%cd \
	--date=format:'%a %b %d %Y') The ktput maintainers - $version-1
- See CHANGELOG.md.
EOF
args=(--define "_topdir $scratch" --define "_sourcedir $BUILD")
[ ! -e /etc/debian_version ] || args+=(--nodeps)
say "building $name: log in ${log#"$TOP/"}"
patiently rpmbuild "${args[@]}" -ba "$out/ktput.spec" >"$log" 2>&1 || {
	tail -n 15 "$log" >&2
	die "the packages do not build"
}
find "$scratch" -name '*.rpm' -exec mv -t "$out" {} +
ls "$out"/*.rpm
