#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl show FILE of runs of the module: what was printed, to the byte.
#
#   a: veth0 10.9.0.1 ------- b: veth0 10.9.0.2
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/shown.sh"

begin 21
need ktput-ctl gojq ss
netns_add a
netns_add b
# Set by netns_add.
calm "${a:?}" "${b:?}"
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
cd "$scratch" || exit 1

far=(netns "$a" sink-netns "$b" to 10.9.0.2 interval 50ms)
all_forms "TCP of the module" same start bytes 4M streams 2 interval 50ms
all_forms "TCP over veth" timed start "${far[@]}" time 1s warmup 200ms
all_forms "UDP of the module" same start "${far[@]}" udp messages 400 rate 4kpps
all_forms "frames, from the queue to ingress" same start "${far[@]}" udp messages 400 \
	rate 4kpps layer queue sink-layer ingress
all_forms "frames, from the driver to XDP" same start "${far[@]}" udp messages 400 \
	rate 4kpps layer driver sink-layer xdp size imix
all_forms "a sink of the module" sink_alone
all_forms "ping-pong of the module" same pingpong messages 100
finish
