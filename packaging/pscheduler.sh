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
# pScheduler finds a plug-in in a folder of its kind and name, and in it a program for
# each method; here these are links to one.
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

# plug_in FOLDER PROGRAM SOURCE METHOD...: install SOURCE as PROGRAM, and its methods.
plug_in()
{
	local folder=$root/usr/lib/pscheduler/classes/$1 program=$2 source=$3 method
	shift 3

	install -D -m 755 "$TOP/packaging/pscheduler/$source" "$folder/$program" || return
	for method; do
		ln -s "$program" "$folder/$method" || return
	done
}

plug_in tool/ktput tool tool enumerate can-run participant-data duration run 	merged-results &&
	plug_in test/ladder test ladder-test enumerate spec-is-valid participants 		cli-to-spec spec-to-cli spec-format result-format &&
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
