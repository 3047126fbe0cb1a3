# SPDX-License-Identifier: GPL-2.0
"""pingpong.py: instructions of a message one way, ktput beside its peers"""
import functools
import json
import os
import re
import subprocess
import tempfile
import time

import common

TRIPS = 20000
HERE, THERE, NETNS = "198.18.0.1", "198.18.0.2", "ktput-bench"
NPTCP_PORT = 5002
SOCKPERF_SPAN = 2       # s


def ktput(size, *words):
    """Instructions of a message one way, the begin of the run included."""
    result = json.loads(common.output(
        "ktput-ctl", "-j", "pingpong", "size", str(size), "messages", str(TRIPS),
        *words))["result"]
    return (result["span_ns"] / result["round_trips"] / 2,)


def nptcp(size, host="127.0.0.1", *inside):
    """The same of NetPIPE, which gives the best of its trials."""
    # Both ends have to be told the same.
    command = ["NPtcp", "-P", str(NPTCP_PORT), "-l", str(size), "-u",
               str(size), "-p", "0", "-n", str(TRIPS // 10)]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "np.out")
        with subprocess.Popen([*inside, *command], cwd=scratch,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as server:
            while not common.output(*inside, "ss", "-Htln",
                                    f"sport = :{NPTCP_PORT}"):
                time.sleep(0.05)
            subprocess.run([*command, "-h", host, "-o", path], check=True,
                           cwd=scratch, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            server.wait()
        with open(path, encoding="ascii") as file:
            rows = [line.split() for line in file]
    return (float(next(row[2] for row in rows if row[0] == str(size))) * 1e9,)


def sockperf(size):
    """The same of sockperf ping-pong, which prints half of a round trip."""
    with subprocess.Popen(["sockperf", "server", "-i", "127.0.0.1"],
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        while not common.output("ss", "-Huln", "sport = :11111"):
            time.sleep(0.05)
        said = common.output("sockperf", "ping-pong", "-i", "127.0.0.1", "-m",
                             str(size), "-t", str(SOCKPERF_SPAN)).decode()
        server.terminate()
    return (float(re.search(r"avg-lat(?:ency)?= *([0-9.]+)", said)[1]) * 1e3,)


def cells():
    """What is measured."""
    measured = []

    def pair(peer, function, size, *words, target):
        """A peer, and ktput beside it, from the worker and the callback."""
        measured.append(common.Cell(peer, functools.partial(function, size)))
        for reply, most in (("worker", None), ("callback", target)):
            measured.append(common.Cell(
                f"{words[0]} {size} B, from the {reply}",
                functools.partial(ktput, size, "reply", reply, *words), peer,
                most))

    pair("NPtcp 1024 B", nptcp, 1024, "tcp", target=0.4)
    pair("sockperf 64 B", sockperf, 64, "udp", target=0.4)
    measured.append(common.Cell(
        "NPtcp 1024 B, veth",
        functools.partial(nptcp, 1024, THERE, "ip", "netns", "exec", NETNS)))
    measured.append(common.Cell(
        "frames 1024 B, veth",
        functools.partial(ktput, 1024, "udp", "layer", "driver", "to", THERE,
                          "sink-netns", NETNS), "NPtcp 1024 B, veth", 1 / 6))
    return measured


def connect():
    """A pair of veth devices, one of them in a namespace of its own."""
    for words in (f"netns add {NETNS}",
                  f"link add kpp0 type veth peer name kpp1 netns {NETNS}",
                  f"address add {HERE}/24 dev kpp0",
                  f"-n {NETNS} address add {THERE}/24 dev kpp1",
                  "link set kpp0 up", f"-n {NETNS} link set lo up",
                  f"-n {NETNS} link set kpp1 up"):
        common.output("ip", *words.split())


def bench(modules):
    """Measure, print and return the record."""
    measured = cells()
    connect()
    with common.Module(f"{modules}/ktput.ko"):
        common.measure(measured)
    return {"pingpong": common.report(
        "Ping-pong: instructions of both ends", ("one way",),
        measured)}
