#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hooks.sh: have git run the static checks of what changed before each commit
#
# usage: selftests/ci/hooks.sh [--help]
#
# Writes the pre-commit hook of this clone, unless there is another. It runs
# static.sh --changed, and refuses the commit if that fails; git commit --no-verify
# does without it.
#
# exit: 0 it is there, 1 there is another

set -u
. "$(dirname "$0")/../lib/env.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

hook=$(git -C "$TOP" rev-parse --git-path hooks/pre-commit) || exit 1
[[ $hook = /* ]] || hook=$TOP/$hook
# shellcheck disable=SC2016  # for the hook
wanted='#!/bin/sh
# ktput: static checks of what changed
exec "$(git rev-parse --show-toplevel)/selftests/ci/static.sh" --changed >&2'
if [ -e "$hook" ] && [ "$(cat "$hook")" != "$wanted" ]; then
	die "there is another hook: $hook"
fi
mkdir -p "$(dirname "$hook")"
printf '%s\n' "$wanted" >"$hook"
chmod +x "$hook"
say "$hook"
