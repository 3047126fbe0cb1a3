#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""audit.py NUMBER...: an audit rule on these system calls of process 1 alone.

It matches no process of a measurement, and so writes nothing; but the kernel looks.
"""

import socket
import struct
import sys

NETLINK_AUDIT = 9
NLM_F_REQUEST, NLM_F_ACK, NLMSG_ERROR = 1, 4, 2
AUDIT_ADD_RULE = 1011
AUDIT_FILTER_EXIT, AUDIT_ALWAYS, AUDIT_PID, AUDIT_EQUAL = 4, 2, 0, 0x40000000
WORDS = 64

mask = [0] * WORDS
for number in map(int, sys.argv[1:]):
    mask[number // 32] |= 1 << number % 32
rest = [0] * (WORDS - 1)
rule = struct.pack(f"=3I{WORDS}I{WORDS}I{WORDS}I{WORDS}II", AUDIT_FILTER_EXIT,
                   AUDIT_ALWAYS, 1, *mask, AUDIT_PID, *rest, 1, *rest, AUDIT_EQUAL,
                   *rest, 0)
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_AUDIT) as kernel:
    kernel.send(struct.pack("=IHHII", 16 + len(rule), AUDIT_ADD_RULE,
                            NLM_F_REQUEST | NLM_F_ACK, 1, 0) + rule)
    answer = kernel.recv(8192)
kind, error = struct.unpack_from("=4xH10xi", answer)
if kind != NLMSG_ERROR or error:
    sys.exit(f"the rule is refused: {-error}")
