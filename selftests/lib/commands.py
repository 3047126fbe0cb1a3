#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""commands.py TREE: the commands of README.md and of all documents, one a line.

A block of commands is one that is set apart, and has a line which begins with one of
PROGRAMS, behind a prompt or not; of what else is in it nothing is taken. A loop is one
command. A comment somewhere before a block says who else runs it, or why nobody does:

    .. run by: selftests/cases/test_remote.sh
    .. not run: wants somebody in front of the machine

Commands of ktput need none: they are those that are printed, once each. Blocks with
other commands and no comment, and tests that are not there, are printed to standard
error, and make the exit status 1.
"""

import glob
import os
import re
import sys
from collections.abc import Iterator

OURS = "ktput-ctl|ktput-report|for"
PROGRAMS = re.compile(rf"(# )?({OURS}|make|apt-get|apt|insmod|modprobe|rmmod|mokutil|"
                      r"openssl|ip|tc|git|dpkg|cat|rpm|reboot)( |$)")
COMMAND = re.compile(rf"(# )?(({OURS}) .*)")
MARK = re.compile(r"(?:\.\.|<!--) (run by|not run): (.*)")


def blocks(path: str) -> Iterator[tuple[int, str, list[str]]]:
    """Give the number of the first line, the mark or nothing, and the lines."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    literal = path.endswith(".md")
    mark = ""
    block: list[str] = []
    first = 0
    for number, line in enumerate([*lines, "end"], 1):
        found = MARK.match(line)
        if line.startswith(" ") and (literal or block):
            first = first if block else number
            block.append(line)
            continue
        if not line.strip():
            if block:
                block.append("")
            continue
        if block:
            yield first, mark, block
            mark, block = "", []
        if found:
            mark = found[0].removesuffix(" -->")
        elif not path.endswith(".md"):
            literal = line.endswith("::")


def statements(block: list[str]) -> Iterator[str]:
    """Give the commands of a block: lines that go on are joined, loops too."""
    joined = re.sub(r"\\\n *", "", "\n".join(block)).split("\n")
    loop: list[str] = []
    for line in joined:
        text = line.strip()
        if text.startswith("for ") or loop:
            loop.append(text)
            words = re.split(r"[; ]+", " ".join(loop))
            if words.count("for") == words.count("done"):
                yield re.sub(r"\bdo; ", "do ", "; ".join(loop))
                loop = []
        else:
            yield re.sub(r" +# .*", "", text)


def main(tree: str) -> int:
    """Print the commands; return the exit status."""
    seen: dict[str, None] = {}
    status = 0
    for path in [f"{tree}/README.md", *sorted(glob.glob(
            f"{tree}/Documentation/**/*.rst", recursive=True))]:
        for number, mark, block in blocks(path):
            commands = [text for text in statements(block) if PROGRAMS.match(text)]
            ours = [found[2] for text in commands if (found := COMMAND.match(text))]
            if mark:
                for test in re.findall(r"selftests/\S+\.(?:sh|py)", mark):
                    if not os.path.exists(f"{tree}/{test}"):
                        print(f"{path}:{number}: no {test}", file=sys.stderr)
                        status = 1
                continue
            seen.update(dict.fromkeys(ours))
            if len(ours) != len(commands):
                print(f"{path}:{number}: {commands[0]}: by whom is it run?",
                      file=sys.stderr)
                status = 1
    print("\n".join(seen))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
