# SPDX-License-Identifier: GPL-2.0
"""Cache lines and copies of an epoch, from reports of the plugin made up here."""

from pathlib import Path

import pytest

from ktput.compare import lines
from ktput.record import Json

KALLSYMS = """\
ffffffff81000000 T first
ffffffff81000100 t rep_movs_alternative
ffffffff81000200 T udp_rcv
ffffffffa0000000 t moved\t[module]
"""
# Of each: instructions copying copied touched read written code l1d l1i l2 copy_lines
SHORT = """\
epochs 10
device 3
unknown 0
kernel 100 0 0 10 10 0 10 0 0 0 0
user 70 0 8 9 8 7 6 5 4 3 0
ffffffff81000000 100 0 0 10 10 0 10 0 0 0 0
line 40 ffff888000000040 10 10 0 0 00
line 80 0 0 0 0 10
"""
LONG = """\
epochs 30
device 3
unknown 0
kernel 940 620 800 70 50 40 70 4 0 2 20
user 110 0 8 49 8 7 6 5 4 3 0
ffffffff81000000 300 0 0 50 50 20 30 0 0 0 0
ffffffff81000008 0 0 0 20 0 20 0 4 0 2 0
ffffffff81000100 600 600 640 0 0 0 20 0 0 0 20
ffffffff81000210 40 20 160 0 0 0 20 0 0 0 0
line 80 0 0 0 0 70
line 40 ffff888000000040 30 30 0 0 00
line c0 ffff8880000000c0 20 10 20 0 00
line 1000 ffff888000001000 20 10 20 0 00
"""
#: A line of the long run, and one that cannot be told; of one nothing was found out.
KINDS = """\
40 3 udp_sock
1000 64 unknown of kmalloc-64
"""


def measured(folder: Path, short: str = SHORT, long: str = LONG) -> Json:
    """Return the figures of a case *udp*."""
    (folder / "kallsyms").write_text(KALLSYMS)
    (folder / "cache.4").write_text(short)
    (folder / "cache.5").write_text(long)
    (folder / "cache.5.kinds").write_text(KINDS)
    return lines.figures(str(folder / "cache"), ["udp 4 5"], folder / "kallsyms")


def test_an_epoch_is_the_difference(tmp_path: Path) -> None:
    """What both runs have falls out, and user space is apart."""
    found = measured(tmp_path)["udp"]
    assert found["epochs"] == 20
    assert found["user"]["instructions_per_epoch"] == 2
    assert found["user"]["lines_per_epoch"] == 2
    assert found["kernel"]["instructions_per_epoch"] == (200 + 600 + 40) / 20
    assert found["kernel"]["lines_per_epoch"] == (40 + 20) / 20
    assert found["kernel"]["lines_written_per_epoch"] == 2
    assert found["kernel"]["l1d_misses_per_epoch"] == 0.2
    assert found["kernel"]["copy_instructions_per_epoch"] == 31
    assert found["kernel"]["l2_misses_per_epoch"] == 0.1


def test_the_median_counts(tmp_path: Path) -> None:
    """Of a case that was measured again, in whatever order."""
    measured(tmp_path)
    for number, kernel in ((6, "960 620 800 60"), (7, "900 620 800 90")):
        long = LONG.replace("940 620 800 70", kernel)
        (tmp_path / f"cache.{number}").write_text(long)
        (tmp_path / f"cache.{number}.kinds").write_text(KINDS)
    for numbers in ("567", "756", "675"):
        cases = [f"udp 4 {number}" for number in numbers]
        found = lines.figures(str(tmp_path / "cache"), cases, tmp_path / "kallsyms")
        assert found["udp"]["kernel"]["instructions_per_epoch"] == 42
        assert found["udp"]["kernel"]["lines_per_epoch"] == 3


def test_functions_by_lines(tmp_path: Path) -> None:
    """Those of the kernel that touch most lines first come first."""
    functions = measured(tmp_path)["udp"]["functions"]
    assert functions[0]["name"] == "first"
    assert functions[0]["lines_per_epoch"] == 3
    assert {one["name"] for one in functions} == {"first", "rep_movs_alternative",
                                                  "udp_rcv"}


def test_kinds_by_lines(tmp_path: Path) -> None:
    """All lines of data have a kind: of the kernel together they are as many."""
    found = measured(tmp_path)["udp"]
    assert found["kinds"] == [
        {"name": name, "lines_per_epoch": 1, "lines_read_per_epoch": read,
         "lines_written_per_epoch": written} for name, read, written in (
            ("udp_sock", 1, 0), ("unknown", 0.5, 1), ("unknown of kmalloc-64", 0.5, 1))]
    assert sum(one["lines_per_epoch"] for one in found["kinds"]) == (
        found["kernel"]["lines_per_epoch"])
    assert found["places"] == {"code 80": 3, "udp_sock 3": 1, "unknown c0": 1,
                               "unknown of kmalloc-64 64": 1}


def test_two_paths(tmp_path: Path) -> None:
    """What one has more, and what both have."""
    one = measured(tmp_path)["udp"]
    long = LONG.replace("c0 ffff8880000000c0 20", "0 0 0").replace(
        "line 80 0 0 0 0 70", "line 80 0 0 0 0 30\nline 100 0 0 0 0 60")
    two = measured(tmp_path, long=long)["udp"]
    assert lines.shared(one, two, code=False) == 2
    assert lines.shared(one, two, code=True) == 1
    kernels = {"6.1": {"udp": one, "raw": two}}
    assert list(lines.differences(kernels, [("udp", "raw")])) == [
        "udp and raw, 6.1: both touch 2 lines of data and 1 of code",
        "udp less raw, 6.1, kinds: unknown 1",
        "udp less raw, 6.1, functions: "]


def test_the_rest_is_summed() -> None:
    """Ten are named, and what is unknown comes last."""
    counts = {**{f"kind{i}": 20 - i for i in range(12)}, "unknown of a": 30,
              "unknown": 3}
    case = {"kinds": [{"name": name, "lines_per_epoch": count}
                      for name, count in counts.items()]}
    text, = lines.first_touched({"6.1": {"udp": case}}, "kinds")
    assert text.startswith("udp, 6.1: kind0 20, kind1 19, ")
    assert text.endswith("kind9 11, others 19, unknown 33")


@pytest.mark.parametrize(("old", "new", "reason"), [
    ("unknown 0", "unknown 1", "1 accesses whose line is not known"),
    ("epochs 30", "epochs 10", "10 epochs in the long run, 10 in"),
    ("20 0 4 0 2 0", "20 0 4 0 2", "shorter")])
def test_what_is_not_whole(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """Lines that are not known, no epochs, and a line without all counts."""
    with pytest.raises(ValueError, match=reason):
        measured(tmp_path, long=LONG.replace(old, new))


def test_table(tmp_path: Path) -> None:
    """A line for each path and kernel; user space has one if it does something."""
    found = measured(tmp_path)
    text = list(lines.table({"6.1": found, "6.12": found}))
    assert [line.split()[:3] for line in text[1:]] == [
        ["udp", "6.1", "42"], ["user", "space", "6.1"],
        ["udp", "6.12", "42"], ["user", "space", "6.12"]]
    assert text[1].split()[3:] == ["11", "40", "3", "2", "2", "3", "0", "0", "0"]
    long = list(lines.table({"6.1": {"a path of a long name": found["udp"]}}))
    assert {len(line) for line in long} == {len(text[0]) + 9}
    assert next(lines.first_touched({"6.1": found}, "functions")) == (
        "udp, 6.1: first 3")
