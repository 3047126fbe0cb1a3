# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# cache.sh: cache lines of an epoch, in a VM that counts them (vm/run --cache). Sourced
# after lib.sh.
#
#   need_cache               skip_all unless it is such a VM
#   epochs FUNCTION          from the next case on each call of the kernel's FUNCTION
#                            begins an epoch, and so does one with a suffix of gcc's
#   touches NAME WORD...     vm/touch.c with these words is a case of this name
#   steadily NAME COMMAND... what goes on while COMMAND runs is a case, of 20 and of 60
#                            ms, once it is steady; then COMMAND is killed
#   cache_figures            what an epoch of each case takes, as JSON

cache_cases=() cache_addresses=()
# Fewer are no traffic yet: what is waited for has not begun.
CACHE_EPOCHS=10

need_cache()
{
	[ -n "${KTPUT_CACHE_REPORTS-}" ] || skip_all "no cache lines are counted: vm/run --cache"
	# shellcheck disable=SC2154  # of lib.sh
	cp "$KTPUT_CACHE_REPORTS".{mark,touch} "$ktap_scratch/" || die "no marks"
	# What counted before us has reports, too.
	reports=("$KTPUT_CACHE_REPORTS".[0-9]*)
	[ -e "${reports[0]}" ] && cache_reports=${#reports[@]} || cache_reports=0
	cache_cases=()
}

# kallsyms has the kernel's own functions in the order of their addresses.
epochs()
{
	local found

	mapfile -t found < <(awk -v wanted="$1" '
		FILENAME == ARGV[1] { copies[$1] = 1; next }
		begin && $1 != begin { print begin; print $1; begin = "" }
		$3 in copies { begin = $1 }
		$3 == wanted || index($3, wanted ".constprop") == 1 ||
			index($3, wanted ".isra") == 1 { first = $1 }
		END { print first }' "$TOP/selftests/vm/copies.txt" /proc/kallsyms)
	cache_addresses=("${found[-1]}" "${found[@]::${#found[@]}-1}")
	[ -n "${found[-1]}" ]
}

# What is around a case is not counted: it is several times as fast.
touches()
{
	local name=$1 status=0
	shift

	"$ktap_scratch/cache.mark" "${cache_addresses[@]}" || return 1
	"$ktap_scratch/cache.touch" "$@" || status=$?
	"$ktap_scratch/cache.mark" 0
	# It makes three marks: that of its short run is the second one.
	cache_cases+=("$name $((cache_reports + 1)) $((cache_reports + 2))")
	cache_reports=$((cache_reports + 3))
	return $status
}

# _is_steady: three times the time of the last case had about as many epochs; what fills
# the CPU has some more in the short one, which ends late. While a file of the host is
# waited for, as when COMMAND begins, time leaps.
_is_steady()
{
	local short long

	read -r _ short <"$KTPUT_CACHE_REPORTS.$((cache_reports - 2))" &&
		read -r _ long <"$KTPUT_CACHE_REPORTS.$((cache_reports - 1))" &&
		[ "$short" -ge "$CACHE_EPOCHS" ] &&
		[ $((short * 26)) -le $((long * 10)) ] &&
		[ $((short * 31)) -ge $((long * 10)) ]
}

steadily()
{
	local name=$1 status=1
	shift

	"$@" &
	sleep 0.3
	for _ in {1..20}; do
		touches "$name" sleep 2000 || break
		_is_steady && status=0 && break
		unset 'cache_cases[-1]'
	done
	kill $! 2>/dev/null || status=1
	wait $!
	return $status
}

# What an epoch takes is what the long run has more, over the epochs that it has more.
cache_figures()
{
	local case name short long

	for case in "${cache_cases[@]}"; do
		read -r name short long <<<"$case"
		head -q -n 5 "$KTPUT_CACHE_REPORTS.$short" "$KTPUT_CACHE_REPORTS.$long" |
			sed "s/^/$name /"
	done | awk '
		BEGIN {
			split("instructions copy_instructions copied_bytes lines lines_read " \
				"lines_written code_lines l1d_misses l1i_misses l2_misses copy_lines", key)
			printf "{"
		}
		$2 == "unknown" && $3	{ print "lines are not known" >"/dev/stderr"; bad = 1 }
		$2 == "epochs" && !($1 in short) { short[$1] = $3 + 0; first = 1; next }
		$2 == "epochs"		{ first = 0; epochs = $3 - short[$1] }
		$2 != "kernel" && $2 != "user" { next }
		first			{ for (i = 3; i <= NF; i++) less[$1, $2, i] = $i; next }
		epochs < 1		{ print $1 ": no epochs" >"/dev/stderr"; bad = 1; exit }
		$2 == "kernel"		{ printf "%s\"%s\": {\"epochs\": %d", comma, $1, epochs }
		{
			printf ", \"%s\": {", $2
			for (i = 3; i <= NF; i++)
				printf "%s\"%s_per_epoch\": %.2f", (i > 3 ? ", " : ""), key[i - 2],
					($i - less[$1, $2, i]) / epochs
			printf "%s", ($2 == "user" ? "}}" : "}")
			comma = ", "
		}
		END { print "}"; exit bad }'
}
