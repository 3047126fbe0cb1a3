#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Devices and routes that encrypt: what they write into is not ktput's any more.

MACsec and IPsec encrypt in place. A frame that is lost afterwards, before somebody
decrypts it, leaves its buffer like that; ESP decrypts in place too.

veth0 here leads to a router, which has veth0 for here and far0 for a third
namespace, the far end.

exit: 0 all went well, 1 something did not
"""

import errno
import itertools
import json
import re
import socket
import struct
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import Client, Skip, Tests, equal, index, link, mac
from testbed import (BOUND, enter, inside, module, namespace, need, setting, shell,
                     until, veth_pair)

SINK, COUNT = 2000, 250
# Of sockets, whose packets are all there.
FEW = 200
# Of linux/udp.h.
UDP_ENCAP, UDP_ENCAP_ESPINUDP = 100, 2
IFF_LOWER_UP = 1 << 16
KEY = "0x" + "0102030405060708090a0b0c0d0e0f1011121314"
IPSEC = f"aead 'rfc4106(gcm(aes))' {KEY} 128"
LAYERS = "driver", "queue"
# Each way to send at the socket layer.
WAYS = [("udp", "copy"), ("udp", "zerocopy"), ("udp", "direct"),
        ("tcp", "copy"), ("tcp", "zerocopy")]

need("ip", "tc", "ethtool", "ping", "wg")
enter(module())
# Frames that a CPU takes more slowly than another sends them wait, and are not dropped.
enter(setting("/proc/sys/net/core/netdev_max_backlog", 10000))
HERE, ROUTER = enter(veth_pair(sysctls=("net.ipv6.conf.all.disable_ipv6=1",
                                        "net.ipv6.conf.default.disable_ipv6=1")))
FAR = enter(namespace())


def ip(netns, *lines):
    """Commands of ip in a namespace: one process, since each is dear when emulated."""
    done = subprocess.run(["ip", "-n", netns, "-batch", "-"], input="\n".join(lines),
                          text=True, check=False, capture_output=True)
    assert done.returncode == 0, f"{lines}: {done.stderr.strip()}"


def make(netns, *lines):
    """The same, of a device or a state of IPsec that the kernel may not have."""
    try:
        ip(netns, *lines)
    except AssertionError as missing:
        raise Skip(f"the kernel cannot: {missing}") from missing


ip(ROUTER, f"link add far0 type veth peer name far0 netns {FAR}",
   "addr add 10.9.1.1/24 dev far0", "link set far0 up")
ip(FAR, "addr add 10.9.1.2/24 dev far0", "link set far0 up",
   "route add default via 10.9.1.1")
ip(HERE, "route add default via 10.9.0.2")
# The router has no time to ask when frames come.
ip(ROUTER, f"neigh add 10.9.1.2 dev far0 lladdr {mac('far0', FAR).hex(':')} nud permanent")
with inside(ROUTER), open("/proc/sys/net/ipv4/ip_forward", "w", encoding="ascii") as on:
    on.write("1")
here, router, far = Client(), Client(ROUTER), Client(FAR)
tests = Tests()


def tidy():
    """No run is left, and no device or state of a case."""
    for client in here, router, far:
        client.clear()
    shell("ethtool -K veth0 tx on; tc qdisc del dev veth0 root 2>/dev/null; "
          f"tc -n {ROUTER} qdisc del dev far0 root 2>/dev/null; true")
    for netns in HERE, ROUTER, FAR:
        subprocess.run(["ip", "-n", netns, "-force", "-batch", "-"], text=True,
                       input="xfrm state flush\nxfrm policy flush\n"
                       "link del enc0.5\nlink del enc0\n",
                       check=False, capture_output=True)


tests.after = [tidy]


def dropped(device, netns):
    """Frames that netem has dropped."""
    return json.loads(shell(f"tc -n {netns} -j -s qdisc show dev {device}"))[0]["drops"]


def wrong_checksums(netns):
    """UDP's InCsumErrors of a namespace."""
    with inside(netns), open("/proc/net/snmp", encoding="ascii") as file:
        names, values = (line.split() for line in file
                         if line.startswith("Udp:"))
    return int(dict(zip(names, values))["InCsumErrors"])


def measured(client, netns, device, source, lost, **config):
    """Send frames, of which as many arrive intact as are not LOST."""
    taker = client.start("sink", local_port=SINK, rcvbuf=1 << 24)
    wrong = wrong_checksums(netns)
    giver = here.start("source", **{
        "dev": index(device), "local_port": 1000, "remote_port": SINK,
        "messages": 4 * COUNT, "packet_rate": 20000, "size_min": 100,
        "size_max": 1000, **source, **config})
    sent = here.wait(giver, "messages")
    equal(sent.messages, 4 * COUNT, what="sent")

    def arrived():
        now = client.snapshot(taker)
        return now.datagrams + now.drops + lost() >= 4 * COUNT
    until(arrived, "frames arrive")
    got = client.stop(taker)
    equal(wrong_checksums(netns) - wrong, 0, what="InCsumErrors")
    equal(got.drops, 0, what="drops of the socket")
    assert lost() > COUNT / 10, f"{lost()} are lost"
    equal(got.datagrams, 4 * COUNT - lost(), what="datagrams")
    return got


def tunnel(netns, inward):
    """Packets from here to the far end are in ESP between router and far end."""
    make(netns, "xfrm state add src 10.9.1.1 dst 10.9.1.2 proto esp "
         f"spi 0x100 reqid 1 mode tunnel {IPSEC}",
         f"xfrm policy add dir {'in' if inward else 'out'} "
         "src 10.9.0.0/24 dst 10.9.1.2/32 tmpl src 10.9.1.1 dst 10.9.1.2 "
         "proto esp reqid 1 mode tunnel")


def forwarded(layer, offload):
    """The router encrypts frames, and 10 % are lost behind it."""
    shell(f"ethtool -K veth0 tx {'on' if offload else 'off'}")
    tunnel(ROUTER, False)
    tunnel(FAR, True)
    shell(f"tc -n {ROUTER} qdisc add dev far0 root netem loss 10% limit 10000")
    measured(far, FAR, "veth0", {
        "layer": layer, "local": "10.9.0.1", "remote": "10.9.1.2",
        "mac": mac("veth0", ROUTER)}, lambda: dropped("far0", ROUTER))


def macsec():
    """enc0 of both ends of veth0 are MACsec devices above it."""
    shell("modprobe -aq macsec gcm ctr; true")
    for netns, other, number in (HERE, ROUTER, 1), (ROUTER, HERE, 2):
        peer = mac("veth0", other).hex(":")
        make(netns, "link add link veth0 enc0 type macsec port 11 encrypt on")
        ip(netns, f"macsec add enc0 tx sa 0 pn 1 on key 0{number} {number:032x}",
           f"macsec add enc0 rx port 11 address {peer}",
           f"macsec add enc0 rx port 11 address {peer} sa 0 pn 1 "
           f"on key 0{3 - number} {3 - number:032x}", "link set enc0 up")


def up(device):
    """Both ends are up, and have their addresses."""
    for number, netns in enumerate((HERE, ROUTER), 1):
        ip(netns, f"addr add 10.8.0.{number}/24 dev {device}",
           f"link set {device} up")
        until(lambda netns=netns: link(device, netns).flags & IFF_LOWER_UP, "carrier")


def over_macsec(layer, tagged):
    """Frames of a MACsec device, or of a VLAN on it: 10 % are lost below."""
    macsec()
    device = "enc0"
    if tagged:
        device = "enc0.5"
        for netns in HERE, ROUTER:
            ip(netns, f"link add link enc0 name {device} type vlan id 5")
    up(device)
    shell("tc qdisc add dev veth0 root netem loss 10% limit 10000")
    measured(router, ROUTER, device, {
        "layer": layer, "local": "10.8.0.1", "remote": "10.8.0.2",
        "mac": mac(device, ROUTER)}, lambda: dropped("veth0", HERE))


def refused_by_ipsec():
    """Packets that the router has decrypted, to find no packet in them."""
    with inside(ROUTER), open("/proc/net/xfrm_stat", encoding="ascii") as file:
        return int(dict(line.split() for line in file)["XfrmInStateProtoError"])


def in_place(method):
    """ESP in UDP to a local port decrypts datagrams, and not what others share.

    The cookie is an SPI, so it takes the sequence for its own; nothing is verified,
    and all behind the IV is decrypted. The second stream of the CPU has the same
    payload, and goes to a program.
    """
    shell("modprobe -aq esp4 authenc crypto_null cbc; true")
    make(ROUTER, "xfrm state add src 10.9.0.1 dst 10.9.0.2 proto esp "
         "spi 0x6b747075 mode transport enc 'cbc(aes)' "
         "0x0102030405060708090a0b0c0d0e0f10 auth digest_null '' "
         "encap espinudp 1000 4500 0.0.0.0 replay-window 0")
    with inside(ROUTER):
        ports = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
    with ports[0], ports[1]:
        for number, port in enumerate(ports, 4500):
            port.bind(("10.9.0.2", number))
            port.settimeout(BOUND)
        ports[0].setsockopt(socket.IPPROTO_UDP, UDP_ENCAP,
                            struct.pack("i", UDP_ENCAP_ESPINUDP))
        before = refused_by_ipsec()
        # 8 bytes of ESP, 16 of IV, and whole blocks.
        giver = here.start("source", remote="10.9.0.2", remote_port=4500, streams=2,
                           cpus="0", local_port=1000, method=method, messages=40,
                           packet_rate=200, size=8 + 16 + 512)
        here.wait(giver, "messages")
        payloads = [ports[1].recv(2048)[16:] for _ in range(20)]
        passed = int(re.search(r"(\d+)\(packets\)",
                               shell(f"ip -n {ROUTER} -s xfrm state"))[1])
        equal(passed + refused_by_ipsec() - before, 20, what="decrypted")
    equal(len(set(payloads)), 1, what="different payloads")


def ipsec():
    """Packets between the ends of veth0 are in ESP."""
    for netns, out in (HERE, 1), (ROUTER, 2):
        for spi, one, other in (1, 1, 2), (2, 2, 1):
            make(netns, f"xfrm state add src 10.9.0.{one} dst 10.9.0.{other} "
                 f"proto esp spi {spi} reqid 1 mode transport {IPSEC}",
                 f"xfrm policy add dir {'out' if one == out else 'in'} "
                 f"src 10.9.0.{one} dst 10.9.0.{other} tmpl proto esp reqid 1 "
                 "mode transport")
    return "10.9.0.2"


def ipsec_device():
    """enc0 are devices of IPsec, with a tunnel between them."""
    for netns, out in (HERE, 1), (ROUTER, 2):
        make(netns, "link add enc0 type xfrm dev veth0 if_id 7")
        for spi, one, other in (1, 1, 2), (2, 2, 1):
            ip(netns, f"xfrm state add src 10.9.0.{one} dst 10.9.0.{other} "
               f"proto esp spi {spi} reqid 1 mode tunnel {IPSEC} if_id 7",
               f"xfrm policy add dir {'out' if one == out else 'in'} "
               f"src 10.8.0.{one} dst 10.8.0.{other} if_id 7 tmpl "
               f"src 10.9.0.{one} dst 10.9.0.{other} proto esp reqid 1 mode tunnel")
    up("enc0")
    return "10.8.0.2"


def wireguard():
    """enc0 are of WireGuard."""
    keys = [shell("wg genkey").strip() for _ in range(2)]
    for netns, number in (HERE, 0), (ROUTER, 1):
        make(netns, "link add enc0 type wireguard")
        other = 1 - number
        public = shell(f"echo {keys[other]} | wg pubkey").strip()
        shell(f"k=$(mktemp); echo {keys[number]} > $k; "
              f"ip netns exec {netns} wg set enc0 private-key $k listen-port 51820 "
              f"peer {public} endpoint 10.9.0.{other + 1}:51820 "
              "allowed-ips 10.8.0.0/24; rm $k")
    up("enc0")
    shell("ping -qc1 -W30 10.8.0.2")
    return "10.8.0.2"


def macsec_device():
    """enc0 are of MACsec, with addresses."""
    macsec()
    up("enc0")
    return "10.8.0.2"


def sockets(device, transport, method):
    """A stream at the socket layer, to the byte."""
    address = device()
    other = {"cookie": None} if transport == "tcp" else \
        {"size": 1000, "packet_rate": 2000}
    room = {} if transport == "tcp" else {"rcvbuf": 1 << 24}
    taker = router.start("sink", transport=transport, local_port=SINK,
                         cookie=other.get("cookie", 0x6B747075), **room)
    giver = here.start("source", transport=transport, method=method,
                       remote=address, remote_port=SINK, **{
                           **other, **({"messages": FEW} if room else
                                       {"bytes": 200 * FEW})})
    sent = here.wait(giver, "messages" if room else "bytes")
    until(lambda: router.snapshot(taker).bytes >= sent.bytes, "all arrives")
    got = router.stop(taker)
    equal(sent.bytes, got.bytes, FEW * (1000 if room else 200), what="bytes")
    if room:
        equal((got.lost, got.duplicates, got.foreign, got.drops), (0,) * 4)


def not_ethernet(device):
    """A device without Ethernet has no frames."""
    device()
    for layer in LAYERS:
        here.refused(errno.EOPNOTSUPP, "^dev is not Ethernet", layer=layer,
                     dev=index("enc0"), local="10.8.0.1", local_port=1000,
                     remote="10.8.0.2", remote_port=SINK, mac=b"\2" * 6)


def main():
    """All of them."""
    # The VM does not load them by itself, and without them AES is 14 times as dear.
    shell("modprobe -aq aesni_intel ghash_clmulni_intel; true")
    for layer, offload in itertools.product(LAYERS, (False, True)):
        tests.add(f"{layer}, checksums by {'device' if offload else 'ktput'}: a "
                  "loss behind IPsec", forwarded, layer, offload)
    for layer, tagged in itertools.product(LAYERS, (False, True)):
        tests.add(f"{layer}: a loss below {'a VLAN on ' * tagged}MACsec",
                  over_macsec, layer, tagged)
    for method in "copy", "zerocopy", "direct":
        tests.add(f"ESP does not decrypt what {method} sends in place", in_place,
                  method)
    for device, (transport, method) in itertools.product(
            (ipsec, ipsec_device, wireguard, macsec_device), WAYS):
        tests.add(f"{device.__name__}: {transport} by {method}", sockets, device,
                  transport, method)
    for device in ipsec_device, wireguard:
        tests.add(f"{device.__name__}: frames are refused", not_ethernet, device)
    return tests.run()


if __name__ == "__main__":
    sys.exit(main())
