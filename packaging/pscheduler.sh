#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pscheduler.sh: build the Debian package of ktput's plug-ins for pScheduler
#
# usage: packaging/pscheduler.sh [--help]
#
# It is apart from the others, since what it depends on is in perfSONAR's archive, not
# in Debian. Wants DEBFULLNAME and DEBEMAIL, or user.name and user.email of git, for the
# maintainer. Prints the name of the package, in build/pscheduler.
#
# exit: 0 it is there, 1 it is not

set -u
. "$(dirname "$0")/../selftests/lib/env.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
esac

command -v dpkg-deb >/dev/null || die "dpkg-deb is missing"
full=${DEBFULLNAME:-$(git -C "$TOP" config user.name)}
email=${DEBEMAIL:-$(git -C "$TOP" config user.email)}
[ -n "$full" ] && [ -n "$email" ] ||
	die "a package names its maintainer: set DEBFULLNAME and DEBEMAIL"
version=$(version_of <"$TOP/kmod/version.h")
out=$BUILD/pscheduler
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

make -s -C "$TOP/tools/pscheduler" install DESTDIR="$root" &&
	install -D -m 644 "$TOP/COPYING" \
		"$root/usr/share/doc/pscheduler-tool-ktput/copyright" &&
	mkdir -p "$root/DEBIAN" "$out" && chmod 755 "$root" || exit 1
cat >"$root/DEBIAN/control" <<END
Package: pscheduler-tool-ktput
Version: $version-1
Architecture: all
Maintainer: $full <$email>
Section: net
Priority: optional
Depends: ktput (>= $version), python3, python3-pscheduler, pscheduler-server
Recommends: pscheduler-test-rtt, pscheduler-test-throughput, python3-ktput
Description: pScheduler tool ktput, and its test ladder
 The tool ktput of pScheduler measures throughput, round trips and the cost of each
 layer of the network stack, and says what limits them.
END
# pScheduler reads its plug-ins again.
echo 'activate-noawait pscheduler-warmboot' >"$root/DEBIAN/triggers"
package=$out/pscheduler-tool-ktput_$version-1_all.deb
dpkg-deb --build --root-owner-group "$root" "$package" >/dev/null || exit 1
echo "$package"
