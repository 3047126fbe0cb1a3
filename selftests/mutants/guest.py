#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""guest.py: try faults in a VM, one after the other.

usage: guest.py JOBS KEPT

JOBS is a JSON file, a list of {"ident", "tests": [[path, cases, seconds]...]}, with
paths from the top of the tree.
KEPT has a directory for each ident with its ktput.ko or its tools, and "control"
with both. They are mounted over what the tests would use. Lines of
$KTPUT_RESULTS/progress tell how far this is:

  begin IDENT
  survived IDENT
  killed IDENT TEST: the result that failed
  time IDENT TEST SECONDS

exit: 0 all were tried, 75 the rest wants a VM that is booted anew
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

from copies import all_skipped, first_failure, run

TOP = pathlib.Path(__file__).resolve().parents[2]
RESULTS = pathlib.Path(os.environ["KTPUT_RESULTS"])
REBOOT = 75


def say(*words: object) -> None:
    """A line of progress."""
    with (RESULTS / "progress").open("a", encoding="utf-8") as file:
        print(*words, file=file)


def mounts(kept: pathlib.Path, ident: str) -> list[tuple[pathlib.Path, str]]:
    """What is mounted where."""
    pairs = []
    for name, where in (("ktput.ko", f"{os.uname().release}/ktput.ko"),
                        ("tools", "tools")):
        path = kept / ident / name
        if not path.exists():
            path = kept / "control" / name
        pairs.append((path, f"{TOP}/build/{where}"))
    return pairs


def clean() -> bool:
    """Nothing is left of a test; False where the module cannot be removed."""
    subprocess.run(["ip", "-all", "netns", "delete"], check=False)
    end = time.monotonic() + 60
    while os.path.exists("/sys/module/ktput"):
        # One that hangs in the kernel cannot be killed, and is not waited for.
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.Popen(["rmmod", "ktput"], stderr=subprocess.DEVNULL
                             ).wait(end - time.monotonic())
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def attempt(ident: str, tests: list[tuple[str, str, int]]) -> bool:
    """Run TESTS until one fails; True if none does."""
    log = RESULTS / f"log-{ident}"
    for path, cases, limit_s in tests:
        name = pathlib.PurePath(path).stem
        begin = time.monotonic()
        status = run([str(TOP / path)], limit_s, log, KTPUT_CASES=cases)
        say("time", ident, name, round(time.monotonic() - begin))
        skipped = all_skipped(log)
        if status or skipped:
            why = "it did not end" if status == 124 else \
                skipped or first_failure(log)
            say("killed", ident, f"{name}: {why}")
            return False
    return True


def main() -> int:
    """Try all that is left to try."""
    jobs = json.loads(pathlib.Path(sys.argv[1]).read_text("ascii"))
    kept = pathlib.Path(sys.argv[2])
    for job in jobs:
        ident = job["ident"]
        say("begin", ident)
        for what, where in mounts(kept, ident):
            subprocess.run(["mount", "--bind", what, where], check=True)
        survived = attempt(ident, job["tests"])
        tidy = clean()
        if survived and tidy:
            say("survived", ident)
        elif survived:
            say("killed", ident, "the module cannot be removed")
        for _, where in mounts(kept, ident):
            subprocess.run(["umount", where], check=False)
        if not tidy:
            return REBOOT
    return 0


if __name__ == "__main__":
    sys.exit(main())
