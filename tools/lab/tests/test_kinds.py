# SPDX-License-Identifier: GPL-2.0
"""Kinds of cache lines, from a kernel made up here: its types, and its memory."""

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from ktput.compare import kinds
from ktput.compare.kinds import Place, Touched

DIRECT, VMALLOC, VMEMMAP = 0xffff888000000000, 0xffffc90000000000, 0xffffea0000000000
IMAGE = 0xffffffff82000000
#: Of each symbol the address, and what is there if it is a variable that is read.
SYMBOLS = {"slab_caches": 0, "vmemmap_base": VMEMMAP, "page_offset_base": DIRECT,
           "vmalloc_base": VMALLOC, "pcpu_base_addr": DIRECT + 0x700000,
           "pcpu_unit_size": 0x8000, "__per_cpu_offset": DIRECT + 0x700000,
           "net_namespace_list": 0}
KALLSYMS = "".join([
    *(f"{IMAGE + 64 * i:016x} D {name}\n" for i, name in enumerate(SYMBOLS)),
    f"{0:016x} A __per_cpu_start\n", f"{0x1000:016x} A runqueues\n",
    f"{0x1800:016x} A softnet_data\n", f"{0x2000:016x} A __per_cpu_end\n"])
VMALLOCINFO = f"""\
0x{VMALLOC:016x}-0x{VMALLOC + 0x5000:016x}   20480 kernel_clone+0xbf/0x430 pages=4
0x{VMALLOC + 0x6000:016x}-0x{VMALLOC + 0x8000:016x}    8192 load_module+0xb/0x2 pages=1
"""
INT, PTR, ARRAY, STRUCT, UNION, VAR, DATASEC = 1, 2, 3, 4, 5, 14, 15


class Types:
    """Types as BTF has them."""

    def __init__(self) -> None:
        self.types, self.strings, self.count = b"", b"\0", 0

    def name(self, text: str) -> int:
        self.strings += text.encode() + b"\0"
        return len(self.strings) - len(text) - 1 if text else 0

    def add(self, kind: int, name: str = "", other: int = 0, behind: bytes = b"",
            count: int = 0) -> int:
        self.types += struct.pack("<III", self.name(name), kind << 24 | count, other)
        self.types += behind
        self.count += 1
        return self.count

    def group(self, kind: int, name: str, size: int,
              members: Sequence[tuple[str, int, int]]) -> int:
        return self.add(kind, name, size, b"".join(
            struct.pack("<III", self.name(member), of, at * 8)
            for member, of, at in members), len(members))

    def whole(self) -> bytes:
        return struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(self.types),
                           len(self.types), len(self.strings)
                           ) + self.types + self.strings


def types() -> bytes:
    """Return the types that a kernel needs, and some that have objects."""
    made = Types()
    word = made.add(INT, "u64", 8, bytes(4))
    links = made.group(STRUCT, "list_head", 16, [("next", word, 0), ("prev", word, 8)])
    made.group(STRUCT, "page", 64, [("flags", word, 0), ("compound_head", word, 8)])
    made.group(STRUCT, "slab", 64, [
        ("flags", word, 0),
        ("", made.group(UNION, "", 8, [("slab_cache", word, 0)]), 24)])
    made.group(STRUCT, "kmem_cache", 64, [
        ("size", word, 0), ("name", word, 8), ("list", links, 16)])
    made.group(STRUCT, "net", 64, [("list", links, 0), ("dev_base_head", links, 16)])
    device = made.group(STRUCT, "net_device", 128, [("dev_list", links, 8)])
    to_device, to_links = (made.add(PTR, other=of) for of in (device, links))
    to_word = made.add(PTR, other=word)
    same = made.group(UNION, "", 8, [("dev", to_device, 0), ("dev_rcu", to_device, 0)])
    either = made.group(UNION, "", 8, [("dev", to_device, 0), ("cookie", word, 0)])
    entry = made.group(STRUCT, "dst_entry", 32, [
        ("", same, 0), ("", either, 8), ("links", to_links, 16)])
    neighbour = made.group(STRUCT, "neighbour", 64, [("first", entry, 0)])
    pair = made.add(ARRAY, behind=struct.pack("<III", made.add(PTR, other=neighbour),
                                              word, 2))
    rest = made.add(ARRAY, behind=struct.pack("<III", to_device, word, 0))
    made.group(STRUCT, "rtable", 56, [
        ("dst", entry, 0), ("pair", pair, 32), ("old", made.add(PTR, other=entry), 48),
        ("rest", rest, 56)])
    made.group(STRUCT, "sk_buff", 64, [("head", to_word, 0)])
    made.add(DATASEC, ".data..percpu", 0x2000, struct.pack(
        "<III", made.add(VAR, "softnet_data", to_device, bytes(4)), 0x1800, 8), 1)
    return made.whole()


class Made:
    """A kernel: memory that is zero where nothing is."""

    def __init__(self) -> None:
        self.bytes: dict[int, int] = {}
        self.pages = 0
        for i, (name, value) in enumerate(SYMBOLS.items()):
            at = IMAGE + 64 * i
            self.put(at, value or at)
            self.ends = {**getattr(self, "ends", {}), name: at}

    def put(self, address: int, value: int) -> None:
        self.bytes |= dict(zip(range(address, address + 8), value.to_bytes(8, "little"),
                               strict=True))

    def read(self, address: int, size: int) -> bytes:
        if address == VMEMMAP + 64 * 99:
            raise OSError("no memory")
        return bytes(self.bytes.get(at, 0) for at in range(address, address + size))

    def link(self, head: str, at: int) -> None:
        self.put(at, IMAGE + 64 * list(SYMBOLS).index(head))
        self.put(self.ends[head], at)
        self.ends[head] = at

    def slab(self, name: str, size: int) -> int:
        """Make a cache that has two pages, and return where its objects are."""
        self.pages += 2
        cache, text = DIRECT + 0x800000 + 256 * self.pages, name.encode()
        self.put(cache, size)
        self.put(cache + 8, cache + 128)
        self.bytes |= dict(zip(range(cache + 128, cache + 128 + len(text)), text,
                               strict=True))
        self.link("slab_caches", cache + 16)
        page = VMEMMAP + 64 * self.pages
        self.put(page + 24, cache)
        self.put(page + 64 + 8, page + 1)
        return DIRECT + 4096 * self.pages

    def kernel(self) -> kinds.Kernel:
        found = kinds.Kernel(self, kinds.Btf(types()), KALLSYMS)
        found.look(VMALLOCINFO)
        return found


def of(made: Made, *addresses: int, at_mark: dict[int, int] | None = None
       ) -> list[Place]:
    """Return the places of addresses in the direct map, or of others as they are."""
    lines = {}
    for address in addresses:
        content = made.read(address & ~63, 64)
        for where, value in (at_mark or {}).items():
            if where & ~63 == address & ~63:
                content = (content[:where % 64] + value.to_bytes(8, "little") +
                           content[where % 64 + 8:])
        physical = address - DIRECT if DIRECT <= address < VMALLOC else address
        lines[physical & ~63] = Touched(address, content)
    return list(made.kernel().kinds(lines).values())


def test_the_slab_tells() -> None:
    """The name of a struct, of a cache, and a page that is not the slab's first."""
    made = Made()
    routes, sockets, other = (made.slab(name, size) for name, size in
                              (("ip_dst_cache", 192), ("UDP", 1152), ("pid", 128)))
    assert of(made, routes, routes + 192 + 70) == [("rtable", 0), ("rtable", 1)]
    assert of(made, sockets + 4 * 1152 + 640) == [("udp_sock", 10)]
    assert of(made, other + 130) == [("pid", 0)]


def test_pointers_tell_of_kmalloc() -> None:
    """By way of a struct in a struct, a union of one type, and arrays."""
    made = Made()
    routes, small = made.slab("ip_dst_cache", 64), made.slab("kmalloc-128", 128)
    made.put(routes, small)
    made.put(routes + 56, small + 512)
    made.put(routes + 40, small + 128)
    made.put(routes + 16, small + 256)
    made.put(routes + 8, small + 384)
    objects = [small + 128 * i for i in range(5)]
    assert of(made, routes, *objects)[1:] == [
        ("net_device", 0), ("neighbour", 0),
        ("unknown of kmalloc-128", objects[2] // 64),
        ("unknown of kmalloc-128", objects[3] // 64), ("net_device", 0)]
    # What neighbour points at is told in turn.
    made.put(small + 128, small + 256)
    assert of(made, routes, *objects)[3] == ("net_device", 0)


def test_what_pointers_do_not_tell() -> None:
    """An object that is too small, one with two structs, and part of another one."""
    made = Made()
    routes, tiny, wide = (made.slab(name, size) for name, size in (
        ("ip_dst_cache", 64), ("kmalloc-64", 64), ("kmalloc-cg-128", 128)))
    made.put(routes, tiny)
    assert of(made, routes, tiny)[1] == ("unknown of kmalloc-64", tiny // 64)
    made.put(routes, wide)
    made.put(routes + 32, wide)
    assert of(made, routes, wide)[1] == ("unknown of kmalloc-cg-128", wide // 64)
    # A neighbour begins with an entry: it is the former.
    made.put(routes, 0)
    made.put(routes + 48, wide)
    assert of(made, routes, wide)[1] == ("neighbour", 0)


def test_lists_and_variables_tell() -> None:
    """A device of a namespace, and one that a variable of the CPU points at."""
    made = Made()
    small, net = made.slab("kmalloc-128", 128), DIRECT + 0x900000
    made.link("net_namespace_list", net)
    made.put(net + 16, small + 8)
    made.put(small + 8, net + 16)
    made.put(DIRECT + 0x700000 + 0x1800, small + 128)
    assert of(made, small, small + 128 + 64) == [("net_device", 0), ("net_device", 1)]


def test_what_was_at_the_mark_counts() -> None:
    """The data of a buffer that is another one's by now."""
    made = Made()
    buffers, data = made.slab("skbuff_head_cache", 64), made.slab("kmalloc-2k", 2048)
    made.put(buffers, data + 2048)
    assert of(made, buffers, data + 64)[1].kind == "unknown of kmalloc-2k"
    assert of(made, buffers, data + 64, at_mark={buffers: data})[1] == (
        "data of sk_buff", 1)


@pytest.mark.parametrize(("address", "place"), [
    (0x7fff12345678, ("memory of programs", 0x678 // 64)),
    (DIRECT + 0x700000 + 0x1040, ("per-CPU runqueues", (DIRECT + 0x701040) // 64)),
    (DIRECT + 0x700000 + 0x3000, ("per-CPU memory", (DIRECT + 0x703000) // 64)),
    (DIRECT + 50 * 4096 + 128, ("pages", 2)),
    (DIRECT + 99 * 4096, ("pages", 0)),
    (VMALLOC + 0x4080, ("stack", 0x102)),
    (VMALLOC + 0x5800, ("unknown", (VMALLOC + 0x5800) // 64)),
    (VMALLOC + 0x6000, ("vmalloc() of load_module", (VMALLOC + 0x6000) // 64)),
    (VMEMMAP + 640, ("struct page", (VMEMMAP + 640) // 64)),
    (0xfffffe0000001000, ("CPU entry area", 0xfffffe0000001000 // 64)),
    (IMAGE, ("static data", IMAGE // 64)),
    (0xffffffffff800000, ("unknown", 0xffffffffff800000 // 64))])
def test_ranges(address: int, place: tuple[str, int]) -> None:
    """Where no slab is."""
    assert of(Made(), address) == [place]


def test_reports_have_lines_of_data(tmp_path: Path) -> None:
    """A line of code alone is none."""
    (tmp_path / "one").write_text(
        f"epochs 3\nline 1040 ffff888000001048 3 3 0 0 {bytes(range(64)).hex()}\n"
        "line 2000 0 0 0 0 3 \n")
    assert kinds.read_touched([tmp_path / "one"]) == {
        0x1040: Touched(0xffff888000001048, bytes(range(64)))}
