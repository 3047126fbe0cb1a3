# SPDX-License-Identifier: GPL-2.0
"""draws: situations of each kind, and the bottleneck that each of them has."""

import dataclasses
import random
from collections.abc import Callable
from dataclasses import dataclass, field

#: For a busy loop: it has a priority of real time.
FIFO = -100
LOSS_AT_SINK = ["loss:sink_filter", "loss:sink_host", "loss:way"]


@dataclass
class Situation:
    """What is run, what is made around it, and what the bottleneck is then."""

    name: str
    truth: list[str]
    words: list[str] = field(default_factory=list)
    command: str = "start"
    path: list[str] = field(default_factory=list)
    #: Commands in the namespace of the source, and of the sink.
    near: list[str] = field(default_factory=list)
    far: list[str] = field(default_factory=list)
    #: Busy loops: a CPU, and how nice, or FIFO.
    hogs: list[tuple[int, int]] = field(default_factory=list)
    quota: int = 0
    stopped: str = ""
    #: The sink is a process of its own; stopped or not.
    alone: bool = False
    #: The far end is behind ssh.
    remote: bool = False
    #: Only the module has such ends.
    module: bool = False
    to: str = "10.9.0.2"
    ends: str = "layer user sink-layer user"
    competitor: bool = False
    #: CPUs limit it, so that other work on them does as well.
    cpus: bool = False


Draw = Callable[[random.Random], Situation]
DRAWS: list[Draw] = []


def draw(function: Draw) -> Draw:
    """Have situations of this kind drawn."""
    DRAWS.append(function)
    return function


def words(text: str) -> list[str]:
    """Split at blanks."""
    return text.split()


def cpu_truth() -> list[str]:
    """Nothing but CPUs limits: one of them, or several in turn, where none limits alone."""
    return ["cpu", "none"]


@draw
def free(dice: random.Random) -> Situation:
    """Nothing in the way."""
    streams = dice.choice([1, 1, 4])
    warm = dice.choice(["", "warmup 500ms"])
    return Situation("free", cpu_truth(), words(f"streams {streams} {warm}"), cpus=True)


@draw
def loopback(dice: random.Random) -> Situation:
    """The same over loopback."""
    return Situation("loopback", cpu_truth(), words(dice.choice(["", "streams 4"])),
                     to="127.0.0.1", cpus=True)


@draw
def small(dice: random.Random) -> Situation:
    """Small messages: the source's calls."""
    return Situation("small", ["cpu"], words(f"size {dice.choice([1, 16, 64, 200])}"),
                     cpus=True)


@draw
def one_cpu(dice: random.Random) -> Situation:
    """Both ends on one CPU."""
    return Situation("one-cpu", ["cpu"], words(f"sink-cpus 0 streams {dice.choice([1, 3])}"),
                     cpus=True)


@draw
def pace(dice: random.Random) -> Situation:
    """A pace, perhaps with a loop beside it."""
    rate = dice.choice([2, 8, 30, 100])
    hogs: list[tuple[int, int]] = [(1, 0)] if dice.choice([False, False, True]) else []
    return Situation("pace", ["pace"], words(f"pace {rate}mbit time 2s"), hogs=hogs,
                     cpus=rate > 30)


@draw
def rate(dice: random.Random) -> Situation:
    """A rate of datagrams."""
    return Situation("rate", ["rate"], words(
        f"udp rate {dice.choice([500, 2000])}pps size {dice.choice([100, 1000])} time 2s"))


@draw
def quota(dice: random.Random) -> Situation:
    """A quota of CPU time."""
    return Situation("quota", ["quota"], [], quota=dice.choice([10, 20, 40]),
                     cpus=True)


@draw
def hog(dice: random.Random) -> Situation:
    """A busy loop beside an end."""
    which = dice.choice([0, 1])
    transport = dice.choice(["", "", "udp size 1400"])
    truth = ["other_work"]
    if transport and which:
        truth.append("loss:sink_socket")
    if transport and not which:
        truth.append("cpu")
    return Situation(f"hog-{which}", truth, words(transport), hogs=[(which, 0)])


@draw
def nice_loop(dice: random.Random) -> Situation:
    """A loop of nice 19, beside what a queueing discipline holds to a low rate."""
    mbit = dice.choice([5, 20])
    return Situation("nice-tbf", ["queue"], words("time 2s"), hogs=[(dice.choice([0, 1]), 19)],
                     near=[f"tc qdisc add dev veth0 root tbf rate {mbit}mbit burst 32k limit 1m"])


@draw
def small_window(dice: random.Random) -> Situation:
    """A small receive buffer, with or without a delay."""
    ask = dice.choice(["rcvbuf 5K", "rcvbuf 8K", "rcvbuf 16K", "sysctl"])
    delay = dice.choice([0, 0, 5, 20])
    # Without a delay, ends that are late are another truth.
    return Situation(
        "window", ["window"], cpus=not delay, words=words("" if ask == "sysctl" else ask),
        path=[f"delay={delay}"] if delay else [], to="10.7.0.2" if delay else "10.9.0.2",
        far=["sysctl -qw net.ipv4.tcp_rmem='4096 4608 4608'"] if ask == "sysctl" else [])


@draw
def send_buffer(dice: random.Random) -> Situation:
    """A small send buffer, over a delay."""
    ask = dice.choice(["sndbuf 8K", "sndbuf 16K", "sysctl"])
    return Situation(
        "send-buffer", ["send_buffer"], words("" if ask == "sysctl" else ask),
        path=[f"delay={dice.choice([5, 10, 20])}"], to="10.7.0.2",
        near=["sysctl -qw net.ipv4.tcp_wmem='4096 16384 16384'"] if ask == "sysctl" else [])


@draw
def few_segments(dice: random.Random) -> Situation:
    """A route that bounds the congestion window."""
    return Situation(
        "cwnd", ["congestion_window"], [], path=[f"delay={dice.choice([5, 20])}"], to="10.7.0.2",
        near=["ip route change 10.7.0.0/24 dev path0 cwnd lock 8",
              "ip tcp_metrics flush", "first"])


@draw
def seldom(dice: random.Random) -> Situation:
    """An end that is stopped most of the time."""
    if dice.choice([True, False]):
        return Situation("source-stopped", ["application"], words("time 3s"), stopped="start")
    buffer = dice.choice(["", "rcvbuf 256K"])
    return Situation("sink-stopped", ["receiver"], words(f"time 3s {buffer}"), stopped="sink")


@draw
def shaped(dice: random.Random) -> Situation:
    """A queueing discipline of the source that holds a rate."""
    mbit = dice.choice([5, 20, 100, 400])
    kind = dice.choice([f"tbf rate {mbit}mbit burst 64k limit {dice.choice(['200k', '4m'])}",
                        "htb default 1"])
    near = [f"tc qdisc add dev veth0 root handle 1: {kind}"]
    if kind.startswith("htb"):
        near.append(f"tc class add dev veth0 parent 1: classid 1:1 htb rate {mbit}mbit")
    return Situation("shaped", ["queue", "loss:source_qdisc"],
                     words(f"streams {dice.choice([1, 1, 4])} time 2s"), near=near,
                     competitor=dice.choice([False, False, True]))


@draw
def shaped_link(dice: random.Random) -> Situation:
    """The same, and the user says that the link has that rate."""
    mbit = dice.choice([10, 50])
    return Situation("link", ["ethernet"], words(f"link-rate {mbit}mbit time 2s"), near=[
        f"tc qdisc add dev veth0 root tbf rate {mbit}mbit burst 32k limit 4m"])


@draw
def shaped_datagrams(dice: random.Random) -> Situation:
    """A queueing discipline that drops datagrams."""
    return Situation("udp-shaped", ["loss:source_qdisc", "queue"],
                     words("udp size 1400 rcvbuf 4M"), near=[
        f"tc qdisc add dev veth0 root tbf rate {dice.choice([10, 100])}mbit burst 16k limit 24k"])


@draw
def ifb(dice: random.Random) -> Situation:
    """A shaper at the sink's ingress."""
    mbit = dice.choice([10, 50])
    return Situation("ifb", ["way", "loss", "queue"], words("time 2s"), far=[
        "ip link add ifb0 type ifb", "ip link set ifb0 up",
        f"tc qdisc add dev ifb0 root tbf rate {mbit}mbit burst 32k limit 1m",
        "tc qdisc add dev veth0 ingress",
        "tc filter add dev veth0 parent ffff: protocol ip u32 match u32 0 0 "
        "action mirred egress redirect dev ifb0"])


@draw
def firewall(dice: random.Random) -> Situation:
    """A firewall of the sink that drops what is above a rate, or a share of all."""
    per = dice.choice(["input", "ingress"])
    hook = (f"chain x y '{{ type filter hook {per} " +
            ("device veth0 " if per == "ingress" else "") + "priority 0; }'")
    family = "inet" if per == "input" else "netdev"
    what = f"limit rate over {dice.choice([1, 2, 5])} mbytes/second burst 50 kbytes drop"
    udp = dice.choice(["", "", "udp size 1000 rate 20000pps rcvbuf 4M"])
    hook = hook.replace("chain x", f"chain {family} x")
    truth = [*LOSS_AT_SINK, *(["rate"] if udp else [])]
    return Situation("firewall", truth, words(f"time 2s {udp}"), far=[
        f"nft add table {family} x", f"nft add {hook}", f"nft add rule {family} x y {what}"])


@draw
def router_deep(dice: random.Random) -> Situation:
    """A deep queue on the path, which marks or not."""
    mark = ["mark=20"] if dice.choice([False, True]) else []
    return Situation(
        "path-deep", ["way"], words(f"time 3s streams {dice.choice([1, 2])}"),
        path=[f"delay={dice.choice([0, 2, 10])}", f"rate={dice.choice([5, 10, 20])}", *mark],
        near=["sysctl -qw net.ipv4.tcp_ecn=1"] if mark else [], to="10.7.0.2",
        far=["sysctl -qw net.ipv4.tcp_ecn=1"] if mark else [])


@draw
def router_shallow(dice: random.Random) -> Situation:
    """A short queue on the path, which drops."""
    return Situation(
        "path-shallow", ["loss:way", "way"], words("time 3s"),
        path=[f"delay={dice.choice([0, 2, 10])}", f"rate={dice.choice([5, 10, 20])}",
              f"limit={dice.choice([10, 20])}"], to="10.7.0.2")


@draw
def lossy(dice: random.Random) -> Situation:
    """A path that loses or damages some."""
    udp = dice.choice(["", "", "udp rate 2000pps size 500 rcvbuf 4M"])
    what = dice.choice(["loss", "corrupt"])
    truth = ["loss:way"] if what == "loss" else ["loss:sink_checksum"]
    if udp:
        # What most of is reached is what was asked for.
        truth.append("rate")
    return Situation(
        f"path-{what}", truth, words(f"time 3s {udp}"),
        path=[f"delay={dice.choice([2, 10, 20])}", f"{what}={dice.choice([1, 3, 10])}"],
        to="10.7.0.2")


@draw
def reordered(dice: random.Random) -> Situation:
    """A path that reorders, and loses nothing."""
    return Situation("path-reorder", ["way", "congestion_window", "none", "cpu"],
                     words("time 3s"), to="10.7.0.2",
                     path=[f"delay={dice.choice([2, 5])}", f"reorder={dice.choice([1, 5])}"])


@draw
def bbr(dice: random.Random) -> Situation:
    """BBR over a delay and a rate, without loss."""
    return Situation("bbr", ["way", "congestion_window", "none"],
                     words("time 3s congestion bbr"), to="10.7.0.2",
                     path=[f"delay={dice.choice([5, 10])}", f"rate={dice.choice([5, 20])}"])


@draw
def small_socket(dice: random.Random) -> Situation:
    """A small receive buffer of datagrams."""
    return Situation("udp-rcvbuf", ["loss:sink_socket", "cpu"],
                     words(f"udp size {dice.choice([200, 1400])} rcvbuf 8K"), cpus=True)


@draw
def datagrams(dice: random.Random) -> Situation:
    """Datagrams as many as the CPUs send."""
    return Situation("udp-free", ["cpu", "none", "loss:sink_socket"],
                     words(f"udp size {dice.choice([64, 1400])}"), cpus=True)


@draw
def trips(dice: random.Random) -> Situation:
    """A ping-pong of applications that sleep."""
    udp = dice.choice(["", "udp"])
    kind = dice.choice(["near", "far", "rate", "think"])
    if kind == "far":
        return Situation("pingpong-far", ["way"], words(udp), command="pingpong",
                         ends="layer user", to="10.7.0.2",
                         path=[f"delay={dice.choice([3, 10])}"])
    more = {"rate": "rate 50", "think": "think 5ms"}.get(kind, "")
    truth = {"rate": ["rate"], "think": ["application"]}.get(kind, ["wake_ups", "cpu"])
    return Situation(f"pingpong-{kind}", truth, words(f"{udp} {more}"), command="pingpong",
                     ends="layer user", cpus=kind == "near")


@draw
def pace_and_queue(dice: random.Random) -> Situation:
    """A pace and a queueing discipline: the tighter one."""
    pace_mbit, queue_mbit = dice.choice([(5, 20), (20, 5), (10, 40), (60, 20)])
    return Situation(
        "two-pace-tbf", ["pace"] if pace_mbit < queue_mbit else ["queue", "loss:source_qdisc"],
        words(f"pace {pace_mbit}mbit time 2s"),
        near=[f"tc qdisc add dev veth0 root tbf rate {queue_mbit}mbit burst 32k limit 1m"])


@draw
def window_and_path(dice: random.Random) -> Situation:
    """A window and a path with a rate: the tighter one."""
    # A window of some 8 or 128 KB, each 20 ms: 3 or 50 Mb/s.
    buffer, mbit = dice.choice([("8K", 20), ("128K", 5)])
    return Situation("two-window-path", ["window"] if buffer == "8K" else ["way"],
                     words(f"rcvbuf {buffer} time 3s"), to="10.7.0.2",
                     path=["delay=10", f"rate={mbit}"])


@draw
def queue_and_path(dice: random.Random) -> Situation:
    """A queueing discipline and a path with a rate: the tighter one."""
    queue_mbit, path_mbit = dice.choice([(4, 16), (16, 4), (10, 20), (20, 10)])
    return Situation(
        "two-tbf-path", ["queue", "loss:source_qdisc"] if queue_mbit < path_mbit else
        ["way", "loss:way"], words("time 3s"), to="10.7.0.2",
        path=["delay=2", f"rate={path_mbit}"],
        near=[f"tc qdisc add dev path0 root tbf rate {queue_mbit}mbit burst 16k limit 200k"])


@draw
def one_end(dice: random.Random) -> Situation:
    """The sink is another process, of which nothing is known here."""
    kind = dice.choice(["tbf", "path", "window", "pace"])
    if kind == "tbf":
        return Situation("alone-tbf", ["queue", "loss:source_qdisc"], words("time 2s"), near=[
            "tc qdisc add dev veth0 root tbf rate 20mbit burst 32k limit 1m"], alone=True)
    if kind == "pace":
        return Situation("alone-pace", ["pace"], words("pace 8mbit time 2s"), alone=True)
    if kind == "window":
        return Situation("alone-window", ["window"], words("time 2s rcvbuf 16K"),
                         path=["delay=10"], to="10.7.0.2", alone=True)
    return Situation("alone-path", ["way"], words("time 3s"), path=["delay=5", "rate=10"],
                     to="10.7.0.2", alone=True)


@draw
def no_offload(dice: random.Random) -> Situation:
    """Each segment by itself."""
    return Situation("tso-off", cpu_truth(), words(f"streams {dice.choice([1, 4])}"), cpus=True,
                     near=["ethtool -K veth0 tso off gso off >/dev/null"])


@draw
def receiving_cpu(dice: random.Random) -> Situation:
    """A CPU that receives for another, with many rules, and perhaps a loop beside it."""
    loop = dice.choice([False, True])
    rules = "; ".join(f"add rule inet x y tcp dport {20000 + i} drop" for i in range(1000))
    return Situation(
        "rps-hog" if loop else "rps", ["other_work"] if loop else ["cpu"],
        words("sink-cpus 0 streams 4 time 2s"), hogs=[(1, 0)] if loop else [], cpus=True,
        near=["ethtool -K veth0 tso off gso off >/dev/null"],
        far=["echo 2 >/sys/class/net/veth0/queues/rx-0/rps_cpus", "nft add table inet x",
             "nft add chain inet x y '{ type filter hook input priority 0; }'", f"nft '{rules}'"])


@draw
def many_datagrams(dice: random.Random) -> Situation:
    """Datagrams at twice the rate of the path."""
    return Situation("udp-path", ["loss:way"], words("udp rate 2000pps size 1000 time 2s rcvbuf 4M"),
                     path=[f"rate={dice.choice([4, 8])}", "limit=50"], to="10.7.0.2")


@draw
def paced_flows(dice: random.Random) -> Situation:
    """A queueing discipline that paces each flow."""
    mbit, streams = dice.choice([(5, 1), (20, 1), (10, 3)])
    return Situation("fq-maxrate", ["queue"], words(f"time 2s streams {streams}"), near=[
        f"tc qdisc add dev veth0 root fq maxrate {mbit}mbit"])


@draw
def policed(dice: random.Random) -> Situation:
    """A policer at the sink's ingress."""
    mbit = dice.choice([5, 20, 50])
    udp = dice.choice(["", "udp size 1000 rate 10000pps rcvbuf 4M"])
    return Situation("policer", [*LOSS_AT_SINK, *(["rate"] if udp else [])], words(f"time 2s {udp}"),
                     far=["tc qdisc add dev veth0 ingress",
                          "tc filter add dev veth0 parent ffff: protocol ip u32 match u32 0 0 "
                          f"police rate {mbit}mbit burst 100k mtu 64k conform-exceed drop"])


@draw
def urgent(dice: random.Random) -> Situation:
    """A loop of real time beside an end, which has the CPU when it wants it."""
    return Situation("fifo-hog", ["other_work"], words("time 2s"),
                     hogs=[(dice.choice([0, 1]), FIFO)])


@draw
def lossy_loopback(dice: random.Random) -> Situation:
    """Loopback that loses some."""
    percent = dice.choice([1, 5])
    return Situation("loopback-loss", ["loss:source_qdisc"], words("time 2s"), to="127.0.0.1",
                     near=[f"tc qdisc add dev lo root netem loss {percent}%"])


def limits(dice: random.Random) -> dict[str, Situation]:
    """Limits that do not depend on what the ends are."""
    shaper = f"tc qdisc add dev veth0 root tbf rate {dice.choice([5, 40])}mbit burst 32k limit 1m"
    return {
        "tbf": Situation("", ["queue", "loss:source_qdisc"], words("time 2s"), near=[shaper]),
        "path": Situation("", ["way"], words("time 3s"), to="10.7.0.2",
                          path=["delay=5", f"rate={dice.choice([5, 20])}"]),
        "free": Situation("", cpu_truth(), words("time 2s"), cpus=True),
    }


@draw
def behind_ssh(dice: random.Random) -> Situation:
    """The far end is on another host."""
    kind = dice.choice(["tbf", "reverse-tbf", "reverse-pace", "path", "window", "pace", "hog",
                        "reads-late", "free"])
    drawn = limits(dice)
    drawn |= {
        "reverse-tbf": dataclasses.replace(drawn["tbf"], words=words("time 2s reverse"),
                                           to="10.9.0.1", near=[], far=drawn["tbf"].near),
        "reverse-pace": Situation("", ["pace"], words("pace 8mbit time 2s reverse"),
                                  to="10.9.0.1"),
        "window": Situation("", ["window"], words("time 2s rcvbuf 16K"), to="10.7.0.2",
                            path=["delay=10"]),
        "pace": Situation("", ["pace"], words("pace 8mbit time 2s")),
        "hog": Situation("", ["other_work"], words("time 2s"), hogs=[(1, 0)]),
        "reads-late": Situation("", ["receiver", "cpu", "other_work"],
                                words("time 2s sink-cpus 1"), hogs=[(1, FIFO)]),
    }
    return dataclasses.replace(drawn[kind], name=f"ssh-{kind}", remote=True)


@draw
def other_program(dice: random.Random) -> Situation:
    """Both ends are another program's."""
    kind = dice.choice(["tbf", "path", "window", "free"])
    drawn = limits(dice)
    drawn["window"] = Situation("", ["window"], words("time 2s"), to="10.7.0.2",
                                path=["delay=10"],
                                far=["sysctl -qw net.ipv4.tcp_rmem='4096 8192 8192'"])
    return dataclasses.replace(drawn[kind], name=f"iperf3-{kind}", ends="engine iperf3")


@draw
def frames(dice: random.Random) -> Situation:
    """Frames that no socket sends or receives."""
    layer, sink = dice.choice(["queue", "driver"]), dice.choice(["ingress", "xdp"])
    kind = dice.choice(["rate", "rate", "free", "shaped"])
    size = f"udp size {dice.choice([64, 1000])} time 2s"
    drawn = {
        "rate": Situation("", ["rate"], words(f"{size} rate {dice.choice([200, 3000])}pps")),
        "free": Situation("", ["cpu", "none", "loss:backlog", "loss:sink_device"], words(size),
                          cpus=True),
        "shaped": Situation("", ["loss:source_layer", "loss:source_qdisc", "queue"],
                            words(f"{size} rate 20kpps"), near=[
            "tc qdisc add dev veth0 root tbf rate 1mbit burst 16k limit 24k"]),
    }[kind]
    layer = "queue" if kind == "shaped" else layer
    return dataclasses.replace(drawn, name=f"frames-{kind}", module=True,
                               ends=f"layer {layer} sink-layer {sink}")
