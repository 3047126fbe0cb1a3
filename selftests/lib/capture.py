# SPDX-License-Identifier: GPL-2.0
"""Frames of ktput as a packet socket sees them, taken apart and verified."""

import collections
import ipaddress
import socket
import struct

from ktput import SO_RCVBUFFORCE

ETH_P_ALL, ETH_P_IP, ETH_P_IPV6 = 0x0003, 0x0800, 0x86DD
ETH_P_8021Q, ETH_P_8021AD = 0x8100, 0x88A8
SOL_PACKET, PACKET_AUXDATA = 263, 8
AUXDATA = struct.Struct("IIIHHHH")
TP_STATUS_CSUMNOTREADY, TP_STATUS_VLAN_VALID = 0x8, 0x10
TP_STATUS_VLAN_TPID_VALID = 0x40
# Ethernet, IPv4 and UDP.
HEADERS = 14 + 20 + 8

Frame = collections.namedtuple(
    "Frame", "stations tags local remote sequence payload size time")


def total(data):
    """Sum of RFC 1071, before its complement."""
    data += b"\0" * (len(data) % 2)
    value = sum(struct.unpack(f">{len(data) // 2}H", data))
    while value >> 16:
        value = (value & 0xFFFF) + (value >> 16)
    return value


class Capture:
    """What a device receives, from now on."""

    def __init__(self, device):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                    socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.bind((device, 0))
        self.socket.settimeout(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def empty(self):
        """True if nothing waits; the last thing to ask."""
        self.socket.setblocking(False)
        try:
            self.socket.recv(65536)
        except BlockingIOError:
            return True
        return False

    def read(self):
        """A frame as it was on the wire, and whether it lacks its checksum."""
        data, messages, _, _ = self.socket.recvmsg(65536, 256)
        partial = False
        for level, kind, body in messages:
            if (level, kind) != (SOL_PACKET, PACKET_AUXDATA):
                continue
            status, _, _, _, _, tci, tpid = AUXDATA.unpack(body)
            partial = bool(status & TP_STATUS_CSUMNOTREADY)
            if status & TP_STATUS_VLAN_VALID:
                if not status & TP_STATUS_VLAN_TPID_VALID:
                    tpid = ETH_P_8021Q
                data = data[:12] + struct.pack(">HH", tpid, tci) + data[12:]
        return data, partial

    def frame(self, cookie, offload):
        """A frame that is right in all that it has."""
        data, partial = self.read()
        assert partial == offload, \
            f"checksum {'' if partial else 'not '}left to the device"
        kind, at, tags = int.from_bytes(data[12:14], "big"), 14, []
        while kind in (ETH_P_8021Q, ETH_P_8021AD):
            tci, inner = struct.unpack_from(">HH", data, at)
            tags.append((kind, tci))
            kind, at = inner, at + 4
        packet = data[at:]
        if kind == ETH_P_IP:
            assert packet[0] == 0x45 and packet[9] == socket.IPPROTO_UDP
            assert total(packet[:20]) == 0xFFFF, "IPv4 checksum is wrong"
            length = int.from_bytes(packet[2:4], "big")
            addresses, udp = packet[12:20], packet[20:]
        else:
            assert kind == ETH_P_IPV6, f"type {kind:#x}"
            assert packet[0] >> 4 == 6 and packet[6] == socket.IPPROTO_UDP
            length = int.from_bytes(packet[4:6], "big") + 40
            addresses, udp = packet[8:40], packet[40:]
        assert length == len(packet), f"IP length {length}, not {len(packet)}"
        local, remote, length, checksum = struct.unpack_from(">HHHH", udp)
        assert length == len(udp), f"UDP length {length}, not {len(udp)}"
        pseudo = addresses + struct.pack(">II", length, socket.IPPROTO_UDP)
        if partial:
            assert checksum == total(pseudo), "UDP checksum does not begin right"
        else:
            assert checksum, "there is no UDP checksum"
            assert total(pseudo + udp) == 0xFFFF, "UDP checksum is wrong"
        said, sequence = struct.unpack_from(">II", udp, 8)
        assert said == cookie, f"cookie {said:#x}"
        assert not any(udp[24:]), "payload is not zero"
        half = len(addresses) // 2
        return Frame(data[:12], tags,
                     (str(ipaddress.ip_address(addresses[:half])), local),
                     (str(ipaddress.ip_address(addresses[half:])), remote),
                     sequence, len(udp) - 8, len(data), udp[16:24])
