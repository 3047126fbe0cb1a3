# SPDX-License-Identifier: GPL-2.0
"""What holds for every test."""

import signal

import pytest


@pytest.fixture(autouse=True)
def _handlers_kept():
    """Restore the handlers of signals that a command sets in this process.

    With the default action one signal would end all tests.
    """
    handlers = {one: signal.getsignal(one) for one in (
        signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
