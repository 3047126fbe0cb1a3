# SPDX-License-Identifier: GPL-2.0
"""The instruction-counting VM: the tree's scripts build modules and boot kernels."""

import hashlib
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from ..ladder.runs import Interrupts
from ..output import CommandError

RUNNER = Path("selftests/vm/run")
#: What statuses of the runner mean beside its last line: see there.
NOT_BOOTED, TIMED_OUT, UNHEALTHY = 5, 4, 3
#: Kernel threads that work at moments of their own do not, and the layout of memory
#: is the same in each boot.
APPEND = "nokaslr"


class SkippedError(Exception):
    """A setup that cannot be measured; the text says why."""


class EndedError(Exception):
    """The user has ended it."""


def find_tree(start: Sequence[str], given: str | None) -> Path:
    """Return the source tree, whose scripts boot VMs; raises CommandError."""
    places = [Path(given)] if given else [
        parent for one in start for parent in (Path(one).resolve(),
                                               *Path(one).resolve().parents)]
    for place in places:
        if os.access(place / RUNNER, os.X_OK):
            return place.resolve()
    where = f"'{given}' is none" if given else "run it there, or say 'tree DIR'"
    raise CommandError(f"the VM is that of ktput's source tree: {where}")


class Machine:
    """Builds for kernels, and runs commands on them."""

    def __init__(self, tree: Path, interrupts: Interrupts,
                 tell: Callable[[str], None]) -> None:
        """Use the scripts of *tree*; *tell* gets their output, line by line."""
        self.tree, self.interrupts, self.tell = tree, interrupts, tell

    def _run(self, line: Sequence[str]) -> tuple[int, list[str]]:
        """Run a script of the tree; return its status and its lines."""
        if self.interrupts.count:
            raise EndedError
        with subprocess.Popen(
                line, cwd=self.tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, process_group=0, text=True,
                errors="replace") as process:
            self.interrupts.running.add(process.pid)
            lines = []
            assert process.stdout is not None  # noqa: S101
            for said in process.stdout:
                lines.append(said.rstrip())
                self.tell(lines[-1])
            status = process.wait()
            self.interrupts.running.discard(process.pid)
        if self.interrupts.count:
            raise EndedError
        return status, lines

    def script(self, script: str, *words: str) -> str:
        """Return the last line of a script; raises SkippedError if it fails.

        The script has what lib/env.sh has, and *words*.
        """
        status, lines = self._run(["bash", "-c", f". selftests/lib/env.sh; {script}",
                                   "-", *words])
        last = lines[-1] if lines else ""
        if status:
            raise SkippedError(last.partition(": ")[2] or last or
                               f"status {status} of a script")
        return last

    def release(self, kernel: str) -> str:
        """Return the release of a kernel; a build tree is installed for the VM."""
        if "/" in kernel:
            return self.script('selftests/vm/tree.sh "$1"', kernel)
        return self.script('kernel_release "$1" || '
                          'die "there is no kernel $1 with its headers: install both; '
                          'selftests/ci/newest.sh fetches newest"', kernel)

    def path(self, function: str, release: str) -> Path:
        """Return what a function of lib/env.sh names of a kernel."""
        return Path(self.script(f'{function} "$1"', release))

    def config(self, release: str) -> str:
        """Return the kernel's configuration; raises SkippedError."""
        for path in (self.path("kernel_build", release) / ".config",
                     Path(f"/boot/config-{release}")):
            try:
                return path.read_text()
            except OSError:
                pass
        raise SkippedError(f"the configuration of {release} is not there")

    def build(self, release: str) -> Path:
        """Build the module for a kernel; return its path or raise SkippedError."""
        status, lines = self._run(["selftests/ci/module.sh", release])
        if status:
            error = next((one for one in lines if "error:" in one), "")
            raise SkippedError(f"the module does not build for {release}" +
                               (f": {error}" if error else ""))
        return Path(lines[-1])

    def boot(self, release: str, append: str, results: Path, timeout_s: float,
             command: Sequence[str], options: Sequence[str] = ()) -> None:
        """Run a command of the tree in the VM; raises SkippedError.

        A command that fails leaves the reason in *results*/reason.
        """
        status, lines = self._run([
            str(RUNNER), "--icount", *options, "--append", f"{APPEND} {append}".strip(),
            "--timeout", f"{timeout_s:.0f}", "--results", str(results), release, "--",
            *command])
        if not status:
            return
        try:
            raise SkippedError((results / "reason").read_text().strip())
        except OSError:
            pass
        said = [one for one in lines if not one.endswith("console.log")]
        last = (said[-1] if said else "").removeprefix("vm ")
        raise SkippedError({
            NOT_BOOTED: "it does not boot: ", TIMED_OUT: "it takes too long: ",
            UNHEALTHY: "its health: "}.get(status, "") + last)


def digest(*parts: str | Path) -> str:
    """Return a hash of texts and of the content of files."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.read_bytes() if isinstance(part, Path) else part.encode())
        found.update(b"\0")
    return found.hexdigest()
