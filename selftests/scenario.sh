#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# scenario.sh: what "make scenarios" runs in a VM
#
# usage: selftests/scenario.sh NAME [short]
#
# Runs a scenario and prints its tables. Its records, figure and text are left in
# the results of the VM. Those that are there already are not made again.
#
# exit: 0 all rules hold, 1 one does not, or there is no result, 2 usage

set -u
. "$(dirname "$0")/lib/lib.sh"

ktap_finished=1
case ${1-} in
--help|-h) usage; exit 0 ;;
'') usage >&2; exit 2 ;;
esac
ktput_load || die "the module cannot be loaded"
read -r -a nics <<<"$(nic_words)"
out=${KTPUT_RESULTS:-$BUILD}
ktput-ctl scenario "$@" "${nics[@]}" record "$out/scenario.jsonl" \
	figure "$out/figure.svg" | tee "$out/scenario.txt"
[ "${PIPESTATUS[0]}" = 0 ] &&
	tail -n 1 "$out/scenario.jsonl" | jq -e '.scenario.same | all(.holds != false)' >/dev/null
