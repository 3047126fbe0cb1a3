#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""seccomp.py: run a command to which the kernel refuses a system call.

usage: seccomp.py NUMBER ERRNO COMMAND [ARGUMENT]...

NUMBER is that of the system call on this machine, ERRNO the name of an error.
"""

import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
SECCOMP_MODE_FILTER = 2
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7fff0000, 0x00050000
LOAD_WORD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def refuse(number, error):
    """From now on, and in what is executed."""
    code = b"".join(struct.pack("=HBBI", *line) for line in (
        (LOAD_WORD, 0, 0, 0),
        (JUMP_EQUAL, 0, 1, number),
        (RETURN, 0, 0, SECCOMP_RET_ERRNO | error),
        (RETURN, 0, 0, SECCOMP_RET_ALLOW)))
    program = Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                       ctypes.byref(program))):
        sys.exit("seccomp: " + os.strerror(ctypes.get_errno()))


if len(sys.argv) < 4:
    sys.exit(__doc__)
refuse(int(sys.argv[1]), getattr(errno, sys.argv[2]))
os.execvp(sys.argv[3], sys.argv[3:])
