# SPDX-License-Identifier: GPL-2.0
"""derive_cpus.py: what derive.py says of the cycles of each CPU."""

from derive_statistics import EXACT, ROUNDING

NS = 1e9
OWN = "source", "sink", "worker", "own_softirq"
OTHERS = "other_softirq", "other_tasks", "steal"


def total(snapshot, name):
    """Sum over the CPUs."""
    return sum(cpu[name] for cpu in snapshot["cpus"])


def busy(before, after):
    """Share of the time between two readings that a CPU was not idle."""
    elapsed = after["time_ns"] - before["time_ns"]
    idle = after["idle_ns"] - before["idle_ns"]
    return min(max((elapsed - idle) / elapsed, 0), 1)


def spent(before, after):
    """What a CPU's cycles were spent on: idle is no more than its idle time."""
    found = {name: max(value - before["contexts"][name], 0)
             for name, value in after["contexts"].items()
             if name in before["contexts"]}
    if "idle_cycles" in found:
        work = next((name for name in ("hardirq_cycles", "kernel_cycles")
                     if name in found), None)
        cycles = after["cycles"] - before["cycles"]
        excess = found["idle_cycles"] - int((1 - busy(before, after)) * cycles)
        if work and excess > 0:
            found["idle_cycles"] -= excess
            found[work] += excess
    return found


def contexts(path, before, after):
    """What is printed of that."""
    for name, value in spent(before, after).items():
        # A product of doubles that is cut off to a whole number.
        yield f"{path}.contexts.{name}", value, 1.0


def cpus(run):
    """The table of the CPUs, and what follows from it."""
    by_bytes = total(run.last[run.counted], "bytes") - \
        total(run.begin[run.counted], "bytes")
    by_packets = total(run.last[run.counted], "messages") - \
        total(run.begin[run.counted], "messages")
    sums = {"busy_cycles": 0.0}
    for row, (before, after) in enumerate(run.cpus(run.read)):
        path = f"result.cpus.{row}"
        cycles = after["cycles"] - before["cycles"]
        share = busy(before, after)
        yield f"{path}.cpu", after["cpu"], EXACT
        yield f"{path}.elapsed_ns", after["time_ns"] - before["time_ns"], EXACT
        yield f"{path}.cycles", cycles, EXACT
        yield f"{path}.busy_share", share, ROUNDING
        yield f"{path}.busy_cycles", cycles * share, ROUNDING
        yield f"{path}.busy_cycles_per_byte", cycles * share / by_bytes, \
            ROUNDING
        if "contexts" in before and "contexts" in after:
            yield from contexts(path, before, after)
        sums["busy_cycles"] += cycles * share
        for end in run.ends:
            calls = sum(b["call_cycles"] - a["call_cycles"]
                        for a, b in run.cpus(end) if a["cpu"] == after["cpu"])
            yield f"{path}.{end}_call_cycles", calls, EXACT
            name = f"{end}_call_cycles"
            sums[name] = sums.get(name, 0) + calls
    yield "result.cpu_bytes", by_bytes, EXACT
    for name, value in sums.items():
        yield f"result.{name}_per_byte", value / by_bytes, ROUNDING
        if run.udp:
            yield f"result.{name}_per_packet", value / by_packets, ROUNDING


def share(parts, names):
    """Share of a CPU's cycles that the parts of these NAMES have."""
    return sum(parts[name] for name in names) / sum(parts.values())


def attribution(run, before, after, pairs=None):
    """Whose a CPU's cycles were: by kind of work, then by packets.

    PAIRS of an end are its CPUs before and after; those of the run without it.
    """
    pairs = pairs or run.cpus
    elapsed = after["time_ns"] - before["time_ns"]
    def grown(name):
        return max(after[name] - before[name], 0)
    own = {"source": 0, "sink": 0}
    calls = False
    for end in run.ends:
        for earlier, later in pairs(end):
            if later["cpu"] == after["cpu"]:
                calls |= later["calls"] > earlier["calls"] or \
                    later["bytes"] > earlier["bytes"]
                # In the kernel the contexts tell what it did.
                if "contexts" not in later:
                    own[end] = later.get("thread_ns", 0) - \
                        earlier.get("thread_ns", 0)
    kinds = dict.fromkeys(
        ("source", "sink", "worker", "irq", "tasks", "steal"), 0.0)
    unit = 1.0
    if "contexts" in after:
        cycles = spent(before, after)
        for name, value in cycles.items():
            kind = name.removesuffix("_cycles")
            if kind.startswith("softirq") or kind == "hardirq":
                kind = "irq"
            kind = {"kernel": "tasks", "user": "tasks"}.get(kind, kind)
            kinds[kind] = kinds.get(kind, 0) + value
        idle = kinds.pop("idle")
        working = sum(kinds.values())
        stolen = min(grown("steal_ns") / elapsed * (working + idle), working)
        for kind in kinds:
            kinds[kind] *= 1 - stolen / working if working else 1
        kinds["steal"] = stolen
        unit = (after["cycles"] - before["cycles"]) / elapsed
    else:
        idle = elapsed * (1 - busy(before, after))
        kinds["steal"] = min(grown("steal_ns"), elapsed - idle)
        left = elapsed - idle - kinds["steal"]
        ticks = grown("task_ns") + grown("irq_ns")
        kinds["irq"] = left * grown("irq_ns") / ticks if ticks else 0
        kinds["tasks"] = left - kinds["irq"]
    threads = sum(own.values()) * unit
    taken = min(threads, kinds["tasks"])
    for end in own:
        kinds[end] += taken * own[end] * unit / threads if threads else 0
    kinds["tasks"] -= taken
    packets = (after["received_packets"] - before["received_packets"]) % 2 ** 32
    others = others_per_s(run, after["cpu"]) * elapsed / NS
    foreign = min(others / packets, 1) if packets else 0 if calls else 1
    return {"source": kinds["source"], "sink": kinds["sink"],
            "worker": kinds["worker"], "own_softirq": kinds["irq"] * (1 - foreign),
            "other_softirq": kinds["irq"] * foreign,
            "other_tasks": kinds["tasks"], "steal": kinds["steal"], "idle": idle}


def own(run, start, end, window=None):
    """The run's own cycles of all CPUs between two snapshots of each end.

    With WINDOW those of as many nanoseconds.
    """
    def pairs(name):
        earlier = {cpu["cpu"]: cpu for cpu in start[name]["cpus"]}
        return [(earlier[cpu["cpu"]], cpu) for cpu in end[name]["cpus"]
                if cpu["cpu"] in earlier]

    return sum(share(attribution(run, before, after, pairs), OWN) *
               (after["cycles"] - before["cycles"]) *
               (window / (after["time_ns"] - before["time_ns"]) if window else 1)
               for before, after in pairs(run.read))


def others_per_s(run, cpu):
    """Packets that a CPU received in the time before the run."""
    reference = run.readings["reference"]
    for row in reference["cpus"]:
        if row["cpu"] == cpu and "received_packets" in row:
            return row["received_packets"] * NS / reference["elapsed_ns"]
    return 0


def working(run, parts):
    """Numbers of the CPUs that make calls of the run, or have a part of its softirqs.

    A twentieth of all is a part.
    """
    calling = {later["cpu"] for end in run.ends for earlier, later in run.cpus(end)
               if later["calls"] > earlier["calls"] or
               later["bytes"] > earlier["bytes"]}
    softirqs = {after["cpu"]: share(parts[after["cpu"]], ["own_softirq"]) *
                (after["cycles"] - before["cycles"])
                for before, after in run.cpus(run.read)}
    least = sum(softirqs.values()) / 20
    return calling | {cpu for cpu, cycles in softirqs.items() if cycles > least}


def disturbance(run, parts):
    """Whose the cycles of each CPU were, and what others had of those of the run."""
    own = 0
    for row, (before, after) in enumerate(run.cpus(run.read)):
        cycles = after["cycles"] - before["cycles"]
        every = parts[after["cpu"]]
        for name, value in every.items():
            yield f"result.cpus.{row}.attribution.{name}_cycles", \
                value / sum(every.values()) * cycles, max(cycles * 1e-6, 7.0)
        own += share(every, OWN) * cycles
    yield "result.own_cycles_per_byte", own / run.result["cpu_bytes"], 1e-6
    if run.udp:
        yield "result.own_cycles_per_packet", own / run.result["cpu_packets"], 1e-6
    mine = working(run, parts)
    most, every = max(((share(every, OTHERS), every) for cpu, every in parts.items()
                       if cpu in mine), key=lambda found: found[0])
    # What is known to so many cycles above is not known better where it is little.
    yield "result.disturbed_share", most, min(
        0.1, max(1e-6, 7.0 / max(1.0, most * sum(every.values()))))
