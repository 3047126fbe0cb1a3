#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# setup.sh: install what building and testing ktput needs on Debian 12
#
# usage: selftests/ci/setup.sh [--help] [debug|rt|bare]
#
# Installs the packages of packages.txt, the newest stock 6.12 kernel of the
# release with its headers, and virtme-ng and ruff in a virtual environment;
# unpacks the parts of linux-source-6.12 that the checks and the netlink code
# generator use, sshd, promtool, logrotate and the programs of NFS. What is there
# already is skipped, so a second run takes about a second. Wants root or sudo only when
# a package is missing.
#
#   debug  the sources of the 6.1 kernel and what builds a kernel of them, too
#   rt     the stock kernels with PREEMPT_RT and their headers, too
#   bare   nothing of all that, but what makes a root file system
#
# environment:
#   KTPUT_CACHE  where virtme-ng, ruff and the unpacked sources go; build/cache
#
# exit: 0 everything is there, 1 something could not be had (it is named)

set -u
. "$(dirname "$0")/../lib/env.sh"

VNG_VERSION=1.42
RUFF_VERSION=0.14.0
APT_UPDATED=

more=${1-}
case $more in
--help|-h) usage; exit 0 ;;
''|debug|rt|bare) ;;
*) say "unknown argument: $1"; usage >&2; exit 2 ;;
esac

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		env "$@"
	else
		command -v sudo >/dev/null ||
			die "packages are missing; run this as root or install sudo"
		sudo env "$@"
	fi
}

# Without a boot loader nothing but a VM, which needs no initramfs, ever boots
# these kernels; with one, an image without an initramfs would be a trap.
initrd_wanted()
{
	local sign

	for sign in /boot/grub /boot/loader /boot/efi/EFI /efi/loader \
		/boot/extlinux /usr/sbin/grub-mkconfig /sbin/lilo; do
		[ ! -e "$sign" ] || { echo Yes; return; }
	done
	echo No
}

# apt ARGUMENT...: apt-get, without questions, with its output in $apt_log.
apt_log=$CACHE/apt.log
apt()
{
	as_root DEBIAN_FRONTEND=noninteractive INITRD="$(initrd_wanted)" \
		apt-get -q -o Dpkg::Use-Pty=0 "$@" >"$apt_log" 2>&1
}

apt_update()
{
	[ -n "$APT_UPDATED" ] && return
	say "reading the package lists"
	patiently apt update || patiently apt update || {
		tail -5 "$apt_log" >&2
		say "apt-get update failed twice; going on with the old lists"
	}
	APT_UPDATED=1
}

# wanted: the packages of packages.txt, one on a line.
wanted()
{
	sed 's/#.*//' "$TOP/selftests/ci/packages.txt" | tr -s ' \t' '\n' | sed '/^$/d'
}

# missing PACKAGE...: those of them that are not installed.
missing()
{
	local have

	have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' |
		sed -n 's/^installed //p' | sort -u)
	printf '%s\n' "$@" | sort -u | comm -23 - <(echo "$have")
}

install_packages()
{
	local attempt package failed=()

	[ $# -gt 0 ] || return 0
	apt_update
	for attempt in 1 2; do
		say "installing $# packages (attempt $attempt): $*"
		patiently apt install -y --no-install-recommends "$@" && return 0
		grep -E '^(E|W|Err):?' "$apt_log" | tail -5 >&2
		sleep 2
	done

	# One by one, to name the one that is at fault.
	for package in $(missing "$@"); do
		patiently apt install -y --no-install-recommends "$package" ||
			failed+=("$package")
	done
	[ ${#failed[@]} = 0 ] || die "could not install: ${failed[*]} (see $apt_log)"
}

# newest_612 [FLAVOUR]: release of the newest 6.12 kernel that the lists offer,
# image and headers both.
newest_612()
{
	apt-cache pkgnames linux-image-6.12. |
		sed -n "s/^linux-image-\(6\.12\.[0-9]*+deb12-${1-}amd64\)\$/\1/p" |
		sort -Vr | while read -r release; do
			apt-cache show "linux-headers-$release" >/dev/null 2>&1 &&
				echo "$release" && break
		done
}

# setup_kernels [FLAVOUR]: both kernels of it, stock or rt-.
setup_kernels()
{
	local flavour=${1-} suffix release

	suffix=${flavour:+-${flavour%-}}
	kernel_release "6.1$suffix" >/dev/null ||
		die "linux-image-${flavour}amd64 and linux-headers-${flavour}amd64 are installed but do not match: run apt-get upgrade"
	if ! kernel_release "6.12$suffix" >/dev/null; then
		apt_update
		release=$(newest_612 "$flavour")
		[ -n "$release" ] ||
			die "no linux-image-6.12.*+deb12-${flavour}amd64: is bookworm-security among the package sources?"
		install_packages "linux-image-$release" "linux-headers-$release"
	fi
}

setup_packages()
{
	local list

	mapfile -t list < <(wanted)
	case $more in
	debug) list+=(linux-source-6.1 flex bison bc libssl-dev) ;;
	rt) list+=(linux-image-rt-amd64 linux-headers-rt-amd64) ;;
	esac
	mapfile -t list < <(missing "${list[@]}")
	install_packages "${list[@]}"

	setup_kernels
	[ "$more" != rt ] || setup_kernels rt-
}

setup_venv()
{
	local venv=$CACHE/venv attempt
	local list=("virtme-ng==$VNG_VERSION" "ruff==$RUFF_VERSION")

	[ "$(cat "$venv/.ktput-version" 2>/dev/null)" != "${list[*]}" ] || return 0
	for attempt in 1 2; do
		say "installing ${list[*]} (attempt $attempt)"
		[ $attempt = 1 ] || rm -rf "$venv"
		if python3 -m venv "$venv" &&
		   patiently "$venv/bin/pip" -q --disable-pip-version-check \
			install "${list[@]}"; then
			echo "${list[*]}" >"$venv/.ktput-version"
			return
		fi
		sleep 2
	done
	die "could not install: ${list[*]} from PyPI"
}

# unpack SERIES DIRECTORY WHAT TAR-ARGUMENT...: a part of the kernel's sources, of
# the version that is installed.
unpack()
{
	local series=$1 directory=$2 what=$3 version
	local archive=/usr/src/linux-source-$series.tar.xz
	shift 3

	version=$(dpkg-query -W -f '${Version}' "linux-source-$series")
	[ "$(cat "$directory/.ktput-version" 2>/dev/null)" = "$version" ] && return

	say "unpacking $what of linux-source-$series $version (half a minute)"
	rm -rf "$directory"
	mkdir -p "$directory"
	patiently tar -C "$directory" --strip-components=1 -xJf "$archive" "$@" ||
		die "could not unpack $archive"
	echo "$version" >"$directory/.ktput-version"
}

setup_linux()
{
	unpack 6.12 "$LINUX" scripts --wildcards \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch' '*/scripts/kernel-doc' \
		'*/tools/net/ynl' '*/Documentation/netlink/*.yaml' \
		'*/tools/testing/selftests/kselftest/ktap_helpers.sh' \
		'*/tools/testing/selftests/net/lib.sh'
	# A quarter of all is lists of registers, which nothing here includes.
	[ "$more" != debug ] || unpack 6.1 "$KERNEL_SOURCE" "all" \
		--exclude='*/drivers/gpu/drm/amd/include'
}

# fetched NAME PACKAGE...: packages, unpacked in the cache and not installed, by
# apt-get with the options that are in $from; status 1 if they are not to be had.
from=()
fetched()
{
	local directory=$CACHE/$1 package
	shift

	[ ! -e "$directory/.ktput-version" ] || return 0
	say "unpacking $*"
	rm -rf "$directory"
	mkdir -p "$directory"
	(
		cd "$directory" &&
			patiently apt-get "${from[@]}" -qq download "$@" \
				>"$apt_log" 2>&1 || exit
		for package in *.deb; do
			dpkg -x "$package" . && rm "$package" || exit
		done
		touch .ktput-version
	)
}

# unpacked NAME PACKAGE...: what tests run of them; installed, they would start
# daemons on this host.
unpacked()
{
	fetched "$@" || die "could not unpack ${*:2} (see $apt_log)"
}

# setup_qemu: QEMU of backports. It emulates a VM in 0.6 of the time that the release's
# takes; without it the release's does.
setup_qemu()
{
	local apt=$CACHE/backports mirror
	local from=(-o "Dir::Etc::sourcelist=$apt/sources.list"
		-o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists"
		-o "Dir::Cache=$apt")

	[ ! -e "$CACHE/qemu/.ktput-version" ] || return 0
	mkdir -p "$apt/lists/partial"
	# shellcheck disable=SC2016  # apt-get expands it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' |
		head -n 1)
	echo "deb $mirror bookworm-backports main" >"$apt/sources.list"
	patiently apt-get "${from[@]}" -qq update >"$apt_log" 2>&1 &&
		fetched qemu qemu-system-x86/bookworm-backports seabios qemu-system-data &&
		"$CACHE/qemu/usr/bin/qemu-system-x86_64" --version >"$apt_log" 2>&1 || {
		tail -n 3 "$apt_log" >&2
		say "without QEMU of backports VMs are slower; rm -r $CACHE/qemu lets the next setup try again"
		rm -rf "$CACHE/qemu/usr"
		mkdir -p "$CACHE/qemu" && touch "$CACHE/qemu/.ktput-version"
	}
	rm -r "$apt"
}

. /etc/os-release
[ "${VERSION_CODENAME-}" = bookworm ] ||
	say "made for Debian 12 (bookworm), this is ${PRETTY_NAME-unknown}: going on"
mkdir -p "$CACHE" || exit 1
if [ "$more" = bare ]; then
	command -v mmdebstrap >/dev/null ||
		command -v debootstrap >/dev/null ||
		install_packages debootstrap
	exit
fi
setup_packages
setup_venv
setup_linux
unpacked sshd openssh-server
unpacked nfs nfs-kernel-server nfs-common rpcbind
unpacked prometheus prometheus
unpacked logrotate logrotate libpopt0
setup_qemu
say "ready: kernels $(kernel_release 6.1) and $(kernel_release 6.12), virtme-ng $VNG_VERSION, ruff $RUFF_VERSION"
