#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Frames of the queue and driver layers, and the sink at the ingress hook.

Runs in a namespace that has no traffic of its own; a second one is its peer.

exit: 0 all went well, 1 something did not
"""

import collections
import contextlib
import errno
import ipaddress
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, sys.path[0] + "/../lib")
from capture import HEADERS, Capture
from frames_refused import STATION, refusals
from ktput import (COOKIE, SO_RCVBUFFORCE, Client, Skip, Tests, counter, equal,
                   index, link, mac)
from testbed import (BOUND, enter, inside, module, namespace, need, nic_pair,
                     setting, shell, until)

LAYERS = "driver", "queue"
PAGE = os.sysconf("SC_PAGESIZE")
# Of linux/if.h.
IFF_LOWER_UP = 1 << 16
# What a thousand frames take to be looked at where each access is checked.
PATIENCE = 120 * 10**9
# Where the receiver has had no room, QEMU lets later frames pass earlier ones: hence
# a rate that leaves an emulated CPU time to make room, and rings as large as can be.
# A kernel that checks each access (vm/kernel.sh) makes room more slowly.
NIC_RATE = 1000 if "-ktput-" in os.uname().release else 5000
IPV6 = {"local": "fd09::1", "remote": "fd09::2"}

need("ethtool", "ip", "tc", "bridge")
enter(module())
# Frames that a CPU takes more slowly than another sends them wait, and are not dropped.
enter(setting("/proc/sys/net/core/netdev_max_backlog", 10000))
HERE, PEER = enter(namespace()), enter(namespace())
# Frames of IPv6 itself would be counted.
for name in HERE, PEER:
    shell(f"ip netns exec {name} sysctl -qw net.ipv6.conf.all.disable_ipv6=1 "
          "net.ipv6.conf.default.disable_ipv6=1")
NICS = {driver: nic_pair(driver) for driver in ("virtio_net", "e1000e")}
for nic in itertools.chain(*NICS.values()):
    shell(f"ip link set {nic} netns {HERE}")
enter(inside(HERE))
here = Client()
there = Client(PEER)
tests = Tests()


def veth():
    """A pair without addresses, v0 and v1, of two queues."""
    shell("ip link del v0 2>/dev/null; "
          "ip link add v0 numtxqueues 2 numrxqueues 2 type veth "
          "peer name v1 numtxqueues 2 numrxqueues 2; "
          "ip link set v0 up; ip link set v1 up")
    carrier("v0")
    carrier("v1")


def carrier(device, netns=None):
    """Wait for the carrier of a device."""
    until(lambda: link(device, netns).flags & IFF_LOWER_UP,
          f"carrier of {device}")


def taking_xdp(takes):
    """Whether v0 can send frames of XDP: v1 takes them where it has GRO."""
    shell(f"ethtool -K v1 gro {'on' if takes else 'off'}")


def clear():
    """Forget all runs, unless the module is gone."""
    if os.path.exists("/sys/module/ktput"):
        here.clear()
        there.clear()


tests.after = [clear]


def source(device, layer, **config):
    """Start a source of frames."""
    return here.start("source", **{
        "layer": layer, "dev": index(device), "local": "10.9.0.1",
        "remote": "10.9.0.2", "local_port": 1000, "remote_port": 2000,
        "mac": STATION, **config})


def sink(device, netns=None, **config):
    """Start a sink of frames."""
    return (there if netns else here).start("sink", **{
        "layer": "ingress", "dev": index(device, netns),
        "local_port": 2000, **config})


def recycles(sent):
    """Whether all streams of a source have recycled their sk_buffs, or none."""
    said = {bool(stream.get("recycled")) for stream in sent.streams}
    equal(len(said), 1, what="ways of a run")
    return said.pop()


def captured(layer, offload, count, ipv6=False, devices=("v0", "v1"), **config):
    """Frames that arrive on the peer, each verified.

    The checksum of a NIC is complete when a frame arrives.
    """
    giving, taking = devices
    partial = offload and giving == "v0"
    if giving == "v0":
        shell(f"ethtool -K {giving} tx {'on' if offload else 'off'}")
        taking_xdp(layer == "xdp")
        if layer == "xdp":
            # The peer has time to make room in its ring.
            config = {"packet_rate": NIC_RATE, **config}
    with Capture(taking) as capture:
        # What the socket keeps is not back at the source, which waits for it.
        giver = source(giving, layer, messages=count, drain_timeout=PATIENCE,
                       **(IPV6 if ipv6 else {}), **config)
        frames = [capture.frame(COOKIE, partial) for _ in range(count)]
        sent = here.wait(giver, "messages")
        assert capture.empty(), "there are more frames"
    equal(sent.messages, count, what="sent")
    equal(recycles(sent), layer == "driver" and giving != "v0", what="recycled")
    equal(sent.bytes, sum(frame.payload for frame in frames), what="bytes")
    equal(sent.unreturned, 0, what="unreturned")
    numbers = collections.defaultdict(list)
    for frame in frames:
        numbers[frame.remote[1]].append(frame.sequence)
    for port, sequence in numbers.items():
        equal(sequence, list(range(len(sequence))), what=f"port {port}")
    return frames


def plain(layer, offload):
    """Frames as they are unless something is asked for."""
    stations = STATION + mac("v0")
    for frame in captured(layer, offload, 50):
        equal((frame.size, frame.tags, frame.local, frame.remote),
              (60, [], ("10.9.0.1", 1000), ("10.9.0.2", 2000)))
        equal(frame.stations, stations)


def ipv6(layer, offload):
    """IPv6, whose checksum matters more."""
    for frame in captured(layer, offload, 50, True, from_mac=b"\2" * 6):
        equal((frame.size, frame.local, frame.remote),
              (78, ("fd09::1", 1000), ("fd09::2", 2000)))
        equal(frame.stations, STATION + b"\2" * 6)


def tags(layer, offload):
    """One tag and two, with their priorities."""
    for frame in captured(layer, offload, 20, vlan=0x2005):
        equal((frame.tags, frame.size), ([(0x8100, 0x2005)], 62))
    for version, least in (False, 66), (True, 86):
        for frame in captured(layer, offload, 40, version, vlan=5,
                              vlan_inner=0x6007, size_min=least,
                              size_max=least + 3):
            equal(frame.tags, [(0x88A8, 5), (0x8100, 0x6007)])


def type_of_service(layer):
    """Type of service, or traffic class, in the header of IP."""
    for version, at, value in (False, 1, b"\x28"), (True, 0, b"\x62\x80"):
        with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM) as wire:
            wire.settimeout(BOUND)
            wire.bind(("v1", 0x86DD if version else 0x0800))
            here.wait(source("v0", layer, messages=1, tos=0x28,
                             drain_timeout=0, **(IPV6 if version else {})),
                      "messages")
            packet = wire.recv(100)
        equal(packet[at:at + len(value)], value, what="type of service")


def priority(layer):
    """Frames have it: a VLAN device makes it one of its tags."""
    shell("ip link add link v0 name v0.7 type vlan id 7 egress-qos-map 5:3; "
          "ip link set v0.7 up")
    try:
        carrier("v0.7")
        with Capture("v1") as capture:
            giver = source("v0.7", layer, messages=10, priority=5,
                           drain_timeout=PATIENCE)
            frames = [capture.frame(COOKIE, True) for _ in range(10)]
            here.wait(giver, "messages")
    finally:
        shell("ip link del v0.7")
    for frame in frames:
        equal(frame.tags, [(0x8100, 0x6007)], what="tags")


def sizes(layer, offload):
    """Each size of a range as often, odd ones too."""
    for version, least in (False, 60), (True, 78):
        frames = captured(layer, offload, 80, version, size_min=least,
                          size_max=least + 39)
        equal([frame.size for frame in frames],
              2 * list(range(least, least + 40)))
    equal(captured(layer, offload, 1, size_min=1514)[0].size, 1514)


def mix(layer, offload):
    """Weights hold in each round, within which sizes are spread."""
    frames = [frame.size for frame in captured(
        layer, offload, 36, mix="60:7,590:4,1514:1")]
    for start in range(0, 36, 12):
        equal(collections.Counter(frames[start:start + 12]),
              {60: 7, 590: 4, 1514: 1})
    longest = max(len(list(group)) for _, group in itertools.groupby(frames))
    assert longest < 4, f"{longest} frames of one size in a row"


def flows(layer, offload):
    """Each combination of ports and addresses as often."""
    for version in False, True:
        frames = captured(layer, offload, 72, version, from_ports=3,
                          ports=2, from_addresses=2,
                          addresses=3, size_min=101,
                          size_max=104)
        equal(sorted(collections.Counter(
            frame.local + frame.remote for frame in frames).values()),
              [2] * 36)
        equal(len({frame.local for frame in frames}), 6)
        equal(len({frame.remote for frame in frames}), 6)


def low_word(address):
    """The last 32 bits of an address."""
    return int(ipaddress.ip_address(address)) % 2 ** 32


def drawn(seed, slot, counts):
    """The indices that a stream draws from ranges of these counts, without end."""
    state = (seed + slot * 1000003) * 0x61C88647
    while True:
        found = []
        for count in counts:
            state = (state * 1664525 + 1013904223) % 2 ** 32
            found.append(state * count >> 32)
        yield tuple(found)


def random_flows(layer, offload):
    """Flows are drawn as the seed says: the same again, evenly, and not in order."""
    counts = 8, 4, 2, 3
    for version in False, True:
        first = low_word("fd09::1" if version else "10.9.0.1")
        orders = []
        for seed in 7, 7, 8:
            frames = captured(layer, offload, 240, version, flow_seed=seed,
                              from_ports=8, ports=4, from_addresses=2, addresses=3,
                              size_min=101, size_max=104)
            orders.append([(
                frame.local[1] - 1000, frame.remote[1] - 2000,
                low_word(frame.local[0]) - first,
                low_word(frame.remote[0]) - first - 1)
                for frame in frames])
            equal(orders[-1], list(itertools.islice(drawn(seed, 0, counts), 240)))
        assert orders[0] == orders[1] != orders[2]
        # 99.9% of even draws are below these bounds of chi-square.
        for index, (count, bound) in enumerate(zip(counts, (24.3, 16.3, 10.8, 13.8))):
            found = collections.Counter(flow[index] for flow in orders[0])
            off = sum((found[i] - 240 / count) ** 2 for i in range(count))
            assert off / (240 / count) < bound, f"{found} of {count}"


def random_streams():
    """Each stream draws in an order of its own from ranges of its own."""
    shell("ethtool -K v0 tx on")
    with Capture("v1") as capture:
        giver = source("v0", "driver", messages=200, streams=2, from_ports=16,
                       flow_seed=3, drain_timeout=PATIENCE)
        ports = [capture.frame(COOKIE, True).local[1] - 1000 for _ in range(200)]
        here.wait(giver, "messages")
    for slot in 0, 1:
        of_slot = [port - 16 * slot for port in ports if port // 16 == slot]
        equal([(port,) for port in of_slot],
              list(itertools.islice(drawn(3, slot, (16,)), len(of_slot))))
        assert len(of_slot) > 20, f"{len(of_slot)} of stream {slot}"


def bursts():
    """Bursts, and bursts at a rate."""
    captured("driver", True, 1000, burst=64)
    begun = time.monotonic()
    frames = captured("driver", True, 200, burst=8, packet_rate=1000)
    assert time.monotonic() - begun > 0.18, "faster than asked"
    # A burst has one time, and the rate does not cut it.
    equal(len({frame.time for frame in frames}), 25, what="bursts")


def exact(layer, way, netns=None, **config):
    """Source, interfaces and sink have counted the same.

    WAY is of devices: the first sends, the last has the sink, those between
    have the frames pass in the direction that is given.
    """
    def count():
        return [counter(device, direction, netns=netns if direction == "rx"
                        else None) for device, direction in way]
    if way[0][0] == "v0" and not netns:
        taking_xdp(layer == "xdp")
    taker = sink(way[-1][0], netns, streams=2)
    tx_bytes = counter(way[0][0], "tx", "bytes")
    before = count()
    giver = source(way[0][0], layer, **{
        "messages": 5000, "mac": mac(way[-1][0], netns),
        **config})
    sent = here.wait(giver, "messages")
    equal(sent.messages, config.get("messages", 5000), what="sent")
    equal(sent.unreturned, 0, what="unreturned")
    client = there if netns else here
    until(lambda: client.snapshot(taker).messages >= sent.messages, "arrive")
    until(lambda: count()[-1] - before[-1] >= sent.messages, "counted")
    # e1000e reads its counters from the device every other second.
    until(lambda: count()[0] - before[0] >= sent.messages, "counted")
    got = client.stop(taker)
    for (device, direction), old, new in zip(way, before, count()):
        equal(sent.messages, new - old, what=f"{direction} of {device}")
    equal(sent.messages, got.messages, got.datagrams, what="frames")
    # GRO leaves these alone: the hook is called for each.
    equal(sum(cpu["counters"]["calls"] for cpu in got.cpus), got.messages,
          what="calls")
    equal(sent.bytes, got.bytes, what="bytes")
    bad = {name: getattr(got, name) for name in (
        "lost", "duplicates", "reordered", "late", "foreign")}
    # What the device drops leaves a gap, if something follows it.
    if layer == "xdp" and bad["lost"] <= sent.drops:
        bad["lost"] = 0
    assert not any(bad.values()), bad
    if way[0][0] == "v0":
        equal(counter("v0", "tx", "bytes") - tx_bytes, sent.bytes +
              sent.messages * (HEADERS + 4 * ("vlan" in config) +
                               4 * ("vlan_inner" in config) +
                               20 * ("local" in config)), what="tx bytes")


DIRECT = ("v0", "tx"), ("v1", "rx")
EXACT = (
    ("60 bytes", {}),
    ("1514 bytes", {"size_min": 1514}),
    ("IPv6", IPV6),
    ("a tag", {"vlan": 5}),
    ("two tags", {"vlan": 5, "vlan_inner": 9}),
    ("two tags, IPv6", {"vlan": 5, "vlan_inner": 9, **IPV6}),
    ("a mix", {"mix": "60:7,590:4,1514:1"}),
    ("a range", {"size_min": 60, "size_max": 1514}),
    ("ports", {"ports": 2, "from_ports": 3}),
    ("random flows", {"ports": 2, "from_ports": 3, "flow_seed": 5}),
    ("two streams", {"streams": 2}),
    ("queue 1", {"queues": "1"}),
)


def vlan_devices(layer):
    """From VLAN device to VLAN device."""
    shell("for d in v0 v1; do "
          "ip link add link $d name $d.7 type vlan id 7; "
          "ip link set $d.7 up; done")
    try:
        exact(layer, (("v0.7", "tx"), ("v0", "tx"), ("v1", "rx")))
        exact(layer, (("v0.7", "tx"), ("v0", "tx"), ("v1", "rx"),
                      ("v1.7", "rx")))
        exact(layer, (("v0", "tx"), ("v1", "rx"), ("v1.7", "rx")), vlan=7)
        # Behind the tag of the device there are two.
        exact(layer, (("v0.7", "tx"), ("v0", "tx"), ("v1", "rx")), vlan=5,
              vlan_inner=9)
    finally:
        shell("ip link del v0.7; ip link del v1.7")


def bridge(layer):
    """From a bridge, and over it.

    Snooping would join a group, and a report of IGMP be counted.
    """
    shell("ip link add br0 type bridge mcast_snooping 0; "
          "ip link set br0 up; "
          "ip link add w0 type veth peer name w1; "
          "ip link set w0 master br0; ip link set v1 master br0; "
          "ip link set w0 up; ip link set w1 up")
    try:
        for port in "w0", "v1":
            until(lambda port=port: json.loads(shell(
                f"bridge -j link show dev {port}"))[0]["state"] ==
                  "forwarding", "forwarding")
        exact(layer, (("w1", "tx"), ("w0", "rx")))
        shell(f"bridge fdb replace {mac('w1').hex(':')} dev w0 master static")
        exact(layer, (("br0", "tx"), ("w0", "tx"), ("w1", "rx")))
        exact(layer, (("v0", "tx"), ("v1", "rx"), ("w0", "tx"), ("w1", "rx")),
              size_min=1514)
    finally:
        shell("ip link del br0; ip link del w0")


def nics_up(driver):
    """The two NICs of a driver, which are up."""
    pair = NICS[driver]
    if not pair:
        raise Skip(f"no two {driver} devices")
    for nic in pair:
        if driver == "e1000e":
            shell(f"ethtool -G {nic} rx 4096")
        shell(f"ip link set {nic} up")
    for nic in pair:
        carrier(nic)
    return pair


def nics(driver):
    """Two NICs that are wired to each other."""
    pair = nics_up(driver)
    for layer, config in (
            ("driver", {"burst": 32}),
            ("driver", {"burst": 32, "size_min": 1514}),
            ("driver", {"burst": 8, "vlan": 5, "vlan_inner": 6}),
            ("queue", {}), ("queue", {"mix": "60:7,590:4,1514:1"})):
        exact(layer, ((pair[0], "tx"), (pair[1], "rx")),
              **{**config, "packet_rate": NIC_RATE})


def dummy(layer, **config):
    """What a dummy swallows is what it has been given."""
    before = counter("d0", "tx"), counter("d0", "tx", "bytes")
    sent = here.wait(source("d0", layer, messages=20000, **config),
                     "messages")
    equal(sent.messages, 20000, counter("d0", "tx") - before[0])
    equal(sent.bytes + sent.messages * HEADERS,
          counter("d0", "tx", "bytes") - before[1], what="bytes")
    equal(sent.drops, 0, what="drops")
    equal(sent.unreturned, 0, what="unreturned")
    equal(recycles(sent), layer == "driver" and "reuse" not in config,
          what="recycled")


def recycled(driver):
    """Frames of an sk_buff that was sent before are as those of a new one.

    A NIC has some under way; each is written only once it has come back.
    """
    pair = nics_up(driver)
    frames = captured("driver", True, 800, devices=pair, burst=8, ports=2,
                      size_min=60, size_max=99, packet_rate=NIC_RATE,
                      mac=mac(pair[1]))
    equal([frame.size for frame in frames], 20 * list(range(60, 100)))
    equal([frame.remote[1] for frame in frames], 400 * [2000, 2001])


def built():
    """How many sk_buffs are built while 20,000 frames are sent to a dummy."""
    with probes("p:frames/build napi_build_skb"):
        dummy("driver")
        with open("/sys/kernel/tracing/kprobe_profile", encoding="ascii") as file:
            hits = int(file.read().split()[1])
    assert 0 < hits < 100, f"{hits} sk_buffs were built"


def pace_only():
    """Frames that are due are counted, at the rate, and none leaves."""
    before = counter("d0", "tx")
    begun = time.monotonic()
    waited = here.wait(source("d0", "driver", messages=200, pace_only=True,
                              packet_rate=1000), "messages")
    assert time.monotonic() - begun > 0.18, "faster than asked"
    equal(waited.messages, 200, what="frames that were due")
    equal(counter("d0", "tx") - before, 0, what="frames that were sent")


def segments():
    """A GSO packet is as many frames as it has segments."""
    address = mac("v1", PEER).hex(":")
    shell(f"ip neigh replace 10.9.0.2 lladdr {address} dev v0")
    taker = sink("v1", PEER)
    before = counter("v1", "rx", netns=PEER)
    sent = here.wait(here.start("source", remote="10.9.0.2", remote_port=2000,
                                segments=16, size=1000,
                                messages=1600), "messages")
    until(lambda: there.snapshot(taker).messages >= 1600, "arrive")
    got = there.stop(taker)
    equal((sent.messages, sent.bytes), (got.messages, got.bytes),
          (1600, 1600000))
    # They went as such: the peer has seen packets, not frames.
    equal(counter("v1", "rx", netns=PEER) - before, 100, what="packets")


def untouched():
    """TCP, and UDP to the port of a sink, pass where frames are taken."""
    data = os.urandom(1 << 20)
    taken = []
    with inside(PEER):
        listener = socket.create_server(("10.9.0.2", 5000))
        program = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        program.bind(("10.9.0.2", 2000))
    program.settimeout(30)
    listener.settimeout(30)

    def take():
        peer = listener.accept()[0]
        with peer:
            while part := peer.recv(65536):
                taken.append(part)

    taker = sink("v1", PEER)
    giver = source("v0", "driver", mac=mac("v1", PEER), burst=8,
                   packet_rate=5000)
    thread = threading.Thread(target=take)
    thread.start()
    with socket.create_connection(("10.9.0.2", 5000), 30) as stream, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        stream.sendall(data)
        for number in range(20):
            # The sink's address and port, without the cookie.
            other.sendto(b"%4d" % number + bytes(60), ("10.9.0.2", 2000))
            equal(program.recv(2000), b"%4d" % number + bytes(60))
    thread.join()
    assert b"".join(taken) == data, "TCP has other bytes"
    program.close()
    listener.close()
    until(lambda: here.snapshot(giver).messages > 100, "frames are sent")
    sent = here.stop(giver)
    until(lambda: there.snapshot(taker).messages >= sent.messages, "arrive")
    equal(sent.messages, there.stop(taker).messages, what="frames")


def not_taken(**config):
    """Frames of another flow pass by the sink."""
    taker = sink("v1", **config)
    before = counter("v1", "rx")
    here.wait(source("v0", "driver", messages=500), "messages")
    until(lambda: counter("v1", "rx") - before == 500, "arrive")
    got = here.stop(taker)
    equal((got.messages, got.bytes), (0, 0))


def throttled():
    """A queueing discipline's drops are counted here as there."""
    shell("tc qdisc add dev v0 root tbf rate 10mbit burst 3000 limit 10000")
    try:
        before = counter("v0", "tx"), counter("v1", "rx")
        taker = sink("v1")
        sent = here.wait(source("v0", "queue", time=300000000,
                                size_min=1000), "time")
        equal(sent.unreturned, 0, what="unreturned")
        tbf = json.loads(shell("tc -j -s qdisc show dev v0"))[0]
        got = here.stop(taker)
        assert sent.drops, "nothing was dropped"
        equal(sent.drops, tbf["drops"], what="drops")
        equal(sent.messages, got.messages, tbf["packets"],
              counter("v0", "tx") - before[0], counter("v1", "rx") - before[1])
        assert got.lost <= sent.drops, "lost more than was dropped"
    finally:
        shell("tc qdisc del dev v0 root")


def threaded(number):
    """Whether a thread receives on v1: 1 or 0."""
    shell(f"ip netns exec {HERE} sh -c "
          f"'echo {number} >/sys/class/net/v1/threaded'")


def overrun():
    """What the ring of a busy peer does not take is counted here as there.

    A thread receives, which the source's turns leave no CPU.
    """
    def errors():
        return sum(int(count) for count in re.findall(
            r"_xdp_xmit_errors: (\d+)", shell("ethtool -S v0")))
    taking_xdp(True)
    threaded(1)
    try:
        before = errors(), counter("v1", "rx")
        taker = sink("v1", streams=2)
        sent = here.wait(source("v0", "xdp", burst=128, streams=2, cpus="0",
                                messages=20000), "messages")
        until(lambda: counter("v1", "rx") - before[1] == sent.messages, "arrive")
        got = here.stop(taker)
    finally:
        threaded(0)
    assert sent.drops, "nothing was dropped"
    equal(sent.drops, errors() - before[0], what="drops")
    equal((sent.messages, sent.bytes), (got.messages, got.bytes), what="received")


def refusing():
    """A device that takes no more frames of XDP ends the run with its error."""
    taking_xdp(True)
    run = source("v0", "xdp", burst=8)
    until(lambda: here.snapshot(run).messages > 100, "frames are sent")
    taking_xdp(False)
    ended = here.wait(run, "error")
    equal(ended.run["error"], errno.ENXIO, what="error")
    equal(ended.unreturned, 0, what="unreturned")


def paced(layer, **rate):
    """What is dropped has had its time: a rate is one of attempts."""
    shell("tc qdisc add dev v0 root tbf rate 100kbit burst 2000 limit 2000; "
          "ip link add link v0 name v0.7 type vlan id 7; "
          "ip link set v0.7 up")
    carrier("v0.7")
    try:
        # The driver of a VLAN device returns the drops of its lower device.
        sent = here.wait(source("v0.7" if layer == "driver" else "v0", layer,
                                time=10**9, drain_timeout=PATIENCE,
                                size_min=1000, **rate), "time")
    finally:
        shell("ip link del v0.7; tc qdisc del dev v0 root")
    assert sent.drops, "nothing was dropped"
    span = sent.run["ended"] - sent.run["begun"]
    # One at once, and five that it may make up for.
    most = span / 10**6 + 6
    assert sent.messages + sent.drops <= most, \
        f"{sent.messages} sent, {sent.drops} dropped in {span} ns"


@contextlib.contextmanager
def probes(definition):
    """A probe of the group frames, enabled while the context lasts."""
    def write(name, text):
        with open(f"/sys/kernel/tracing/{name}", "w", encoding="ascii") as file:
            file.write(text)
    if not os.path.exists("/sys/kernel/tracing/trace"):
        shell("mount -t tracefs tracefs /sys/kernel/tracing")
    try:
        write("kprobe_events", definition + "\n")
    except OSError as error:
        raise Skip(f"no probe: {error.strerror}") from error
    with contextlib.ExitStack() as stack:
        stack.callback(write, "kprobe_events", "")
        stack.callback(write, "events/frames/enable", "0")
        write("trace", "")
        write("events/frames/enable", "1")
        yield


def under_rtnl():
    """What takes long is not done with RTNL held."""
    if "-rt" in os.uname().release:
        raise Skip("its mutex does not begin with the owner")
    with probes("p:frames/pool ktput_frame_pool_create owner=@rtnl_mutex"):
        here.stop(source("d0", "driver", streams=4))
        with open("/sys/kernel/tracing/trace", encoding="ascii") as file:
            owners = re.findall(r" pool: .*owner=0x(\w+)", file.read())
    equal(len(owners), 4, what="streams")
    # Sometimes another task holds it.
    assert "0" in owners, f"RTNL is held by {owners}"


def kept(layer, room, least, most):
    """Frames that are never freed do not keep others from being sent.

    A socket that nobody reads has as many of them as ROOM bytes hold twice, of
    which a frame takes its page and an sk_buff.
    """
    taking_xdp(layer == "xdp")
    with Capture("v1") as capture:
        capture.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, room)
        giver = source("v0", layer, messages=5000, drain_timeout=PATIENCE)
        until(lambda: here.snapshot(giver).messages == 5000,
              "all frames are sent")
        away = until(lambda: here.snapshot(giver).unreturned, "it drains")
        until(lambda: least <= here.snapshot(giver).unreturned <= most,
              f"{least} to {most} are kept, not {away}")
        equal(here.snapshot(giver).run["state"], "draining")
    equal(here.wait(giver, "messages").unreturned, 0, what="unreturned")


def without_carrier(layer):
    """A source waits, and does not spin."""
    shell("ip link set v1 down")
    try:
        sent = here.wait(source("v0", layer, time=300000000), "time")
    finally:
        shell("ip link set v1 up")
        carrier("v0")
    equal(sent.messages, 0, what="sent")
    # After 10 us, seven times after twice as long, and then every millisecond: no
    # timer is early.
    assert 0 < sent.stopped <= 308, f"looked {sent.stopped} times"


def ends(action, undo, reasons):
    """What happens to a device ends each run, with its reason."""
    veth()
    taking_xdp(True)
    runs = [source("v0", "driver", burst=8, size_min=1514),
            source("v0", "queue"), sink("v0"), sink("v1"),
            source("v0", "xdp", burst=8)]
    until(lambda: all(here.snapshot(run).messages > 100
                      for run in (*runs[:2], *runs[3:])), "frames are sent")
    shell(action)
    for run, reason in zip(runs, (*reasons, reasons[0])):
        if reason:
            here.wait(run, reason)
        else:
            equal(here.snapshot(run).run["state"], "running")
    shell(undo)


def unloaded():
    """The module goes at once, while it sends and takes."""
    veth()
    taking_xdp(True)
    sink("v1")
    run = source("v0", "driver", burst=8)
    source("v0", "queue")
    xdp = source("v0", "xdp", burst=8)
    until(lambda: here.snapshot(xdp).messages > 100, "frames of XDP are sent")
    until(lambda: here.snapshot(run).messages > 100, "frames are sent")
    done = subprocess.run(["rmmod", "ktput"], timeout=30, check=False,
                          capture_output=True, text=True)
    equal(done.returncode, 0, what=done.stderr)
    before = counter("v0", "tx")
    time.sleep(0.1)
    equal(before, counter("v0", "tx"), what="frames")


def unsuitable(made, sentence, **config):
    """Devices that would corrupt the frames that they are given."""
    done = subprocess.run(f"ip link add x0 {made} && ip link set x0 up",
                          shell=True, check=False, capture_output=True,
                          text=True)
    if done.returncode:
        raise Skip("no such device: " + done.stderr.strip())
    here.refused(errno.EOPNOTSUPP, sentence, "source", dev=index("x0"),
                 local="10.9.0.1", local_port=1000, remote="10.9.0.2",
                 remote_port=2000, mac=STATION, **config)
    shell("ip link del x0")


def refused(error, sentence, **config):
    """A configuration is refused, where v1 has no GRO."""
    taking_xdp(False)
    here.refused(error, sentence, **config)


def to_peer():
    """v1 goes to the other namespace, with addresses."""
    shell(f"ip link set v1 netns {PEER}; ip -n {PEER} link set v1 up; "
          f"ip -n {PEER} addr add 10.9.0.2/24 dev v1; "
          "ip addr add 10.9.0.1/24 dev v0")
    carrier("v0")
    carrier("v1", PEER)


def main():
    """All cases, in the order in which the devices are there."""
    shell("ip link add d0 numtxqueues 4 type dummy; ip link set d0 up")
    veth()
    for layer, offload, case in itertools.product(
            LAYERS, (False, True), (plain, ipv6, tags, sizes, mix, flows,
                                    random_flows)):
        tests.add(f"{layer}, checksums by {'device' if offload else 'ktput'}: "
                  f"{case.__name__} as captured", case, layer, offload)
    for case in plain, ipv6, tags, sizes, mix, flows, random_flows:
        tests.add(f"xdp: {case.__name__} as captured", case, "xdp", False)
    tests.add("bursts as captured", bursts)
    tests.add("random flows of two streams as captured", random_streams)
    for layer in LAYERS:
        tests.add(f"{layer}: type of service", type_of_service, layer)
        tests.add(f"{layer}: priority", priority, layer)
    for layer, (title, config) in itertools.product(LAYERS, EXACT):
        burst = {"burst": 16} if layer == "driver" else {}
        tests.add(f"{layer}: {title}, all counters agree", exact, layer,
                  DIRECT, **burst, **config)
    for title, config in EXACT:
        if "queues" not in config:
            tests.add(f"xdp: {title}, all counters agree", exact, "xdp", DIRECT,
                      burst=16, **config)
    tests.add("xdp: drops of the device are accounted", overrun)
    tests.add("xdp: the peer's GRO goes", refusing)
    for layer, case in itertools.product(LAYERS, (vlan_devices, bridge)):
        tests.add(f"{layer}: {case.__name__}, all counters agree", case, layer)
    for driver in "virtio_net", "e1000e":
        tests.add(f"{driver}: all counters agree", nics, driver)
        tests.add(f"{driver}: recycled frames as captured", recycled, driver)
    for config in ({"reuse": True}, {"reuse": True, "burst": 64}, {},
                   {"burst": 64}, {"streams": 4},
                   {"queues": "0,2", "burst": 32, "reuse": True}):
        words = " ".join(f"{name} {value}" for name, value in config.items())
        tests.add(f"dummy, driver {words}".rstrip(), dummy, "driver", **config)
    tests.add("dummy, queue", dummy, "queue")
    tests.add("dummy, driver: sk_buffs are recycled", built)
    tests.add("the pace without frames", pace_only)
    tests.add("buffers are made without RTNL", under_rtnl)
    for title, config in (("cookie", {"cookie": 1}),
                          ("port", {"local_port": 2001}),
                          ("address", {"local": "10.9.0.3"}),
                          ("IP version", {"local": "fd09::2"})):
        tests.add(f"frames to another {title} are not taken", not_taken,
                  **config)
    tests.add("drops of tbf are accounted", throttled)
    for layer, rate in itertools.product(LAYERS, (
            {"packet_rate": 1000}, {"pace": 958 * 1000})):
        tests.add(f"{layer}: {next(iter(rate))} is kept while frames are "
                  "dropped", paced, layer, **rate)
    for layer, (title, *some) in itertools.product((*LAYERS, "xdp"), (
            ("a few", 0, 1, 20),
            ("most", 350 * PAGE, 700 * PAGE // (PAGE + 512), 700))):
        tests.add(f"{layer}: {title} frames are kept", kept, layer, *some)
    for layer in LAYERS:
        tests.add(f"{layer}: no carrier", without_carrier, layer)
    for title, error, sentence, config in refusals():
        tests.add(f"refused: {title}", refused, error, sentence, **config)
    tests.add("refused: reuse on VRF", unsuitable, "type vrf table 10",
              "^reuse: this device does not", layer="driver", reuse=True)
    tests.add("peer in another namespace", to_peer)
    tests.add("GSO packets of a socket", segments)
    tests.add("TCP and UDP of others pass", untouched)
    down, gone = "device-down", "device-removed"
    for title, action, undo, reasons in (
            ("down", "ip link set v0 down", "true", (down, down, down, None)),
            ("down at the peer", "ip link set v1 down", "true",
             (None, None, None, down)),
            ("removed", "ip link del v0", "true", (gone,) * 4),
            ("moved", f"ip link set v0 netns {PEER}",
             f"ip -n {PEER} link del v0", (gone, gone, gone, None))):
        tests.add(f"device {title}", ends, action, undo, reasons)
    tests.add("module removed", unloaded)
    return tests.run()


if __name__ == "__main__":
    sys.exit(main())
