#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""What others do with packets of ktput, and to the devices and threads it uses.

v0 here leads to v1 in another namespace.

exit: 0 all went well, 1 something did not
"""

import contextlib
import ctypes
import itertools
import mmap
import os
import socket
import struct
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
from genl import Netlink, attribute, attributes
from ktput import (SO_RCVBUFFORCE, Client, Skip, Tests, equal, index, link, mac)
from testbed import (LIBC, enter, inside, module, namespace, need, nic_pair, setting,
                     shell, until)

COUNT, SINK, SIZE = 200, 2000, 1000
LAYERS = "driver", "queue"
METHODS = "copy", "zerocopy", "direct"
IFF_LOWER_UP = 1 << 16
# Of linux/netfilter/nfnetlink_queue.h, and what its messages are.
NETLINK_NETFILTER, QUEUE = 12, 5
PACKET, VERDICT, CONFIG, VERDICT_BATCH = (3 << 8 | kind for kind in range(4))
NFQA_PACKET_HDR, NFQA_VERDICT_HDR = 1, 2
NFQA_CFG_CMD, NFQA_CFG_PARAMS = 1, 2
# Of linux/if_packet.h.
SOL_PACKET, PACKET_RX_RING, PACKET_STATISTICS = 263, 5, 6
PACKET_COPY_THRESH, PACKET_VERSION = 7, 10
# Of linux/if_link.h, linux/bpf.h; the call's number is that of x86-64.
RTM_SETLINK, IFLA_XDP, IFLA_XDP_FD = 19, 43, 1
BPF_PROG_LOAD, BPF_PROG_TYPE_XDP = 5, 6
# Of linux/netdev.h.
PAGE_POOL_GET, PAGE_POOL_DETACH_TIME = 5, 6
PATIENCE = 120 * 10**9

ETH_P_IP = 0x0800
need("ip", "ethtool", "nft")
NICS = {driver: nic_pair(driver) for driver in ("virtio_net", "e1000e")}
enter(module())
HERE, PEER = enter(namespace()), enter(namespace())
for name in HERE, PEER:
    shell(f"ip netns exec {name} sysctl -qw net.ipv6.conf.all.disable_ipv6=1 "
          "net.ipv6.conf.default.disable_ipv6=1")
HOME = enter(open("/proc/self/ns/net", "rb"))
enter(inside(HERE))
here, there = Client(), Client(PEER)
tests = Tests()


def clear():
    """No run and no table is left."""
    for client in here, there:
        client.clear()
    for netns in HERE, PEER:
        shell(f"ip netns exec {netns} nft flush ruleset")


tests.after = [clear]


def veth():
    """v0, and v1 there, with addresses."""
    shell("ip link del v0 2>/dev/null; "
          f"ip link add v0 type veth peer name v1 netns {PEER}; "
          "ip addr add 10.9.0.1/24 dev v0; "
          f"ip -n {PEER} addr add 10.9.0.2/24 dev v1; "
          f"ip link set v0 up; ip -n {PEER} link set v1 up")
    for device, netns in ("v0", None), ("v1", PEER):
        carrier(device, netns)
    shell("ip neigh replace 10.9.0.2 dev v0 lladdr " + mac("v1", PEER).hex(":"))


def carrier(device, netns=None):
    """Wait for it."""
    until(lambda: link(device, netns).flags & IFF_LOWER_UP, f"carrier of {device}")


def frames(layer, device="v0", to=None, **config):
    """Start a source of frames."""
    return here.start("source", **{
        "layer": layer, "dev": index(device), "local": "10.9.0.1",
        "remote": "10.9.0.2", "local_port": 1000, "remote_port": SINK,
        "mac": to or mac("v1", PEER), "messages": COUNT, "size_min": SIZE,
        "drain_timeout": PATIENCE, **config})


def datagrams(method, **config):
    """Start a source of datagrams."""
    return here.start("source", **{
        "remote": "10.9.0.2", "remote_port": SINK, "method": method,
        "messages": COUNT, "size": SIZE, "sndbuf": 1 << 22,
        "drain_timeout": PATIENCE, **config})


class Queue:
    """A program to which nftables gives packets, for it to decide on."""

    def __init__(self, netns, hook):
        shell("modprobe -aq nfnetlink_queue nft_queue; true")
        if not os.path.exists("/proc/net/netfilter/nfnetlink_queue"):
            raise Skip("the kernel has no nfnetlink_queue")
        with inside(netns):
            self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                        NETLINK_NETFILTER)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        self.socket.settimeout(60)
        # Bind, and copy no byte of a packet.
        for body in (attribute(NFQA_CFG_CMD, struct.pack(">BBH", 1, 0, 2)),
                     attribute(NFQA_CFG_PARAMS, struct.pack(">IB", 0, 1))):
            self.send(CONFIG, body, ack=True)
            error = struct.unpack_from("=i", self.socket.recv(1 << 16), 16)[0]
            equal(error, 0, what="errno of nfnetlink_queue")
        shell(f"ip netns exec {netns} nft 'table ip t {{ chain c {{ "
              f"type filter hook {hook} priority 0; "
              f"meta l4proto {{ tcp, udp }} th dport {SINK} queue num {QUEUE}; }}; }}'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, kind, body, ack=False):
        """A message about the queue."""
        self.socket.send(struct.pack("=IHHII", 20 + len(body), kind,
                                     5 if ack else 1, 0, 0) +
                         struct.pack(">BBH", 0, 0, QUEUE) + body)

    def take(self, count):
        """The numbers of packets that wait."""
        numbers = []
        while len(numbers) < count:
            data = self.socket.recv(1 << 16)
            while data:
                size, kind = struct.unpack_from("=IH", data)
                equal(kind, PACKET, what="kind")
                header = attributes(data[20:size])[NFQA_PACKET_HDR]
                numbers.append(struct.unpack_from(">I", header)[0])
                data = data[(size + 3) & ~3:]
        return numbers

    def accept(self, number):
        """Let all packets up to this one pass."""
        self.send(VERDICT_BATCH, attribute(NFQA_VERDICT_HDR,
                                           struct.pack(">II", 1, number)))


def queued(start, hook, outcome):
    """A program decides late, on half of the packets, or when the run is gone."""
    with Queue(PEER if hook == "input" else HERE, hook) as queue:
        taker = there.start("sink", local_port=SINK, rcvbuf=1 << 24)
        giver = start(drain_timeout=0 if outcome == "gone" else PATIENCE)
        numbers = queue.take(COUNT)
        if outcome == "gone":
            here.wait(giver, "messages")
            here.forget([giver["id"]])
        else:
            until(lambda: here.snapshot(giver).run["state"] == "draining", "it drains")
        equal(there.snapshot(taker).datagrams, 0, what="datagrams before the verdict")
        passed = COUNT // 2 if outcome == "half" else COUNT
        queue.accept(numbers[passed - 1])
        until(lambda: there.snapshot(taker).datagrams == passed, "they arrive")
    if outcome != "gone":
        sent = here.wait(giver, "messages")
        equal((sent.messages, sent.unreturned), (COUNT, 0), what="sent, unreturned")
    got = there.stop(taker)
    equal((got.datagrams, got.bytes), (passed, passed * (
        SIZE - 42 if hook == "input" else SIZE)), what="datagrams, bytes")
    equal((got.lost, got.reordered, got.drops), (0, 0, 0), what="lost, reordered")


def unconnected():
    """A connection whose first segment waits, until the run is gone."""
    with Queue(HERE, "output") as queue:
        taker = there.start("sink", transport="tcp", cookie=None, local_port=SINK)
        run = here.begin("source", transport="tcp", cookie=None, remote="10.9.0.2",
                         remote_port=SINK)
        number = queue.take(1)[0]
        equal(here.find(run)["state"], "connecting", what="state")
        here.forget([run["id"]])
        queue.accept(number)
        # The answer finds nobody.
        until(lambda: not there.snapshot(taker).run["accepted"], "none is accepted")


def ring(layer, version, slots):
    """A packet socket with a ring that nobody reads: it copies, and keeps nothing."""
    slot = 2048
    blocks = (max(slots * slot, 4 * mmap.PAGESIZE)) // mmap.PAGESIZE // 4
    with inside(PEER):
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    with wire:
        wire.setsockopt(SOL_PACKET, PACKET_VERSION, version - 1)
        size = 4 * mmap.PAGESIZE
        wire.setsockopt(SOL_PACKET, PACKET_RX_RING, struct.pack(
            "7I" if version == 3 else "4I", size, blocks, slot,
            blocks * size // slot, *((60000, 0, 0) if version == 3 else ())))
        slots = blocks * size // slot
        with mmap.mmap(wire.fileno(), blocks * size) as memory:
            with inside(PEER):
                # What comes in alone: PEER tells the sender that nobody listens.
                wire.bind(("v1", ETH_P_IP))
            sent = here.wait(frames(layer, messages=2 * COUNT), "messages")
            equal((sent.messages, sent.unreturned), (2 * COUNT, 0),
                  what="sent, unreturned")
            told = [0, 0]

            def seen():
                # A read clears them.
                for at, more in enumerate(struct.unpack_from("II", wire.getsockopt(
                        SOL_PACKET, PACKET_STATISTICS, 12))):
                    told[at] += more
                return told[0] == 2 * COUNT
            until(seen, "the ring has seen all")
            if version == 2:
                equal(told[1], max(0, 2 * COUNT - slots), what="drops of the ring")
                for number in range(min(slots, 2 * COUNT)):
                    status, length, _, start = struct.unpack_from(
                        "=IIIH", memory, number * slot)
                    equal((status & 1, length), (1, SIZE), what="status, length")
                    equal(struct.unpack_from(">I", memory, number * slot + start +
                                             46)[0], number, what="sequence")


def copied_threshold():
    """What exceeds a slot of a ring is queued as well, and so is kept."""
    with inside(PEER):
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    with wire:
        wire.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        wire.setsockopt(SOL_PACKET, PACKET_VERSION, 1)
        wire.setsockopt(SOL_PACKET, PACKET_COPY_THRESH, 1)
        wire.setsockopt(SOL_PACKET, PACKET_RX_RING, struct.pack(
            "4I", mmap.PAGESIZE, 64, 256, 64 * mmap.PAGESIZE // 256))
        with inside(PEER):
            wire.bind(("v1", 3))
        giver = frames("driver")
        until(lambda: here.snapshot(giver).unreturned == COUNT, "all are kept")
        equal(here.snapshot(giver).run["state"], "draining", what="state")
    equal(here.wait(giver, "messages").unreturned, 0, what="unreturned")


def pass_all(device, netns):
    """Attach an XDP program that passes all, so that veth converts packets."""
    code = struct.pack("=BBhi", 0xB7, 0, 0, 2) + struct.pack("=BBhi", 0x95, 0, 0, 0)
    keep = ctypes.create_string_buffer(code), ctypes.create_string_buffer(b"GPL")
    request = struct.pack("=IIQQIIQ", BPF_PROG_TYPE_XDP, 2, ctypes.addressof(keep[0]),
                          ctypes.addressof(keep[1]), 0, 0, 0).ljust(120, b"\0")
    buffer = ctypes.create_string_buffer(request)
    program = LIBC.syscall(321, BPF_PROG_LOAD, buffer, 120)
    if program < 0:
        raise Skip(f"no XDP program: {os.strerror(ctypes.get_errno())}")
    body = attribute(IFLA_XDP | 0x8000, attribute(IFLA_XDP_FD,
                                                  struct.pack("=i", program)))
    with inside(netns), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as route:
        route.send(struct.pack("=IHHIIBxHiII", 32 + len(body), RTM_SETLINK, 5, 0, 0,
                               0, 0, index(device, netns), 0, 0) + body)
        error = struct.unpack_from("=i", route.recv(1 << 16), 16)[0]
    os.close(program)
    equal(error, 0, what="errno of IFLA_XDP")


def detached(netns):
    """Page pools that wait for pages; none on kernels that do not tell of pools."""
    with inside(netns):
        netlink = Netlink()
    try:
        family = netlink.family("netdev")
    except SystemExit:
        return []
    with netlink.socket:
        error, _, replies = netlink.call(family, PAGE_POOL_GET, flags=0x300)
    # Before 6.8 the family has no such request.
    pools = [] if error else map(attributes, replies)
    return [pool for pool in pools if PAGE_POOL_DETACH_TIME in pool]


def page_pools():
    """veth has pages of a pool for what an XDP program sees; all come back."""
    pass_all("v1", PEER)
    for start, take in itertools.product(
            [lambda **more: frames("driver", **more)] +
            [lambda method=method, **more: datagrams(method, **more)
             for method in METHODS], ("copy", "trunc", "zerocopy", "ingress")):
        config = {"layer": "ingress", "dev": index("v1", PEER)} \
            if take == "ingress" else {"method": take, "rcvbuf": 1 << 24}
        taker = there.start("sink", local_port=SINK, **config)
        sent = here.wait(start(packet_rate=5000), "messages")
        until(lambda taker=taker: there.snapshot(taker).datagrams == COUNT,
              f"all arrive, {take}")
        got = there.stop(taker)
        equal((sent.bytes, sent.unreturned), (got.bytes, 0), what="bytes, unreturned")
        there.clear()
        here.clear()
    # With datagrams in an unread socket the pool would stay, so this sees one.
    with inside(PEER), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as reader:
        reader.bind(("10.9.0.2", SINK))
        here.wait(datagrams("zerocopy"), "messages")
        shell("ip link del v1")
    until(lambda: not detached(PEER), "the pools are gone")
    veth()


def freeze():
    """Tasks are frozen, as before a suspend, while runs last."""
    test, state = "/sys/power/pm_test", "/sys/power/state"
    delay = "/sys/module/suspend/parameters/pm_test_delay"
    if not os.path.exists(test) or not os.path.exists(delay):
        raise Skip("the kernel does not test suspend (CONFIG_PM_DEBUG)")
    with open(state, encoding="ascii") as file:
        if "freeze" not in file.read().split():
            raise Skip("the kernel does not suspend")
    takers = [there.start("sink", local_port=SINK, rcvbuf=1 << 24),
              there.start("sink", transport="tcp", cookie=None, local_port=SINK)]
    givers = [frames("driver", packet_rate=200, messages=None),
              here.start("source", transport="tcp", cookie=None, remote="10.9.0.2",
                         remote_port=SINK, size=1000, pace=100000)]
    # It ends while tasks are frozen.
    short = frames("queue", device="v0", remote_port=SINK + 1, packet_rate=100,
                   messages=None, time=10**9)
    until(lambda: all(here.snapshot(run).messages for run in givers), "they send")
    with setting(delay, 2):
        shell(f"echo freezer > {test}")
        try:
            shell(f"echo freeze > {state}")
        finally:
            shell(f"echo none > {test}")
    here.wait(short, "time")
    equal([here.snapshot(run).run["state"] for run in givers], ["running"] * 2,
          what="states")
    for giver, taker in zip(givers, takers):
        before = here.snapshot(giver).bytes
        until(lambda giver=giver, before=before: here.snapshot(giver).bytes > before,
              "they send on")
        sent = here.stop(giver)
        until(lambda sent=sent, taker=taker: there.snapshot(taker).bytes == sent.bytes,
              "all has arrived")


def pair_of(driver):
    """The two NICs of a driver, up and here."""
    if not NICS[driver]:
        raise Skip(f"no two {driver} devices")
    for nic in NICS[driver]:
        with inside(HOME):
            shell(f"ip link set {nic} netns {HERE} 2>/dev/null; true")
        shell(f"ip link set {nic} up")
    for nic in NICS[driver]:
        carrier(nic)
    return NICS[driver]


def home(driver):
    """Have the NICs back where they were."""
    for nic in NICS[driver]:
        shell(f"ip link set {nic} netns 1 2>/dev/null; true")


def resets(driver, layer, action):
    """A NIC is reset while its ring is full, and returns all buffers."""
    one, other = pair_of(driver)
    with contextlib.ExitStack() as stack:
        stack.callback(home, driver)
        taker = here.start("sink", layer="ingress", dev=index(other), local_port=SINK)
        giver = frames(layer, one, mac(other), messages=None,
                       **({"burst": 16} if layer == "driver" else {}))
        for number in range(4):
            before = here.snapshot(giver).messages
            until(lambda before=before: here.snapshot(giver).messages > before + 100,
                  "frames are sent")
            done = subprocess.run(action.format(nic=one, size=(256, 1024)[number % 2]),
                                  shell=True, check=False, capture_output=True,
                                  text=True)
            if done.returncode:
                raise Skip(f"{driver} does not: {done.stderr.strip()}")
        carrier(one)
        before = here.snapshot(taker).messages
        until(lambda: here.snapshot(taker).messages > before, "frames arrive again")
        sent = here.stop(giver)
        equal(sent.unreturned, 0, what="unreturned")
        got = here.stop(taker)
        assert got.messages <= sent.messages, f"{got.messages} of {sent.messages}"
        equal((got.duplicates, got.foreign), (0, 0), what="duplicates, foreign")


def rebound(driver, bus, layer):
    """A NIC loses its driver while frames are under way, and gets it back."""
    one, other = pair_of(driver)
    with contextlib.ExitStack() as stack:
        stack.callback(home, driver)
        slot = shell(f"ethtool -i {one}").split("bus-info: ")[1].split()[0]
        path = f"/sys/bus/{bus}/drivers/{driver}"
        if bus == "virtio":
            slot = next(name for name in os.listdir(path) if name.startswith("virtio")
                        and os.path.realpath(f"{path}/{name}").split("/")[-2] == slot)
        takers = [here.start("sink", layer="ingress", dev=index(nic), local_port=SINK)
                  for nic in (one, other)]
        giver = frames(layer, one, mac(other), messages=None)
        until(lambda: here.snapshot(giver).messages > 1000, "frames are sent")
        shell(f"echo {slot} > {path}/unbind")
        try:
            for run in giver, takers[0]:
                here.wait(run, "device-removed")
            equal(here.snapshot(takers[1]).run["state"], "running", what="state")
            # The run ends first, so what it had in the ring is told as not returned.
        finally:
            shell(f"echo {slot} > {path}/bind")
            # It is new, and in the namespace where new devices are.
            nets = f"{path}/{slot}/net"
            until(lambda: os.path.isdir(nets) and os.listdir(nets),
                  "the device is back")
            # It may get another name then.
            shell("udevadm settle 2>/dev/null; true")
            NICS[driver] = (os.listdir(nets)[0], other)
        one, other = pair_of(driver)
        here.clear()
        taker = here.start("sink", layer="ingress", dev=index(other), local_port=SINK)
        sent = here.wait(frames(layer, one, mac(other), packet_rate=500), "messages")
        until(lambda: here.snapshot(taker).messages == sent.messages, "frames arrive")


def main():
    """All of them."""
    veth()
    for layer, outcome in itertools.product(LAYERS, ("late", "half", "gone")):
        tests.add(f"NFQUEUE: {layer}, verdicts: {outcome}", queued,
                  lambda layer=layer, **more: frames(layer, **more), "input", outcome)
    for method, outcome in itertools.product(METHODS, ("late", "half", "gone")):
        tests.add(f"NFQUEUE: {method}, verdicts: {outcome}", queued,
                  lambda method=method, **more: datagrams(method, **more), "output",
                  outcome)
    tests.add("NFQUEUE: a connection that is gone", unconnected)
    for layer, version, slots in itertools.product(LAYERS, (2, 3), (64, 1024)):
        tests.add(f"{layer}: an unread ring of TPACKET_V{version} for {slots} frames",
                  ring, layer, version, slots)
    tests.add("a ring of small slots queues frames too", copied_threshold)
    tests.add("page pools of veth get their pages back", page_pools)
    tests.add("tasks are frozen", freeze)
    for layer in LAYERS:
        for action in "ethtool -r {nic}", "ethtool -G {nic} tx {size}":
            tests.add(f"e1000e, {layer}: {action.split()[1]}", resets, "e1000e", layer,
                      action)
        for driver, bus in ("e1000e", "pci"), ("virtio_net", "virtio"):
            tests.add(f"{driver}, {layer}: the driver is unbound", rebound, driver, bus,
                      layer)
    return tests.run()


if __name__ == "__main__":
    sys.exit(main())
