#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-pscheduler.sh: ktput's plug-ins for pScheduler, judged by pScheduler itself
#
# usage: selftests/ci/check-pscheduler.sh [--help]
#
# Builds their package, and runs selftests/pscheduler/check.py on what is in it, with
# pScheduler's library, in two network namespaces of this machine, with sockets of user space: no module. The library is in
# no registry; its sources are taken from PSCHEDULER or by git, and what it imports from
# PyPI. Wants root.
#
# environment:
#   PSCHEDULER   a checkout of perfsonar/pscheduler
#   KTPUT_CACHE  where its sources and a virtual environment go; build/cache
#
# exit: 0 nothing failed, or it cannot be had, which is said, 1 something failed

. "$(dirname "$0")/../lib/lib.sh"

UPSTREAM=https://github.com/perfsonar/pscheduler
# What the library imports.
IMPORTS=(dnspython isodate jinja2 jsonschema netaddr netifaces ntplib psutil
	psycopg2-binary py-radix pycurl pyjq python-dateutil pytz tzlocal)

case ${1-} in
--help|-h) ktap_finished=1; usage; exit 0 ;;
esac

need_root
need ktput-ctl ip git dpkg-deb
checkout=${PSCHEDULER-}
if [ -z "$checkout" ]; then
	checkout=$CACHE/pscheduler
	[ -d "$checkout" ] || timeout 300 git clone -q --depth 1 "$UPSTREAM" \
		"$checkout" </dev/null || skip_all "no $UPSTREAM here: say PSCHEDULER=DIR"
fi
library=$checkout/python-pscheduler/pscheduler
[ -d "$library/pscheduler" ] || skip_all "'$checkout' is no checkout of $UPSTREAM"
venv=$CACHE/pscheduler-venv
python=$venv/bin/python
if ! PYTHONPATH=$library "$python" -c 'import pscheduler' 2>/dev/null; then
	/usr/bin/python3 -m venv "$venv" && "$venv/bin/pip" -q install wheel &&
		"$venv/bin/pip" -q install "${IMPORTS[@]}" &&
		PYTHONPATH=$library "$python" -c 'import pscheduler' ||
		skip_all "pScheduler's library cannot be imported; pyjq wants autoconf, automake and libtool"
fi

scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
netns_add a
netns_add b
# Set by netns_add.
: "${a:?}" "${b:?}"
veth_add "$a" 10.6.0.1/24 "$b" 10.6.0.2/24 || exit 1
package=$("$TOP/packaging/pscheduler.sh") && dpkg-deb -x "$package" "$scratch" || exit 1
export PATH=$venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1
hand_over env PYTHONPATH="$library" "$python" "$TOP/selftests/pscheduler/check.py" "$checkout" \
	"$scratch/usr/lib/pscheduler/classes" "$a" "$b"
