# SPDX-License-Identifier: GPL-2.0
"""The module's client of the tests in Python, and their results.

Client speaks the netlink family through the kernel's own ynl library, of which
generate.sh uses the other half. Tests collects cases and prints KTAP.
"""

import collections
import copy
import errno
import functools
import os
import re
import socket
import struct
import sys
import time
import traceback
import types

from genl import NLM_F_REQUEST, attribute, attributes
from testbed import CACHE, OWNERS, TOP, inside, skip_all, until

sys.path.insert(0, CACHE + "/linux-6.12/tools/net/ynl")
try:
    import yaml
    from lib import NlError, YnlFamily, ynl
except ImportError as missing:
    skip_all(f"{missing.name} of Python is not there: run make setup")

# The parser in C, since that in Python takes an emulated machine half a minute.
yaml.safe_load = functools.partial(
    yaml.load, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))

SPEC = TOP + "/Documentation/netlink/specs/ktput.yaml"
COOKIE = 0x6B747075
#: In nanoseconds, for what takes long on a kernel that checks each access.
MINUTE = 60 * 10 ** 9
# Of linux/rtnetlink.h, linux/if_link.h.
RTM_NEWLINK, RTM_GETLINK = 16, 18
IFLA_ADDRESS, IFLA_IFNAME, IFLA_STATS64 = 1, 3, 23
# Of linux/netlink.h.
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
# Of asm-generic/socket.h; Python has no name for it.
SO_RCVBUFFORCE = 33


def equal(*values, what=""):
    """All VALUES are the same."""
    assert all(value == values[0] for value in values), \
        what + ": " * bool(what) + " is not ".join(map(str, values))


def packed(address):
    """Name of a protocol version, and ADDRESS as the spec has it."""
    if ":" in address:
        return "ipv6", socket.inet_pton(socket.AF_INET6, address)
    return "ipv4", int.from_bytes(socket.inet_aton(address), "big")


Link = collections.namedtuple("Link", "index flags address counters")


def link(device, netns=None):
    """A device, asked for without a process: ip takes an emulated machine 0.3 s."""
    name = attribute(IFLA_IFNAME, device.encode() + b"\0")
    with inside(netns), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as route:
        route.send(struct.pack("=IHHII16x", 32 + len(name), RTM_GETLINK,
                               NLM_F_REQUEST, 0, 0) + name)
        answer = route.recv(1 << 16)
    kind, number, flags = struct.unpack_from("=4xH14xiI", answer)
    assert kind == RTM_NEWLINK, f"there is no device {device}"
    found = attributes(answer[32:])
    return Link(number, flags, found.get(IFLA_ADDRESS), dict(zip(
        (("rx", "packets"), ("tx", "packets"), ("rx", "bytes"), ("tx", "bytes")),
        struct.unpack_from("=4Q", found[IFLA_STATS64]))))


def index(device, netns=None):
    """Number of a device."""
    return link(device, netns).index


def mac(device, netns=None):
    """Address of a device."""
    return link(device, netns).address


def counter(device, way, what="packets", netns=None):
    """A counter of a device, WAY rx or tx, of packets or bytes."""
    return link(device, netns).counters[way, what]


class Snapshot:
    """Counters of a run at one time."""

    def __init__(self, messages):
        self.run = next(m["run"] for m in messages if "run" in m)
        self.cpus = [m["cpu"] for m in messages if "cpu" in m]
        self.streams = [m["stream"] for m in messages if "stream" in m]
        self.latency = [m["latency"] for m in messages if "latency" in m]

    def __getattr__(self, name):
        """The sum over all streams of a counter.

        Drops of a sink are those at its socket, of a source those below it.
        """
        name = name.replace("_", "-")
        parts = ["counters", "datagram"]
        if self.run["role"] == "sink":
            parts.reverse()
        return sum(next(stream[part][name] for part in parts
                        if name in stream.get(part, {}))
                   for stream in self.streams)

    @property
    def unreturned(self):
        """Buffers that are not back; streams that have all do not tell."""
        return sum(stream.get("unreturned", 0) for stream in self.streams)

    @property
    def counted(self):
        """What the run has counted by itself: an ended one counts no more."""
        return ([cpu["counters"] for cpu in self.cpus],
                [stream["counters"] for stream in self.streams], self.latency)

    def consistent(self):
        """Streams and CPUs have counted the same.

        A stream has its last connection alone, where a sink had more of them
        than streams: it serves the next by one that has ended, if there is no
        memory for another.
        """
        for name in "bytes", "messages":
            streams = getattr(self, name)
            cpus = sum(cpu["counters"][name] for cpu in self.cpus)
            if self.run.get("accepted", 0) > len(self.streams):
                assert streams <= cpus, f"{name}: {streams} of {cpus}"
            else:
                equal(streams, cpus, what=f"{name} of streams and of CPUs")


def refused(error, sentence, ask, *arguments, **keywords):
    """What is ASKed for is refused with ERROR and a SENTENCE."""
    try:
        ask(*arguments, **keywords)
    except NlError as refusal:
        extack = refusal.nl_msg.extack or {}
        said = extack.get("msg", "")
        name = errno.errorcode.get(refusal.error, refusal.error)
        equal(name, errno.errorcode[error], what=said or "errno")
        assert re.search(sentence, said), f"'{said}' is not '{sentence}'"
        return
    raise AssertionError("it was not refused")


class Client:
    """Runs of one network namespace, which end with this client."""

    def __init__(self, netns=None):
        with inside(netns):
            # The schema of 6.12 does not know uns-admin-perm, the rest does.
            self.family = YnlFamily(SPEC, schema="")
        OWNERS.add(self)

    def another(self, netns=None):
        """A client with a netlink socket of its own, soon had."""
        client = copy.copy(self)
        client.family = copy.copy(self.family)
        # The module has another number each time that it is loaded.
        ynl.genl_family_name_to_id = None
        client.family.nlproto = ynl.GenlProtocol("ktput")
        with inside(netns):
            client.family.sock = socket.socket(
                socket.AF_NETLINK, socket.SOCK_RAW,
                client.family.nlproto.proto_num)
        for option in NETLINK_CAP_ACK, NETLINK_EXT_ACK:
            client.family.sock.setsockopt(SOL_NETLINK, option, 1)
        OWNERS.add(client)
        return client

    def close(self):
        """Have no socket, and so no runs that are not detached."""
        self.family.sock.close()

    @staticmethod
    def config(role, **config):
        """What a run is started with; attributes with None are left out."""
        config = {"transport": "udp", "cookie": COOKIE, "role": role, **config}
        for side in "local", "remote":
            address = config.pop(side, None)
            if address:
                version, value = packed(address)
                config[f"{side}-{version}"] = value
        return {name.replace("_", "-"): value
                for name, value in config.items() if value is not None}

    def begin(self, role, **config):
        """Ask for a run, which may be connecting still."""
        run = self.family.do("run-start", {
            "config": self.config(role, **config)})["run"]
        while run["state"] == "preparing":
            run = self.prepare(run)
        return run

    def prepare(self, run):
        """Have the next streams of a run created."""
        return self.family.do("run-prepare", {"run-id": run["id"]})["run"]

    def find(self, run):
        """A run as it is now, or None."""
        return next((other for other in self.list()
                     if other["id"] == run["id"]), None)

    def start(self, role, **config):
        """Start a run, which has begun afterwards."""
        return self.begun(self.begin(role, **config))

    def begun(self, run):
        """A run that is connected, if it has to be, and has begun."""
        while not run["begun"]:
            now = self.find(run)
            if not now or now["state"] == "ended" and not now["begun"]:
                raise self.refusal(now or run)
            if now["begun"]:
                return now
            time.sleep(0.002)
        return run

    def refusal(self, run):
        """A run that is not connected is forgotten, as if it had been refused."""
        self.forget([run["id"]])
        return NlError(types.SimpleNamespace(
            error=-(run["error"] or errno.ECANCELED),
            extack={"msg": run.get("refusal", run["reason"])}))

    def dump(self, command, request, without):
        """Messages, without attributes whose decoding takes longest."""
        messages = self.family.attr_sets["message"]
        skip = {messages[name].value for name in without}
        decode = self.family._decode

        def some(attributes, space, *outer):
            return decode([attribute for attribute in attributes
                           if space != "message" or
                           attribute.type not in skip], space, *outer)
        self.family._decode = some
        try:
            return self.family.dump(command, request)
        finally:
            del self.family._decode

    def list(self):
        """All runs."""
        return [message["run"]
                for message in self.dump("run-get", {}, ["config"])]

    def snapshot(self, run, without=()):
        """A run and its counters, perhaps without "cpu" or "latency"."""
        return Snapshot(self.dump("counters-get", {"run-id": run["id"]},
                                  without))

    def wait(self, run, reason):
        """A run that ends, for this reason, and its counters."""
        def ended():
            now = self.snapshot(run)
            return now if now.run["state"] == "ended" else None
        snapshot = until(ended, f"{run['role']} ends: {reason}")
        equal(snapshot.run["reason"], reason, what="reason")
        snapshot.consistent()
        equal(snapshot.counted, self.snapshot(run).counted, what="counted at the end")
        return snapshot

    def stop(self, run):
        """Stop a run; return its counters."""
        self.family.do("run-stop", {"run-id": run["id"]})
        return self.wait(run, "stopped")

    def each(self, command, ids):
        """A command about each of these runs; those deleted are gone then."""
        if command == "run-delete":
            self.forget(ids)
        elif ids:
            self.family.do_multi([(command, {"run-id": number}, [])
                                  for number in ids])

    def tell(self, command, ids):
        """A command about each of these runs, of which some may be gone already."""
        for number in ids:
            try:
                self.family.do(command, {"run-id": number})
            except NlError as refusal:
                if refusal.error != errno.ENOENT:
                    raise

    def forget(self, ids):
        """Have runs deleted, of which some may be gone already."""
        self.tell("run-delete", ids)
        until(lambda: not {run["id"] for run in self.list()} & set(ids),
              "runs are forgotten")

    def clear(self):
        """Forget all runs."""
        self.forget([run["id"] for run in self.list()])

    def refused(self, error, sentence, role="source", **config):
        """A configuration is refused with ERROR and a SENTENCE."""
        refused(error, sentence, self.start, role, **config)


class Skip(Exception):
    """A case that cannot run here, and why."""


class Tests:
    """Cases in their order."""

    def __init__(self):
        self.cases = []
        self.after = []

    def add(self, name, function, *arguments, **keywords):
        """FUNCTION raises an exception unless all is well."""
        self.cases.append((name, function, arguments, keywords))

    def run(self):
        """Print KTAP; return the exit status.

        Of the cases those alone that KTPUT_CASES, a regular expression, finds.
        """
        failed = 0
        wanted = os.environ.get("KTPUT_CASES", "")
        self.cases = [case for case in self.cases
                      if re.search(wanted, case[0])]
        assert self.cases or not wanted, f"no case is called '{wanted}'"
        print("TAP version 13", f"1..{len(self.cases)}", sep="\n")
        for number, (name, function, arguments, keywords) in enumerate(
                self.cases, 1):
            result, why = f"ok {number} {name}", ""
            try:
                try:
                    function(*arguments, **keywords)
                finally:
                    for clean in self.after:
                        clean()
            except Skip as reason:
                result += f" # SKIP {reason}"
            except AssertionError as fault:
                result, why = "not " + result, str(fault) or \
                    traceback.format_exc()
            except Exception:  # whatever it is, the next case may fare better
                result, why = "not " + result, traceback.format_exc()
            failed += result.startswith("not")
            print(result)
            for line in why.splitlines():
                print("#", line)
            sys.stdout.flush()
        return 1 if failed else 0
