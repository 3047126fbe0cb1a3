#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# static.sh: check the sources without running them
#
# usage: selftests/ci/static.sh [--help | --changed | --results [--no-modules | --changed]]
#
# checkpatch.pl --strict on the C sources, the module on every kernel with W=1
# and sparse, kernel-doc, shellcheck, well-formed documents, yamllint, a licence in
# every file, and that the generated files are what the spec gives. Prints KTAP and, as
# the last line, "N passed, N failed, N skipped"; with --results the KTAP alone, and with
# --no-modules nothing of the module's builds, which the caller has made.
#
#   --changed  look only at files that differ from HEAD; of the module build the 6.1
#              one, and compile what changed; without such files nothing
#
# exit: 0 nothing failed, 1 something did

case ${1-} in
--help|-h) . "$(dirname "$0")/../lib/env.sh"; usage; exit 0 ;;
--results) shift ;;
*)
	# Print the results, then their totals.
	set -u
	. "$(dirname "$0")/../lib/env.sh"
	. "$TOP/selftests/ci/tally.sh"
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	"$0" --results "$@" | tee "$log"
	tally static "${PIPESTATUS[0]}" "$log"
	totals
	exit
	;;
esac

. "$(dirname "$0")/../lib/lib.sh"

changed='' versions=(6.1 6.12)
case ${1-} in
--changed) changed=1 ;;
--no-modules) versions=() ;;
'') ;;
*) ktap_finished=1; usage >&2; exit 2 ;;
esac

# in_tree COMMAND...: of git.
in_tree()
{
	git -c safe.directory='*' -C "$TOP" "$@"
}

# sources PATHSPEC...: the files of the tree, built ones left out; one on a line
# and relative to TOP. With --changed those that differ from HEAD.
sources()
{
	{
		[ -n "$changed" ] && in_tree diff --name-only HEAD -- "$@" ||
			in_tree ls-files --cached -- "$@"
		in_tree ls-files --others --exclude-standard -- "$@"
	} | sort -u | while read -r file; do
		[ ! -f "$TOP/$file" ] || echo "$file"
	done
}

# of_files NAME LIST COMMAND...: a result, skipped without a file of LIST.
of_files()
{
	local name=$1 list=$2
	shift 2

	if [ -n "$list" ]; then
		check "$name" "$@"
	else
		skip "$name" "no such files"
	fi
}

generated='^(kmod/(genl-gen\.[ch]|uapi/linux/ktput(_counters)?\.h)|tools/module/(counters_help|config_attributes)\.h)$'

# each LIST COMMAND...: run COMMAND with the files of LIST, in TOP.
each()
{
	local files
	mapfile -t files <<<"$1"
	shift

	(cd "$TOP" && "$@" "${files[@]}")
}

# on NAME LIST COMMAND...: a result for COMMAND over LIST, skipped without files.
on()
{
	local name=$1 list=$2
	shift 2

	of_files "$name" "$list" each "$list" "$@"
}

# checkpatch IGNORED FILE...: in the kernel's style, without the IGNORED types.
# It leaves a cache behind where it runs, and seeds it from include/ of its root.
checkpatch()
{
	local ignored=$1 tmp status=0
	shift

	tmp=$(mktemp -d)
	mkdir "$tmp/include"
	(cd "$tmp" && "$LINUX/scripts/checkpatch.pl" --no-tree --root=. --strict \
		--quiet --terse --show-types --no-summary --ignore "$ignored" \
		--file "${@/#/$TOP/}") >"$tmp/log" || status=1
	sed "s|^$TOP/||" "$tmp/log"
	rm -rf "$tmp"
	return "$status"
}

# kernel_doc FILE...: what a function returns that takes @err is said in units.h.
kernel_doc()
{
	local convention

	convention=$(perl -0777 -ne \
		'print "$1\n" while /^int (\w+)\([^()]*\bstruct units_error \*err\)\n\{/mg' "$@")
	"$LINUX/scripts/kernel-doc" -none -Wall "$@" 2>&1 |
		awk -v convention="$convention" '
			BEGIN {
				for (i = split(convention, name, "\n"); i; i--)
					has_err["'"'"'" name[i] "'"'"'"]
			}
			/^[0-9]+ warnings/ || (/No description found for return value of/ &&
				$NF in has_err) { next }
			{ print; bad = 1 }
			END { exit bad }'
}

# One at a time: rst2html takes one document.
well_formed()
{
	local file bad=0

	for file in "$@"; do
		rst2html --halt=warning "$file" >/dev/null || bad=1
	done
	return "$bad"
}

no_licence()
{
	local file bad=0

	for file in "$@"; do
		case $file in
		COPYING|MAINTAINERS|*.md|*.json|*.ipynb|*.csv|*.svg|*.png) continue ;;
		esac
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' && continue
		echo "$file: no SPDX-License-Identifier in its first three lines"
		bad=1
	done
	return "$bad"
}

shell_scripts()
{
	sources | while read -r file; do
		head -n 2 "$TOP/$file" 2>/dev/null | tr -d '\0' |
			grep -qE '^#!.*\b(ba|da)?sh\b|shellcheck shell=' && echo "$file"
	done
}

# downwards: each room of the tools includes itself and those before it in ROOMS.
downwards()
{
	local rooms

	rooms=$(sed -n 's/^ROOMS := //p' "$TOP/tools/Makefile")
	awk -v rooms="$rooms" '
		BEGIN {
			for (i = split(rooms, name, " "); i; i--)
				at[name[i]] = i
		}
		FNR == 1 {
			split(substr(FILENAME, index(FILENAME, "/tools/") + 7), part, "/")
			room = part[1]
		}
		/^#include "(\.\.\/)+[a-z]+\// && at[room] {
			split($2, part, /["\/]/)
			for (i = 2; part[i] == ".."; i++)
				;
			if (at[part[i]] > at[room]) {
				print FILENAME ": " $0 ": " part[i] " is above " room
				bad = 1
			}
		}
		END { exit bad }' "${@/#/$TOP/}"
}

[ -e "$LINUX/scripts/checkpatch.pl" ] || skip_all "run make setup first"
need git rst2html shellcheck yamllint sparse
plan $((12 + ${#versions[@]}))

kmod=$(sources 'kmod/*.[ch]' | grep -vE "$generated")
none=FILE_PATH_CHANGES # which are what a patch has, not a file
on "checkpatch: kmod" "$(grep -v ^kmod/compat/ <<<"$kmod")" checkpatch $none
# Version checks belong into kmod/compat, and only there; CONSTANT_COMPARISON
# takes KERNEL_VERSION() for a constant on the wrong side.
on "checkpatch: kmod/compat" "$(grep ^kmod/compat/ <<<"$kmod")" \
	checkpatch LINUX_VERSION_CODE,CONSTANT_COMPARISON
# What is set in a BPF program before it is loaded is volatile to the compiler.
on "checkpatch: tools/bpf" "$(sources 'tools/bpf/*.[ch]')" \
	checkpatch $none,VOLATILE
# User space has its own types, attributes and PRIu64; help is whole sentences.
# A system call that is missing is an answer. A list of rows is a macro that takes
# a macro, which need not use all columns.
user=PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO,CAMELCASE
user+=,SPLIT_STRING,MACRO_ARG_REUSE,ENOSYS,COMPLEX_MACRO,MACRO_ARG_UNUSED
user+=,MULTISTATEMENT_MACRO_USE_DO_WHILE,TRAILING_SEMICOLON
on "checkpatch: tools" "$(sources 'tools/*.[ch]' ':!tools/bpf' |
	grep -vE "$generated")" checkpatch $user
# A harness is macros, and expected output is long strings. SPACING takes the
# exponent of 5e-7 for a subtraction.
user+=,MACRO_WITH_FLOW_CONTROL,SPACING
user+=,TRAILING_STATEMENTS
on "checkpatch: selftests" "$(sources 'selftests/*.[ch]')" checkpatch $user
on "rooms of tools include downwards" "$(sources 'tools/*.[ch]')" downwards
module=$(sources kmod Kbuild)
for version in "${versions[@]}"; do
	if [ -z "$changed" ]; then
		check "module: $version, W=1 and sparse" \
			"$TOP/selftests/ci/module.sh" --sparse "$version"
	elif [ "$version" = 6.1 ]; then
		of_files "module: $version, W=1 and sparse" "$module" \
			"$TOP/selftests/ci/module.sh" --changed "$version"
	else
		skip "module: $version, W=1 and sparse" "make static does that"
	fi
done
on "kernel-doc" "$(sources '*.[ch]' | grep -vE "$generated")" kernel_doc
on "shellcheck" "$(shell_scripts)" shellcheck -x
on "documents are well formed" "$(sources '*.rst')" well_formed
on "yamllint" "$(sources '*.yaml' '*.yml' .yamllint)" yamllint -s
of_files "generated files are up to date" "$(sources Documentation/netlink \
	Documentation/man Documentation/measure '*.schema.json' kmod/uapi 'kmod/genl-gen.*' \
	tools/module 'tools/*/*.[ch]' 'selftests/ci/*.py' selftests/ci/generate.sh)" \
	"$TOP/selftests/ci/generate.sh" --check
on "licence in every file" "$(sources)" no_licence
finish
