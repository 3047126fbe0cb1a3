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
plan 3
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

tarball=$("$TOP/packaging/dist.sh") || skip_all "no tarball"
check "make dist has the files of the commit" of_git
check "it is made from a clone by another user" once_more
check "and is the same to the byte" same "$tarball" \
	"$scratch/clone/build/$(basename "$tarball")"
finish
