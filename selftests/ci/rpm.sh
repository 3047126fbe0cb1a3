#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rpm.sh: the RPM packages, as far as Debian's rpm can build and install them
#
# usage: selftests/ci/rpm.sh [--help]
#
# Builds them, asks rpmlint, installs them below a scratch directory without their
# scripts and dependencies, whose names Debian does not know, tries them there, and
# removes them.
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
esac

need_root
need rpm rpmbuild rpmlint rst2html
plan 7
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
root=$scratch/root
mkdir "$root"
version=$(version_of <"$TOP/kmod/version.h")

packages()
{
	find "$BUILD/rpm" -name '*.rpm' ! -name '*.src.rpm'
}

in_root()
{
	rpm --root "$root" --dbpath /var/lib/rpm "$@"
}

install_them()
{
	mapfile -t list < <(packages)
	[ ${#list[@]} -ge 4 ] &&
		in_root -i --nodeps --noscripts --ignoreos "${list[@]}"
}

one_version()
{
	[ "$("$root/usr/sbin/ktput-ctl" -V)" = "ktput-ctl $version" ] &&
		grep -q "\"$version\"" "$root/usr/bin/ktput-report" &&
		[ "$(in_root -q --qf '%{VERSION}\n' -a | sort -u)" = "$version" ]
}

# imports: where ktput-report looks for it.
imports()
{
	local dir

	dir=$(sed -n 's|.*os.path.join(here, "\(/usr/lib.*\)"))$|\1|p' \
		"$root/usr/bin/ktput-report" | head -n 1)
	(cd / && /usr/bin/python3 -IB -c 'import sys
sys.path.insert(0, sys.argv[1])
import ktput
assert ktput.__file__.startswith(sys.argv[1])' "$root$dir")
}

dkms_source()
{
	local source=$root/usr/src/ktput-$version

	[ -e "$source/Kbuild" ] && [ -e "$source/kmod/Kbuild" ] &&
		[ "$(set +u; . "$source/dkms.conf" && echo "$PACKAGE_VERSION")" = "$version" ]
}

gone()
{
	mapfile -t list < <(in_root -qa)
	in_root -e --noscripts "${list[@]}" &&
		! find "$root" ! -type d ! -path '*/var/lib/rpm/*' | grep .
}

check "they build" "$TOP/packaging/rpm.sh" || finish
check "rpmlint has nothing against them" rpmlint -r "$TOP/packaging/ktput.rpmlintrc" \
	--strict "$BUILD/rpm"
check "they are installed" install_them
check "all have one version" one_version
check "import ktput" imports
check "DKMS finds its sources" dkms_source
check "they are removed, and nothing is left" gone
finish
