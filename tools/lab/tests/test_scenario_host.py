# SPDX-License-Identifier: GPL-2.0
"""Tests of what a scenario changes on its host, and undoes."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ktput.output import CommandError
from ktput.scenario import host


def test_the_guard_undoes_in_reverse(tmp_path):
    log = tmp_path / "log"
    one = host.Host()
    one.do([host.Change(f"echo a >>{log}", f"echo A >>{log}"),
            host.Change(f"echo b >>{log}"), host.Change(":", "echo said; false"),
            host.Change(f"echo c >>{log}", f"echo C >>{log}")])
    with pytest.raises(CommandError, match="'echo why; false' failed: why"):
        one.do([host.Change("echo why; false", f"echo D >>{log}")])
    assert one.undo() == ["'echo said; false' failed: said"]
    assert log.read_text().split() == ["a", "b", "c", "D", "C", "A"]


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_guard_outlives_the_scenario(tmp_path, how):
    log = tmp_path / "log"
    code = ("import sys, time; from ktput.scenario.host import Host, Change; "
            f"one = Host(); one.do([Change('echo a >>{log}', 'echo A >>{log}')]); "
            f"one.do([Change('echo b >>{log}; sleep 0.5; echo c >>{log}', "
            f"'echo B >>{log}')])")
    with subprocess.Popen([sys.executable, "-c", code],
                          cwd=Path(__file__).parents[1], start_new_session=True,
                          stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: log.exists() and "b" in log.read_text())
        process.send_signal(how)
        process.wait()
    # What is under way when the scenario ends is done, and undone.
    wait_until(lambda: log.read_text().split() == ["a", "b", "c", "B", "A"])
