#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dist.sh: the tarball of HEAD, as make dist makes it
#
# usage: selftests/ci/dist.sh [--help]
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
esac

need git gzip tar
plan 9
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"

# once_more: a tarball from a clone, by a user with other settings. The time of a
# file must not matter either.
once_more()
{
	git -c safe.directory='*' clone -q --no-tags "file://$TOP" "$scratch/clone" || return 1
	find "$scratch/clone" -type f -exec touch -d @0 {} +
	printf '%s\n' '[core]' autocrlf=true '[tar]' umask=0077 \
		>"$scratch/.gitconfig"
	(umask 077 && HOME=$scratch TZ=Asia/Tokyo LC_ALL=C \
		"$scratch/clone/packaging/dist.sh")
}

same()
{
	[ "$(sha256sum <"$1")" = "$(sha256sum <"$2")" ]
}

# of_git: the files of the tarball are those that git has.
of_git()
{
	diff <(tar -tzf "$tarball" | sed 's|^[^/]*/||; /\/$/d; /^$/d' | sort) \
		<(git -c safe.directory='*' -C "$TOP" ls-tree -r --name-only HEAD |
			sort)
}

# listed: each file of the tarball with its hash, and nothing else.
listed()
{
	mkdir "$scratch/unpacked" &&
		tar -C "$scratch/unpacked" --strip-components=1 -xzf "$tarball" &&
		diff <(cd "$scratch/unpacked" && find . -type f -exec sha256sum {} + |
			sed 's/  / /' | sort) \
		<(awk '/^FileName: / { name = $2 }
			/^FileChecksum: SHA256: / { print $3, name }' "$spdx" | sort)
}

# stating PATTERN: files of the tarball with such a line among the first three.
stating()
{
	(cd "$scratch/unpacked" && find . -type f -exec awk -v pattern="$1" \
		'FNR <= 3 && $0 ~ pattern { print FILENAME; nextfile }' {} + | sort)
}

# listing PATTERN: files of which the document has such a line.
listing()
{
	awk -v pattern="^LicenseInfoInFile: $1" '/^FileName: / { name = $2 }
		$0 ~ pattern { print name }' "$spdx" | sort
}

# licences: files that state another licence than COPYING, or none, are those that
# the document says so of.
licences()
{
	diff <(stating 'SPDX-License-Identifier: .*BSD-3-Clause') <(listing BSD-3-Clause) &&
		diff <(comm -23 <(cd "$scratch/unpacked" && find . -type f | sort) \
			<(stating SPDX-License-Identifier)) <(listing NONE)
}

# in_clone COMMAND...: git, by somebody who has a name.
in_clone()
{
	git -C "$scratch/clone" -c user.name=ktput -c user.email=ktput "$@"
}

tagged()
{
	in_clone tag -m "ktput $version" "v$version" && "$scratch/clone/packaging/dist.sh"
}

version=$(version_of <"$TOP/kmod/version.h")
tarball=$("$TOP/packaging/dist.sh") || skip_all "no tarball"
check "make dist has the files of the commit" of_git
check "it is made from a clone by another user" once_more
check "and is the same to the byte" same "$tarball" \
	"$scratch/clone/build/$(basename "$tarball")"
spdx=${tarball%.tar.gz}.spdx
check "its SPDX document is the same too" same "$spdx" \
	"$scratch/clone/build/$(basename "$spdx")"
check "which lists the files and their hashes" listed
check "and the licence that each of them states" licences
check "a tag of the version is fine" tagged
in_clone tag -d "v$version" >/dev/null && in_clone tag -m wrong "v$version.1"
refused "one of another version is refused" 1 "the tag of HEAD is v$version.1" \
	"$scratch/clone/packaging/dist.sh"
in_clone tag -d "v$version.1" >/dev/null &&
	sed -i "0,/^## /s/^## .*/## $version.1/" "$scratch/clone/CHANGELOG.md" &&
	in_clone commit -q -a -m 'another version'
refused "so is a CHANGELOG of another version" 1 "does not begin with $version" \
	"$scratch/clone/packaging/dist.sh"
finish
