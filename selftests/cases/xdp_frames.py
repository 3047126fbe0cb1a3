#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Frames that an XDP sink has to take, or to let pass.

usage: xdp_frames.py DIRECTORY COOKIE PORT PORTS

Writes each into DIRECTORY, as NAME.drop or NAME.pass. They are numbered in the
order in which they are to be shown to the sink, and sequence numbers with them.
Addresses are 192.0.2.1 and 2001:db8::1 unless the name says other-address.
"""
import ipaddress
import os
import struct
import sys

UDP, TCP, HOP_BY_HOP, FRAGMENT = 17, 6, 0, 44
IPV4, IPV6, ARP, VLAN, SERVICE_VLAN = 0x0800, 0x86DD, 0x0806, 0x8100, 0x88A8

directory, cookie, port, ports = (
    sys.argv[1], *(int(word, 0) for word in sys.argv[2:]))
written = 0


def datagram(sequence, size=64, own_cookie=cookie):
    """A payload."""
    return (struct.pack('!IIQ', own_cookie, sequence, 0) + bytes(size))[:size]


def udp(payload, to=port, length=None):
    """A UDP header and what follows."""
    if length is None:
        length = 8 + len(payload)
    return struct.pack('!HHHH', 40000, to, length, 0) + payload


def ipv4(payload, protocol=UDP, fragment=0, options=b'', version=4,
         to='192.0.2.1', length=None):
    """An IPv4 header and its payload; nothing checks the checksum."""
    size = 20 + len(options)
    if length is None:
        length = size + len(payload)
    return struct.pack('!BBHHHBBH4s4s', version << 4 | size // 4, 0, length, 1,
                       fragment, 64, protocol, 0,
                       ipaddress.IPv4Address('192.0.2.2').packed,
                       ipaddress.IPv4Address(to).packed) + options + payload


def ipv6(payload, protocol=UDP, version=6, to='2001:db8::1', length=None):
    """An IPv6 header and what follows."""
    if length is None:
        length = len(payload)
    return struct.pack('!IHBB16s16s', version << 28, length, protocol, 64,
                       ipaddress.IPv6Address('2001:db8::2').packed,
                       ipaddress.IPv6Address(to).packed) + payload


def frame(payload, protocol=IPV4, tags=()):
    """An Ethernet frame, padded as on a wire, without FCS."""
    types = [*tags, protocol]
    head = bytes.fromhex('020000000001020000000002')
    head += struct.pack('!H', types[0])
    for number, inner in enumerate(types[1:], 1):
        head += struct.pack('!HH', number, inner)
    return (head + payload).ljust(60, b'\0')


def write(name, verdict, data):
    """The next one."""
    global written  # pylint: disable=global-statement
    written += 1
    path = os.path.join(directory, f'{written:02}-{name}.{verdict}')
    with open(path, 'wb') as file:
        file.write(data)


# Sequence numbers of the first port: 0 to 9, 7 again, 12. So 10 and 11 are
# lost, but for the 7 that makes up for one.
write('ipv4', 'drop', frame(ipv4(udp(datagram(0)))))
write('ipv6', 'drop', frame(ipv6(udp(datagram(1))), IPV6))
write('ipv4-tag', 'drop', frame(ipv4(udp(datagram(2))), tags=[VLAN]))
write('ipv4-two-tags', 'drop',
      frame(ipv4(udp(datagram(3))), tags=[SERVICE_VLAN, VLAN]))
write('ipv6-two-tags', 'drop',
      frame(ipv6(udp(datagram(4))), IPV6, [VLAN, VLAN]))
write('ipv4-header-alone', 'drop', frame(ipv4(udp(datagram(5, 16)))))
write('ipv4-do-not-fragment', 'drop',
      frame(ipv4(udp(datagram(6)), fragment=0x4000)))
write('ipv4-large', 'drop', frame(ipv4(udp(datagram(7, 1472)))))
write('ipv4-trailer', 'drop', frame(ipv4(udp(datagram(8))) + bytes(32)))
write('ipv4-udp-ends-before-ip', 'drop',
      frame(ipv4(udp(datagram(9)) + bytes(8), length=20 + 8 + 64 + 8)))
write('ipv4-again', 'drop', frame(ipv4(udp(datagram(7)))))
write('ipv4-gap', 'drop', frame(ipv4(udp(datagram(12)))))
write('ipv4-last-port', 'drop',
      frame(ipv4(udp(datagram(0), to=port + ports - 1))))

write('ipv4-port-below', 'pass', frame(ipv4(udp(datagram(0), to=port - 1))))
write('ipv4-port-above', 'pass',
      frame(ipv4(udp(datagram(0), to=port + ports))))
write('ipv4-other-cookie', 'pass',
      frame(ipv4(udp(datagram(0, own_cookie=cookie ^ 1)))))
write('ipv6-other-cookie', 'pass',
      frame(ipv6(udp(datagram(0, own_cookie=cookie ^ 1))), IPV6))
write('ipv4-short-datagram', 'pass', frame(ipv4(udp(datagram(0, 15)))))
write('ipv4-empty-datagram', 'pass', frame(ipv4(udp(b''))))
write('ipv4-cut-off', 'pass', frame(ipv4(udp(datagram(0))))[:-1])
write('ipv6-cut-off', 'pass', frame(ipv6(udp(datagram(0))), IPV6)[:-1])
write('ipv4-udp-exceeds-ip', 'pass',
      frame(ipv4(udp(datagram(0)), length=20 + 8 + 63)))
write('ipv4-udp-length-small', 'pass',
      frame(ipv4(udp(datagram(0), length=7))))
write('ipv4-ip-length-small', 'pass',
      frame(ipv4(udp(datagram(0)), length=19)))
write('ipv4-first-fragment', 'pass',
      frame(ipv4(udp(datagram(0)), fragment=0x2000)))
write('ipv4-last-fragment', 'pass',
      frame(ipv4(udp(datagram(0)), fragment=0x00b9)))
write('ipv4-options', 'pass',
      frame(ipv4(udp(datagram(0)), options=bytes([1, 1, 1, 0]))))
write('ipv4-not-version-4', 'pass',
      frame(ipv4(udp(datagram(0)), version=5)))
write('ipv4-tcp', 'pass', frame(ipv4(udp(datagram(0)), protocol=TCP)))
write('ipv4-three-tags', 'pass',
      frame(ipv4(udp(datagram(0))), tags=[VLAN, VLAN, VLAN]))
write('ipv6-not-version-6', 'pass',
      frame(ipv6(udp(datagram(0)), version=4), IPV6))
write('ipv6-hop-by-hop', 'pass',
      frame(ipv6(struct.pack('!BBBBI', UDP, 0, 1, 4, 0) + udp(datagram(0)),
                 protocol=HOP_BY_HOP), IPV6))
write('ipv6-fragment', 'pass',
      frame(ipv6(struct.pack('!BBHI', UDP, 0, 1, 7) + udp(datagram(0)),
                 protocol=FRAGMENT), IPV6))
write('ipv6-empty', 'pass', frame(ipv6(udp(datagram(0)), length=0), IPV6))
write('arp', 'pass', frame(bytes(28), ARP))
write('ethernet-alone', 'pass', frame(b'')[:14])
write('tag-cut-off', 'pass', frame(b'', tags=[VLAN])[:16])
write('ipv4-header-cut-off', 'pass', frame(ipv4(udp(datagram(0))))[:33])
write('ipv6-header-cut-off', 'pass', frame(ipv6(udp(datagram(0))), IPV6)[:53])
write('udp-header-cut-off', 'pass', frame(ipv4(udp(datagram(0))))[:41])
write('datagram-header-cut-off', 'pass', frame(ipv4(udp(datagram(0))))[:57])

write('other-address-ipv4', 'drop',
      frame(ipv4(udp(datagram(1, 16), to=port + ports - 1), to='192.0.2.9')))
write('other-address-ipv6', 'drop',
      frame(ipv6(udp(datagram(2, 16), to=port + ports - 1), to='2001:db8::9'),
            IPV6))
