#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kselftest.sh: HEAD as a target of the kernel's own selftests
#
# usage: packaging/kselftest.sh [--help] KERNEL-SOURCES
#
# Puts the module, the tools and the tests below
# KERNEL-SOURCES/tools/testing/selftests/drivers/net/ktput, in place of what was there.
# Then, in KERNEL-SOURCES,
#
#   make -C tools/testing/selftests TARGETS=drivers/net/ktput run_tests
#
# builds them and runs each test of selftests/cases. The module is built against the headers of the
# kernel that runs, or of another with KTPUT_KERNEL=RELEASE.
#
# exit: 0 done, 1 not, 2 usage

set -u -o pipefail
. "$(dirname "$0")/../selftests/lib/env.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
esac
[ $# = 1 ] && [ -n "$1" ] || { usage >&2; exit 2; }
[ -e "$1/tools/testing/selftests/lib.mk" ] ||
	die "$1 has no tools/testing/selftests: it is no source of a kernel"
target=$1/tools/testing/selftests/drivers/net/ktput

tarball=$("$TOP/packaging/dist.sh") || exit 1
rm -rf "$target"
mkdir -p "$target/tree" &&
	tar -C "$target/tree" --strip-components=1 -xzf "$tarball" || exit 1

# The kernel's rules run tests, and install them, from one directory alone.
for test in "$target"/tree/selftests/cases/test_*.{sh,py}; do
	name=$(basename "$test")
	script=$target/${name%.*}.sh
	cat >"$script" <<EOF && chmod 755 "$script" || exit 1
#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
exec "\$(dirname "\$0")/tree/selftests/cases/$name" "\$@"
EOF
done

# The time that selftests/ci/run.sh gives a test.
echo timeout=600 >"$target/settings"
printf '%s\n' 'CONFIG_NET_NS=y' 'CONFIG_VETH=m' 'CONFIG_NETFILTER_INGRESS=y' \
	>"$target/config"
cat >"$target/Makefile" <<'EOF'
# SPDX-License-Identifier: GPL-2.0
KTPUT_KERNEL ?= $(shell uname -r)
TEST_PROGS := $(notdir $(wildcard test_*.sh))
TEST_FILES := tree
EXTRA_CLEAN := tree/build

include ../../../lib.mk

all: ktput

# Variables of these rules mean something else to the kernel's.
ktput:
	env -u MAKEFLAGS -u MFLAGS -u O -u OUTPUT $(MAKE) -C tree/tools
	env -u MAKEFLAGS -u MFLAGS -u O -u OUTPUT tree/selftests/ci/module.sh $(KTPUT_KERNEL)

.PHONY: ktput
EOF
echo "$target"
