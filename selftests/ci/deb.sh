#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deb.sh: the Debian packages, from source to removal, on a bare Debian 12
#
# usage: selftests/ci/deb.sh [--help]
#
# In a root file system of check-bare.sh: builds the packages with what they say
# that they need, removes all of that, and installs them with the stock kernels 6.1
# and 6.12, for which DKMS builds the module. A VM of each kernel boots this root
# and runs "The first ten minutes" of Documentation/packages.rst, and in that of 6.12
# a later version takes the place of this one while a run lasts. DKMS has built its
# module in the root, and hands it on in a tarball, since an emulated machine needs a
# quarter of an hour to compile it. At last the packages are removed from the root.
# The ten minutes are those of the clock: nothing else should keep this machine busy
# meanwhile. Wants root, 4 GB, and less than half an hour.
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

version=$(version_of <"$TOP/kmod/version.h")
later=$version.1
# What the package of DKMS looks for in /usr/share/ktput-dkms.
prebuilt=ktput-$later.dkms.tar.gz
# In the root.
clone=~root/ktput

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
installed|newcomer|upgraded|removed) ;;
*)
	need_root
	plan 4
	scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/ktput-deb.XXXXXX")
	at_exit rm -rf --one-file-system "$scratch"
	root=$scratch/root

	# in_root PART: of this script, in the root.
	in_root()
	{
		"$TOP/selftests/ci/check-bare.sh" --root "$root" "selftests/ci/deb.sh $1"
	}

	# in_vm SERIES PART: in a VM of the root.
	in_vm()
	{
		local release

		release=$(basename "$root/lib/modules/$1."*)
		"$TOP/selftests/vm/run" --root "$root" --timeout 1200 \
			--results "$BUILD/check/deb-$1" "$release" -- \
			selftests/ci/deb.sh "$2"
	}

	nested "built and installed" in_root installed || finish
	nested "the first ten minutes, on 6.1" in_vm 6.1 newcomer
	nested "the same on 6.12, and a later version" in_vm 6.12 upgraded
	nested "removed" in_root removed
	finish
	;;
esac

export DEBIAN_FRONTEND=noninteractive INITRD=No

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
	find / -xdev \( -path "$clone" -o -path /proc -o -path /tmp \) -prune -o \
		-name '*ktput*' -print -o \
		-path '/usr/lib/modules/*/updates/*' ! -type d -print
}

# bare_again: only the packages that there were at first.
bare_again()
{
	local more

	mapfile -t more < <(packages | comm -13 ~root/packages -)
	apt purge "${more[@]}" && packages | diff ~root/packages -
}

# Its author stands for who builds it.
built()
{
	DEBFULLNAME=$(git -C "$TOP" log -1 --format=%an)
	DEBEMAIL=$(git -C "$TOP" log -1 --format=%ae)
	export DEBFULLNAME DEBEMAIL
	apt update && apt build-dep "$TOP/packaging" && built_later &&
		"$TOP/packaging/deb.sh"
}

# built_later: the packages of a later version, of a commit that does not stay.
built_later()
{
	sed -i "s/$version/$later/" "$TOP/kmod/version.h" &&
		sed -i "0,/^## /s/^## .*/## $later/" "$TOP/CHANGELOG.md" &&
		git -C "$TOP" -c user.name=ktput -c user.email=ktput commit -q -a -m later &&
		"$TOP/packaging/deb.sh" && mkdir "$BUILD/later" &&
		mv "$BUILD"/deb/*.deb "$BUILD/later" && git -C "$TOP" reset -q --hard HEAD^
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

# built_for SERIES: by DKMS.
built_for()
{
	local release found

	found=$(find /lib/modules -path "*/$1.*/updates/dkms/ktput.ko*")
	[ -n "$found" ] || { cat /var/lib/dkms/ktput/*/build/make.log; return 1; }
	release=$(modinfo -F vermagic "$found") && release=${release%% *}
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
		ktput-ctl show /tmp/run.jsonl | grep -q ' 10485760 bytes in ' &&
		ktput-report html /tmp/run.jsonl out /tmp/run.html &&
		/usr/bin/python3 -c 'import ktput
assert len(ktput.read("/tmp/run.jsonl").counting()) > 0'
}

# built_later_for SERIES: the module of the later version, as a tarball of DKMS; in
# trees of its own, so that the root has nothing of it.
built_later_for()
{
	local release tree

	release=$(basename "/lib/modules/$1."*) && tree=$(mktemp -d) &&
		dpkg-deb -x "$BUILD"/later/ktput-dkms_*.deb "$tree" || return 1
	set -- -m ktput -v "$later" -k "$release" --dkmstree "$tree" --sourcetree "$tree/usr/src"
	dkms build "$@" && dkms mktarball "$@" --archive "$BUILD/later/$prebuilt" &&
		rm -r "$tree"
}

installed()
{
	local headers begin

	plan 15
	packages >~root/packages
	traces >~root/traces
	check "they build with what they say that they need" built || finish
	check "lintian has nothing against them" lintian_clean
	check "nothing in the tree has changed" is '' git -C "$TOP" status --porcelain
	check "what building needs goes again" bare_again

	check "a kernel, and what sets up NICs" apt install linux-image-amd64 iproute2
	begin=$SECONDS
	check "they are installed, with headers of 6.1" apt install linux-headers-amd64 \
		"$BUILD/deb/ktput_${version}-1_$(dpkg --print-architecture).deb" \
		"$BUILD"/deb/{ktput-dkms,python3-ktput,ktput-doc}"_${version}-1_all.deb"
	echo $((SECONDS - begin)) >~root/seconds
	check "DKMS has built the module for 6.1" built_for 6.1
	headers=$(apt-cache pkgnames linux-headers-6.12. |
		grep -E '^linux-headers-[0-9.]+\+deb12-amd64$' | sort -V | tail -n 1)
	check "6.12 comes later" apt install "$headers" "${headers/headers/image}"
	check "and DKMS has built it for that" built_for 6.12
	check "ktput-ctl -V" is "ktput-ctl $version" ktput-ctl -V
	check "ktput-report -V" is "ktput-report $version" ktput-report -V
	check "ktput-report --help" eval "ktput-report --help | grep -q '^Usage: ktput-report'"
	check "import ktput" imports
	check "a run of user space, its lines and its page" measures
	check "DKMS builds a later version for 6.12" built_later_for 6.12
}

# as_written COMMAND: doctor may say that a VM is no place to measure.
as_written()
{
	bash -c "$1" || [[ $? = 1 && $1 = *" doctor"* ]]
}

# newcomer: what the document says, in a VM; installed() did the first of it.
newcomer()
{
	local commands command seconds

	mapfile -t commands < <(
		sed -n '/^The first ten minutes/,/^Fedora/s/^  //p' \
			"$TOP/Documentation/packages.rst" | sed '/^apt-get /d')
	[ ${#commands[@]} -gt 0 ] || die "the document has no commands"
	plan $((${#commands[@]} + 1 + $1))
	for command in "${commands[@]}"; do
		check "$command" as_written "$command"
	done
	seconds=$(($(cat ~root/seconds) + $(cut -d . -f 1 /proc/uptime)))
	diag "installed in $(cat ~root/seconds) s, all of it in $seconds s"
	check "it takes less than ten minutes" [ $seconds -lt 600 ]
}

# few_modules: what is loaded stays. In an emulated machine depmod takes minutes for
# the drivers of all the world.
few_modules()
{
	local dir

	for dir in /lib/modules/*/kernel/{drivers,fs,sound}; do
		mount -t tmpfs none "$dir" || return 1
	done
}

# upgraded_under_run: the old module stays while a run needs it.
upgraded_under_run()
{
	few_modules && mkdir /usr/share/ktput-dkms &&
		cp "$clone/build/later/$prebuilt" /usr/share/ktput-dkms/ &&
		ktput-ctl start detach udp rate 100pps time 1h &&
		dpkg -i "$clone"/build/later/{ktput_,ktput-dkms_,python3-}*.deb &&
		is "ktput-ctl $later" ktput-ctl -V &&
		is "$version" cat /sys/module/ktput/version &&
		is "$later" modinfo -F version ktput &&
		is 2 eval "ktput-ctl show | grep -cw running" &&
		ktput-ctl stop all
}

upgraded()
{
	newcomer 2
	check "a later version while a run lasts" upgraded_under_run
	check "its module" eval "rmmod ktput && modprobe ktput &&
		is $later cat /sys/module/ktput/version && ktput-ctl start bytes 10M"
}

removed()
{
	plan 2
	check "they are removed" apt purge ktput ktput-dkms python3-ktput ktput-doc
	check "nothing is left" eval 'traces | diff ~root/traces -'
}

PATH=/usr/sbin:/usr/bin
case $1 in
newcomer) newcomer 0 ;;
*) "$1" ;;
esac
finish
