#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""quick.py: what a change wants tested at once, in less than a minute, without a VM

usage: make quick

Builds what changed, and runs the unit tests, those of the laboratory without a
browser, mypy, ruff and the static checks of files that differ from HEAD; as many at
a time as there are CPUs. What passed, and whose program or files are the same since,
is not run again: build/quick/passed has sums of them. First come those that failed
the last time, then those that notice what differs from HEAD, then the others, the
shortest first.

None is begun later than 45 s after the start; on a machine that is busy, when they have
used 45 s of each CPU, or after three minutes. What is left for that is named, and the
next make quick goes on with it; make test T=NAME runs one of them.

exit: 0 nothing failed, 1 something did
"""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

import test as one_test
from tests import TOP, Test, changed_files, every_file, every_test, notice, uses

BUDGET_S, BUSY_S = 45, 180
STATE = TOP / "build" / "quick"
LAB = TOP / "tools" / "lab"
RUFF = TOP / "build" / "cache" / "venv" / "bin" / "ruff"


@dataclasses.dataclass
class Job:
    """A command, and what its result follows from."""

    name: str
    command: list[str]
    key: str


def digest(*parts: str | bytes | pathlib.Path) -> str:
    """A sum of texts and of files."""
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, pathlib.Path):
            data = part.read_bytes() if part.is_file() else b"none"
        else:
            data = part.encode() if isinstance(part, str) else part
        found.update(hashlib.sha256(data).digest())
    return found.hexdigest()


def below(*rooms: str) -> list[pathlib.Path]:
    """The files of the tree in these rooms."""
    return [TOP / path for path in every_file() if path.startswith(rooms)]


def closure(path: str) -> set[str]:
    """The file and all that it uses, by others too."""
    found, more = set(), {path}
    while more:
        found |= more
        more = set().union(*map(uses, more)) - found
    return found


def key_of(test: Test) -> str:
    """What the result of TEST follows from."""
    own = one_test.UNIT / "tools"
    if test.place == "unit" and test.path.endswith(".c"):
        parts = [one_test.UNIT / test.name]
        if "KTPUT_" in test.text:
            parts += [own / "ktput-ctl", *below("Documentation/man/")]
        return digest(*parts)
    if test.name == "test_mutants":
        # All faults fit the tree.
        return digest(*below(""))
    if test.place == "unit":
        return digest(own / "ktput-ctl",
                      *below("selftests/", "Documentation/man", "tools/completion",
                             "tools/systemd", "tools/lab/ktput/scenarios"))
    tools = [one_test.BUILD / "tools" / "ktput-ctl"] * one_test.wants_tools(test)
    if test.path.endswith(".sh"):
        return digest(*tools, *below("tools/lab", "selftests/lab", "selftests/lib"))
    files = closure(test.path)
    # What is no module: pages, scenarios, schemas.
    data = [path for path in below("tools/lab/ktput/", "Documentation/measure/record")
            if path.suffix != ".py"]
    return digest(*tools, *(TOP / path for path in sorted(files)), *data)


def jobs() -> list[Job]:
    """All there is."""
    found = []
    for test in every_test():
        if test.place in ("unit", "lab"):
            command = one_test.command_of(test)
            if "pytest" in command:
                command += ["-m", "not browser"]
            found.append(Job(f"{test.place}/{test.name}" +
                             ".sh" * (test.place == "lab" and
                                      test.path.endswith(".sh")),
                             command, key_of(test)))
    lab = digest(*below("tools/lab"))
    in_lab = ["env", "-C", str(LAB)]
    if os.access("/usr/bin/mypy", os.X_OK):
        found.append(Job("mypy", [*in_lab, "/usr/bin/mypy", "--cache-dir",
                                  str(STATE / "mypy")], lab))
    if RUFF.exists():
        found.append(Job("ruff", [*in_lab, str(RUFF), "check", "--no-cache"], lab))
    found.append(Job("static checks of what changed",
                     [f"{TOP}/selftests/ci/static.sh", "--changed"],
                     digest(*below(""), *changed_files())))
    return found


def read(name: str) -> dict[str, object]:
    """What an earlier run left."""
    try:
        return dict(json.loads((STATE / name).read_text("utf-8")))
    except (OSError, ValueError):
        return {}


def build() -> bool:
    """Build programs and tools; what failed is shown."""
    unit = [test for test in every_test() if test.place == "unit"]
    lab = [test for test in every_test() if test.place == "lab"]
    return one_test.build([*unit, *lab], [])


def run(job: Job) -> tuple[bool, float]:
    """Run it; whether it passed, and seconds. Its output is in build/quick."""
    begin = time.monotonic()
    log = STATE / (job.name.replace("/", "-").replace(" ", "-") + ".log")
    with log.open("wb") as output:
        status = subprocess.run(job.command, env=one_test.environment(),
                                stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.STDOUT, check=False).returncode
    took = time.monotonic() - begin
    # Pytest says so where none is left.
    good = status == 0 or (status == 5 and "pytest" in job.command)
    print(f"{'ok' if good else 'not ok'} - {job.name} ({took:.1f} s)", flush=True)
    if not good:
        lines = log.read_text("utf-8", "replace").splitlines()
        bad = [at for at, line in enumerate(lines)
               if line.lstrip().startswith("not ok")] or [max(0, len(lines) - 15)]
        for at in bad[:5]:
            print("\n".join(f"    {line[:160]}" for line in lines[at:at + 15]))
        print(f"    all of it: {log.relative_to(TOP)}", flush=True)
    return good, took


def time_is_up(begin: float) -> bool:
    """Nothing more is to be begun."""
    spent = time.monotonic() - begin
    used = os.times()
    each = (used.children_user + used.children_system) / (os.cpu_count() or 1)
    return spent > BUSY_S or (spent > BUDGET_S and each > BUDGET_S * 0.6)


def main() -> int:
    """Build, run, sum up."""
    if sys.argv[1:]:
        print(__doc__.strip(), file=sys.stdout if "help" in sys.argv[1] else sys.stderr)
        return 0 if "help" in sys.argv[1] else 2
    begin = time.monotonic()
    STATE.mkdir(parents=True, exist_ok=True)
    if not build():
        return 1
    passed, times, failed = read("passed"), read("times"), read("failed")
    near = {f"{test.place}/{test.name}" for path in changed_files()
            for test in notice(path)[0]}
    every = jobs()
    todo = [job for job in every if passed.get(job.name) != job.key]
    todo.sort(key=lambda job: (job.name not in failed,
                               not job.name.startswith("static"),
                               job.name.removesuffix(".sh") not in near,
                               float(str(times.get(job.name, 1)))))
    print(f"# {len(todo)} of {len(every)} to run, built in "
          f"{time.monotonic() - begin:.0f} s", flush=True)
    left, bad = [], []

    def work(job: Job) -> None:
        if time_is_up(begin):
            left.append(job.name)
            return
        good, times[job.name] = run(job)
        passed.pop(job.name, None)
        if good:
            passed[job.name] = job.key
        else:
            bad.append(job.name)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done in [pool.submit(work, job) for job in todo]:
            done.result()
    still = {name for name in failed if name in left}
    for name, state in (("passed", passed), ("times", times),
                        ("failed", dict.fromkeys([*bad, *still], 1))):
        (STATE / name).write_text(json.dumps(state), "utf-8")
    if left:
        print(f"# left for the next make quick: {' '.join(sorted(left))}")
    if bad:
        print(f"# failed: {' '.join(bad)}")
    print(f"{len(todo) - len(left) - len(bad)} passed, {len(bad)} failed, "
          f"{len(every) - len(todo)} unchanged since they passed, {len(left)} left, "
          f"in {time.monotonic() - begin:.0f} s")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
