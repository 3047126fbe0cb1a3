#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""remedies.py [OPTION]...: does ktput-ctl improve find what helps, and only that?

Makes each situation of a table between two network namespaces, whose remedy is known by
construction, and has it improved. Right is one where the remedy is kept and nothing else
is; or where nothing helps, nothing is kept, and the search says why. One that this kernel
cannot make does not count.

exit: 0 all are right, 1 not so, 2 usage
"""

import argparse
import contextlib
import difflib
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass, field

from situations import TOP, Bed, background, quota_of, run

SETTINGS = f"{TOP}/tools/lab/ktput/improve/settings.toml"
#: What is changed is written here before.
JOURNAL = "/run/ktput/improve.jsonl"
#: Seconds in which a search is killed, and those after which all has to be restored.
MOMENTS_S, RESTORED_S = 15, 60
#: Why a search ends that cannot help.
IN_VAIN = ("cannot be changed", "nothing helps")
DELAY = "tc qdisc add dev veth0 root netem delay 20ms limit 10000"
#: Longer than windows take to open on such a way.
OPENED = "400ms"
#: Takes 64 KiB fifty times per second.
READER = """
import socket, time
listener = socket.create_server(("10.9.0.2", 5010))
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
print(flush=True)
while True:
    peer = listener.accept()[0]
    while peer.recv(65536):
        time.sleep(0.02)
"""


@dataclass
class Case:
    """What is made, what is tried, and what helps."""

    name: str
    #: keywords and settings that are tried
    tried: str
    #: each is found in what is kept, and nothing else is; none: nothing helps
    helps: list[str] = field(default_factory=list)
    words: str = ""
    #: "pingpong": round trips, which no link limits, are what is improved
    command: str = ""
    #: Commands in the namespace of the source, and of the sink.
    near: list[str] = field(default_factory=list)
    far: list[str] = field(default_factory=list)
    host: bool = True
    time: str = "50ms"
    #: The sink is a process of its own: of what program, and with what share of a CPU.
    sink: list[str] = field(default_factory=list)
    sink_quota: int = 0
    quota: int = 0


SINK = ["ktput-ctl", "sink", "tcp", "layer", "user", "on", "10.9.0.2", "port", "5010"]
SCALING = "sysctl -qw net.ipv4.tcp_window_scaling=0"
PLAIN = [f"ethtool -K veth0 {feature} off" for feature in (
    "tx-tcp-segmentation", "tx-generic-segmentation")]
CASES = [
    Case("a small buffer at the sink", "net.ipv4.tcp_rmem,gro", ["^tcp_rmem .* sink$"],
         far=["sysctl -qw net.ipv4.tcp_rmem='4096 8192 16384'"], time="200ms"),
    Case("a small buffer at the source", "net.ipv4.tcp_wmem,gro", ["^tcp_wmem .* source$"],
         near=[DELAY, "sysctl -qw net.ipv4.tcp_wmem='4096 65536 65536'"], time=OPENED),
    Case("a device that segments nothing", "tso,gso,txqueuelen",
         ["segmentation.* source$|^[tg]so"], near=PLAIN),
    Case("one byte per call", "size,nodelay", ["^size"], "size 1", host=False),
    Case("datagrams of 16 bytes", "size,streams", ["^size|^without size"], "udp size 16",
         host=False),
    Case("sndbuf", "sndbuf,nodelay", ["sndbuf"], "sndbuf 8K", near=[DELAY], host=False,
         time=OPENED),
    Case("rcvbuf", "rcvbuf,nodelay", ["rcvbuf"], "rcvbuf 8K", near=[DELAY], host=False,
         time=OPENED),
    Case("one stream of a small window", "streams,nodelay", ["^streams"], "rcvbuf 16K",
         near=[DELAY], host=False, time=OPENED),
    # Two that help only together.
    Case("no end scales windows", "net.ipv4.tcp_window_scaling",
         ["tcp_window_scaling 1 at source, tcp_window_scaling 1 at sink"],
         near=[DELAY, SCALING], far=[SCALING], time=OPENED),
    Case("small buffers at both ends", "net.ipv4.tcp_rmem,net.ipv4.tcp_wmem,gro",
         ["tcp_rmem", "tcp_wmem"], time=OPENED,
         near=[DELAY, "sysctl -qw net.ipv4.tcp_wmem='4096 65536 65536'"],
         far=["sysctl -qw net.ipv4.tcp_rmem='4096 32768 32768'"]),
    Case("a small MTU at both ends", "mtu,txqueuelen", ["mtu .* source, mtu .* sink"],
         near=[*PLAIN, "ip link set veth0 mtu 576"], far=["ip link set veth0 mtu 576"]),
    # What no remedy changes.
    Case("a shaper", "net.ipv4.tcp_rmem,qdisc,txqueuelen",
         near=["tc qdisc add dev veth0 root tbf rate 50mbit burst 20k latency 50ms"]),
    Case("a rate that was asked for", "net.core.rmem_default,txqueuelen,streams",
         words="udp rate 1mbit"),
    Case("a quota", "streams,nodelay", quota=30, host=False),
    Case("the far end's CPU", "sndbuf,nodelay", words="alone port 5010", sink=SINK,
         sink_quota=10, host=False, time="200ms"),
    Case("a slow reader", "sndbuf,nodelay", words="alone port 5010", host=False,
         sink=["python3", "-c", READER], time=OPENED),
]


def command(of: Case, bed: Bed, options: argparse.Namespace) -> list[str]:
    """What is run."""
    far = [] if of.sink else ["sink-netns", bed.far,
                              *["sink-layer", "user"] * (of.command != "pingpong")]
    return ["ktput-ctl", "-j", "improve", *of.command.split(), *["host"] * of.host, "layer", "user", "netns", bed.near,
            *far, "to", "10.9.0.2", *of.words.split(), "time", of.time, "try", of.tried,
            "limit", options.limit, "pairs", options.pairs]


def improved(of: Case, bed: Bed, options: argparse.Namespace) -> dict[str, object]:
    """Make the situation, and have it improved."""
    bed.make()
    with contextlib.ExitStack() as stack:
        for netns, commands in (bed.near, of.near), (bed.far, of.far):
            for line in commands:
                run("sh", "-c", line, netns=netns)
        if of.sink:
            before = stack.enter_context(quota_of(of.sink_quota)) if of.sink_quota else []
            stack.enter_context(background(*before, "ip", "netns", "exec", bed.far, *of.sink))
            time.sleep(1)
        before = stack.enter_context(quota_of(of.quota)) if of.quota else []
        done = subprocess.run([*before, *command(of, bed, options)], check=False, text=True,
                              capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rpartition("\n")[2])
    result: dict[str, object] = json.loads(done.stdout)["improve"]
    return result


def is_right(of: Case, result: dict[str, object]) -> bool:
    """Whether what helps was kept, and nothing else."""
    remedies = result["remedies"]
    assert isinstance(remedies, list)
    kept = [one["apply"] for one in remedies if one["kept"]]
    if not of.helps:
        return not kept and result["ended_because"] in IN_VAIN
    return all(any(re.search(one, title) for title in kept) for one in of.helps) and \
        all(any(re.search(one, title) for one in of.helps) for title in kept)


def settings(bed: Bed) -> str:
    """All that may be changed."""
    return subprocess.run([f"{TOP}/selftests/lib/settings.sh", bed.near, bed.far], check=True,
                          text=True, capture_output=True).stdout


def nics() -> list[str]:
    """Two devices that are wired to each other, or none."""
    return [path.split("/")[4] for path in sorted(glob.glob("/sys/class/net/*/device/driver"))
            if os.path.realpath(path).endswith("/e1000e")][:2]


class NicBed(Bed):
    """The same with the devices of a NIC."""

    def pair(self) -> None:
        """Move them; of namespaces that are removed they come back in a moment."""
        until = time.monotonic() + 10
        while len(nics()) < 2 and time.monotonic() < until:
            time.sleep(0.1)
        for netns, device in zip((self.near, self.far), nics(), strict=True):
            run("ip", "link", "set", device, "down")
            run("ip", "link", "set", device, "netns", netns, "name", "veth0")


def differences(before: str, bed: Bed) -> str:
    """What is another thing than it was, or nothing."""
    return "\n".join(difflib.unified_diff(before.splitlines(), settings(bed).splitlines(),
                                          lineterm="", n=0))


def try_rows(bed: Bed, only: str) -> tuple[int, int]:
    """Try each setting by itself; return after how many all was what it was, of how many."""
    with open(SETTINGS, "rb") as file:
        rows = {row["name"].removeprefix("sysctl "): row.get("for", "")
                for row in tomllib.load(file)["setting"]}
    rows = {name: words for name, words in rows.items() if re.search(only, name)}
    options = argparse.Namespace(limit="30s", pairs="4")
    right = 0
    for name, words in rows.items():
        bed.make()
        before = settings(bed)
        of = Case("", name, words=words.replace("tcp", ""), command="pingpong")
        done = subprocess.run(command(of, bed, options), check=False, text=True,
                              capture_output=True)
        differs = differences(before, bed) or done.stderr * bool(done.returncode)
        tried = [] if done.returncode else json.loads(done.stdout)["improve"]["remedies"]
        right += not differs
        print(f"{'WRONG' if differs else 'right'} {name}: "
              f"{', '.join(one['apply'] for one in tried) or 'nothing to change'}"
              + f": {differs}" * bool(differs), flush=True)
    return right, len(rows)


def killed(bed: Bed, after_s: float) -> str:
    """Kill a search then; what is another thing afterwards, or nothing."""
    bed.make()
    before = settings(bed)
    of = Case("", "net.ipv4.tcp_rmem,net.ipv4.tcp_wmem,txqueuelen,gro,mtu,rps")
    options = argparse.Namespace(limit="60s", pairs="4")
    with subprocess.Popen(command(of, bed, options), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        time.sleep(after_s)
        process.kill()
    until = time.monotonic() + RESTORED_S
    while os.path.exists(JOURNAL) and time.monotonic() < until:
        time.sleep(0.2)
    return differences(before, bed)


def kill_some(bed: Bed, seed: int, count: int) -> int:
    """Kill searches; return after how many all was what it was."""
    dice = random.Random(seed)
    right = 0
    for number in range(count):
        after_s = dice.uniform(0.5, MOMENTS_S)
        differs = killed(bed, after_s)
        right += not differs
        print(f"{'WRONG' if differs else 'right'} killed {number + 1}, after {after_s:.1f} s"
              + f": {differs}" * bool(differs), flush=True)
    return right


def main() -> int:
    """Make each, improve it, compare; kill some."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--limit", default="180s", help="of a search")
    parser.add_argument("--pairs", default="6", help="of runs for a remedy, at most")
    parser.add_argument("--killed", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=42, help="of the moments")
    options = parser.parse_args()
    right = total = 0
    with tempfile.TemporaryDirectory() as scratch:
        bed = Bed(scratch)
        del os.environ["KTPUT_SSH"]
        os.environ.pop("SSH_CONNECTION", None)
        try:
            for of in CASES:
                if not re.search(options.only, of.name):
                    continue
                begun = time.monotonic()
                try:
                    result = improved(of, bed, options)
                except subprocess.CalledProcessError as error:
                    print(f"not made: {of.name}: {error.cmd[-1]}", flush=True)
                    continue
                except RuntimeError as error:
                    result = {"remedies": [], "ended_because": str(error)}
                total += 1
                good = is_right(of, result)
                right += good
                tried = ", ".join(f"{one['apply']}: {one['outcome']}"
                                  for one in result["remedies"])  # type: ignore[attr-defined]
                print(f"{'right' if good else 'WRONG'} {of.name} "
                      f"({time.monotonic() - begun:.0f} s): {tried or 'nothing is tried'}; "
                      f"{result['ended_because']}", flush=True)
            right += kill_some(bed, options.seed, options.killed)
            # Devices of a NIC that come back have the name that others are made with.
            of_rows = try_rows(NicBed(scratch) if nics() else bed, options.only)
            right += of_rows[0]
            total += of_rows[1] + options.killed
        finally:
            bed.remove()
    print(f"\n{right} of {total} are right")
    return int(not total or right < total)


if __name__ == "__main__":
    sys.exit(main())
