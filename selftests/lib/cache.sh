# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# cache.sh: cache lines of an epoch, in a VM that counts them (vm/run --cache). Sourced
# after lib.sh.
#
#   need_cache               skip_all unless it is such a VM
#   epochs FUNCTION          from the next case on each call of the kernel's FUNCTION
#                            begins an epoch, and so does one with a suffix of gcc's
#   kinds                    from the next case on find out what kinds of objects lines
#                            belong to: tools/lab/ktput/compare/kinds.py
#   touches NAME WORD...     vm/touch.c with these words is a case of this name
#   steadily NAME COMMAND... what goes on while COMMAND runs is a case, of 20 and of 60
#                            ms, once it is steady; then COMMAND is killed
#   cache_figures            what an epoch of each case takes, as JSON: lines.py there

cache_cases=() cache_addresses=()
# Fewer are no traffic yet: what is waited for has not begun.
CACHE_EPOCHS=10

need_cache()
{
	[ -n "${KTPUT_CACHE_REPORTS-}" ] || skip_all "no cache lines are counted: vm/run --cache"
	# shellcheck disable=SC2154  # of lib.sh
	cp "$KTPUT_CACHE_REPORTS".{mark,touch} "$ktap_scratch/" || die "no marks"
	# What counted before us has reports, too.
	reports=("$KTPUT_CACHE_REPORTS".*[0-9])
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

# It is there before a case: a process that begins takes memory that packets had.
kinds()
{
	coproc CACHE_KINDS {
		PYTHONPATH=$TOP/tools/lab exec /usr/bin/python3 -B -m ktput.compare.kinds
	}
	read -r _ <&"${CACHE_KINDS[0]}"
}

# What is around a case is not counted: it is several times as fast.
touches()
{
	local name=$1 status=0
	shift

	"$ktap_scratch/cache.mark" "${cache_addresses[@]}" || return 1
	# It makes three marks: that of its short run is the second one.
	if [ -n "${CACHE_KINDS_PID-}" ]; then
		echo "$KTPUT_CACHE_REPORTS".{$((cache_reports + 1)),$((cache_reports + 2))} \
			>&"${CACHE_KINDS[1]}"
		TOUCH_WAITS=1 "$ktap_scratch/cache.touch" "$@" \
			<&"${CACHE_KINDS[0]}" >&"${CACHE_KINDS[1]}" || status=$?
	else
		"$ktap_scratch/cache.touch" "$@" || status=$?
	fi
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

# All of them with kinds.
cache_figures()
{
	printf '%s\n' "${cache_cases[@]}" | PYTHONPATH=$TOP/tools/lab /usr/bin/python3 -B \
		-m ktput.compare.lines "$KTPUT_CACHE_REPORTS" /proc/kallsyms
}
