# SPDX-License-Identifier: GPL-2.0
"""ktput's plug-ins for pScheduler, judged by pScheduler's own library and tests.

usage: check.py PSCHEDULER PLUGINS NEAR FAR

PSCHEDULER is a checkout of perfsonar/pscheduler, PLUGINS the folder of plug-ins in
the package of packaging/pscheduler.sh, NEAR and FAR are network namespaces with the
addresses 10.6.0.1 and 10.6.0.2. The library is on PYTHONPATH. Each participant's run is a process
in its namespace, as pScheduler's runner starts it. Prints KTAP.
"""

import datetime
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pscheduler

CHECKOUT, PLUGINS = map(Path, sys.argv[1:3])
NETNS = sys.argv[3:5]
HOSTS = ("10.6.0.1", "10.6.0.2")
results = []


def check(name, good, why=""):
    """Print a result."""
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} {name}", flush=True)
    if not good:
        print(f"# {str(why)[:2000]}", flush=True)


def invoke(kind, name, method, given=None, netns=None, *words):
    """Start a method; return the process."""
    inside = ["ip", "netns", "exec", netns] if netns else []
    process = subprocess.Popen([*inside, str(PLUGINS / kind / name / method), *words],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    process.stdin.write("" if given is None else json.dumps(given))
    process.stdin.close()
    process.stdin = None
    return process


def answer(process):
    """Return what a method answers."""
    out, said = process.communicate(timeout=120)
    if process.returncode:
        raise RuntimeError(f"{process.args}: {process.returncode}: {out} {said}")
    return json.loads(out)


def method(name, given=None):
    """Return the answer of a method of the tool."""
    return answer(invoke("tool", "ktput", name, given))


def validator(test):
    """Return the module that validates a test of pScheduler."""
    path = CHECKOUT / f"pscheduler-test-{test}" / test / "validate.py"
    found = importlib.util.spec_from_file_location(test, path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def whole(kind, spec, participants):
    """Run a test as pScheduler does; return its merged result."""
    test = {"type": kind, "spec": spec}
    data = [method("participant-data", {"participant": i, "test": test})
            for i in range(participants)]
    length = method("duration", test)["duration"]
    pscheduler.iso8601_as_timedelta(length)
    start = pscheduler.time_now() + datetime.timedelta(seconds=2)
    runs = [invoke("tool", "ktput", "run", {
        "schema": 1, "task-uuid": "0", "test": test, "participant": i,
        "participant-data": data,
        "schedule": {"start": pscheduler.datetime_as_iso8601(start),
                     "duration": length}}, NETNS[i]) for i in range(participants)]
    each = [answer(one) for one in runs]
    return method("merged-results", {"test": test, "results": each})


def throughput(name, judge, **spec):
    """Check a throughput test."""
    spec = {"schema": 4, "source": HOSTS[0], "dest": HOSTS[1], "duration": "PT3S",
            **spec}
    valid, why = judge.spec_is_valid(spec)
    check(f"{name}: pScheduler takes the specification", valid, why)
    can = method("can-run", {"type": "throughput", "spec": spec})
    check(f"{name}: ktput can run it", can["can-run"], can)
    result = whole("throughput", spec, 2)
    check(f"{name}: it succeeds", result["succeeded"], result.get("error", result))
    valid, why = judge.result_is_valid(result)
    check(f"{name}: pScheduler takes the result", valid, why)
    sums = result["summary"]["summary"]
    sent, received = sums["throughput-bits"], sums["receiver-throughput-bits"]
    check(f"{name}: both ends agree within 10%, {sent / 1e6:.1f} and "
          f"{received / 1e6:.1f} Mb/s", abs(sent / received - 1) < 0.1, sums)
    check(f"{name}: intervals of each stream", len(result["intervals"]) >= 3 and all(
        len(one["streams"]) == spec.get("parallel", 1) for one in result["intervals"]),
        result["intervals"])
    out, said = subprocess.Popen(
        [sys.executable, str(CHECKOUT / "pscheduler-test-throughput/throughput" /
                             "result-format"), "text/plain"], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ).communicate(json.dumps({"spec": spec,
                              "result": result}))
    check(f"{name}: pScheduler prints it", "Throughput" in out, out + said)
    return sums


def refusals():
    """Check what can-run refuses."""
    for kind, spec, why in (
            ("trace", {}, "none of ktput's"), ("throughput", None, "no specification"),
            ("throughput", {"schema": 99, "dest": "a"}, "not supported"),
            ("throughput", {"dest": "a", "single-ended": True}, "no 'single-ended'"),
            ("throughput", {"dest": "a", "reverse": True}, "needs a source"),
            ("rtt", {"dest": "a"}, "protocol ktput")):
        task = {"type": kind, **({} if spec is None else {"spec": spec})}
        can = method("can-run", task)
        check(f"{kind} is refused: {why}", not can["can-run"] and
              why in " ".join(can["reasons"]), can)


def round_trips():
    """Check the test rtt, against an echo service."""
    judge = validator("rtt")
    spec = {"schema": 4, "source": HOSTS[0], "dest": HOSTS[1], "protocol": "ktput",
            "count": 20, "interval": "PT0.05S", "length": 100, "port": 7}
    valid, why = judge.spec_is_valid(spec)
    check("rtt: pScheduler takes the specification", valid, why)
    check("rtt: ktput can run it", method("can-run", {"type": "rtt", "spec": spec})
          ["can-run"])
    echo = subprocess.Popen(
        ["ip", "netns", "exec", NETNS[1], sys.executable, "-c", """
import socket
with socket.create_server(("", 7)) as listener:
    peer, _ = listener.accept()
    while content := peer.recv(65536):
        peer.sendall(content)
"""])
    try:
        result = whole("rtt", spec, 1)
    finally:
        echo.kill()
        echo.wait()
    valid, why = judge.result_is_valid(result)
    check("rtt: pScheduler takes the result", valid, why)
    check("rtt: 20 of 20 round trips", result["succeeded"] and result["sent"] == 20 and
          result["received"] == 20 and result["loss"] == 0, result)
    low, mean = (pscheduler.timedelta_as_seconds(
        pscheduler.iso8601_as_timedelta(result[key])) for key in ("min", "mean"))
    check("rtt: least and mean", 0 < low <= mean < 1, result)


def ladder():
    """Check the test ladder and its tool."""
    enumerated = answer(invoke("test", "ladder", "enumerate"))
    valid, why = pscheduler.json_validate(
        enumerated, {"$ref": "#/pScheduler/PluginEnumeration/Test"})
    check("ladder: pScheduler takes what it enumerates", valid, why)
    words = ["--source", HOSTS[0], "--duration", "PT10S", "--transport", "tcp"]
    spec = answer(invoke("test", "ladder", "cli-to-spec", words))
    check("ladder: there and back", answer(
        invoke("test", "ladder", "spec-to-cli", spec)) == words, spec)
    check("ladder: valid", answer(invoke("test", "ladder", "spec-is-valid", spec))
          ["valid"])
    check("ladder: invalid", not answer(invoke(
        "test", "ladder", "spec-is-valid", {**spec, "x": 1}))["valid"])
    check("ladder: participants", answer(invoke("test", "ladder", "participants", spec))
          == {"participants": [HOSTS[0]]})
    check("ladder: ktput can run it", method("can-run", {"type": "ladder", "spec": spec})
          ["can-run"])
    result = whole("ladder", spec, 1)
    check("ladder: it has rungs", result["succeeded"] and result["ladder"]["tcp"],
          result)
    for name, given in (("spec-format", spec),
                        ("result-format", {"spec": spec, "result": result})):
        process = invoke("test", "ladder", name, given, None, "text/plain")
        out, said = process.communicate()
        check(f"ladder: {name}", process.returncode == 0 and len(out) > 20, out + said)


def main():
    """Run all checks."""
    print("TAP version 13")
    enumerated = method("enumerate")
    valid, why = pscheduler.json_validate(
        enumerated, {"$ref": "#/pScheduler/PluginEnumeration/Tool"})
    check("pScheduler takes what the tool enumerates", valid, why)
    refusals()
    judge = validator("throughput")
    throughput("TCP", judge)
    throughput("two streams back", judge, parallel=2, reverse=True)
    sums = throughput("UDP", judge, udp=True, bandwidth=20_000_000)
    check("UDP: nothing is lost at 20 Mb/s", sums["lost"] == 0 and
          abs(sums["throughput-bits"] / 20e6 - 1) < 0.1, sums)
    round_trips()
    ladder()
    print(f"1..{len(results)}")
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, 0 skipped")
    sys.exit(not all(results))


main()
