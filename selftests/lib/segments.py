# SPDX-License-Identifier: GPL-2.0
"""Packets that no stack sends, for a device to carry to its neighbour."""

import socket
import struct

from capture import ETH_P_IP, total

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16


def ipv4(source, destination, protocol, payload, **other):
    """An IPv4 packet; OTHER has the fields that are not as they should be."""
    length = other.get("length", 20 + len(payload))
    header = struct.pack(
        "!BBHHHBBH4s4s", other.get("version_ihl", 0x45), 0, length & 0xFFFF,
        0, other.get("fragment", 0), 64, protocol, 0,
        socket.inet_aton(source), socket.inet_aton(destination))
    check = struct.pack("!H", 0xFFFF - total(header))
    return header[:10] + check + header[12:] + payload


def pseudo(source, destination, protocol, length):
    """What a checksum has in it besides the segment."""
    return socket.inet_aton(source) + socket.inet_aton(destination) + \
        struct.pack("!HH", protocol, length)


def tcp(source, destination, ports, numbers, flags, window=65535, payload=b"",
        options=b"", wrong=0, **other):
    """A TCP segment in IPv4; WRONG is added to the checksum."""
    words = other.pop("words", 5 + len(options) // 4)
    segment = struct.pack("!HHIIBBHHH", *ports, *numbers, words << 4 & 0xF0,
                          flags, window, 0, 0) + options + payload
    check = 0xFFFF - total(pseudo(source, destination, 6, len(segment)) +
                           segment)
    segment = segment[:16] + struct.pack("!H", (check + wrong) & 0xFFFF) + \
        segment[18:]
    return ipv4(source, destination, 6, segment, **other)


def udp(source, destination, ports, payload, wrong=0, length=None):
    """A UDP datagram in IPv4; WRONG is added to the checksum."""
    size = 8 + len(payload) if length is None else length
    datagram = struct.pack("!HHHH", *ports, size, 0) + payload
    check = 0xFFFF - total(pseudo(source, destination, 17, len(datagram)) +
                           datagram)
    datagram = datagram[:6] + struct.pack("!H", (check + wrong) & 0xFFFF or
                                          0xFFFF) + datagram[8:]
    return ipv4(source, destination, 17, datagram)


class Wire:
    """A device with a neighbour."""

    def __init__(self, device, here, there):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                    socket.htons(ETH_P_IP))
        self.socket.bind((device, 0))
        self.socket.settimeout(30)
        self.header = there + here + struct.pack("!H", ETH_P_IP)

    def send(self, packet):
        """Send an IPv4 packet."""
        self.socket.send(self.header + packet)

    def receive(self, wanted):
        """The next packet that WANTED is true of."""
        while True:
            frame = self.socket.recv(65536)
            if wanted(frame[14:]):
                return frame[14:]
