#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Frames of the queue and driver layers, and the sink at the ingress hook.

usage: frames.py NETNS [NIC]...

Runs in a namespace without traffic of its own; NETNS is another one. NICs are
wired to each other in pairs. See test_frames.sh, which calls this.

exit: 0 all went well, 1 something did not
"""

import collections
import errno
import itertools
import json
import os
import socket
import subprocess
import sys
import threading
import time

from capture import HEADERS, Capture
from ktput import (COOKIE, Client, Skip, Tests, counter, equal, index, inside,
                   link, mac, shell, until)

if len(sys.argv) < 2:
    sys.exit(__doc__)
PEER, NICS = sys.argv[1], sys.argv[2:]
LAYERS = "driver", "queue"
STATION = bytes.fromhex("020000000002")
# What a thousand frames take to be looked at where each access is checked.
PATIENCE = 120 * 10**9
# Where the receiver has had no room, QEMU lets later frames pass earlier ones. A
# kernel that checks each access (vm/kernel.sh) makes room more slowly.
NIC_RATE = 1000 if "-ktput-" in os.uname().release else 10000
IPV6 = {"local": "fd09::1", "remote": "fd09::2"}

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
    until(lambda: "LOWER_UP" in link(device, netns)["flags"],
          f"carrier of {device}")


def clear():
    """Forget all runs, unless the module is gone."""
    if os.path.exists("/sys/module/ktput"):
        here.clear()
        there.clear()


tests.after = [clear]


def source(device, layer, **config):
    """Start a source of frames."""
    return here.start("source", **{
        "layer": layer, "device": index(device), "local": "10.9.0.1",
        "remote": "10.9.0.2", "local_port": 1000, "remote_port": 2000,
        "destination_mac": STATION, **config})


def sink(device, netns=None, **config):
    """Start a sink of frames."""
    return (there if netns else here).start("sink", **{
        "layer": "ingress", "device": index(device, netns),
        "local_port": 2000, **config})


def captured(layer, offload, count, ipv6=False, **config):
    """Frames that arrive on the peer, each verified."""
    shell(f"ethtool -K v0 tx {'on' if offload else 'off'}")
    with Capture("v1") as capture:
        # What the socket keeps is not back at the source, which waits for it.
        giver = source("v0", layer, end_messages=count, drain_time=PATIENCE,
                       **(IPV6 if ipv6 else {}), **config)
        frames = [capture.frame(COOKIE, offload) for _ in range(count)]
        sent = here.wait(giver, "messages")
        assert capture.empty(), "there are more frames"
    equal(sent.messages, count, what="sent")
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
    for frame in captured(layer, offload, 50):
        equal((frame.size, frame.tags, frame.local, frame.remote),
              (60, [], ("10.9.0.1", 1000), ("10.9.0.2", 2000)))
        equal(frame.stations, STATION + mac("v0"))


def ipv6(layer, offload):
    """IPv6, whose checksum matters more."""
    for frame in captured(layer, offload, 50, True, source_mac=b"\2" * 6):
        equal((frame.size, frame.local, frame.remote),
              (78, ("fd09::1", 1000), ("fd09::2", 2000)))
        equal(frame.stations, STATION + b"\2" * 6)


def tags(layer, offload):
    """One tag and two, with their priorities."""
    for frame in captured(layer, offload, 20, vlan=0x2005):
        equal((frame.tags, frame.size), ([(0x8100, 0x2005)], 62))
    for version, least in (False, 66), (True, 86):
        for frame in captured(layer, offload, 40, version, vlan=5,
                              vlan_inner=0x6007, frame_size_min=least,
                              frame_size_max=least + 3):
            equal(frame.tags, [(0x88A8, 5), (0x8100, 0x6007)])


def sizes(layer, offload):
    """Each size of a range as often, odd ones too."""
    for version, least in (False, 60), (True, 78):
        frames = captured(layer, offload, 80, version, frame_size_min=least,
                          frame_size_max=least + 39)
        equal([frame.size for frame in frames],
              2 * list(range(least, least + 40)))
    equal(captured(layer, offload, 1, frame_size_min=1514)[0].size, 1514)


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
        frames = captured(layer, offload, 72, version, local_ports=3,
                          remote_ports=2, local_addresses=2,
                          remote_addresses=3, frame_size_min=101,
                          frame_size_max=104)
        equal(sorted(collections.Counter(
            frame.local + frame.remote for frame in frames).values()),
              [2] * 36)
        equal(len({frame.local for frame in frames}), 6)
        equal(len({frame.remote for frame in frames}), 6)


def bursts():
    """Bursts, and bursts at a rate."""
    captured("driver", True, 1000, burst=64)
    begun = time.monotonic()
    captured("driver", True, 200, burst=8, packet_rate=1000)
    assert time.monotonic() - begun > 0.18, "faster than asked"


def exact(layer, way, netns=None, **config):
    """Source, interfaces and sink have counted the same.

    WAY is of devices: the first sends, the last has the sink, those between
    have the frames pass in the direction that is given.
    """
    def count():
        return [counter(device, direction, netns=netns if direction == "rx"
                        else None) for device, direction in way]
    taker = sink(way[-1][0], netns, streams=2)
    tx_bytes = counter(way[0][0], "tx", "bytes")
    before = count()
    giver = source(way[0][0], layer, **{
        "end_messages": 5000, "destination_mac": mac(way[-1][0], netns),
        **config})
    sent = here.wait(giver, "messages")
    equal(sent.messages, config.get("end_messages", 5000), what="sent")
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
    equal(sent.bytes, got.bytes, what="bytes")
    bad = {name: getattr(got, name) for name in (
        "lost", "duplicates", "reordered", "late", "foreign")}
    assert not any(bad.values()), bad
    if way[0][0] == "v0":
        equal(counter("v0", "tx", "bytes") - tx_bytes, sent.bytes +
              sent.messages * (HEADERS + 4 * ("vlan" in config) +
                               4 * ("vlan_inner" in config) +
                               20 * ("local" in config)), what="tx bytes")


DIRECT = ("v0", "tx"), ("v1", "rx")
EXACT = (
    ("60 bytes", {}),
    ("1514 bytes", {"frame_size_min": 1514}),
    ("IPv6", IPV6),
    ("a tag", {"vlan": 5}),
    ("two tags", {"vlan": 5, "vlan_inner": 9}),
    ("two tags, IPv6", {"vlan": 5, "vlan_inner": 9, **IPV6}),
    ("a mix", {"mix": "60:7,590:4,1514:1"}),
    ("a range", {"frame_size_min": 60, "frame_size_max": 1514}),
    ("ports", {"remote_ports": 2, "local_ports": 3}),
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
    finally:
        shell("ip link del v0.7; ip link del v1.7")


def bridge(layer):
    """From a bridge, and over it."""
    shell("ip link add br0 type bridge; ip link set br0 up; "
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
              frame_size_min=1514)
    finally:
        shell("ip link del br0; ip link del w0")


def nics(driver):
    """Two NICs that are wired to each other."""
    pair = [nic for nic in NICS if os.path.basename(os.readlink(
        f"/sys/class/net/{nic}/device/driver")) == driver]
    if len(pair) != 2:
        raise Skip(f"no two {driver} devices")
    for nic in pair:
        shell(f"ip link set {nic} up")
    for nic in pair:
        carrier(nic)
    for layer, config in (
            ("driver", {"burst": 32}),
            ("driver", {"burst": 32, "frame_size_min": 1514}),
            ("driver", {"burst": 8, "vlan": 5, "vlan_inner": 6}),
            ("queue", {}), ("queue", {"mix": "60:7,590:4,1514:1"})):
        exact(layer, ((pair[0], "tx"), (pair[1], "rx")),
              **{**config, "packet_rate": NIC_RATE})


def dummy(layer, **config):
    """What a dummy swallows is what it has been given."""
    before = counter("d0", "tx"), counter("d0", "tx", "bytes")
    sent = here.wait(source("d0", layer, end_messages=20000, **config),
                     "messages")
    equal(sent.messages, 20000, counter("d0", "tx") - before[0])
    equal(sent.bytes + sent.messages * HEADERS,
          counter("d0", "tx", "bytes") - before[1], what="bytes")
    equal(sent.drops, 0, what="drops")


def segments():
    """A GSO packet is as many frames as it has segments."""
    address = mac("v1", PEER).hex(":")
    shell(f"ip neigh replace 10.9.0.2 lladdr {address} dev v0")
    taker = sink("v1", PEER)
    before = counter("v1", "rx", netns=PEER)
    sent = here.wait(here.start("source", remote="10.9.0.2", remote_port=2000,
                                segments=16, message_size=1000,
                                end_messages=1600), "messages")
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
    giver = source("v0", "driver", destination_mac=mac("v1", PEER), burst=8,
                   packet_rate=5000)
    thread = threading.Thread(target=take)
    thread.start()
    with socket.create_connection(("10.9.0.2", 5000), 30) as stream, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        stream.sendall(data)
        for number in range(20):
            # The sink's address and port, but for the cookie.
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
    here.wait(source("v0", "driver", end_messages=500), "messages")
    until(lambda: counter("v1", "rx") - before == 500, "arrive")
    got = here.stop(taker)
    equal((got.messages, got.bytes), (0, 0))


def throttled():
    """A queueing discipline's drops are counted here as there."""
    shell("tc qdisc add dev v0 root tbf rate 10mbit burst 3000 limit 10000")
    try:
        before = counter("v0", "tx"), counter("v1", "rx")
        taker = sink("v1")
        sent = here.wait(source("v0", "queue", end_time=300000000,
                                frame_size_min=1000), "time")
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


def without_carrier(layer):
    """A source waits, and does not spin."""
    shell("ip link set v1 down")
    try:
        sent = here.wait(source("v0", layer, end_time=300000000), "time")
    finally:
        shell("ip link set v1 up")
        carrier("v0")
    equal(sent.messages, 0, what="sent")
    # Every millisecond, and for a start more often.
    assert 0 < sent.stopped < 1000, f"looked {sent.stopped} times"


def ends(action, undo, reasons):
    """What happens to a device ends each run, with its reason."""
    veth()
    runs = [source("v0", "driver", burst=8, frame_size_min=1514),
            source("v0", "queue"), sink("v0"), sink("v1")]
    until(lambda: all(here.snapshot(run).messages > 100
                      for run in (*runs[:2], runs[3])), "frames are sent")
    shell(action)
    for run, reason in zip(runs, reasons):
        if reason:
            here.wait(run, reason)
        else:
            equal(here.snapshot(run).run["state"], "running")
    shell(undo)


def unloaded():
    """The module goes at once, while it sends and takes."""
    veth()
    sink("v1")
    run = source("v0", "driver", burst=8)
    source("v0", "queue")
    until(lambda: here.snapshot(run).messages > 100, "frames are sent")
    done = subprocess.run(["rmmod", "ktput"], timeout=30, check=False,
                          capture_output=True, text=True)
    equal(done.returncode, 0, what=done.stderr)
    before = counter("v0", "tx")
    time.sleep(0.1)
    equal(before, counter("v0", "tx"), what="frames")


def refusals():
    """Configurations that are refused: title, errno, sentence, attributes."""
    d0, v0 = {"device": index("d0")}, {"device": index("v0")}
    lo = {"device": index("lo")}
    frame = {"layer": "driver", "local": "10.9.0.1", "remote": "10.9.0.2",
             "local_port": 1000, "remote_port": 2000,
             "destination_mac": STATION, **d0}
    taker = {"role": "sink", "layer": "ingress", "local_port": 2000, **v0}
    size = "a frame of IPv4.* has 6[026] bytes at least"
    for title, error, sentence, changes in (
            ("loopback", errno.EOPNOTSUPP, "^device: loopback", lo),
            ("loopback's queue", errno.EOPNOTSUPP, "^device: loopback",
             {**lo, "layer": "queue"}),
            ("no such device", errno.ENODEV, "^device: none", {"device": 9999}),
            ("no device", errno.EINVAL, "^device is required",
             {"device": None}),
            ("reuse on veth", errno.EOPNOTSUPP, "^reuse: this device does not",
             {**v0, "reuse": True}),
            ("reuse of a range", errno.EINVAL, "^reuse sends one frame",
             {"reuse": True, "frame_size_max": 99}),
            ("reuse in a queue", errno.EINVAL, "^reuse is for the driver",
             {"reuse": True, "layer": "queue"}),
            ("burst 0", errno.ERANGE, "^burst must be 1 to", {"burst": 0}),
            ("burst 257", errno.ERANGE, "^burst must be 1 to", {"burst": 257}),
            ("burst in a queue", errno.EINVAL, "^burst is for the driver",
             {"burst": 2, "layer": "queue"}),
            ("queue 7 of 4", errno.ERANGE, "^queues: the device has not",
             {"queues": "7"}),
            ("queue x", errno.EINVAL, "^queues must be a list",
             {"queues": "x"}),
            ("mix without weight", errno.EINVAL, "^mix must be",
             {"mix": "60"}),
            ("mix of weight 0", errno.EINVAL, "^mix must be", {"mix": "60:0"}),
            ("mix of weights beyond 256", errno.ERANGE, "^the weights of mix",
             {"mix": "60:200,70:100"}),
            ("mix beyond the MTU", errno.EMSGSIZE, "larger than MTU",
             {"mix": "1515:1"}),
            ("frame beyond the MTU", errno.EMSGSIZE, "larger than MTU",
             {"frame_size_min": 1515}),
            ("frame of 59 bytes", errno.ERANGE, size, {"frame_size_min": 59}),
            ("frame of 61 bytes with a tag", errno.ERANGE, size,
             {"frame_size_min": 61, "vlan": 1}),
            ("range upside down", errno.ERANGE, "^frame-size-max must not",
             {"frame_size_min": 80, "frame_size_max": 70}),
            ("range and mix", errno.EINVAL, "contradict mix",
             {"frame_size_min": 80, "mix": "60:1"}),
            ("no destination-mac", errno.EDESTADDRREQ, "destination-mac$",
             {"destination_mac": None}),
            ("source-mac of a group", errno.EINVAL, "^source-mac must be",
             {"source_mac": b"\1" + bytes(5)}),
            ("no local-port", errno.EINVAL, "^local-port is required",
             {"local_port": None}),
            ("ports beyond the last", errno.ERANGE, "^local-port plus",
             {"local_ports": 65000}),
            ("no addresses", errno.ERANGE, "^remote-addresses must be",
             {"remote_addresses": 0}),
            ("inner tag alone", errno.EINVAL, "^vlan-inner needs vlan",
             {"vlan_inner": 1}),
            ("packet-rate 0", errno.ERANGE, "^packet-rate must be",
             {"packet_rate": 0}),
            ("message-size", errno.EINVAL, "^message-size is for the socket",
             {"message_size": 100})):
        yield title, error, sentence, {**frame, **changes}
    for title, error, sentence, changes in (
            ("a sink on loopback", errno.EOPNOTSUPP, "^device: loopback", lo),
            ("a sink with CPUs", errno.EINVAL, "^cpus: a sink at the ingress",
             {"cpus": "0"}),
            ("a sink with a burst", errno.EINVAL, "^burst is for a source",
             {"burst": 2})):
        yield title, error, sentence, {**taker, **changes}


def unsuitable(made, sentence, **config):
    """Devices that would do harm with what they are given."""
    done = subprocess.run(f"ip link add x0 {made} && ip link set x0 up",
                          shell=True, check=False, capture_output=True,
                          text=True)
    if done.returncode:
        raise Skip("no such device: " + done.stderr.strip())
    here.refused(errno.EOPNOTSUPP, sentence, "source", device=index("x0"),
                 local="10.9.0.1", local_port=1000, remote="10.9.0.2",
                 remote_port=2000, destination_mac=STATION, **config)
    shell("ip link del x0")


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
            LAYERS, (False, True), (plain, ipv6, tags, sizes, mix, flows)):
        tests.add(f"{layer}, checksums by {'device' if offload else 'ktput'}: "
                  f"{case.__name__} as captured", case, layer, offload)
    tests.add("bursts as captured", bursts)
    for layer, (title, config) in itertools.product(LAYERS, EXACT):
        burst = {"burst": 16} if layer == "driver" else {}
        tests.add(f"{layer}: {title}, all counters agree", exact, layer,
                  DIRECT, **burst, **config)
    for layer, case in itertools.product(LAYERS, (vlan_devices, bridge)):
        tests.add(f"{layer}: {case.__name__}, all counters agree", case, layer)
    for driver in "virtio_net", "e1000e":
        tests.add(f"{driver}: all counters agree", nics, driver)
    for config in ({"reuse": True}, {"reuse": True, "burst": 64}, {},
                   {"burst": 64}, {"streams": 4},
                   {"queues": "0,2", "burst": 32, "reuse": True}):
        words = " ".join(f"{name} {value}" for name, value in config.items())
        tests.add(f"dummy, driver {words}".rstrip(), dummy, "driver", **config)
    tests.add("dummy, queue", dummy, "queue")
    for title, config in (("cookie", {"cookie": 1}),
                          ("port", {"local_port": 2001}),
                          ("address", {"local": "10.9.0.3"}),
                          ("IP version", {"local": "fd09::2"})):
        tests.add(f"frames to another {title} are not taken", not_taken,
                  **config)
    tests.add("drops of tbf are accounted", throttled)
    for layer in LAYERS:
        tests.add(f"{layer}: no carrier", without_carrier, layer)
    for title, error, sentence, config in refusals():
        tests.add(f"refused: {title}", here.refused, error, sentence, **config)
    tests.add("refused: reuse on VRF", unsuitable, "type vrf table 10",
              "^reuse: this device does not", layer="driver", reuse=True)
    for layer in LAYERS:
        tests.add(f"refused: {layer} of MACsec", unsuitable,
                  "link v0 type macsec", "^device is of MACsec", layer=layer)
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
