# SPDX-License-Identifier: GPL-2.0
"""Sockets as sock_diag lists them, and destroys them, which ss -K does by port."""

import collections
import errno
import os
import socket
import struct

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY, SOCK_DESTROY = 20, 21
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 0x1, 0x4, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
TCP_LISTEN, ALL_STATES = 10, 0xFFFFFFFF
# Flows of which one leads to each of a few sockets that share a port.
FLOWS = range(1, 512)

# Struct inet_diag_sockid: ports, addresses, device, cookie.
ID = struct.Struct("!HH16s16s4s8s")
Found = collections.namedtuple("Found", "family protocol state sport dport id "
                               "cookie queued inode")


def _talk(kind, flags, family, protocol, number):
    """Answers to a request about one socket, or all; the errno of a refusal."""
    request = struct.pack("=BBBxI", family, protocol, 0, ALL_STATES) + number
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                       NETLINK_SOCK_DIAG) as diag:
        diag.send(struct.pack("=IHHII", 16 + len(request), kind,
                              NLM_F_REQUEST | flags, 0, 0) + request)
        answers = []
        while True:
            data = diag.recv(1 << 16)
            while data:
                length, kind = struct.unpack_from("=IH", data)
                if kind == NLMSG_ERROR:
                    return answers, -struct.unpack_from("=i", data, 16)[0]
                if kind == NLMSG_DONE:
                    return answers, 0
                answers.append(data[16:length])
                data = data[(length + 3) & ~3:]


def sockets(protocol, port=None, family=socket.AF_INET):
    """Sockets of a protocol, those with a local PORT."""
    found = []
    for answer in _talk(SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, family, protocol,
                        bytes(ID.size))[0]:
        state = answer[1]
        number = answer[4:4 + ID.size]
        fields = ID.unpack(number)
        _, queued, _, _, inode = struct.unpack_from("=5I", answer, 4 + ID.size)
        one = Found(family, protocol, state, fields[0], fields[1], number,
                    fields[5], queued, inode)
        if port is None or port in (one.sport, one.dport):
            found.append(one)
    return found


def destroy(found):
    """Destroy one of sockets()."""
    # The kernel looks a socket up as it would for a packet, and compares cookies.
    for flow in FLOWS if found.state == TCP_LISTEN else [found.dport]:
        fields = list(ID.unpack(found.id))
        fields[1] = flow
        error = _talk(SOCK_DESTROY, NLM_F_ACK, found.family, found.protocol,
                      ID.pack(*fields))[1]
        if error != errno.ENOENT:
            break
    assert not error, f"destroying a socket: {os.strerror(error)}"
