#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deb.sh: the Debian packages, from source to removal, on a bare Debian 12
#
# usage: selftests/ci/deb.sh [--help | --vm]
#
# In a root file system of check-bare.sh: builds the packages with what they say
# that they need, removes all of that, installs them with the headers of the stock
# kernels 6.1 and 6.12, for which DKMS builds the module, tries them, and removes
# them. Wants root and 3 GB. The modules stay in build/bare/check/dkms.
#
#   --vm  instead: in a VM of each kernel, load the module that this left there, and
#         send
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

in_bare=
case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
--inside) in_bare=1 ;;
esac
modules=$BUILD/bare/check/dkms

# sends MODULE: it is loaded, and bytes arrive; in a VM.
if [ "${1-}" = --sends ]; then
	ktap_finished=1
	insmod "$2" && ktput-ctl start bytes 10M && rmmod ktput
	exit
fi

if [ "${1-}" = --vm ]; then
	plan 2
	for version in 6.1 6.12; do
		name="the module that DKMS built for $version sends"
		release=$(kernel_release "$version") || release=none
		# Compressed or not, as the kernel has its own.
		module=$(find "$modules/$release" -name 'ktput.ko*' 2>/dev/null)
		if [ -z "$module" ]; then
			skip "$name" "$modules has none for $release: run make check-deb"
		else
			check "$name" "$TOP/selftests/vm/run" "$version" -- \
				"$TOP/selftests/ci/deb.sh" --sends "$module"
		fi
	done
	finish
fi

if [ -z "$in_bare" ]; then
	need_root
	hand_over "$TOP/selftests/ci/check-bare.sh" 'selftests/ci/deb.sh --inside'
fi

export DEBIAN_FRONTEND=noninteractive
plan 15

# apt ARGUMENT...: without questions, and without what is only recommended.
apt()
{
	apt-get -q -y -o Dpkg::Use-Pty=0 -o APT::Install-Recommends=no "$@"
}

packages()
{
	dpkg-query -W -f '${Package}\n' | sort -u
}

# traces: packages and files that bear the name, and what DKMS may have left.
traces()
{
	packages | grep ktput
	find / -xdev \( -path "$TOP" -o -path /proc -o -path /tmp \) -prune -o \
		-name '*ktput*' -print -o \
		-path '/usr/lib/modules/*/updates/*' ! -type d -print
}

# bare_again: only the packages that there were at first.
bare_again()
{
	local more

	mapfile -t more < <(packages | comm -13 /tmp/packages -)
	apt purge "${more[@]}" && packages | diff /tmp/packages -
}

# Its author stands for who builds it.
built()
{
	DEBFULLNAME=$(git -C "$TOP" log -1 --format=%an)
	DEBEMAIL=$(git -C "$TOP" log -1 --format=%ae)
	export DEBFULLNAME DEBEMAIL
	apt update && apt build-dep "$TOP/packaging" &&
		"$TOP/packaging/deb.sh"
}

# What lintian calls an error, or a warning, but that no bug asks for a package of
# this kind.
lintian_clean()
{
	apt install lintian &&
		lintian --allow-root --fail-on error,warning \
			--suppress-tags initial-upload-closes-no-bugs \
			"$BUILD"/deb/*.changes
}

# built_for VERSION: by DKMS; kept for --vm.
built_for()
{
	local release found

	found=$(find /lib/modules -path "*/$1.*/updates/dkms/ktput.ko*")
	[ -n "$found" ] || { cat /var/lib/dkms/ktput/*/build/make.log; return 1; }
	release=$(modinfo -F vermagic "$found") && release=${release%% *}
	mkdir -p "$BUILD/check/dkms/$release" &&
		cp "$found" "$BUILD/check/dkms/$release/" &&
		[ "$(modinfo -F version "$found")" = "$version" ] &&
		dkms status ktput | grep -q "$release.*: installed"
}

is()
{
	local want=$1 output
	shift

	output=$("$@") && [ "$output" = "$want" ] ||
		{ echo "$* said '$output', not '$want'"; return 1; }
}

imports()
{
	is /usr/lib/python3/dist-packages/ktput/__init__.py \
		/usr/bin/python3 -I -c 'import ktput; print(ktput.__file__)'
}

# measures: with no module, and the record is read by the others.
measures()
{
	ktput-ctl start layer user sink-layer user bytes 10M disturbed-above 100 \
		record /tmp/run.jsonl &&
		ktput-ctl show /tmp/run.jsonl | grep -q 'user space' &&
		ktput-report html /tmp/run.jsonl out /tmp/run.html &&
		/usr/bin/python3 -c 'import ktput
assert len(ktput.read("/tmp/run.jsonl").counting()) > 0'
}

version=$(sed -n 's/^#define KTPUT_VERSION "\(.*\)"$/\1/p' "$TOP/kmod/version.h")
packages >/tmp/packages
traces >/tmp/traces

check "they build with what they say that they need" built || finish
check "lintian has nothing against them" lintian_clean
check "nothing in the tree has changed" is '' git -C "$TOP" status --porcelain
check "what building needs goes again" bare_again

check "they are installed, with headers of 6.1" apt install linux-headers-amd64 \
	"$BUILD/deb/ktput_${version}-1_$(dpkg --print-architecture).deb" \
	"$BUILD"/deb/{ktput-dkms,python3-ktput,ktput-doc}"_${version}-1_all.deb"
check "DKMS has built the module for 6.1" built_for 6.1
headers=$(apt-cache pkgnames linux-headers-6.12. |
	grep -E '^linux-headers-[0-9.]+\+deb12-amd64$' | sort -V | tail -n 1)
check "headers of 6.12 come later" apt install "$headers"
check "and DKMS has built it for them" built_for 6.12
check "ktput-ctl -V" is "ktput-ctl $version" ktput-ctl -V
check "ktput-report -V" is "ktput-report $version" ktput-report -V
check "ktput-report --help" eval "ktput-report --help | grep -q '^Usage: ktput-report'"
check "import ktput" imports
check "a run of user space, its lines and its page" measures
check "they are removed" apt purge ktput ktput-dkms python3-ktput ktput-doc
check "nothing is left" eval 'traces | diff /tmp/traces -'
finish
