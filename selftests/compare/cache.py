#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""cache.py: instructions, copies, cache lines and misses of a packet on its paths

usage: selftests/compare/cache.py [VERSION]...

Boots each kernel VERSION (6.1, 6.12) with selftests/vm/run --cache, has it run
selftests/compare/cache.sh, and prints the tables. What it leaves is in
build/cache-lines/VERSION, with figures.json.

exit: 0, or 1 if something failed
"""

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools/lab"))
# pylint: disable=wrong-import-position
from ktput.compare import lines  # noqa: E402

WIDTH = 90
CAPTION = "Not in it: page walks, DMA, prefetches, other CPUs, and what a miss costs"
#: Of these the first has what the second has not: the receive path of UDP, and programs.
PAIRS = (("receive", "frames"), ("programs", "sockets"))


def measure(version: str) -> dict:
    """Return what an epoch of each path takes on a kernel."""
    left = TOP / "build/cache-lines" / version
    subprocess.run([TOP / "selftests/vm/run", "--cache", "--timeout", "3600",
                    "--results", left, version, "--",
                    "selftests/compare/cache.sh"], check=True, stdout=sys.stderr)
    found = lines.figures(str(left / "cache"), (left / "cases").read_text().splitlines(),
                          left / "kallsyms")
    (left / "figures.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def show(title: str, texts: Iterable[str]) -> None:
    """Print texts below a title."""
    print(f"\n{title}")
    for text in texts:
        print(*textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ",
                             break_on_hyphens=False), sep="\n")


def main(words: list[str]) -> int:
    """Measure and print."""
    try:
        kernels = {version: measure(version) for version in words or ["6.1", "6.12"]}
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"cache: {error}", file=sys.stderr)
        return 1
    print("Per packet, both ends and all between; of TCP per segment of GSO")
    print(*lines.table(kernels), sep="\n")
    print(CAPTION)
    show("Lines of data of the kernel by kind of object",
         lines.first_touched(kernels, "kinds"))
    show("Lines of data by the function of the kernel that touches them first",
         lines.first_touched(kernels, "functions"))
    show("Lines of data that one path has more than another, and that both have",
         lines.differences(kernels, PAIRS))
    return 0


sys.exit(main(sys.argv[1:]))
