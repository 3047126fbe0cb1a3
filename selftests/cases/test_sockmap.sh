#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A BPF program puts TCP sockets into a sockmap as soon as they listen or are
# connected: none of ktput's, whose runs are exact.

. "$(dirname "$0")/../lib/lib.sh"

PORT=5007

need_root
need_ynl
need ip clang gcc bpftool
ktput_load || skip_all "ktput.ko does not load"
# shellcheck disable=SC2154  # netns_add sets them
netns_add a && netns_add b
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
link_up "$a" veth0
link_up "$b" veth0

# libbpf makes a "_" of each "." in where it pins.
dir=$(mktemp -d "${TMPDIR:-/tmp}/ktput-XXXXXXXXXX")
at_exit rm -rf --one-file-system "$dir"
for type in cgroup2 bpf; do
	mkdir "$dir/$type"
	mount -t "$type" none "$dir/$type" ||
		skip_all "no $type can be mounted"
	at_exit umount "$dir/$type"
done
# The root of cgroups: the turns that connect belong to no other.
cgroup=$dir/cgroup2 pins=$dir/bpf
# The target has no headers of its own: those of the host.
clang -target bpf -O2 -g -Wall -Wextra -Werror -DPORT=$PORT \
	-idirafter "/usr/include/$(gcc -print-multiarch)" \
	-c "$TOP/selftests/cases/sockmap.bpf.c" -o "$dir/sockmap.bpf.o" ||
	die "sockmap.bpf.c does not build"
bpftool prog load "$dir/sockmap.bpf.o" "$pins/take" pinmaps "$pins" ||
	skip_all "the program does not load"
bpftool cgroup attach "$cgroup" cgroup_sock_ops pinned "$pins/take" multi ||
	skip_all "the cgroup takes no such program"
at_exit bpftool cgroup detach "$cgroup" cgroup_sock_ops pinned "$pins/take"

hand_over ip netns exec "$a" /usr/bin/python3 -B "$TOP/selftests/cases/sockmap.py" \
	"$b" "$PORT" "$pins/counts"
