# SPDX-License-Identifier: GPL-2.0
"""The rungs of a ladder, the steps between them, and the command line of each run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import units
from ..record import Json, at, number

#: Headers of a frame that carries a datagram, without FCS: Ethernet, IP, UDP. Bytes.
FRAME_IPV4, FRAME_IPV6 = 14 + 20 + 8, 14 + 40 + 8
#: Payload of a request of a ping-pong, and of a response. Bytes.
LATENCY_BYTES = 64


@dataclass(frozen=True)
class Group:
    """Rungs that differ in one thing."""

    #: key in a record
    key: str
    title: str
    #: unit that the cost is for
    unit: str

    @property
    def cost(self) -> str:
        """Key of the cost in a ladder."""
        return f"cycles_per_{self.unit}"


TCP = Group("tcp", "TCP, both ends", "byte")
TRANSMIT = Group("transmit", "UDP, transmit", "packet")
RECEIVE = Group("receive", "UDP, receive", "packet")
GROUPS = (TCP, TRANSMIT, RECEIVE)

#: Kinds of ping-pong; both ends are at the same layer.
LATENCIES = {
    "TCP, user space": "tcp layer user",
    "TCP, kernel": "tcp reply worker",
    "UDP, user space": "udp layer user",
    "UDP, kernel": "udp reply worker",
    "UDP, callback": "udp reply callback",
    "bypass": "udp layer driver",
}


@dataclass(frozen=True)
class Rung:
    """A layer, or a way to copy: one run of each round."""

    group: Group
    name: str
    #: keywords of "start"
    words: str
    #: sizes are frame sizes, else payload sizes
    frames: bool = False
    #: keyword that requests it; empty if it always runs
    wanted_by: str = ""
    #: key in LATENCIES of the ping-pong at this layer
    latency: str = ""
    #: send datagrams at the rate of the ladder
    paced: bool = True
    #: one call may hand over several datagrams, and the sink takes them at once
    segments: bool = False
    #: nothing is sent, so that there is no sink
    alone: bool = False
    #: keywords of the source of datagrams that are received; empty for the ladder's
    source: str = ""

    @property
    def title(self) -> str:
        """Group and name."""
        return f"{self.group.title}: {self.name}"

    @property
    def in_user_space(self) -> bool:
        """Whether the rung itself needs no module."""
        return self.name.startswith("user")


_BOTH = "layer user method {0} sink-layer user sink-method {1}"
RUNGS = (
    Rung(TCP, "iperf3", "engine iperf3 method copy", wanted_by="iperf3"),
    Rung(TCP, "user, copy", _BOTH.format("copy", "copy"), latency="TCP, user space"),
    Rung(TCP, "user, io_uring", _BOTH.format("io_uring", "io_uring"),
         wanted_by="io_uring"),
    Rung(TCP, "user, sendfile and MSG_TRUNC", _BOTH.format("sendfile", "trunc")),
    Rung(TCP, "kernel, copy out and in", "method copy sink-method copy"),
    Rung(TCP, "kernel, copy in", "method zerocopy sink-method copy"),
    Rung(TCP, "kernel, zerocopy", "method zerocopy sink-method zerocopy",
         latency="TCP, kernel"),

    Rung(TRANSMIT, "user", "layer user", latency="UDP, user space", segments=True),
    Rung(TRANSMIT, "socket", "layer socket method copy", latency="UDP, kernel",
         segments=True),
    Rung(TRANSMIT, "IP", "layer socket method direct"),
    Rung(TRANSMIT, "queue", "layer queue", frames=True),
    Rung(TRANSMIT, "driver", "layer driver", frames=True, latency="bypass"),
    Rung(TRANSMIT, "pacing", "layer driver", frames=True, alone=True),
    Rung(TRANSMIT, "driver, unpaced", "layer driver", frames=True, paced=False),

    Rung(RECEIVE, "user", "sink-layer user sink-method copy", latency="UDP, user space",
         segments=True),
    Rung(RECEIVE, "socket, copy", "sink-layer socket sink-method copy", segments=True),
    Rung(RECEIVE, "socket, trunc", "sink-layer socket sink-method trunc",
         latency="UDP, kernel", segments=True),
    Rung(RECEIVE, "socket, in softirq", "sink-layer socket sink-method zerocopy",
         latency="UDP, callback"),
    Rung(RECEIVE, "ingress", "sink-layer ingress", latency="bypass"),
    Rung(RECEIVE, "XDP", "sink-layer xdp"),
    Rung(RECEIVE, "XDP, both ends", "sink-layer xdp", source="layer xdp"),
)


@dataclass(frozen=True)
class Step:
    """The difference of two rungs of a group, by their names."""

    group: Group
    cost: str
    #: the more expensive rung
    above: str
    #: the cheaper one; None if the step is the whole cost of the other
    below: str | None
    #: classes of samples for work that only the upper rung does. Work that both do,
    #: in different amounts, is in no class: buffers, memory, locks.
    classes: str

    def ends(self, rungs: Sequence[Rung]) -> tuple[Rung | None, Rung | None]:
        """Return the rungs above and below, None for one that is not in *rungs*."""
        found = {rung.name: rung for rung in rungs if rung.group is self.group}
        return found.get(self.above), found.get(self.below or "")


_CALL = "user entry sched files"
_DRIVER = "driver receive irq skb memory qdisc locking ktput"
_KERNEL = "kernel, copy out and in"
STEPS = (
    Step(TCP, "iperf3's own work", "iperf3", "user, copy", _CALL),
    Step(TCP, "calls that io_uring saves", "user, copy", "user, io_uring", _CALL),
    Step(TCP, "system call and wake-up", "user, copy", _KERNEL, _CALL),
    Step(TCP, "user copy", "user, copy", "user, sendfile and MSG_TRUNC", "copy"),
    Step(TCP, "kernel copy, out", _KERNEL, "kernel, copy in", "copy"),
    Step(TCP, "kernel copy, in", "kernel, copy in", "kernel, zerocopy", "copy"),
    Step(TCP, "all of these", "user, copy", "kernel, zerocopy", _CALL + " copy"),

    Step(TRANSMIT, "system call and wake-up", "user", "socket", _CALL),
    Step(TRANSMIT, "kernel copy, socket, UDP", "socket", "IP", "copy transport skb"),
    Step(TRANSMIT, "IP, routing, netfilter", "IP", "queue", "ip netfilter"),
    Step(TRANSMIT, "queueing discipline", "queue", "driver", "qdisc"),
    Step(TRANSMIT, "driver and NIC, both ends", "driver", "pacing", _DRIVER),
    Step(TRANSMIT, "pacing: timer and wake-up", "pacing", None,
         "sched irq ktput locking"),
    Step(TRANSMIT, "driver and NIC, no pause", "driver, unpaced", None, _DRIVER),

    Step(RECEIVE, "system call and wake-up", "user", "socket, copy", _CALL),
    Step(RECEIVE, "kernel copy", "socket, copy", "socket, trunc", "copy"),
    Step(RECEIVE, "receive queue and wake-up", "socket, trunc", "socket, in softirq",
         "transport sched locking"),
    Step(RECEIVE, "IP, netfilter, UDP socket", "socket, in softirq", "ingress",
         "ip netfilter transport"),
    Step(RECEIVE, "sk_buff, GRO, receive core", "ingress", "XDP", "skb memory receive"),
    Step(RECEIVE, "sk_buff and driver, source", "XDP", "XDP, both ends",
         "skb memory driver"),
)

#: Words of a source that sends nothing.
ALONE = ("pace-only", "alone")
#: Keywords of the ladder that are passed to each run unchanged.
PASSED_ON = ("to", "from", "netns", "sink-netns", "dev", "sink-dev", "cpus",
             "sink-cpus", "streams")
#: Keywords of the one end and of the other, which a ladder in reverse swaps.
ENDS = (("to", "from"), ("netns", "sink-netns"), ("dev", "sink-dev"),
        ("cpus", "sink-cpus"))
#: Length of the first run between two hosts. Seconds.
FIRST_S = 0.02
#: The network namespace that this process is in.
OWN_NETNS = "/proc/self/ns/net"


@dataclass
class Plan:
    """Parameters common to all runs of a ladder."""

    #: the user's values, by keyword
    values: Mapping[str, Any]
    #: the other end of transmit rungs, and of receive rungs
    transmit_to: str = "sink-layer socket sink-method zerocopy"
    receive_from: str = "layer socket"
    #: rate of all UDP rungs; 0 while unknown
    packets_per_s: int = 0
    #: Costs are those of a run beyond the ones of another that is as long as the
    #: warm-up: neither start nor end is in them. Noise of both is, so that this is for
    #: a clock that counts instructions.
    by_lengths: bool = False

    def ends(self, alone: bool = False) -> list[str]:
        """Return the words for the place of the ends, and the duration.

        The sink has none if the source is *alone*.
        """
        values = dict(self.values)
        remote = values["remote"]
        if values["reverse"]:
            if values["sink-netns"] and not values["netns"] and not remote:
                values["netns"] = OWN_NETNS
            for one, other in ENDS:
                values[one], values[other] = values[other], values[one]
        words = []
        for keyword in PASSED_ON:
            if values[keyword] is not None and not (
                    alone and keyword.startswith("sink-")):
                words += [keyword, values[keyword]]
        # The host of a source alone is this one.
        if remote and not alone:
            words += ["remote", remote, *(["reverse"] if values["reverse"] else [])]
        return [*words, "time", _nanoseconds(self.values["time"])]

    def first_words(self) -> list[str]:
        """Return the command line of a run that shows whether there can be any."""
        user = ["layer", "user", "sink-layer", "user"] if self.values["layer"] else []
        return ["start", "tcp", *self.ends()[:-1], _nanoseconds(FIRST_S), *user]

    def words(self, rung: Rung, limited: bool = True) -> list[str]:
        """Return the command line of a run, without a rate unless *limited*."""
        words = ["start", "tcp" if rung.group is TCP else "udp",
                 *self.ends(rung.alone), *rung.words.split()]
        warm_up_s = self.values["warmup"]
        if self.by_lengths:
            words[words.index("time") + 1] = _nanoseconds(
                self.values["time"] + warm_up_s)
        elif warm_up_s:
            words += ["warmup", _nanoseconds(warm_up_s)]
        frames = rung.frames
        if rung.group is TRANSMIT and not rung.alone:
            words += self.transmit_to.split()
        elif rung.group is RECEIVE:
            source = rung.source or self.receive_from
            words += source.split()
            frames = source != "layer socket"
        address = self.values["to"] or self.values["from"] or ""
        header = FRAME_IPV6 if ":" in address else FRAME_IPV4
        words += ["size", self.values["message"] if rung.group is TCP else
                  str(self.values["datagram"] + (header if frames else 0))]
        if rung.group is not TCP and self.values["segments"]:
            words += ["segments", self.values["segments"]]
        if limited and rung.paced and rung.group is not TCP:
            words += ["rate", f"{self.packets_per_s}pps"]
        if self.values["disturbed-above"]:
            words += ["disturbed-above", self.values["disturbed-above"]]
        return [*words, *ALONE] if rung.alone else words

    def short_words(self, rung: Rung) -> list[str]:
        """Return the command line of the run whose costs are taken off another's."""
        words = self.words(rung)
        words[words.index("time") + 1] = _nanoseconds(self.values["warmup"])
        return words

    def latency_words(self, kind: str) -> list[str]:
        """Return the command line of a ping-pong."""
        # A round trip between hosts has both directions in it, whoever asks.
        plan = Plan({**self.values, "reverse": None}) if self.values["remote"] else self
        return ["pingpong", *LATENCIES[kind].split(), *plan.ends(), "size",
                str(LATENCY_BYTES)]


def traffic_of(values: Mapping[str, Any]) -> Json:
    """Return what all runs send, as members of a ladder's document."""
    return {"message_bytes": int(units.parse_size(values["message"])),
            "datagram_bytes": values["datagram"],
            "segments": int(values["segments"] or 1),
            "streams": int(values["streams"] or 1), "reverse": bool(values["reverse"])}


def traffic_words(ladder: Json, group: Group) -> str:
    """Return what the runs of a group send, empty if the document does not have it."""
    if group is TCP:
        message = number(ladder, "message_bytes")
        words = [f"{units.size(message)} per call"] if message > 0 else []
    else:
        datagram, segments = (number(ladder, key)
                              for key in ("datagram_bytes", "segments"))
        words = [(f"{segments:.0f} x " if segments > 1 else "") +
                 units.size(datagram)] if datagram > 0 else []
    if number(ladder, "streams") > 1:
        words.append(f"{number(ladder, 'streams'):.0f} streams")
    if at(ladder, "reverse") is True:
        words.append("reverse")
    return ", ".join(words)


def _nanoseconds(seconds: float) -> str:
    return f"{seconds * 1e9:.0f}ns"


def chosen(values: Mapping[str, Any]) -> list[Rung]:
    """Return the rungs that the user requests."""
    found = []
    for rung in RUNGS:
        if rung.wanted_by and not values[rung.wanted_by]:
            continue
        if values["transport"] not in (None, "tcp" if rung.group is TCP else "udp"):
            continue
        if values["segments"] and rung.group is not TCP and not rung.segments:
            continue
        # The transmit and receive rungs of UDP in user space are the same run.
        if values["layer"] and (not rung.in_user_space or rung.group is RECEIVE):
            continue
        # A source alone is no end of another host.
        if rung.alone and values["remote"] and values["reverse"]:
            continue
        found.append(rung)
    return found
