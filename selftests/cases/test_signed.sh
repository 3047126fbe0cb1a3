#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A kernel that loads signed modules only: what it says of ktput.ko, unsigned and
# signed by a key that it does not know, and what ktput-ctl says then. check.sh has a
# VM for it, with module.sig_enforce=1.

. "$(dirname "$0")/../lib/lib.sh"

need_root
enforce=/sys/module/module/parameters/sig_enforce
if [ "$(cat $enforce 2>/dev/null)" != Y ]; then
	grep -q sig_enforce=1 /proc/cmdline || skip_all "signatures are not enforced"
	plan 1
	not_ok "signatures are enforced" "$(cat /proc/cmdline)"
	finish
fi
module=$BUILD/$(uname -r)/ktput.ko
[ -e "$module" ] || skip_all "no module for this kernel: run make check"
need insmod openssl dmesg
plan 7
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"

# logged PATTERN: the kernel said so.
logged()
{
	dmesg | grep -q "$1"
}

# sign: by a key of our own, as Documentation/secure-boot.rst has it.
sign()
{
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ktput/ \
		-keyout "$scratch/key.pem" -outform DER -out "$scratch/cert.der" &&
		cp "$module" "$scratch/ktput.ko" &&
		"$(kernel_build "$(uname -r)")/scripts/sign-file" sha256 \
			"$scratch/key.pem" "$scratch/cert.der" "$scratch/ktput.ko" &&
		modinfo -F signer "$scratch/ktput.ko" | grep -qx ktput
}

wanted='^ktput-ctl: the module is not loaded, and this kernel loads signed modules only'
wanted+=' \(module\.sig_enforce\): sign ktput\.ko, then modprobe ktput'

refused "an unsigned module is refused" 1 'Key was rejected by service' insmod "$module"
check "the log has the reason" logged 'Loading of unsigned module is rejected'
check "it can be signed" sign
refused "the key must be known" 1 \
	'Key was rejected by service|Required key not available' \
	insmod "$scratch/ktput.ko"
refused "ktput-ctl info says what is wanted" 1 "$wanted\$" ktput-ctl info
refused "so does start, and what needs no module" 1 \
	"$wanted; or say 'layer user sink-layer user', which takes no module\$" \
	ktput-ctl start
check "which works" ktput-ctl start layer user sink-layer user bytes 1M
finish
