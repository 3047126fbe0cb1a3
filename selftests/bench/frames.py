# SPDX-License-Identifier: GPL-2.0
"""frames.py: instructions of frames below the socket, ktput beside pktgen and XDP

Frames go to a dummy device, which drops them, and to a veth device, whose peer's
stack drops them since they are for another host, or an XDP program there does.
"""
import functools
import json
import re

import common
import live

FRAMES = 200000
ALIEN = "02:00:00:00:00:99"     # MAC address that is nobody's
PKTGEN = "/proc/net/pktgen"


def tell(file, *lines):
    """Write lines to a control file of pktgen, each by itself."""
    for line in lines:
        with open(f"{PKTGEN}/{file}", "w", encoding="ascii") as control:
            control.write(f"{line}\n")


def pktgen(device, size, *settings):
    """Instructions a frame of pktgen."""
    tell("kpktgend_0", "rem_device_all", f"add_device {device}")
    tell(device, f"count {FRAMES}", f"pkt_size {size}", f"dst_mac {ALIEN}",
         "dst 198.18.0.2", "delay 0", *settings)
    tell("pgctrl", "start")
    with open(f"{PKTGEN}/{device}", encoding="ascii") as control:
        result = re.search(r"Result: OK: (\d+)\(.* usec, (\d+) ",
                           control.read())
    return (int(result[1]) * 1000 / int(result[2]),)


def ktput(device, size, *words):
    """Instructions a frame of ktput."""
    document = json.loads(common.output(
        "ktput-ctl", "-j", "start", "udp", "alone", "to", "198.18.0.2", "port",
        "9", "from", "198.18.0.1", "mac", ALIEN, "dev", device, "size",
        str(size), "messages", str(FRAMES), *words, status=(0, 1)))
    run = document["intervals"][-1]["source"]["run"]
    return ((run["ended_ns"] - run["begun_ns"]) / FRAMES,)


def to_xdp(measure):
    """What measure() returns while an XDP program drops all that arrives on veth1."""
    with live.dropping("veth1"):
        return measure()


def generated(size):
    """Instructions a frame of the kernel's own generator of XDP frames."""
    return (live.send("veth0", bytes(size), FRAMES),)


def cells():
    """What is measured."""
    measured = []

    def pair(name, peer, mine, target=None):
        """A cell of pktgen and the one of ktput that stands beside it."""
        measured.append(common.Cell(
            f"pktgen: {name}", functools.partial(pktgen, *peer)))
        measured.append(common.Cell(
            f"ktput: {name}", functools.partial(ktput, *mine),
            f"pktgen: {name}", target))

    for burst, target in ((1, 0.5), (8, None), (64, 1.0)):
        pair(f"dummy, driver, one skb, burst {burst}",
             ("dummy0", 60, "clone_skb 1000", f"burst {burst}",
              "xmit_mode start_xmit"),
             ("dummy0", 60, "layer", "driver", "reuse", "burst", str(burst)),
             target)
    for size, target in ((60, 0.2), (1514, None)):
        pair(f"dummy, driver, fresh, {size} B",
             ("dummy0", size, "clone_skb 0", "burst 1", "xmit_mode start_xmit"),
             ("dummy0", size, "layer", "driver"), target)
    pair("dummy, queue, fresh, 60 B",
         ("dummy0", 60, "clone_skb 0", "burst 1", "xmit_mode queue_xmit"),
         ("dummy0", 60, "layer", "queue"), 0.6)
    pair("veth, driver, fresh, 60 B",
         ("veth0", 60, "clone_skb 0", "burst 1", "xmit_mode start_xmit"),
         ("veth0", 60, "layer", "driver"), 0.7)
    pair("veth, queue, fresh, 60 B",
         ("veth0", 60, "clone_skb 0", "burst 1", "xmit_mode queue_xmit"),
         ("veth0", 60, "layer", "queue"))
    peer = "BPF_PROG_RUN live: veth, XDP, 60 B"
    measured.append(common.Cell(peer, lambda: to_xdp(lambda: generated(60))))
    for burst, target in ((1, None), (64, 0.6)):
        measured.append(common.Cell(
            f"ktput: veth, XDP, 60 B, burst {burst}",
            lambda burst=burst: to_xdp(lambda: ktput(
                "veth0", 60, "layer", "xdp", "burst", str(burst))), peer, target))
    return measured


def bench(modules):
    """Measure, print and return the record."""
    common.output("modprobe", "-a", "pktgen", "dummy", "veth")
    common.output("ip", "link", "add", "dummy0", "type", "dummy")
    common.output("ip", "link", "add", "veth0", "type", "veth", "peer", "name",
                  "veth1")
    for device in ("dummy0", "veth0", "veth1"):
        common.output("ip", "link", "set", device, "up")
    measured = cells()
    with common.Module(f"{modules}/ktput.ko"):
        common.measure(measured)
    records = common.report("Frames: instructions", ("a frame",), measured)
    print()

    def counting(name, *words):
        """What counting costs at the driver layer."""
        return common.counting(
            modules, f"dummy, driver, {name}", "frame",
            lambda: ktput("dummy0", 60, "layer", "driver", *words)[0], 0.03)

    return {"frames": records, "frames_counting": [
        counting("fresh, 60 B"),
        counting("one skb, burst 1", "reuse", "burst", "1")]}
