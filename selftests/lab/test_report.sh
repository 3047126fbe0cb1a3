#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-report on records that are made here.

. "$(dirname "$0")/../lib/lib.sh"

need ktput-report gojq file
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
cd "$scratch" || exit 1
plan 49

# record "GOODPUT..." SIZE [FILTER]: for each GOODPUT a run of 20 intervals around
# so many bit/s, with messages of SIZE bytes, and what FILTER makes of it.
record()
{
	jq -nc --argjson goodputs "[${1// /,}]" --argjson size "$2" \
		--argjson begun "${begun-1e9}" '
		def cpus(i): [{cpu: 0, time_ns: (i * 1e8), idle_ns: (i * 4e7),
			cycles: (i * 1e9)}];
		range($goodputs | length) as $i | $goodputs[$i] as $goodput |
		{record_version: 1, command: ["start", "time", "2s", "record", "x"],
		source: {config: {transport: "tcp", layer: "socket",
			size_bytes: $size, cookie: $goodput},
			begin: {run: {begun_ns: ($i * 4e9 + $begun)}}},
		sink: {config: {layer: "socket"}, begin: {cpus: cpus(0)}},
		route: {device: "eth0", mtu_bytes: 1500},
		environment: {kernel: "6.1", cpu: "<b>one & '\''two'\''</b>"},
		intervals: [range(20) | {from_ns: (. * 1e8), to_ns: ((. + 1) * 1e8),
			goodput_bps: ($goodput + . % 3 * 1e6),
			bytes: (($goodput + . % 3 * 1e6) / 80),
			busy_share: 0.6, retransmissions: 0,
			source: {streams: [{stream: 0, tcp: {rtt_us: (500 + .),
				rtt_min_us: 400, congestion_window_segments: 10,
				slow_start_threshold_segments: 2147483647}}]},
			sink: {cpus: cpus(. + 1)}}],
		result: {reason: "time", goodput_bps: ($goodput + 1e6),
			bytes: 1, span_ns: 2e9, valid: true, interrupted: false,
			busy_cycles_per_byte: (4e10 / $goodput),
			cpus: [{cpu: 0, cycles: 2e10, busy_cycles: 1.2e10}],
			wire: {ceiling_bps: 949e6, share: ($goodput / 949e6)}}}
		| '"${3-.}"
}

# is FILE FILTER: true if the JSON matches.
is()
{
	jq -e "$2" "$1" >/dev/null
}

# says COMMAND... PATTERN: true if what it prints has a line that matches.
says()
{
	"${@:1:$#-1}" | grep -qE -e "${!#}"
}

narrow()
{
	"$@" >narrow || return 1
	! grep -E '.{81}' narrow
}

record 400e6 1000 >a
record 600e6 1000 >b
record "400e6 401e6 399e6" 1000 >as
begun=3e9 record "600e6 598e6 603e6" 1000 >bs
{
	record 500e6 1000 '.result.valid = false |
		.result.invalid_because = "counters disagree"'
	record 500e6 1000 '.result.interrupted = true'
} >bad

# finite FILE...: true if neither text nor page of it has what is no number.
finite()
{
	{ ktput-report diff "$@" a && ktput-report html "$@"; } >finite ||
		return 1
	! grep -wE -e '-?(nan|inf)' finite
}

refused "show is ktput-ctl's" 2 "'ktput-ctl show FILE'" ktput-report show a
record 400e6 1000 'del(.result.bytes, .result.span_ns) |
	.intervals[].bytes = 0 | .result.goodput_bps = 0 |
	.result.statistics.goodput_bps = {mean: 0, sigma: 0, ci_low: 0} |
	.result.tcp = [{verdict: "cpu"}] |
	.result.reconciliation = [{what: "bytes", agrees: false}]' >idle
check "what is no number is not printed" finite idle
check "diff of nothing and something" says ktput-report diff idle a \
	'Goodput: TOO FEW runs'
check "the ceiling of the wire" says ktput-report ceilings a 'link framing +949.00 Mb/s +42.15%  +no'
record 400e6 1000 '.result.ceilings = [
	{name: "bus", ceiling_bps: 410e6, binds: true, because: "it is full"}]' >listed
record 400e6 1000 '.result += {"binding": "loss", "binding_because": "3 % were lost"} |
	.result.ceilings = [{"name": "cpu", "ceiling_bps": 5e8}]' >lossy
check "what binds may be no ceiling" says ktput-report ceilings lossy 'Bottleneck +3 % were lost'
check "ceilings that are listed" says ktput-report ceilings listed 'bus +410.00 Mb/s +97.80% +yes'

ktput-report -j diff as bs >json
check "diff of runs" is json '.pairs == 3 and .in_turn and (has("commands") | not) and
	(.figures[0] | .figure == "goodput_bps" and
	.distinguishable and .ci_low > 190e6 and .ci_low < 200e6 and
	.ci_high > 200e6 and .ci_high < 210e6 and .runs_a == 3)'
check "diff names no setting where all agree" is json '.settings == []'
ktput-report -j diff a a >json
check "diff of a run with itself" is json '.figures |
	length == 2 and all(.difference == 0 and .distinguishable == null)'
record 600e6 2000 '.environment.kernel = "6.12"' >c
ktput-report -j diff a c >json
check "diff of single runs claims nothing, and the settings that differ" is json '
	(.figures[0] | .distinguishable == null and .ci_low == null and .too_short) and
	.commands == ["ktput-ctl start time 2s record a",
		"ktput-ctl start time 2s record c"] and
	(.settings | map(.key) == ["source.config.size_bytes",
		"environment.kernel"])'
begun=99e9 record "600e6 598e6 603e6" 1000 . >after
ktput-report -j diff as after >json
check "diff of runs that were not made in turn claims nothing" is json '
	.pairs == 1 and (.in_turn | not) and (.figures[0] |
	.distinguishable == null and .ci_low > 190e6 and .ci_high < 210e6)'
check "it asks for runs in turn" says ktput-report diff as after \
	'^  ktput-ctl start time 2s record after'
check "diff fits 80 columns" narrow ktput-report diff as c
record "400e6 400.1e6" 1000 .result.busy_cycles_per_packet=9 >less
record "900e6 900.1e6" 1000 .result.busy_cycles_per_packet=8 >much
check "diff of less fits, too" narrow ktput-report diff much less
refused "diff leaves out what does not count" 1 'left that counts' \
	ktput-report diff a bad

check "csv has a row for each interval" test "$(ktput-report csv as | wc -l)" = 61
ktput-report csv runs as bad >rows
check "csv has a row for each run" test "$(wc -l <rows)" = 6
check "csv says what is invalid" grep -q '^bad,1,.*,false,.*,counters disagree,' rows

jq -nc '{source: {config: {transport: "udp", layer: "user"}}, sink: {},
	intervals: [{from_ns: 0, to_ns: 2e9, round_trips: 500,
		round_trips_per_s: 250, latency_mean_ns: 5250,
		latency_p50_ns: 4100, latency_p99_ns: 4300, timeouts: 7}],
	result: {reason: "time", round_trips: 500, round_trips_per_s: 250,
		span_ns: 2e9, latency_ns: {min: 3000, mean: 5250, max: 9e6,
			p50: 4100, p90: 4200, p99: 4300, p99_9: 4400,
			p99_99: 4500, p99_999: 4600},
		timeouts: 7, late_responses: 3, busy_cycles_per_round_trip: 20,
		cpus: [{cpu: 1, busy_share: 0.25, cycles: 40000}],
		valid: true, interrupted: false}}' >trips
ktput-report csv runs trips a >rows
check "csv of a ping-pong" grep -qE \
	'^trips,.*,500,250,3000,5250,9000000,4100,.*,4600,7,3,20$' rows
ktput-report csv trips a >rows
check "csv of its intervals" grep -qE '^trips,.*,0,2,.*,250,5250,4100,4300,7$' rows
ktput-report html trips a >page
in_page()
{
	local text

	for text in '>round trips/s<' '>250<' '>5.25<' '>4.1<' '>4.3<' \
			'>9000<' '>7<' '>20<' '>goodput<' '>401.00 Mb/s<'; do
		grep -qF -e "$text" page || {
			echo "no '$text'"
			return 1
		}
	done
	[ "$(grep -c '<details id="run' page)" = 2 ]
}
check "html of a ping-pong, beside a stream" in_page

# cost SIZE SEGMENT: a run whose messages and segments are so long, with 2 cycles a
# byte, 300 a segment and 1000 a call of either end; what its warm-up counted is none.
cost()
{
	record 400e6 "$1" "1e9 as \$bytes | (\$bytes / $1) as \$calls |
		(\$bytes / $2) as \$segments | .intervals[0].warm_up = true |
		.source.begin = {cpus: [{cpu: 0, calls: 5}], streams: []} |
		.intervals[].source.cpus = [{cpu: 0, calls: 77}] |
		.intervals[].source.streams[0].tcp.segments_out = 33 |
		.intervals[].sink.cpus[0].calls = 11 |
		.intervals[-1].source.cpus[0].calls = 77 + \$calls |
		.intervals[-1].source.streams[0].tcp.segments_out = 33 + \$segments |
		.intervals[-1].sink.cpus[0].calls = 11 + \$calls |
		.result.wire.payload_bytes = $2 | .result.cpu_bytes = \$bytes |
		.result.cpus[0].busy_cycles = 2 * \$bytes + 300 * \$segments +
			2000 * \$calls | ${3-.}"
}
for size in 1000 4000 16000 64000; do
	for segment in 536 1448 8948; do
		cost $size $segment
	done
done >costs
ktput-report -j model costs >json
check "model finds what a byte, a packet and a call cost" is json '.models |
	length == 1 and (.[0] | .records == 12 and .degrees_of_freedom == 9 and
	.residual_rms < 1e-9 and .warnings == [] and all(.runs[]; .packets_counted)
	and (.terms | map(.cycles | . * 1e6 | round) == [2e6, 3e8, 1e9]))'
jq -c 'del(.intervals[].source.streams)' costs >plain
ktput-report -j model plain >json
check "model takes packets from segments' payload" is json '.models[0] |
	(.runs | map(.packets_counted) | any | not) and (.warnings | length == 1)
	and (.terms[1].cycles | . * 1e6 | round) == 3e8'
for size in 1000 4000 16000; do
	cost $size 1448
	cost $size 1448 '.source.config.method = "copy"'
done >same
ktput-report -j model same >json
check "model tells methods apart, and what cannot be told" is json '.models |
	length == 2 and all(.records == 3 and (.terms | map(.kept)) ==
	[true, false, true]) and .[1].source_method == "copy"'
check "model fits 80 columns" narrow ktput-report model costs plain same
long=$(printf 'costs%.0s' {1..20})
cp costs "$long"
check "model fits, however long a name" narrow ktput-report model "$long"
cost 1000 1448 >one
refused "model needs several runs" 1 'too few records' ktput-report model one
refused "model needs counters" 1 'no record has bytes' ktput-report model a

# Names and values are text, whatever they look like.
{
	record 400e6 1000 ".source.config.device = \"'; system('touch owned') #\""
	# shellcheck disable=SC2016  # that is the point
	record 500e6 2000 '.source.config.device = "`touch owned` '"''"'"'
} >hostile
check "plot rate" ktput-report plot rate a hostile out x.png
for kind in cpu tcp "sweep size_bytes"; do
	# shellcheck disable=SC2086  # a kind may be two words
	check "plot $kind" ktput-report plot $kind hostile out x.svg
done
check "text of a record is no command" test ! -e owned
check "plot as PNG" says file x.png 'PNG image'
check "plot as SVG" says file x.svg 'SVG'
refused "plot sweep names what varies" 1 'numbers that vary: size_bytes' \
	ktput-report plot sweep mtu_bytes hostile

# rungs KEY NAME MEAN...: rungs of a ladder; a MEAN of null is that of no result.
rungs()
{
	local key=$1
	shift

	while [ $# -gt 0 ]; do
		jq -nc --arg key "$key" --arg name "$1" --argjson mean "$2" '
			{name: $name, ($key): (if $mean then {mean: $mean,
				ci_low: ($mean * 0.9), ci_high: ($mean * 1.1),
				too_short: false} else {mean: null,
				ci_low: null, ci_high: null, too_short: true} end)}'
		shift 2
	done | jq -sc .
}

jq -nc --argjson tcp "$(rungs cycles_per_byte "user" 0.8 "'; system('touch owned') #" 0.25)" \
	--argjson transmit "$(rungs cycles_per_packet 'IP %s' 3000 queue null)" \
	--argjson receive "$(rungs cycles_per_packet XDP null)" '
	{ladder: {tcp: $tcp, transmit: $transmit, receive: $receive, rounds: 7}}' >climbed
check "plot ladder" ktput-report plot ladder hostile climbed out ladder.svg
drawn()
{
	local text

	for text in 'over 7 rounds' 'TCP, both ends' 'cycles per byte' \
			'>user<' '0.8000 ± 0.0800' 'touch owned' 'UDP, transmit' \
			'cycles per packet' '>IP %s<' '3000 ± 300' 'not run'; do
		grep -qF -e "$text" ladder.svg || {
			echo "no '$text'"
			return 1
		}
	done
	! grep -qF -e 'UDP, receive' ladder.svg && test ! -e owned
}
check "plot ladder has each rung, and groups with results" drawn
refused "plot ladder of what has none" 1 'no ladder in it: give what ktput-ctl -j ladder' \
	ktput-report plot ladder a
refused "plot ladder of two" 1 '2 ladders' ktput-report plot ladder climbed climbed
jq -c 'del(.ladder.tcp, .ladder.transmit)' climbed >unrun
refused "plot ladder without a result" 1 'no rung .* has a result' \
	ktput-report plot ladder unrun

# sweep ENGINE SIZES...: sizes of a sweep by ENGINE, the last of which drops out.
sweep()
{
	jq -nc --arg engine "$1" '{sweep: {engine: $engine, to: "x",
		source: {transport: "tcp", layer: "<b>", reply: "callback"}},
		sizes: [$ARGS.positional[] | tonumber | {bytes: .,
			latency_p50_ns: (if $engine == "nptcp" then null
				else 5000 end), latency_mean_ns: 6000,
			throughput_bps: (. * 1e6)}], interrupted: false,
		dropouts: [{bytes: ($ARGS.positional[-1] | tonumber)}]}' \
		--args "${@:2}"
}
sweep ktput 1 64 1024 >swept
sweep nptcp 1 64 1024 65536 >swept2
check "plot pingpong" ktput-report plot pingpong swept swept2 out sweep.svg
swept()
{
	local text

	for text in 'round trip, median (us)' 'throughput (Gb/s)' '64' \
			'>tcp, layer &lt;b&gt;, from the<' '>callback<' \
			'>NPtcp, mean<' 'drops out<'; do
		grep -qF -e "$text" sweep.svg || {
			echo "no '$text'"
			return 1
		}
	done
}
check "plot pingpong has a line for each sweep, and dropouts" swept
refused "plot pingpong of what has none" 1 'no sweep of sizes' \
	ktput-report plot pingpong a
jq -c '.sizes = []' swept >unrun
refused "plot pingpong without a size" 1 'no size .* has a result' \
	ktput-report plot pingpong unrun

ktput-report html bad a out x.html >/dev/null
whole()
{
	grep -q '</html>' x.html && grep -q '<svg' x.html &&
		grep -q 'counters disagree' x.html &&
		grep -q '&lt;b&gt;one &amp; &#39;two&#39;&lt;/b&gt;' x.html
}
check "html has tables, pictures and escaped text" whole
alone()
{
	! grep -oE '(src|href)=.?[^ >]*|url\([^)]*|<b>|@import' x.html |
		grep -vE "^href=.?#|url\(.?#"
}
check "html refers to nothing else" alone

# Keywords begin the lines of a help that are indented by two.
manual=$(<"$TOP/Documentation/man/ktput-report.8.rst")
missing=
for command in ceilings diff model csv iperf3 plot html; do
	while IFS= read -r line; do
		read -r word _ <<<"$line"
		if [[ $line =~ ^'  '[a-z] && $manual != *"**$word**"* ]]; then
			missing+=" $command $word"
		fi
	done <<<"$(ktput-report $command help)"
done
helps()
{
	for command in ceilings diff model csv iperf3 plot html; do
		ktput-report "$command" help || return 1
	done
}
check "help fits 80 columns" narrow helps
check "the manual has every keyword" test -z "$missing"

finish
