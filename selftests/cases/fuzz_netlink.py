#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Malformed and random requests to the module, by the million.

usage: fuzz_netlink.py [--seed N] [--messages N] [--processes N]
                       [--again SHARE] [--module KTPUT_KO --reached FILE]
                       UAPI_HEADER POLICIES

Names, types and bounds are those of UAPI_HEADER and of POLICIES, both of which
are generated from the specification. A request begins as one that is right,
and is then changed in some places: values at and beyond bounds, attributes
that are missing, twice there, of another type, length or nesting, headers
that lie, messages that are cut off. Several go in one write, and several
processes race each other for the same runs. Dumps are read, read in part, or
abandoned.

Where the kernel has KCOV, configurations that came with reaching code of the
module which the process had not reached before are kept, and of those that
follow a SHARE (0.5) begins as one of them. FILE is given all that was reached,
for kcov.py.

The seed decides on every message, but for numbers of runs and ports, of which
some are those that the module has told of, and but for what KCOV has kept: what
a message reaches depends on what runs meanwhile, so that with KCOV no seed
makes the same messages again.

Runs end with their sockets, each of which is closed after some messages;
detached ones are deleted now and then. Devices 1 to 3 are the namespace's.

Prints what was sent and what came of it, as JSON.

exit: 0 all is sent and every answer was well-formed, 1 not
"""

import argparse
import collections
import errno
import json
import multiprocessing
import os
import random
import re
import signal
import socket
import struct
import sys

from genl import (NETLINK_CAP_ACK, NETLINK_EXT_ACK, NETLINK_GENERIC,
                  NLA_F_NESTED, NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST,
                  NLMSG_DONE, NLMSG_ERROR, SOL_NETLINK, Netlink, attribute,
                  attributes, constants)
from kcov import Coverage, offsets, points

# Seconds after which a request whose connection is not answered is interrupted.
PATIENCE = 0.5
WIDTHS = {"U8": "=B", "U16": "=H", "U32": "=I", "U64": "=Q"}
# Of the namespaces's own devices: loopback and both ends of a veth pair.
ADDRESSES = ["127.0.0.1", "192.0.2.1", "192.0.2.2", "192.0.2.9", "224.0.0.1",
             "0.0.0.0", "255.255.255.255", "127.1.2.3"]
ADDRESSES6 = ["::1", "::", "fe80::1", "ff02::1", "2001:db8::1",
              "::ffff:127.0.0.1"]
MACS = [b"\2\0\0\0\0\1", b"\2\0\0\0\0\2", b"\xff" * 6, b"\0" * 6,
        b"\1\0\x5e\0\0\1"]
LISTS = ["0", "1", "0-1", "0,1", "", "-", "0-", "9999999999", "1-0", "0-1023",
         "1024", "0-8191", "0:1/2", "0-1:1/2", "x", ",,,", "all", "N",
         "0" * 1024]
MIXES = ["60:7,590:4,1514:1", "60:1", "60:256", "60:257", "65535:1", "65536:1",
         "0:1", "60:0", ":", "60", ",", "60:1,", "-1:-1",
         "60:1" + ",60:1" * 15, "60:1" + ",60:1" * 16, "99999999999:1"]
NAMES = ["cubic", "reno", "bbr", "", "nosuch", "x" * 15, "../../etc"]


class Abi:
    """What messages consist of."""

    def __init__(self, header, policies):
        self.number = constants(header)
        self.types = {}
        with open(policies, encoding="ascii") as source:
            text = source.read()
        for name, policy in re.findall(
                r"\[KTPUT_A_CONFIG_(\w+)\] = (.*),$", text, re.M):
            self.types[name] = self.kind(policy)
        self.names = sorted(self.types)
        edges = {0, 1, 2, 3, 4, 7, 16, 60, 64, 255, 256, 1024, 1514,
                 *(1 << bit for bit in (15, 16, 31, 32, 63)),
                 *(value for name, value in self.number.items()
                   if name.startswith(("MAX_", "MIN_")))}
        self.edges = sorted({value + step for value in edges
                             for step in (-1, 0, 1)} | {(1 << 64) - 1})
        self.commands = [value for name, value in self.number.items()
                         if name.startswith("CMD_") and name != "CMD_MAX"]

    @staticmethod
    def kind(policy):
        """Type of an attribute, and its length or the greatest value."""
        exact = re.search(r"EXACT_LEN\((\d+)\)", policy)
        if exact:
            return "BYTES", int(exact[1])
        number = re.search(r"NLA_(U\d+)", policy)
        if number:
            most = re.search(r"POLICY_MAX\(\w+, (\d+)\)", policy)
            return number[1], int(most[1]) if most else None
        if "NLA_FLAG" in policy:
            return "FLAG", 0
        return "TEXT", int(re.search(r"\.len = (\d+)", policy)[1])


class Messages:
    """Requests of one process, all of them decided on by a seed."""

    def __init__(self, abi, family, seed, again):
        self.abi = abi
        self.family = family
        self.random = random.Random(seed)
        self.again = again
        self.sequence = 0
        self.runs = [1]
        self.ports = [5001]
        self.tried = []
        self.kept = []
        self.remade = 0

    def learn(self, known, value, most=16):
        """Have a run's number or port used by what follows."""
        known.append(value)
        del known[:-most]

    def keep(self):
        """Have what the last write tried changed further; how many it was."""
        if self.tried:
            self.learn(self.kept, self.tried, 64)
        return len(self.tried)

    def ipv4(self):
        return socket.inet_aton(self.random.choice(ADDRESSES))

    def value(self, name):
        """Payload of an attribute: of the right type, if of no meaning."""
        pick = self.random
        kind, bound = self.abi.types.get(name, ("BYTES", 7))
        if kind == "FLAG":
            return b""
        if name in ("LOCAL_IPV4", "REMOTE_IPV4"):
            return self.ipv4()
        if kind == "BYTES":
            if bound == 16:
                return socket.inet_pton(socket.AF_INET6,
                                        pick.choice(ADDRESSES6))
            return pick.choice(MACS) if bound == 6 else pick.randbytes(bound)
        if kind == "TEXT":
            text = pick.choice(MIXES if name == "MIX" else NAMES
                               if name == "CONGESTION" else LISTS)
            return text.encode() + b"\0"
        width = WIDTHS[kind]
        if bound is not None and pick.random() < 0.7:
            number = pick.randint(0, bound)
        elif name == "DEV" and pick.random() < 0.9:
            number = pick.randint(1, 4)
        elif pick.random() < 0.7:
            number = pick.choice(self.abi.edges)
        else:
            number = pick.getrandbits(pick.randint(1, 64))
        # A sixteenth of them has many streams, which take their time.
        if name == "STREAMS" and pick.random() < 0.9:
            number = pick.randint(0, 5)
        bits = 8 * struct.calcsize(width)
        return struct.pack(width, number & (1 << bits) - 1)

    def frames(self, pingpong):
        """What a right source below the socket layer has, and no other."""
        pick = self.random
        u32, u16 = (struct.Struct(width).pack for width in ("=I", "=H"))
        layer = "DRIVER" if pingpong else pick.choice(("DRIVER", "QUEUE"))
        # A device has as many queues as the machine has CPUs.
        config = {"LAYER": u32(self.abi.number["LAYER_" + layer]),
                  "MAC": MACS[1], "STREAMS": u32(1)}
        if pingpong:
            return config
        if pick.random() < 0.3:
            config["VLAN"] = u16(pick.randint(0, 4095))
            if pick.random() < 0.5:
                config["VLAN_INNER"] = u16(pick.randint(0, 4095))
        sizes = pick.random()
        if sizes < 0.2:
            config["MIX"] = b"90:7,590:4,1514:1\0"
        elif sizes < 0.4:
            config["SIZE_MAX"] = u32(1514)
        elif layer == "DRIVER" and sizes < 0.6:
            config[pick.choice(("REUSE", "PACE_ONLY"))] = b""
        if layer == "DRIVER":
            config["BURST"] = u32(pick.choice((1, 8)))
        return config

    def right(self):
        """Attributes of a run that is not refused, mostly, and ends soon."""
        pick = self.random
        number = self.abi.number
        u32, u16, u64 = (struct.Struct(width).pack for width in
                         ("=I", "=H", "=Q"))
        source = pick.random() < 0.6
        udp = pick.random() < 0.6
        pingpong = pick.random() < 0.3
        below = udp and pick.random() < 0.4
        version, family, ends = pick.choice(
            [("IPV4", socket.AF_INET, ("127.0.0.1", "192.0.2.1", "192.0.2.2"))]
            * 3 + [("IPV6", socket.AF_INET6,
                    ("::1", "2001:db8::1", "2001:db8::2"))])
        loopback, near, far = (socket.inet_pton(family, end) for end in ends)
        config = {
            "ROLE": u32(number["ROLE_SOURCE" if source else "ROLE_SINK"]),
            "TRANSPORT": u32(number["TRANSPORT_UDP" if udp else
                                    "TRANSPORT_TCP"]),
            "TIME": u64(pick.choice((1, 1000000, 20000000, 1000000000))),
            "DRAIN_TIMEOUT": u64(pick.choice((0, 1, 1000000))),
            "STREAMS": u32(pick.choice((1, 1, 2, 3))),
        }
        port = u16(pick.choice(self.ports) if pick.random() < 0.5 else
                   pick.randint(5001, 5008))
        if udp:
            config["COOKIE"] = u32(7)
        if pingpong:
            config["PATTERN"] = u32(number["PATTERN_PING_PONG"])
            config["REPLY"] = u32(pick.randint(0, 1))
            if below:
                config["REPLY"] = u32(number["REPLY_CALLBACK"])
            if udp and source:
                config["TIMEOUT"] = u64(1000000)
            elif source and pick.random() < 0.3:
                config["REPLY"] = u32(number["REPLY_WORKER"])
                config["CONNECT_PER_REQUEST"] = b""
        elif not udp and pick.random() < 0.2:
            config |= {"CONGESTION": b"reno\0", "MSS": u32(536),
                       "CPUS": b"0\0"}
        if source:
            config |= {"REMOTE_" + version: far if below else loopback,
                       "REMOTE_PORT": port,
                       "MESSAGES": u64(pick.randint(3, 99))}
            if pick.random() < 0.2:
                config["PACKET_RATE" if udp or pingpong else
                       "PACE"] = u64(pick.choice((1, 1000, 1000000)))
        elif pick.random() < 0.8:
            config["LOCAL_PORT"] = port
        if below:
            config["DEV"] = u32(pick.randint(2, 3))
            config["LOCAL_PORT"] = port
            config["LOCAL_" + version] = near
            if source:
                config |= self.frames(pingpong)
            else:
                config["LAYER"] = u32(number["LAYER_INGRESS"])
        elif not source and version == "IPV6":
            config["LOCAL_IPV6"] = loopback
        return config

    def change(self, items):
        """Spoil a list of names and payloads in one place."""
        pick = self.random
        place = pick.randrange(len(items)) if items else 0
        how = pick.random()
        name = pick.choice(self.abi.names)
        if how < 0.45 or not items:
            items.append((name, self.value(name)))
        elif how < 0.60:
            items[place] = items[place][0], self.value(items[place][0])
        elif how < 0.70:
            del items[place]
        elif how < 0.78:
            items.insert(place, (items[place][0], self.value(items[place][0])))
        elif how < 0.86:
            items[place] = name, items[place][1]
        elif how < 0.96:
            length = pick.choice((0, 1, 2, 3, 5, 8, 9, 16, 300))
            items[place] = items[place][0], (items[place][1] * 300)[:length]
        else:
            items[place] = pick.randrange(0x10000), pick.randbytes(
                pick.randrange(40))

    def config(self):
        """Payload of a configuration."""
        pick = self.random
        if self.kept and pick.random() < self.again:
            items = list(pick.choice(pick.choice(self.kept)))
            self.remade += 1
        else:
            items = list(self.right().items())
        while pick.random() < 0.55:
            self.change(items)
        if pick.random() < 0.02:
            pick.shuffle(items)
        self.tried.append(items)
        data = b"".join(
            attribute(self.abi.number["A_CONFIG_" + name]
                      if isinstance(name, str) else name, payload)
            for name, payload in items)
        if pick.random() < 0.02:
            # A nest in a nest in a nest.
            for _ in range(pick.randrange(1, 30)):
                data = attribute(pick.randrange(64) | NLA_F_NESTED, data)
        return data

    def run_id(self):
        pick = self.random
        if pick.random() < 0.85:
            # Half of them of the newest, which may not have ended yet.
            number = pick.choice((self.runs[-1], pick.choice(self.runs)))
        else:
            number = pick.choice(self.abi.edges)
        return attribute(self.abi.number["A_MESSAGE_RUN_ID"],
                         struct.pack("=I", number & 0xFFFFFFFF))

    def body(self, command):
        """Attributes of a command."""
        number = self.abi.number
        if command == number["CMD_RUN_START"]:
            return attribute(number["A_MESSAGE_CONFIG"] | NLA_F_NESTED,
                             self.config())
        if command in (number["CMD_RUN_STOP"], number["CMD_RUN_DELETE"],
                       number["CMD_COUNTERS_GET"]):
            return self.run_id()
        return b""

    def message(self, last):
        """A request; only behind the LAST of a batch may nothing follow."""
        pick = self.random
        number = self.abi.number
        command = pick.choice(self.abi.commands) if pick.random() < 0.5 else \
            number["CMD_RUN_START"]
        flags = NLM_F_REQUEST | NLM_F_ACK
        if command in (number["CMD_RUN_GET"], number["CMD_COUNTERS_GET"]):
            flags |= NLM_F_DUMP
        body = bytearray(self.body(command))
        if pick.random() < 0.05:
            command = pick.choice(self.abi.commands + [99, 255])
        if pick.random() < 0.05:
            flags = pick.getrandbits(16) | NLM_F_REQUEST
        if body and pick.random() < 0.10:
            for _ in range(pick.randrange(1, 4)):
                body[pick.randrange(len(body))] ^= 1 << pick.randrange(8)
        if body and pick.random() < 0.04:
            del body[pick.randrange(len(body)):]
        if pick.random() < 0.03:
            body += pick.randbytes(pick.randrange(1, 60))
        self.sequence += 1
        length = len(body) + 20
        if last and pick.random() < 0.04:
            length = pick.choice((0, 15, 16, 19, 20, length - 1, length + 1,
                                  length + 4, 0xFFFFFFFF))
        message = struct.pack("=IHHIIBBH", length & 0xFFFFFFFF, self.family,
                              flags, self.sequence, 0, command,
                              pick.choice((0, 1, 1, 1, 255)),
                              pick.choice((0, 0, 0, 0, 0, 1))) + body
        return message + b"\0" * (-len(message) % 4)


class Process:
    """Sends messages, and takes or leaves what comes of them."""

    def __init__(self, abi, family, seed, again=0):
        self.messages = Messages(abi, family, seed, again)
        self.abi = abi
        self.random = random.Random(seed + 1)
        self.came = collections.Counter()
        self.control = Netlink()
        self.family = family
        self.coverage = Coverage()

    def answer(self, data):
        """Look at what a read has given; it must be well-formed."""
        number = self.abi.number
        while data:
            length, kind = struct.unpack_from("=IH", data)
            if length < 16 or length > len(data):
                raise AssertionError(f"answer of length {length}")
            body, data = data[16:length], data[(length + 3) & ~3:]
            if kind == NLMSG_ERROR:
                error = -struct.unpack_from("=i", body)[0]
                self.came[errno.errorcode.get(error, str(error))
                          if error else "done"] += 1
            elif kind == NLMSG_DONE:
                self.came["dumps read to the end"] += 1
            elif kind == self.family:
                self.came["answers"] += 1
                if body[0] != number["CMD_RUN_START"]:
                    continue
                run = attributes(attributes(body[4:])[number["A_MESSAGE_RUN"]])
                self.came["runs started"] += 1
                self.messages.learn(self.messages.runs, struct.unpack(
                    "=I", run[number["A_RUN_ID"]])[0])
                port = struct.unpack("=H", run[number["A_RUN_LOCAL_PORT"]])[0]
                if port:
                    self.messages.learn(self.messages.ports, port)

    def read(self, sock, reads):
        """Take at most so many answers."""
        for _ in range(reads):
            try:
                self.answer(sock.recv(1 << 16))
            except BlockingIOError:
                return
            except OSError as error:
                self.came["reads: " + errno.errorcode[error.errno]] += 1

    def clean(self, owned):
        """Delete detached runs, and owned ones as well."""
        number = self.abi.number
        _, _, replies = self.control.call(self.family, number["CMD_RUN_GET"],
                                          flags=NLM_F_DUMP)
        for reply in replies:
            if number["A_MESSAGE_RUN"] not in attributes(reply):
                continue
            run = attributes(attributes(reply)[number["A_MESSAGE_RUN"]])
            # One that is preparing has none yet.
            config = attributes(
                attributes(reply).get(number["A_MESSAGE_CONFIG"], b""))
            if not owned and number["A_CONFIG_DETACH"] not in config:
                continue
            self.control.call(
                self.family, number["CMD_RUN_DELETE"],
                attribute(number["A_MESSAGE_RUN_ID"], run[number["A_RUN_ID"]]))

    def go(self, count):
        """Send so many messages."""
        sent = 0
        while sent < count:
            sock = socket.socket(socket.AF_NETLINK,
                                 socket.SOCK_RAW | socket.SOCK_NONBLOCK,
                                 NETLINK_GENERIC)
            for option in NETLINK_CAP_ACK, NETLINK_EXT_ACK:
                sock.setsockopt(SOL_NETLINK, option, self.random.randint(0, 1))
            for _ in range(self.random.randint(1, 8)):
                size = self.random.choice((1, 1, 2, 5, 20))
                self.messages.tried = []
                self.coverage.take()
                batch = [self.messages.message(nr == size - 1)
                         for nr in range(size)]
                try:
                    signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)
                    sock.send(b"".join(batch))
                except OSError as error:
                    self.came["writes: " + errno.errorcode[error.errno]] += 1
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                sent += len(batch)
                # None, so that a dump is left where it is, some, or all.
                self.read(sock, self.random.choice((0, 1, 2, 100)))
                if self.coverage.take():
                    self.came["writes that reached more"] += 1
                    self.came["configurations kept"] += self.messages.keep()
            sock.close()
            self.came["sockets"] += 1
            if self.random.random() < 0.05:
                self.clean(True)
        self.came["messages"] += sent
        self.came["configurations changed further"] = self.messages.remade
        return self.came


def listen():
    """Accept and close, so that sources can connect."""
    listener = socket.create_server(("", 5001), family=socket.AF_INET6,
                                    dualstack_ipv6=True, backlog=64)
    while True:
        peer = listener.accept()[0]
        peer.setblocking(False)
        try:
            peer.recv(1 << 16)
        except OSError:
            pass
        peer.close()


def work(arguments, family, share, nr, results):
    """A process's share."""
    # It interrupts the system call, and does nothing else.
    signal.signal(signal.SIGALRM, lambda *_: None)
    abi = Abi(arguments.header, arguments.policies)
    try:
        process = Process(abi, family, arguments.seed * 1000 + 2 * nr,
                          arguments.again)
        came = dict(process.go(share))
        process.coverage.take()
        results.put({"came": came, "reached": process.coverage.reached})
    except BaseException as fault:
        results.put({"fault": repr(fault)})
        raise


def coverage(arguments, reached):
    """How much of the module was reached; which points goes into a file."""
    if not arguments.module or not Coverage.possible():
        return None
    there = points(arguments.module)
    reached = offsets(reached) & there
    with open(arguments.reached, "w", encoding="ascii") as file:
        file.writelines(f"{offset:#x}\n" for offset in sorted(reached))
    return {"reached": len(reached), "points": len(there)}


def main():
    """Start the processes, and add up what came of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int,
                        default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--messages", type=int, default=20000)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--again", type=float, default=0.5)
    parser.add_argument("--module")
    parser.add_argument("--reached")
    parser.add_argument("header")
    parser.add_argument("policies")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", file=sys.stderr, flush=True)

    family = Netlink().family("ktput")
    multiprocessing.set_start_method("fork")
    results = multiprocessing.SimpleQueue()
    multiprocessing.Process(target=listen, daemon=True).start()
    share = -(-arguments.messages // arguments.processes)
    processes = [multiprocessing.Process(
        target=work, args=(arguments, family, share, nr, results))
        for nr in range(arguments.processes)]
    came = collections.Counter()
    for process in processes:
        process.start()
    faults = []
    reached = set()
    for _ in processes:
        result = results.get()
        if "fault" in result:
            faults.append(result["fault"])
        else:
            came.update(result["came"])
            reached |= result["reached"]
    for process in processes:
        process.join()
    Process(Abi(arguments.header, arguments.policies), family, 0).clean(False)
    print(json.dumps({"seed": arguments.seed, "faults": faults,
                      "came": dict(sorted(came.items())),
                      "coverage": coverage(arguments, reached)}, indent=1))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
