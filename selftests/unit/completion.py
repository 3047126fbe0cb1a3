#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""completion.py SHELL SCRIPT LINE...: what a shell makes of lines under a terminal.

Starts SHELL, bash, zsh or fish, with the completion SCRIPT, types each LINE, and has
the shell print the words of the line afterwards, one output line for each LINE. In
a LINE, <tab> is the key that completes and <all> the one by which bash puts in all
candidates. A shell that does not answer within BOUND_S seconds is an error.
"""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

BOUND_S = 60.0
KEYS = {"<tab>": "\t", "<all>": "\x1b*"}
READY = "R>"
# What each shell is started with, and how it is told prompt and completion.
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"],
             "bind 'set enable-bracketed-paste off'; PS1='R''>'; . {script}\n"),
    "zsh": (["-f", "-i"],
            "bindkey -e; unsetopt zle_bracketed_paste prompt_sp 2>/dev/null; "
            "unset zle_bracketed_paste; fpath+=({directory}); "
            "autoload -U compinit; compinit -u -D; "
            "autoload -U _ktput-ctl; compdef _ktput-ctl ktput-ctl ktput-report; "
            "PS1='R''>'\n"),
    "fish": (["--no-config", "-i"],
             "function fish_prompt; printf 'R%s' '>'; end; source {script}\n"),
}


def size_of_terminal() -> bytes:
    """Return a size whose lines, in columns, hold whatever is typed."""
    return struct.pack("HHHH", 50, 2000, 0, 0)


class Terminal:
    """A shell under a terminal of its own."""

    def __init__(self, shell: str, script: str) -> None:
        arguments, setup = SHELLS[os.path.basename(shell)]
        self.seen = ""
        pid, self.fd = pty.fork()
        if not pid:
            os.environ["TERM"] = "xterm"
            os.execvp(shell, [shell, *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size_of_terminal())
        self.type(setup.format(script=script,
                               directory=os.path.dirname(script)))
        self.wait(READY)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.fd, text.encode())

    def wait(self, pattern: str) -> re.Match[str]:
        """Read until PATTERN matches; what is up to there is not seen again."""
        end = time.monotonic() + BOUND_S
        while True:
            plain = re.sub(r"\x1b(\[[0-9;?>=]*[a-zA-Z]|[()][B0]|[=>]|\][^\x07]*\x07)",
                           "", self.seen)
            found = re.search(pattern, plain)
            if found:
                self.seen = plain[found.end():]
                return found
            if not select.select([self.fd], [], [], end - time.monotonic())[0]:
                sys.exit(f"no {pattern!r} in {plain!r}")
            self.seen += os.read(self.fd, 65536).decode(errors="replace")

    def complete(self, line: str) -> str:
        """Return the words of LINE after its keys have been pressed."""
        for name, key in KEYS.items():
            line = line.replace(name, key)
        self.type(line)
        # To the beginning, and to the end: the line becomes printf's arguments.
        self.type("\x01printf '<%s>' \x05 END\r")
        words = self.wait(r"<ktput-\w+>.*<END>").group()
        self.wait(READY)
        return " ".join(re.findall(r"<([^>]*)>", words)[1:-1])


def main(shell: str, script: str, *lines: str) -> None:
    """Type all lines, and print what became of them."""
    terminal = Terminal(shell, os.path.abspath(script))
    for line in lines:
        print(terminal.complete(line))


if __name__ == "__main__":
    main(*sys.argv[1:])
