# SPDX-License-Identifier: GPL-2.0
"""How long functions of the module take, by the function-graph tracer.

Where the clock counts instructions (vm/run --icount), nanoseconds are instructions,
with those of the tracer: about a hundred for each function that is traced.
"""

import os
import re

from testbed import shell

TRACING = "/sys/kernel/tracing"
# A leaf is "read_cpu();", what calls another traced one ends with "} /* read_cpu */".
CALL = re.compile(
    r"([0-9.]+) us +\| +(?:(\w+)(?: \[ktput\])?\(\);|\} /\* (\w+))")


def available():
    """Whether this kernel has the tracer."""
    if not os.path.exists(f"{TRACING}/trace"):
        shell(f"mount -t tracefs tracefs {TRACING}")
    with open(f"{TRACING}/available_tracers", encoding="ascii") as file:
        return "function_graph" in file.read().split()


def _write(name, text):
    with open(f"{TRACING}/{name}", "w", encoding="ascii") as file:
        file.write(text)


def durations(functions, do):
    """Nanoseconds of each call of these functions while it DOes something."""
    _write("set_ftrace_filter", "\n".join(f"{function}:mod:ktput"
                                          for function in functions) + "\n")
    _write("trace_clock", "mono")
    _write("options/funcgraph-tail", "1")
    _write("buffer_size_kb", "16384")
    _write("current_tracer", "function_graph")
    try:
        do()
        _write("tracing_on", "0")
        with open(TRACING + "/trace", encoding="ascii") as trace:
            text = trace.read()
    finally:
        _write("current_tracer", "nop")
        _write("tracing_on", "1")
        _write("set_ftrace_filter", "")
    found = {name: [] for name in functions}
    for took, leaf, tail in CALL.findall(text):
        found[leaf or tail].append(round(float(took) * 1000))
    for name, calls in found.items():
        assert calls, f"{name} was not called: {text[-600:]}"
    return found
