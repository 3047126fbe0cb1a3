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
plan 6
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"

# once_more: a tarball from a clone, by a user with other settings. The time of a
# file must not matter either.
once_more()
{
	git -c safe.directory='*' clone -q "file://$TOP" "$scratch/clone" || return 1
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

# licences: files that state another licence than COPYING are those that the
# document says so of.
licences()
{
	diff <(cd "$scratch/unpacked" && grep -rlE -m 1 \
			'^(/\*|//|#|\.\.).*SPDX-License-Identifier: .*BSD-3-Clause' | sort) \
		<(awk '/^FileName: / { name = substr($2, 3) }
			/^LicenseInfoInFile: BSD-3-Clause/ { print name }' "$spdx" | sort) &&
		diff <(cd "$scratch/unpacked" && for file in $(find . -type f | sort); do
				head -n 3 "$file" | grep -q SPDX-License-Identifier ||
					echo "$file"
			done) \
		<(awk '/^FileName: / { name = $2 }
			/^LicenseInfoInFile: NONE/ { print name }' "$spdx" | sort)
}

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
finish
