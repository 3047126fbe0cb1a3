# SPDX-License-Identifier: GPL-2.0
"""ktput: records of runs, as objects, arrays and data frames.

>>> import ktput
>>> runs = ktput.read("copy.jsonl", "zerocopy.jsonl")
>>> runs[0].goodput_bps, runs[0].array("goodput_bps"), runs.frame()
>>> more = ktput.run("start", "size", "64K", "time", "2s", "repeat", 5)

:mod:`ktput.statistics` compares runs, :mod:`ktput.model` fits the cost of a byte, a
packet and a call, :mod:`ktput.keys` names the members of a record. The package does not
recompute figures that a record states. Only ktput-ctl talks to the module.
"""

from .control import ControlError, run
from .record import (
    Ceiling,
    Cpu,
    Document,
    Interval,
    Ladder,
    Mesh,
    Profile,
    Record,
    RecordError,
    RecordWarning,
    Sweep,
)
from .records import Records, documents, read

__all__ = [
    "Ceiling", "ControlError", "Cpu", "Document", "Interval", "Ladder", "Mesh",
    "Profile", "Record", "RecordError", "RecordWarning", "Records", "Sweep",
    "documents", "read", "run",
]
