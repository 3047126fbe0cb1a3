#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# generate.sh: derive the uapi header and the netlink tables from the spec, and the
# keywords of the manual from the rows
#
# usage: selftests/ci/generate.sh [--check] [--help]
#
# Documentation/netlink/specs/ktput.yaml becomes kmod/uapi/linux/ktput.h,
# kmod/genl-gen.h and kmod/genl-gen.c, by the kernel's own generator, and
# kmod/uapi/linux/ktput_counters.h and tools/module/counters_help.h, by counters.py,
# and tools/module/config_attributes.h and the keys of a configuration in
# Documentation/measure/record.schema.json, by attributes.py. In the manuals of
# ktput-ctl the keywords are as "ktput-ctl -j help" has them, which is built for that.
# The bounds in Documentation/internals/limits.rst are the spec's, by limits.py.
# Files that would not change are not touched.
#
#   --check   write nothing; fail if a file differs from what would be written
#
# exit: 0 done or up to date, 1 the generator failed or --check found a change

set -u
. "$(dirname "$0")/../lib/env.sh"

check=
case ${1-} in
--help|-h) usage; exit 0 ;;
--check) check=1 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

spec=$TOP/Documentation/netlink/specs/ktput.yaml
gen=$LINUX/tools/net/ynl/ynl-gen-c.py
[ -e "$spec" ] || die "no ${spec#"$TOP"/}"
[ -e "$gen" ] || die "the generator is not there: run make setup"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The generator wants the schemas beside the spec, and walks up to a MAINTAINERS
# file without end: give it a tree of its own, and a time limit.
mkdir -p "$tmp/tree/Documentation/netlink/specs"
touch "$tmp/tree/MAINTAINERS"
cp "$LINUX"/Documentation/netlink/*.yaml "$tmp/tree/Documentation/netlink/"
# What 6.12 generates for uns-admin-perm is right, only its schema lacks it.
sed -i 's/enum: \[ *admin-perm *\]/enum: [ admin-perm, uns-admin-perm ]/' \
	"$tmp"/tree/Documentation/netlink/*.yaml
cp "$spec" "$tmp/tree/Documentation/netlink/specs/"

# ynl FILE OPTION...: write FILE with the generator's OPTIONs.
ynl()
{
	local out=$tmp/$1
	shift
	mkdir -p "$(dirname "$out")"
	PYTHONDONTWRITEBYTECODE=1 timeout 60 /usr/bin/python3 "$gen" -o "$out" \
		--spec "$tmp/tree/Documentation/netlink/specs/ktput.yaml" "$@" ||
		die "ynl-gen-c.py $* failed with $? on ${spec#"$TOP"/}"
}

ynl kmod/uapi/linux/ktput.h --mode uapi --header
ynl kmod/genl-gen.h --mode kernel --header
ynl kmod/genl-gen.c --mode kernel --source
/usr/bin/python3 -B "$TOP/selftests/ci/counters.py" "$spec" \
	>"$tmp/kmod/uapi/linux/ktput_counters.h" || die "counters.py failed"
mkdir -p "$tmp/tools/module"
/usr/bin/python3 -B "$TOP/selftests/ci/counters.py" "$spec" help \
	>"$tmp/tools/module/counters_help.h" || die "counters.py failed"
schema=Documentation/measure/record.schema.json
mkdir -p "$tmp/${schema%/*}"
/usr/bin/python3 -B "$TOP/selftests/ci/attributes.py" "$spec" \
	>"$tmp/tools/module/config_attributes.h" &&
	/usr/bin/python3 -B "$TOP/selftests/ci/attributes.py" "$spec" \
		"$TOP/$schema" >"$tmp/$schema" || die "attributes.py failed"

# The header first, of which the tools are built; a check has both as they are.
mapfile -t manuals < <(cd "$TOP" &&
	grep -l '^\.\. keywords of ' Documentation/man/ktput-ctl*.8.rst)
keywords()
{
	if [ ! -e "$tmp/keywords" ]; then
		mkdir -p "$tmp/Documentation/man" && make -s -C "$TOP/tools" >&2 &&
			{ "$BUILD/tools/ktput-ctl" -j help &&
			  "$BUILD/tools/ktput-ctl" -j help ab &&
			  "$BUILD/tools/ktput-ctl" -j help improve &&
			  "$BUILD/tools/ktput-ctl" -j help load; } >"$tmp/keywords" ||
			die "ktput-ctl does not tell its keywords"
	fi
	/usr/bin/python3 -B "$TOP/selftests/ci/manual.py" "$tmp/keywords" \
		"$TOP/$1" >"$tmp/$1" || die "the keywords of $1 cannot be written"
}

# The bounds that it tells of.
limits=Documentation/internals/limits.rst
mkdir -p "$tmp/${limits%/*}"
/usr/bin/python3 -B "$TOP/selftests/ci/limits.py" "$spec" "$TOP/$limits" \
	>"$tmp/$limits" || die "limits.py failed"

status=0
for file in kmod/uapi/linux/ktput.h kmod/uapi/linux/ktput_counters.h \
	    tools/module/counters_help.h tools/module/config_attributes.h $schema \
	    kmod/genl-gen.h kmod/genl-gen.c $limits "${manuals[@]}"; do
	[[ $file != Documentation/man/* ]] || keywords "$file"
	cmp -s "$tmp/$file" "$TOP/$file" && continue
	if [ -n "$check" ]; then
		diff -u "$TOP/$file" "$tmp/$file" >&2
		say "$file is not up to date: run make generate"
		status=1
	else
		mkdir -p "$(dirname "$TOP/$file")"
		cat "$tmp/$file" >"$TOP/$file"
		say "wrote $file"
	fi
done
exit $status
