#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# newest.sh: fetch the newest kernel of Debian's later suites, and its compiler
#
# usage: selftests/ci/newest.sh [--help] [SUITE]
#
# SUITE is one of Debian's (trixie-backports, forky, sid, also
# bookworm-backports); without it, the one of the first three that has the newest
# kernel. What its image, its headers and the building of a module depend on is
# unpacked to CACHE/newest/SUITE, a tree of its own to change root into. No
# package is installed, and the machine's apt is neither asked nor changed, but
# for where it finds Debian. Prints that tree and the kernel's release.
#
# environment:
#   KTPUT_CACHE  the cache; build/cache
#
# exit: 0 it is there, 1 it could not be had, 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"

# What module.sh calls, beside what the headers depend on.
tools=(base-files bash dash coreutils findutils diffutils grep sed mawk make
	rsync binutils)
kernel=(linux-headers-amd64 linux-image-amd64)

case ${1-} in
--help|-h) usage; exit 0 ;;
-*) usage >&2; exit 2 ;;
esac
[ $# -le 1 ] || { usage >&2; exit 2; }
suite=${1-}

# own_apt DIRECTORY COMMAND...: a command of apt, with all it knows in DIRECTORY.
own_apt()
{
	local dir=$1 command=$2
	shift 2

	"$command" -q -o "Dir::State=$dir/state" -o "Dir::Cache=$dir/cache" \
		-o "Dir::State::status=$dir/status" \
		-o "Dir::Etc::sourcelist=$dir/debian.sources" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none \
		-o APT::Install-Recommends=false "$@"
}

# debian: where the machine has Debian itself from.
debian()
{
	# shellcheck disable=SC2016  # which are apt's
	apt-get indextargets --format '$(LABEL) $(REPO_URI)' |
		sed -n 's/^Debian //p' | sort -u | head -n 1
}

# lists DIRECTORY SUITE...: read the package lists of the suites.
lists()
{
	local dir=$1
	shift

	mkdir -p "$dir"/state/lists/partial "$dir"/cache/archives/partial
	: >"$dir/status"
	printf '%s\n' "Types: deb" "URIs: $mirror" "Suites: $*" \
		"Components: main" "Architectures: amd64" \
		"Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg" \
		>"$dir/debian.sources"
	patiently own_apt "$dir" apt-get update >"$dir/log" 2>&1 || {
		tail -n 5 "$dir/log" >&2
		die "the package lists of $* could not be had"
	}
}

# newest_suite DIRECTORY: the one of its lists that has the newest kernel.
newest_suite()
{
	own_apt "$1" apt-cache madison "${kernel[0]}" |
		awk -F '|' '{ split($3, where, " "); sub("/.*", "", where[2])
			print where[2]; exit }'
}

# fetch DIRECTORY SUITE: the packages, to DIRECTORY/cache/archives.
fetch()
{
	say "fetching $2: $(own_apt "$1" apt-get -s -t "$2" install "${kernel[@]}" \
		"${tools[@]}" 2>/dev/null | grep -c ^Inst) packages"
	patiently own_apt "$1" apt-get -y --download-only -t "$2" install \
		"${kernel[@]}" "${tools[@]}" >"$1/log" 2>&1 || {
		tail -n 5 "$1/log" >&2
		die "packages of $2 could not be had"
	}
}

# unpack DIRECTORY ROOT: all that is fetched, without what packages would do to
# set themselves up, which is little that a compiler needs.
unpack()
{
	local package release

	rm -rf "$2"
	mkdir -p "$2"
	# Where /bin and /lib are links to.
	for package in "$1"/cache/archives/base-files_*.deb \
		"$1"/cache/archives/*.deb; do
		dpkg-deb -x "$package" "$2" || die "$package cannot be unpacked"
	done
	ln -sf mawk "$2/usr/bin/awk"
	release=$(basename "$2"/lib/modules/*)
	# From 7.3 on the image lies with its modules.
	[ -e "$2/boot/vmlinuz-$release" ] ||
		ln "$2/lib/modules/$release/vmlinuz" "$2/boot/vmlinuz-$release" ||
		die "$release has no image"
	/sbin/depmod -b "$2" "$release" || die "depmod failed"
}

command -v apt-get >/dev/null || die "this takes Debian's apt-get"
mirror=$(debian)
[ -n "$mirror" ] || die "the machine's apt knows no Debian"
all=$CACHE/newest/apt
if [ -z "$suite" ]; then
	lists "$all" trixie-backports forky sid
	suite=$(newest_suite "$all")
	[ -n "$suite" ] || die "no suite has a kernel"
fi
dir=$CACHE/newest/$suite.apt root=$CACHE/newest/$suite
suites=("$suite")
[[ $suite != *-backports ]] || suites+=("${suite%-backports}")
lists "$dir" "${suites[@]}"
version=$(own_apt "$dir" apt-cache -t "$suite" show "${kernel[0]}" |
	sed -n 's/^Version: //p' | head -n 1)
[ -n "$version" ] || die "$suite has no kernel"
stamp="$version ${tools[*]}"
if [ "$(cat "$root/.ktput-version" 2>/dev/null)" != "$stamp" ]; then
	rm -f "$dir"/cache/archives/*.deb
	fetch "$dir" "$suite"
	say "unpacking $suite: kernel $version"
	unpack "$dir" "$root"
	rm -f "$dir"/cache/archives/*.deb
	echo "$stamp" >"$root/.ktput-version"
fi
echo "$root $(basename "$root"/lib/modules/*)"
