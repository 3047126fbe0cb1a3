# SPDX-License-Identifier: GPL-2.0
"""A plugin of pytest that prints nested KTAP in the place of all else."""

import pytest


class Ktap:
    """Counts and prints results."""

    def __init__(self):
        self.number = 0

    def result(self, good, name, why=""):
        self.number += 1
        state = "ok" if good else "not ok"
        print(f"  {state} {self.number} {name}{why}", flush=True)

    def pytest_collection_finish(self, session):
        print(f"  1..{len(session.items)}")

    def pytest_collectreport(self, report):
        if report.failed:
            print(f"  1..1\n  not ok 1 {report.nodeid} cannot be read")
            self.explain(report)

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rpartition("/")[2].replace("#", " ")
        if report.failed:
            self.result(False, name, f": {report.when}" * (report.when != "call"))
            self.explain(report)
        elif report.skipped:
            self.result(True, name, f" # SKIP {report.longrepr[2]}")
        elif report.when == "call":
            self.result(True, name)

    @staticmethod
    def explain(report):
        for line in report.longreprtext.splitlines()[-40:]:
            print(f"  # {line}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    plugins = config.pluginmanager
    plugins.unregister(plugins.getplugin("terminalreporter"))
    plugins.register(Ktap())
