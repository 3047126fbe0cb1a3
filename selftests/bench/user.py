# SPDX-License-Identifier: GPL-2.0
"""user.py: instructions of the engine in user space, beside iperf3, both ends"""
import functools

import common
import tcp
import udp

ENDS = ("layer", "user", "sink-layer", "user")


def tcp_cells():
    """A message and a KiB, over loopback."""
    peer = "iperf3 128 KiB"

    def cell(name, *words, target=None):
        return common.Cell(name, functools.partial(tcp.ktput, 131072, *ENDS,
                                                   *words), peer, target)

    return (
        common.Cell(peer, functools.partial(tcp.iperf3, 131072)),
        cell("write, read", "method", "copy", "sink-method", "copy", target=1.0),
        cell("write, MSG_TRUNC", "method", "copy", "sink-method", "trunc"),
        cell("MSG_ZEROCOPY, read", "method", "zerocopy", "sink-method", "copy"),
        cell("sendfile, read", "method", "sendfile", "sink-method", "copy"),
        cell("sendfile, MSG_TRUNC", "method", "sendfile", "sink-method", "trunc"),
        cell("io_uring, both ends", "method", "io_uring", "sink-method", "io_uring"),
    )


def udp_cells():
    """A datagram, over loopback."""
    measured = []
    for size in (64, 1448):
        peer = f"iperf3 -u {size} B"

        def cell(name, *words, size=size, peer=peer, target=None):
            return common.Cell(
                f"{name}, {size} B",
                functools.partial(udp.ktput, size, *ENDS, *words), peer,
                target)

        measured += [
            common.Cell(peer, functools.partial(udp.iperf3, size)),
            cell("send, recv", target=1.0),
            cell("sendmmsg, recvmmsg of 32", "batch", "32"),
            cell("GSO, GRO of 40", "segments", "40"),
        ]
    return measured


def bench(modules):
    """Measure, print and return the record; the module has no part in it."""
    del modules
    streams, datagrams = tcp_cells(), udp_cells()
    common.measure((*streams, *datagrams))
    return {
        "user_tcp": common.report(
            "TCP from user space, over loopback: instructions of both ends",
            ("a message", "a KiB"), streams),
        "user_udp": common.report(
            "UDP from user space, over loopback: instructions of both ends",
            ("a datagram",), datagrams),
    }
