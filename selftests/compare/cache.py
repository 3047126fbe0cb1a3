#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""cache.py: instructions, copies, cache lines and misses of a packet on its paths

usage: selftests/compare/cache.py [--ladder] [VERSION]...

Boots each kernel VERSION (6.1, 6.12) with selftests/vm/run --cache, has it run
selftests/compare/cache.sh, and prints the tables. What it leaves is in
build/cache-lines/VERSION, with figures.json. The paths are five; with --ladder they are
the rungs of the ladder, each counted once, and what it leaves is in VERSION-ladder.

exit: 0, or 1 if something failed
"""

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools/lab"))
# pylint: disable=wrong-import-position
from ktput.compare import lines  # noqa: E402
from ktput.ladder.rungs import PASSED_ON, STEPS, TCP, Plan, Rung, chosen  # noqa: E402

WIDTH = 90
CAPTION = "Not in it: page walks, DMA, prefetches, other CPUs, and what a miss costs"
#: Of these the first has what the second has not: the receive path of UDP, and programs.
PAIRS = (("receive", "frames"), ("programs", "sockets"))
#: What the kernel enters once per packet, and once per segment of TCP. A packet that XDP
#: drops does not get to the receive core.
PACKET, SEGMENT = "__netif_receive_skb_core", "tcp_event_data_recv"
PACKET_OF = {"XDP": "veth_xdp_rcv_skb", "XDP, both ends": "veth_xdp_rcv_one"}
#: Values of the ladder's keywords; the VM gives the namespaces names.
VALUES = dict.fromkeys((*PASSED_ON, "remote", "reverse", "segments", "disturbed-above",
                        "transport", "layer", "iperf3", "io_uring")) | {
    "netns": "NEAR", "sink-netns": "FAR", "to": "10.0.3.2", "time": 3600.0,
    "warmup": 0.0, "message": "128K", "datagram": 1448}


def _title(rung: Rung) -> str:
    return f"{rung.group.key}: {rung.name}"


def ladder() -> Iterator[tuple[str, str, str]]:
    """Yield the title of each rung that has packets, what begins one, and its words."""
    plan = Plan(VALUES, "sink-layer ingress", "layer driver",
                20000)
    for rung in chosen(VALUES):
        if not rung.alone:
            yield (_title(rung), SEGMENT if rung.group is TCP else
                   PACKET_OF.get(rung.name, PACKET), " ".join(plan.words(rung)))


def steps(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the titles of the rungs that a step of the ladder compares."""
    for step in STEPS:
        ends = [_title(rung) for rung in step.ends(chosen(VALUES))
                if rung]
        if len(ends) == 2 and {*ends} <= {*paths}:
            yield ends[0], ends[1]


def measure(version: str, rungs: bool) -> dict:
    """Return what an epoch of each path takes on a kernel."""
    left = TOP / "build/cache-lines" / (version + "-ladder" * rungs)
    left.mkdir(parents=True, exist_ok=True)
    (left / "paths").write_text("".join("|".join(one) + "\n" for one in ladder())
                                if rungs else "")
    subprocess.run([TOP / "selftests/vm/run", "--cache", "--timeout", "3600",
                    "--boot-timeout", "900",
                    "--results", left, version, "--",
                    "selftests/compare/cache.sh"], check=True, stdout=sys.stderr)
    cases = (left / "cases").read_text().splitlines()
    found = {name.replace("~", " "): one for name, one in
             lines.figures(str(left / "cache"), cases, left / "kallsyms").items()}
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
    rungs = words[:1] == ["--ladder"]
    versions = words[rungs:] or ["6.1", "6.12"]
    try:
        kernels = {version: measure(version, rungs) for version in versions}
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
    pairs = list(steps(kernels[versions[0]])) if rungs else PAIRS
    show("Lines of data that one path has more than another, and that both have",
         lines.differences(kernels, pairs))
    return 0


sys.exit(main(sys.argv[1:]))
