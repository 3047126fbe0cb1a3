# SPDX-License-Identifier: GPL-2.0
"""shell.py: this terminal at the shell of a VM that stays.

usage: shell.py SOCKET

SOCKET is where QEMU has the other end of the VM's second serial port. Ctrl-] leaves.
"""

import os
import select
import socket
import sys
import termios
import tty

LEAVE = b"\x1d"


def main() -> int:
    """Copy both directions until one of them ends."""
    port = socket.socket(socket.AF_UNIX)
    try:
        port.connect(sys.argv[1])
    except OSError as error:
        print(f"vm: {error.strerror}; is another shell there?", file=sys.stderr)
        return 1
    size = os.get_terminal_size()
    before = termios.tcgetattr(0)
    print("vm: Ctrl-] leaves", file=sys.stderr)
    tty.setraw(0)
    try:
        port.sendall(f" stty rows {size.lines} cols {size.columns}\n".encode())
        while True:
            ready = select.select([0, port], [], [])[0]
            if port in ready:
                data = port.recv(4096)
                if not data:
                    return 0
                os.write(1, data)
            if 0 in ready:
                data = os.read(0, 4096)
                if not data or LEAVE in data:
                    return 0
                port.sendall(data)
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        print(file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
