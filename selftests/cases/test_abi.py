#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Requests that no tool of ktput sends, and what the module says to them.

Each is refused with an errno and a sentence, and a value out of its range with
where it stands. Prints KTAP. Numbers are those of the header, since the sentence
of a request with a wrong number would be another one.

exit: 0 all were refused as they should be, 1 some were not
"""

import errno
import os
import re
import socket
import struct
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
from genl import (NLA_F_NESTED, NLM_F_ACK, NLM_F_DUMP, Netlink, attribute,
                  constants)
from testbed import TOP, enter, module, need, own_namespace


class Cases:
    """Requests, and their refusals."""

    def __init__(self, header):
        self.number = constants(header)
        self.list = []
        role = self.number["ROLE_SOURCE"], self.number["ROLE_SINK"]
        self.source = [self.u32("ROLE", role[0]),
                       self.raw("REMOTE_IPV4", socket.inet_aton("127.0.0.1")),
                       self.u16("REMOTE_PORT", 9)]
        self.sink = [self.u32("ROLE", role[1])]
        self.shapes()
        self.meanings()
        self.contradictions()
        self.others()

    def raw(self, name, payload, flags=0):
        """An attribute of a configuration."""
        return attribute(self.number["A_CONFIG_" + name] | flags, payload)

    def u8(self, name, value):
        return self.raw(name, struct.pack("=B", value))

    def u16(self, name, value):
        return self.raw(name, struct.pack("=H", value))

    def u32(self, name, value):
        return self.raw(name, struct.pack("=I", value))

    def u64(self, name, value):
        return self.raw(name, struct.pack("=Q", value))

    def request(self, name, command, payload, error, sentence, flags=NLM_F_ACK):
        """A request of any command."""
        self.list.append((name, command, payload, flags, error, sentence))

    def start(self, name, config, error, sentence):
        """A request for a run, of a list of attributes."""
        nest = attribute(self.number["A_MESSAGE_CONFIG"] | NLA_F_NESTED,
                         b"".join(config))
        self.request(name, self.number["CMD_RUN_START"], nest, error, sentence)

    def source_with(self, name, attr, error, sentence):
        self.start("source with " + name, self.source + [attr], error, sentence)

    def sink_with(self, name, attr, error, sentence):
        self.start("sink with " + name, self.sink + [attr], error, sentence)

    def shapes(self):
        """What the policy sees to."""
        start = self.number["CMD_RUN_START"]
        config = self.number["A_MESSAGE_CONFIG"]
        nest = attribute(config | NLA_F_NESTED, b"".join(self.source))
        self.request("start without configuration", start, b"", errno.EINVAL,
                     "^config is required$")
        self.request("configuration that is not marked as a nest", start,
                     attribute(config, b"".join(self.sink)), errno.EINVAL,
                     "NLA_F_NESTED")
        self.request("unknown attribute beside the configuration", start,
                     nest + attribute(999, b"\0" * 4), errno.EINVAL, "nknown")
        self.request("attribute of another command", start, nest +
                     attribute(self.number["A_MESSAGE_RUN_ID"], b"\1\0\0\0"),
                     errno.EINVAL, "nsupported")
        self.request("bytes after the last attribute", start, nest + b"\0\0",
                     errno.EINVAL, "leftover")
        self.request("attribute longer than its nest", start,
                     attribute(config | NLA_F_NESTED,
                               struct.pack("=HHI", 400, 1, 1)),
                     errno.EINVAL, "leftover")
        self.start("empty configuration", [], errno.EINVAL, "^role is required")
        self.source_with("an unknown attribute", attribute(999, b"\0" * 4),
                         errno.EINVAL, "nknown")
        self.source_with("streams of 2 bytes", self.u16("STREAMS", 1),
                         errno.EINVAL, "length")
        self.source_with("streams of 8 bytes", self.u64("STREAMS", 1),
                         errno.EINVAL, "length")
        self.source_with("bytes of 4 bytes", self.u32("BYTES", 1),
                         errno.EINVAL, "length")
        self.source_with("a flag that carries a number",
                         self.u32("NODELAY", 1), errno.ERANGE, "policy")
        self.source_with("an IPv6 address of 15 bytes",
                         self.raw("LOCAL_IPV6", b"\0" * 15), errno.ERANGE,
                         "size out of range")
        self.source_with("congestion that does not end",
                         self.raw("CONGESTION", b"cubic"), errno.EINVAL,
                         "policy")
        self.source_with("congestion of 16 letters",
                         self.raw("CONGESTION", b"x" * 16 + b"\0"),
                         errno.EINVAL, "policy")
        self.source_with("padding that carries bytes", self.u32("PAD", 0),
                         errno.EINVAL, "nsupported")
        for name, limit in (("ROLE", 2), ("TRANSPORT", 2), ("LAYER", 6),
                            ("METHOD", 6)):
            self.start(f"{name.lower()} that there is not",
                       [self.u32(name, limit)], errno.ERANGE, "out of range")
        self.source_with("remote-port 0", self.u16("REMOTE_PORT", 0),
                         errno.ERANGE, "out of range")
        self.source_with("device 0", self.u32("DEV", 0), errno.ERANGE,
                         "out of range")
        n = self.number
        for name, attr, least, most in (
                ("streams", "STREAMS", 1, n["MAX_STREAMS"]),
                ("sndbuf", "SNDBUF", n["MIN_BUFFER"], n["MAX_BUFFER"]),
                ("rcvbuf", "RCVBUF", n["MIN_BUFFER"],
                 n["MAX_BUFFER"]),
                ("mss", "MSS", n["MIN_MSS"], n["MAX_MSS"]),
                ("priority", "PRIORITY", 0, n["MAX_PRIORITY"])):
            self.bounds(name, self.u32, attr, least, most, "out of range")

    def bounds(self, name, pack, attr, least, most, sentence):
        """One below the least value, and one above the greatest."""
        if least:
            self.source_with(f"{name} {least - 1}", pack(attr, least - 1),
                             errno.ERANGE, sentence)
        self.source_with(f"{name} {most + 1}", pack(attr, most + 1),
                         errno.ERANGE, sentence)

    def meanings(self):
        """What the handler sees to, one attribute by itself."""
        n = self.number
        self.bounds("size", self.u32, "SIZE", 1, n["MAX_MESSAGE"],
                    f"^size must be 1 to {n['MAX_MESSAGE']}$")
        self.bounds("time", self.u64, "TIME", 1, n["MAX_TIME"],
                    "^time must be 1 ns to a week$")
        self.bounds("connect-timeout", self.u64, "CONNECT_TIMEOUT", 1,
                    n["MAX_CONNECT_TIME"],
                    "^connect-timeout must be 1 ns to a minute$")
        self.bounds("drain-timeout", self.u64, "DRAIN_TIMEOUT", 0, n["MAX_TIME"],
                    "^drain-timeout must be 0 ns to a week$")
        self.source_with("pace 0", self.u64("PACE", 0),
                         errno.ERANGE, "^pace must not be 0$")
        self.source_with("no congestion's name", self.raw("CONGESTION", b"\0"),
                         errno.EINVAL, "^congestion must name")
        self.source_with("congestion that there is not",
                         self.raw("CONGESTION", b"nosuch\0"), errno.ENOENT,
                         "^congestion: no such")
        for cpus in b"", b"x", b"1-", b"3-1":
            self.source_with(f"CPUs '{cpus.decode()}'",
                             self.raw("CPUS", cpus + b"\0"), errno.EINVAL,
                             "^cpus must be a list of CPUs")
        self.source_with("a device that there is not",
                         self.u32("DEV", 0x7FFFFFFF), errno.ENODEV,
                         "^dev: none with this index")
        self.sink_with("an address of others",
                       self.raw("LOCAL_IPV4", socket.inet_aton("192.0.2.1")),
                       errno.EADDRNOTAVAIL, "^local address is not an address")

    def contradictions(self):
        """What the handler sees to, one attribute beside another."""
        n = self.number
        ipv4 = socket.inet_aton("127.0.0.1")
        ipv6 = socket.inet_pton(socket.AF_INET6, "::1")
        link = socket.inet_pton(socket.AF_INET6, "fe80::1")
        role, port = self.source[0], self.source[2]
        self.start("source without address", [role, port], errno.EDESTADDRREQ,
                   "^a source needs a remote address$")
        self.start("source without port", self.source[:2], errno.EINVAL,
                   "^a source needs a remote port")
        self.source_with("two remote addresses", self.raw("REMOTE_IPV6", ipv6),
                         errno.EINVAL, "^remote address is given twice")
        self.source_with("two IP versions", self.raw("LOCAL_IPV6", ipv6),
                         errno.EAFNOSUPPORT, "must be of one IP version$")
        self.start("link-local address without device",
                   [role, port, self.raw("REMOTE_IPV6", link)], errno.EINVAL,
                   "needs a device$")
        self.source_with("ports beyond the last",
                         self.u16("LOCAL_PORT", 65535) + self.u32("STREAMS", 2),
                         errno.ERANGE, "^local-port plus streams")
        self.source_with("a sink's method", self.u32("METHOD", n["METHOD_TRUNC"]),
                         errno.EINVAL, "^method must be .* for a source")
        self.source_with("once", self.raw("ONCE", b""), errno.EINVAL,
                         "^once is for a sink")
        self.source_with("bytes and messages", self.u64("BYTES", 9) +
                         self.u64("MESSAGES", 9), errno.EINVAL,
                         "^bytes and messages contradict")
        for name in "BYTES", "MESSAGES":
            word = name.lower()
            self.source_with(f"{word} for one of two streams",
                             self.u64(name, 1) + self.u32("STREAMS", 2),
                             errno.ERANGE, f"^{word} must be at least one")
            self.sink_with(word, self.u64(name, 9), errno.EINVAL,
                           "^a sink ends after a time")
        self.sink_with("two local addresses", self.raw("LOCAL_IPV4", ipv4) +
                       self.raw("LOCAL_IPV6", ipv6), errno.EINVAL,
                       "^local address is given twice")
        self.sink_with("a remote address", self.raw("REMOTE_IPV4", ipv4),
                       errno.EINVAL, "^a sink has no remote address$")
        self.sink_with("a remote port", port, errno.EINVAL,
                       "^a sink has no remote port")
        for name in "SENDFILE", "IO_URING":
            self.source_with(f"method {name.lower()}",
                             self.u32("METHOD", n[f"METHOD_{name}"]),
                             errno.EINVAL, "^method must be copy, zerocopy")
        self.source_with("layer user", self.u32("LAYER", n["LAYER_USER"]),
                         errno.EOPNOTSUPP, "^layer is not supported")
        self.sink_with("a source's method", self.u32("METHOD", n["METHOD_DIRECT"]),
                       errno.EINVAL, "^method must be .* for a sink$")
        udp = self.u32("TRANSPORT", n["TRANSPORT_UDP"]) + self.u32("COOKIE", 1)
        for silence in 0, n["MAX_TIME"] + 1:
            self.sink_with(f"peer-silence {silence}",
                           udp + self.u64("PEER_SILENCE", silence), errno.ERANGE,
                           "^peer-silence must be 1 ns to a week$")
        silence = self.u64("PEER_SILENCE", 1)
        self.sink_with("peer-silence with ping-pong", udp + self.u32(
            "PATTERN", n["PATTERN_PING_PONG"]) + silence, errno.EINVAL,
                       "^peer-silence is for a sink of the socket layer")
        for name, attr in (("TCP", b""), ("UDP", udp)):
            self.source_with(f"peer-silence with {name}", attr + silence,
                             errno.EINVAL,
                             "^peer-silence is for a sink of the socket layer")
        for value in n["MIN_TCP_SILENCE"] - 1, n["MAX_TIME"] + 1:
            self.sink_with(f"peer-silence {value} with TCP",
                           self.u64("PEER_SILENCE", value), errno.ERANGE,
                           "^peer-silence must be 6 s to a week with TCP$")
        self.sink_with("a pace", self.u64("PACE", 1), errno.EINVAL,
                       "^a sink has no .*pace$")

    def others(self):
        """Commands about runs."""
        n = self.number
        for word, command, flags in (
                ("stop", "RUN_STOP", NLM_F_ACK),
                ("delete", "RUN_DELETE", NLM_F_ACK),
                ("counters", "COUNTERS_GET", NLM_F_DUMP | NLM_F_ACK)):
            command = n["CMD_" + command]
            self.request(f"{word}: no run-id", command, b"", errno.EINVAL,
                         "^run-id is required$", flags)
            for run in 0, 12345, 0xFFFFFFFF:
                self.request(f"{word}: run {run}, which is not there", command,
                             attribute(n["A_MESSAGE_RUN_ID"],
                                       struct.pack("=I", run)),
                             errno.ENOENT, "^run-id: no such run", flags)
            self.request(f"{word}: run-id of 2 bytes", command,
                         attribute(n["A_MESSAGE_RUN_ID"], b"\1\0"),
                         errno.EINVAL, "length", flags)
        self.request("unknown command", 99, b"", errno.EOPNOTSUPP, "")
        self.request("notification as a request", n["CMD_RUN_ENDED"], b"",
                     errno.EOPNOTSUPP, "")
        self.request("counters without a dump", n["CMD_COUNTERS_GET"], b"",
                     errno.EOPNOTSUPP, "")
        self.request("start as a dump", n["CMD_RUN_START"], b"",
                     errno.EOPNOTSUPP, "", NLM_F_DUMP)


def name_of(error):
    """An errno by its name."""
    return errno.errorcode.get(error, str(error))


def silent(flags, said):
    """True of a refused dump whose sentence the kernel had no place for.

    What starts a dump is handed none on 6.1, and is on 6.12.
    """
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    return flags & NLM_F_DUMP and not said and release < (6, 12)


def main():
    """Send each request, and print what came of it."""
    need("ip")
    enter(module())
    # Loopback is its only device.
    enter(own_namespace())
    cases = Cases(TOP + "/kmod/uapi/linux/ktput.h")
    netlink = Netlink()
    family = netlink.family("ktput")
    failed = 0
    print("TAP version 13", f"1..{len(cases.list) + 1}", sep="\n")
    for nr, (name, command, payload, flags, error, sentence) in enumerate(
            cases.list, 1):
        got, said, _ = netlink.call(family, command, payload, flags)
        good = got == error and (re.search(sentence, said) or
                                 silent(flags, said)) and \
            (error != errno.ERANGE or netlink.offset)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {nr} {name}")
        if not good:
            print(f"# {name_of(got)} '{said}', not {name_of(error)} "
                  f"'{sentence}'; at {netlink.offset}")
    got, _, runs = netlink.call(family, cases.number["CMD_RUN_GET"],
                                flags=NLM_F_DUMP)
    left = got or len(runs)
    print(f"{'not ok' if left else 'ok'} {len(cases.list) + 1} "
          "no run is left of them")
    return 1 if failed or left else 0


if __name__ == "__main__":
    sys.exit(main())
