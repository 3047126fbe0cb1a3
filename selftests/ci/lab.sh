#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lab.sh: check and test the laboratory, tools/lab, on this machine
#
# usage: selftests/ci/lab.sh [--help] [PYTEST-ARGUMENT]...
#
# mypy and ruff on its sources, the tests of selftests/lab, then pytest on
# tools/lab/tests with the arguments. Prints nested KTAP.
#
# exit: 0 nothing failed, 1 something did

. "$(dirname "$0")/../lib/lib.sh"

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
esac

lab=$TOP/tools/lab
# Tools that Debian has are written for Debian's Python.
python=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1

in_lab()
{
	(cd "$lab" && "$@")
}

plan 5
if [ -x /usr/bin/mypy ]; then
	check "mypy" in_lab /usr/bin/mypy
else
	skip "mypy" "mypy is not installed: run make setup"
fi
if [ -x "$CACHE/venv/bin/ruff" ]; then
	check "ruff" in_lab "$CACHE/venv/bin/ruff" check --no-cache
else
	skip "ruff" "ruff is not installed: run make setup"
fi
for test in "$TOP"/selftests/lab/test_*.sh; do
	name=$(basename "$test" .sh)
	echo "# Subtest: $name"
	# Log-ins are another test's, and take a minute.
	KTPUT_STAND_IN=1 "$test" </dev/null 2>&1 | sed 's/^/  /'
	if [ "${PIPESTATUS[0]}" = 0 ]; then
		ok "$name"
	else
		not_ok "$name"
	fi
done
if "$python" -c 'import pytest, numpy, scipy, matplotlib, jinja2' 2>/dev/null; then
	echo "# Subtest: pytest"
	status=0
	in_lab "$python" -X faulthandler -m pytest -p no:cacheprovider -p tests.ktap "$@" \
		tests || status=$?
	if [ $status = 0 ]; then
		ok "pytest"
	else
		not_ok "pytest, which ended with $status"
	fi
else
	skip "pytest" "pytest, or what the laboratory imports, is not installed: run make setup"
fi
finish
