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
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools/lab"))
# pylint: disable=wrong-import-position
from ktput.compare import lines  # noqa: E402

WIDTH = 90


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


def main(words: list[str]) -> int:
    """Measure and print."""
    try:
        kernels = {version: measure(version) for version in words or ["6.1", "6.12"]}
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"cache: {error}", file=sys.stderr)
        return 1
    print("Per packet, both ends and all between; of TCP per segment of GSO")
    print(*lines.table(kernels), sep="\n")
    print("\nFunctions of the kernel that touch most lines first, in lines")
    for text in lines.first_touched(kernels):
        print(*textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ",
                             break_on_hyphens=False), sep="\n")
    return 0


sys.exit(main(sys.argv[1:]))
