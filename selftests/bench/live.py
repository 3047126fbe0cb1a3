# SPDX-License-Identifier: GPL-2.0
"""live.py: the kernel's own generator of XDP frames, BPF_PROG_RUN with live frames

A program is run on pages of the kernel's, whose verdict redirects each to a device, as
xdp-trafficgen of xdp-tools does it. The figures of linux/bpf.h are stable.
"""
import contextlib
import ctypes
import os
import socket
import struct
import time

SYS_BPF = 321           # of x86-64
PROG_LOAD, PROG_TEST_RUN, LINK_CREATE = 5, 10, 28
XDP = 6                 # BPF_PROG_TYPE_XDP
XDP_ATTACH = 37         # BPF_XDP
XDP_DROP = 1
LIVE_FRAMES = 1 << 1    # BPF_F_TEST_XDP_LIVE_FRAMES
REDIRECT = 23           # bpf_redirect()
BATCH = 64

LIBC = ctypes.CDLL(None, use_errno=True)


def bpf(command, attributes):
    """Call bpf(2)."""
    data = ctypes.create_string_buffer(attributes, 128)
    done = LIBC.syscall(SYS_BPF, command, data, len(data))
    if done < 0:
        raise OSError(ctypes.get_errno(), f"bpf({command})")
    return done


def move(register, value):
    """The instruction that gives a register a value."""
    return struct.pack("<BBhi", 0xB7, register, 0, value)


def load(*instructions):
    """The descriptor of an XDP program that ends behind its instructions."""
    code = b"".join(instructions) + struct.pack("<BBhi", 0x95, 0, 0, 0)
    text, licence = ctypes.create_string_buffer(code), ctypes.create_string_buffer(b"GPL")
    return bpf(PROG_LOAD, struct.pack("<IIQQ", XDP, len(code) // 8,
                                      ctypes.addressof(text), ctypes.addressof(licence)))


@contextlib.contextmanager
def dropping(device):
    """An XDP program that drops all frames is attached to a device."""
    program = load(move(0, XDP_DROP))
    link = bpf(LINK_CREATE, struct.pack("<IIII", program, socket.if_nametoindex(device),
                                        XDP_ATTACH, 0))
    try:
        yield
    finally:
        os.close(link)
        os.close(program)


def send(device, frame, count):
    """Send a frame COUNT times by a device; returns nanoseconds for each."""
    # Flags of bpf_redirect() are 0.
    program = load(move(1, socket.if_nametoindex(device)), move(2, 0),
                   struct.pack("<BBhi", 0x85, 0, 0, REDIRECT))
    data = ctypes.create_string_buffer(frame)
    try:
        begun = time.monotonic_ns()
        bpf(PROG_TEST_RUN, struct.pack(
            "<IIIIQQIIIIQQIII", program, 0, len(frame), 0, ctypes.addressof(data), 0,
            count, 0, 0, 0, 0, 0, LIVE_FRAMES, 0, BATCH))
        return (time.monotonic_ns() - begun) / count
    finally:
        os.close(program)
