# SPDX-License-Identifier: GPL-2.0
"""common.py: what the benches share

On one CPU that is kept busy, and whose clock advances a nanosecond with each
instruction, elapsed time is a count of instructions. A cell is measured REPEATS
times, in turn with all others of its bench; its figure is the median, and the
spread from least to most is printed with it.
"""
import statistics
import subprocess
import sys

REPEATS = 3


def output(*command, status=(0,)):
    """Run a command and return what it prints; a failure foreseen is silent."""
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.DEVNULL if 1 in status else None)
    if done.returncode not in status:
        sys.exit(f"{' '.join(command)}: ended with {done.returncode}")
    return done.stdout


class Module:
    """A build of the module, loaded while the context lasts."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        output("insmod", self.path)

    def __exit__(self, *unused):
        output("rmmod", "ktput")


class Cell:
    """One figure: what is measured, beside whom, and how much it may be.

    measure() returns instructions for each of the units of the bench, in the
    bench's order; ratio is that of the first of them to the peer's.
    """

    def __init__(self, name, measure, peer=None, target=None):
        self.name = name
        self.measure = measure
        self.peer = peer
        self.target = target
        self.samples = []

    def median(self, unit=0):
        """The figure of a unit."""
        return statistics.median(sample[unit] for sample in self.samples)

    def spread(self):
        """From least to most, as a share of the figure."""
        values = [sample[0] for sample in self.samples]
        return (max(values) - min(values)) / self.median()


def verdict(ratio, most):
    """What a ratio means beside the most that it may be."""
    if most is None:
        return ""
    return f"at most {most:.3f}: {'met' if ratio <= most else 'MISSED'}"


def measure(cells):
    """Measure all cells, in turn."""
    for turn in range(REPEATS):
        for cell in cells:
            print(f"bench: {turn + 1} of {REPEATS}: {cell.name}",
                  file=sys.stderr, flush=True)
            cell.samples.append(cell.measure())


def counting(modules, what, unit, once, most):
    """What counting costs: the same run with counting and without, in turn.

    once() measures a run, which ends in error without counters, and returns
    instructions a unit. A first run warms up. MOST is the target, a share.
    """
    builds = {"counted": "ktput.ko", "uncounted": "uncounted/ktput.ko"}
    samples = {build: [] for build in builds}
    for turn in range(REPEATS):
        for build, path in builds.items():
            print(f"bench: {turn + 1} of {REPEATS}: {what}, {build}",
                  file=sys.stderr, flush=True)
            with Module(f"{modules}/{path}"):
                once()
                samples[build].append(once())
    with_, without = (statistics.median(samples[build]) for build in builds)
    cost = with_ / without - 1
    print(f"Counting, {what}: {with_:.1f} a {unit} with,\n"
          f"  {without:.1f} without: {cost:+.2%} (at most {most:.2%}: "
          f"{'met' if cost <= most else 'MISSED'})")
    return {"name": what, f"instructions_per_{unit.lower()}": samples,
            "cost": cost, "target": most}


def report(title, units, cells):
    """Print the cells as a table and return them as a record."""
    by_name = {cell.name: cell for cell in cells}
    records = []
    print(f"\n{title}")
    print(f"{'':36}" + "".join(f"{unit:>12}" for unit in units) +
          f"{'spread':>8}{'of peer':>9}")
    for cell in cells:
        ratio = None
        if cell.peer:
            ratio = cell.median() / by_name[cell.peer].median()
        print((f"{cell.name:36}" +
               "".join(f"{cell.median(i):12.1f}" for i in range(len(units))) +
               f"{cell.spread():8.2%}" +
               ("" if ratio is None else f"{ratio:9.3f} ") +
               verdict(ratio, cell.target)).rstrip())
        records.append({
            "name": cell.name, "peer": cell.peer, "ratio": ratio,
            "target_ratio": cell.target,
            **{f"instructions_per_{unit.split()[-1].lower()}": cell.median(i)
               for i, unit in enumerate(units)},
            "samples": cell.samples})
    return records
