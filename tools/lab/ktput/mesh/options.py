# SPDX-License-Identifier: GPL-2.0
"""Keywords of the mesh."""

from .. import units
from ..command import (
    Option,
    UsageError,
    Values,
    check_picture,
    check_record,
    convert,
)
from ..output import Output

OPTIONS = (
    Option("hosts", "hosts as node sets of ClusterShell: node[1-16], @group, a&b, a!b; "
           "each as ssh takes it, from here and from the other hosts",
           argument="HOSTS", many=True, default="the allocation of Slurm"),
    Option("pattern", "every other host to this one, all at one time", "to-one",
           "HOST"),
    Option("pattern", "this one to every other host, all at one time", "from-one",
           "HOST"),
    Option("pattern", "the first half of the hosts with the second one, a pair each, "
           "all at one time, in both directions (default: every host to every other)",
           "bisection"),
    Option("peers", "others that each host is measured with", "peers", "N",
           default="all"),
    Option("transport", "TCP (default)", "tcp"),
    Option("transport", "UDP", "udp"),
    Option("layer", "sockets of user space at both ends, which take no module",
           "layer user", default="sockets of the kernel"),
    Option("time", "length of each run", "time", "TIME", default="1s"),
    Option("streams", "streams of each run", "streams", "N", default="1"),
    Option("rate", "what each run of UDP sends", "rate", "RATE", default="no limit"),
    Option("pingpong", "a ping-pong of this length after each run, for the percentiles "
           "of the round trip", "pingpong", "TIME"),
    Option("concurrent", "most pairs that run at a time", "concurrent", "N",
           default="half of the hosts, with to-one and from-one all"),
    Option("fanout", "most connections at a time from here", "fanout", "N",
           default="that of ClusterShell"),
    Option("topology", "gateways that hosts are reached by, as ClusterShell's "
           "topology.conf has them", "topology", "FILE"),
    Option("record", "add the record of each run to FILE, and the result; a mesh with "
           "the same words goes on with the runs that FILE lacks", "record", "FILE"),
    Option("replace", "with record: instead of what is in FILE", "replace"),
    Option("lines", "write the figures of each pair to FILE, as JSON, on a line",
           "lines", "FILE"),
    Option("metrics", "write the figures of each pair to FILE, as OpenMetrics text",
           "metrics", "FILE"),
    Option("plot", "draw the matrix as a heat map, SVG or PNG by the name", "plot",
           "FILE"),
)


def _count(values: Values, field: str) -> None:
    word = values[field]
    convert(values, **{field: units.parse_count})
    if word is not None and values[field] < 1:
        raise UsageError(f"{field}: '{word}' is not 1 or more")


def check(_: Output, values: Values) -> None:
    """Refuse what is invalid, and convert words to numbers; raises UsageError.

    *commands* become the words of each run of a pair, without its host.
    """
    check_record(values)
    if values["plot"]:
        check_picture("plot", values["plot"])
    time = values["time"] or "1s"
    transport = values["transport"][0] if values["transport"] else "tcp"
    values["time"] = time
    convert(values, time=units.parse_time)
    for field in ("streams", "concurrent", "fanout", "peers"):
        _count(values, field)
    if values["rate"] and transport != "udp":
        raise UsageError("'rate' works with udp only")
    shared = bool(values["pattern"]) and values["pattern"][0] != "bisection" and \
        values["concurrent"] != 1
    if values["peers"] and values["pattern"]:
        raise UsageError(f"'peers' contradicts '{values['pattern'][0]}'")
    both = [transport, *([] if shared else ["exclusive"])]
    start = ["start", *both, "time", time]
    for field in ("streams", "rate"):
        if values[field] is not None:
            start += [field, str(values[field])]
    layer = ["layer", "user"] if values["layer"] else []
    values["commands"] = [[*start, *layer, *(["sink-layer", "user"] if layer else [])]]
    if values["pingpong"]:
        values["commands"].append(["pingpong", *both, "time", values["pingpong"],
                                   *layer])
        convert(values, pingpong=units.parse_time)
        values["time"] = max(values["time"], values["pingpong"])
