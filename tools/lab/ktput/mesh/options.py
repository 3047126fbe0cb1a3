# SPDX-License-Identifier: GPL-2.0
"""Keywords of the mesh."""

from .. import units
from ..command import Option, UsageError, Values, check_record
from ..output import Output

OPTIONS = (
    Option("hosts", "hosts as node sets of ClusterShell: node[1-16], @group, a&b, a!b; "
           "each as ssh takes it, from here and from the other hosts",
           argument="HOSTS", many=True, default="the allocation of Slurm"),
    Option("transport", "TCP (default)", "tcp"),
    Option("transport", "UDP", "udp"),
    Option("layer", "sockets of user space at both ends, which take no module",
           "layer user", default="sockets of the kernel"),
    Option("time", "length of each run", "time", "TIME", default="1s"),
    Option("streams", "streams of each run", "streams", "N", default="1"),
    Option("rate", "what each run of UDP sends", "rate", "RATE", default="no limit"),
    Option("concurrent", "most pairs that run at a time", "concurrent", "N",
           default="half of the hosts"),
    Option("fanout", "most connections at a time from here", "fanout", "N",
           default="that of ClusterShell"),
    Option("record", "add the record of each pair to FILE; a mesh with the same words "
           "goes on with the pairs that FILE lacks", "record", "FILE"),
    Option("replace", "with record: instead of what is in FILE", "replace"),
    Option("plot", "draw the matrix as a heat map, SVG or PNG by the name", "plot",
           "FILE"),
)


def _count(values: Values, field: str) -> None:
    if values[field] is None:
        return
    try:
        count = units.parse_count(values[field])
    except ValueError as error:
        raise UsageError(str(error)) from None
    if count < 1:
        raise UsageError(f"{field}: '{values[field]}' is not 1 or more")
    values[field] = count


def check(_: Output, values: Values) -> None:
    """Refuse what is invalid, and convert words to numbers; raises UsageError."""
    check_record(values)
    if values["plot"] and not values["plot"].endswith((".svg", ".png")):
        raise UsageError(f"plot: '{values['plot']}' is not a name with .svg or .png")
    time = values["time"] or "1s"
    transport = values["transport"][0] if values["transport"] else "tcp"
    try:
        values["time"] = units.parse_time(time)
    except ValueError as error:
        raise UsageError(str(error)) from None
    for field in ("streams", "concurrent", "fanout"):
        _count(values, field)
    if values["rate"] and transport != "udp":
        raise UsageError("'rate' is for udp")
    words = [transport, "exclusive", "time", time]
    for field in ("streams", "rate"):
        if values[field] is not None:
            words += [field, str(values[field])]
    if values["layer"]:
        words += ["layer", "user", "sink-layer", "user"]
    values["words"] = words
