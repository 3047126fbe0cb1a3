# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of ktput-ctl and ktput-report for bash: the program itself tells what may
# follow.

_ktput_ctl()
{
	local line=${COMP_LINE:0:COMP_POINT} word split
	local -a words
	local -i files=0

	# Not COMP_WORDS, where ':' and '=' are words of their own.
	read -r -a words <<<"$line"
	[[ $line != *[[:blank:]] ]] || words+=('')
	split=${words[-1]%"$2"}
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		if [[ $word == :files ]]; then
			files=1
		else
			COMPREPLY+=("${word#"$split"}")
		fi
	done < <("$1" complete "${words[@]:1}" 2>/dev/null)
	((files)) || return 0
	compopt -o filenames
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2")
}

complete -F _ktput_ctl ktput-ctl ktput-report
