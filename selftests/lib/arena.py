# SPDX-License-Identifier: GPL-2.0
"""Two network namespaces that a veth pair joins, and runs between them.

Every layer has a source in the one that feeds a sink in the other, both ways,
so that whatever happens to one namespace happens to both roles. Both use the
same ports. That is all slow enough for an emulated machine to do it at once.
"""

import collections
import os
import signal
import subprocess
import traceback

import ktput
from ktput import equal
from testbed import CLONE_NEWNET, LIBC, inside, unshare, until

# The device of either namespace, by a number that is known.
DEVICE = 100
# Packets a second of each run.
RATE = 50
MS = 1000000

# What a layer takes at both ends, at the source, and at the sink. A sink at the
# ingress layer takes no CPUs.
Layer = collections.namedtuple("Layer", "port both source sink")

ROUND_TRIPS = {"pattern": "ping-pong", "reply": "callback"}
FRAMES = {"size_min": 1400, "packet_rate": RATE}
INGRESS = {"layer": "ingress", "cpus": None}
LAYERS = {
    "tcp": Layer(7000, {"transport": "tcp"},
                 {"pace": 4 * RATE * 1400, "size": 1400,
                  "sndbuf": 16384}, {}),
    "udp": Layer(7010, {},
                 {"packet_rate": RATE, "size": 1400},
                 {"method": "trunc"}),
    "direct": Layer(7020, {},
                    {"method": "direct", "packet_rate": RATE, "size": 1400}, {}),
    "queue": Layer(7030, {}, {"layer": "queue", **FRAMES}, INGRESS),
    "driver": Layer(7040, {}, {"layer": "driver", **FRAMES}, INGRESS),
    "bypass": Layer(7050, ROUND_TRIPS, {"layer": "driver", "packet_rate": RATE},
                    INGRESS),
    "tcp round trips": Layer(7060, {"transport": "tcp", **ROUND_TRIPS},
                             {"packet_rate": RATE}, {}),
    "udp round trips": Layer(7070, ROUND_TRIPS, {"packet_rate": RATE}, {}),
}

# A run: its number in the namespace of its end, and what it is there for.
Run = collections.namedtuple("Run", "id end layer role")


class End:
    """A namespace and the client of its runs."""

    def __init__(self, number, template):
        self.number = number
        self.template = template
        self.other = None
        self.client = None
        unshare(CLONE_NEWNET)
        # Has been in home, and returns there: see Arena.
        self.netns = open("/proc/thread-self/ns/net", "rb")
        self.attend()
        self.ip("link set lo up")

    def attend(self):
        """Have a client here."""
        self.client = self.template.another(self.netns)

    @property
    def address(self):
        """That of the veth."""
        return f"10.7.0.{self.number}"

    @property
    def station(self):
        """MAC address of the veth."""
        return bytes((2, 0, 0, 0, 0, self.number))

    def ip(self, *commands):
        """Have ip execute commands here."""
        with inside(self.netns):
            done = subprocess.run(["ip", "-batch", "-"], check=False,
                                  input="\n".join(commands), text=True,
                                  capture_output=True)
        equal(done.returncode, 0, what=f"{commands}: {done.stderr}")

    def close(self):
        """Leave the namespace to its end."""
        self.client.close()
        self.netns.close()


class Arena:
    """Both namespaces."""

    def __init__(self):
        self.template = ktput.Client()
        self.home = open("/proc/thread-self/ns/net", "rb")
        self.near = self.far = self.child = None
        # Milliseconds that sources have to drain.
        self.drain = 1000
        self.make_near()
        self.make_far()
        self.join()

    def make(self, number):
        """A namespace, while we stay where we are."""
        try:
            return End(number, self.template)
        finally:
            LIBC.setns(self.home.fileno(), 0)

    def make_near(self):
        """The one that things happen to."""
        self.near = self.make(1)

    def make_far(self):
        """The other."""
        self.far = self.make(2)

    def join(self):
        """Have a veth pair between them, under one name and number."""
        self.near.other, self.far.other = self.far, self.near
        ready = [[f"addr add {end.address}/24 dev veth0",
                  "link set veth0 up"] for end in (self.near, self.far)]
        self.near.ip(
            f"link add veth0 index {DEVICE}"
            f" address {self.near.station.hex(':')}"
            f" type veth peer name veth0 index {DEVICE}"
            f" address {self.far.station.hex(':')}"
            f" netns /proc/{os.getpid()}/fd/{self.far.netns.fileno()}",
            *ready[0])
        self.far.ip(*ready[1])

    def renew(self):
        """Create new clients, after their runs or the module are gone."""
        self.kill()
        for end in self.near, self.far:
            end.client.close()
            end.attend()

    def configs(self, role, end, layers, **more):
        """What the runs of a role start with at an end."""
        for name in layers:
            layer = LAYERS[name]
            frames = "layer" in layer.source
            giver = end if role == "source" else end.other
            config = {"cookie": giver.number, **layer.both}
            if config.get("transport") == "tcp":
                config["cookie"] = None
            if frames:
                config["dev"] = DEVICE
            if role == "sink":
                yield name, ktput.Client.config(role, **{
                    **config, "local": end.address,
                    "local_port": layer.port, **more, **layer.sink})
                continue
            config |= {"remote": end.other.address, "remote_port": layer.port,
                       "drain_timeout": self.drain * MS}
            if frames:
                # Not the port of the sink here, which takes its datagrams.
                config |= {"local": end.address,
                           "local_port": layer.port + 1,
                           "mac": end.other.station}
            yield name, ktput.Client.config(role, **{
                **config, **layer.source, **more})

    def start(self, end, role, layers, client=None, **more):
        """Start the runs of a role at an end."""
        names, requests = [], []
        for name, config in self.configs(role, end, layers, **more):
            names.append(name)
            requests.append(("run-start", {"config": config}, []))
        client = client or end.client
        replies = client.family.do_multi(requests)
        return [Run(client.begun(reply["run"])["id"], end, name, role)
                for name, reply in zip(names, replies)]

    def fill(self, layers, near=None, far=None, child=False):
        """Runs of all roles at both ends, and traffic in them.

        NEAR and FAR is more of their configurations. Those of the near end
        belong to a child, if it is asked for.
        """
        near, far = near or {}, far or {}
        runs = self.start(self.far, "sink", layers, **far)
        if child:
            runs += self.owner(layers, near)
        else:
            runs += self.start(self.near, "sink", layers, **near)
            runs += self.start(self.near, "source", layers, **near)
        runs += self.start(self.far, "source", layers, **far)
        self.flow(runs)
        return runs

    def flow(self, runs):
        """Wait until payload arrives at all sinks."""
        for run in runs:
            if run.role == "sink":
                until(lambda run=run: messages(run) > 3,
                      f"traffic to {where(run)}")

    def owner(self, layers, config):
        """A child that has the runs of the near end, and waits."""
        there, here = os.pipe()
        self.child = os.fork()
        if not self.child:
            try:
                client = self.near.client.another(self.near.netns)
                # Only the parent holds and closes it.
                self.near.client.close()
                for role in "sink", "source":
                    runs = self.start(self.near, role, layers, client, **config)
                    os.write(here, b"".join(
                        run.id.to_bytes(4, "big") for run in runs))
                signal.pause()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(here)
        runs = []
        for role in "sink", "source":
            data = os.read(there, 4 * len(layers))
            runs += [Run(int.from_bytes(data[4 * i:4 * i + 4], "big"),
                         self.near, name, role)
                     for i, name in enumerate(layers)]
        os.close(there)
        return runs

    def kill(self):
        """The child, if there is one; it has no time to say anything."""
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        self.child = None

    def clear(self):
        """Stop all runs, then forget them."""
        for end in self.near, self.far:
            client = end.client
            ids = [run["id"] for run in client.list()]
            # Those of a process that is gone go by themselves.
            client.tell("run-stop", ids)
            until(lambda client=client: all(
                run["state"] == "ended" for run in client.list()), "all end")
            client.forget(ids)


def where(run):
    """A run, in words."""
    side = "near" if run.end.number == 1 else "far"
    return f"{side} {run.role} of {run.layer}"


def messages(run):
    """What a sink has taken, in units of its layer."""
    snapshot = run.end.client.snapshot({"id": run.id}, ["cpu", "latency"])
    return snapshot.bytes // 1400 if run.layer == "tcp" else snapshot.messages


def of(runs, end, *roles):
    """Those of an end, and perhaps of some roles."""
    return [run for run in runs
            if run.end is end and (not roles or run.role in roles)]


def states(runs):
    """How far each of them has come, and why it has ended."""
    now = {(end, run["id"]): (run["state"], run["reason"])
           for end in {run.end for run in runs} for run in end.client.list()}
    return {run: now[run.end, run.id] for run in runs}


def ends(runs, *reasons):
    """They end, for one of these reasons."""
    def ended():
        now = states(runs)
        return now if {state for state, _ in now.values()} <= {"ended"} \
            else None
    for run, (_, reason) in until(ended, "all end").items():
        assert reason in reasons, f"{where(run)}: {reason}"


def go_on(runs):
    """They have not ended."""
    for run, now in states(runs).items():
        equal(now[0], "running", what=f"{where(run)}: {now[1]}")


def each(command, runs):
    """A command about each of them."""
    for end in {run.end for run in runs}:
        end.client.each(command, [run.id for run in of(runs, end)])


def snapshot(run, without=("cpu", "latency")):
    """A run and its counters."""
    return run.end.client.snapshot({"id": run.id}, without)
