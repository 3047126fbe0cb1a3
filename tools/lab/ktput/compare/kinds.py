# SPDX-License-Identifier: GPL-2.0
"""What kind of object a cache line belongs to, as the running kernel tells it.

This runs in the VM, behind a case, while its traffic goes on. A line is one of an
address that the kernel has touched, as selftests/vm/cache.c reports it. Where the slab
of its page tells the cache of its object, that is the kind: with slab_nomerge a cache
is for one kind. Objects of kmalloc() have none of their own: these have the type by
which the kernel's objects of known type point at them, which BTF tells. Otherwise the
kind follows from the range that the address is in. What changes meanwhile is unknown.

usage: python3 -m ktput.compare.kinds

Prints "ready" when it is. Then it reads names of reports, on one line, and another line
when these are there. It leaves REPORT.kinds of the last one, where each line of data in
any of them has a line: its physical address, its number among the lines of its object,
and its kind. It answers "ok" then, or "failed", and to stderr why.
"""

import os
import re
import struct
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

LINE = 64
WORD = 8
PAGE = 4096
#: What cannot be told.
UNKNOWN = "unknown"
#: Caches that do not have the name of a struct, and what their objects begin with.
STRUCTS = {"UDP": "udp_sock", "UDPv6": "udp6_sock", "TCP": "tcp_sock",
           "TCPv6": "tcp6_sock", "UNIX": "unix_sock", "UNIX-STREAM": "unix_sock",
           "skbuff_head_cache": "sk_buff", "skbuff_fclone_cache": "sk_buff_fclones",
           "ip_dst_cache": "rtable", "sock_inode_cache": "socket_alloc",
           "net_namespace": "net", "filp": "file", "ip_fib_trie": "key_vector",
           "ip_fib_alias": "fib_alias", "cred_jar": "cred",
           "sighand_cache": "sighand_struct", "signal_cache": "signal_struct",
           "files_cache": "files_struct", "fs_cache": "fs_struct",
           "eventpoll_epi": "epitem", "eventpoll_pwq": "eppoll_entry",
           "kernfs_node_cache": "kernfs_node", "inode_cache": "inode"}
#: What a sk_buff's head points at has no type.
DATA = {("sk_buff", "head"): "data of sk_buff"}
#: Structs that are part of others: a pointer at one does not tell which.
PARTS = {"list_head", "hlist_node", "hlist_head", "hlist_nulls_node", "rb_node",
         "callback_head", "llist_node", "kobject", "kref", "timerqueue_node",
         "wait_queue_entry", "work_struct", "device", "notifier_block"}
#: Who has areas of vmalloc() in which there are stacks, and memory of each CPU.
STACKS = {"kernel_clone", "copy_process", "dup_task_struct",
          "irq_init_percpu_irqstack"}
#: The kernel's image and its modules, and what the CPU needs to enter the kernel.
IMAGE, IMAGE_END = 0xffffffff80000000, 0xffffffffff000000
ENTRY, ENTRY_END = 0xfffffe0000000000, 0xfffffe8000000000
SYMBOLS = ("slab_caches", "vmemmap_base", "page_offset_base", "vmalloc_base",
           "pcpu_base_addr", "pcpu_unit_size", "__per_cpu_offset", "__per_cpu_start",
           "__per_cpu_end", "net_namespace_list")


class Memory(Protocol):
    """What has bytes at the kernel's addresses."""

    def read(self, address: int, size: int) -> bytes:
        """Return so many bytes; raises OSError where there are none."""


class Kcore:
    """The memory of the running kernel."""

    def __init__(self, path: str = "/proc/kcore") -> None:
        """Read where it has what; raises OSError."""
        self.file = os.open(path, os.O_RDONLY)
        header = os.pread(self.file, 64, 0)
        at, = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        table = os.pread(self.file, size * count, at)
        parts = [struct.unpack_from("<IIQQQQ", table, size * i) for i in range(count)]
        self.parts = [(virtual, virtual + length, offset)
                      for kind, _, offset, virtual, _, length in parts if kind == 1]

    def read(self, address: int, size: int) -> bytes:
        """Return so many bytes; raises OSError where there are none."""
        for begin, end, offset in self.parts:
            if begin <= address and address + size <= end:
                return os.pread(self.file, size, offset + address - begin)
        raise OSError(f"no memory at {address:#x}")


class Btf:
    """The types of a kernel. Those of which nothing is asked are not decoded."""

    _PTR, _ARRAY, _STRUCT, _UNION, _FWD, _TYPEDEF = 2, 3, 4, 5, 7, 8
    _VOLATILE, _CONST, _RESTRICT, _DATASEC, _TAG = 9, 10, 11, 15, 18
    #: Of a kind: bytes behind its head, and bytes for each of its members.
    _SIZES: ClassVar = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8),
                        13: (0, 8), 14: (4, 0), 15: (0, 12), 17: (4, 0), 19: (0, 12)}

    def __init__(self, data: bytes) -> None:
        """Find where each type is."""
        self.data = data
        header, types, length, strings = struct.unpack_from("<4xIIII", data)
        self.strings = header + strings
        sizes = [self._SIZES.get(kind, (0, 0)) for kind in range(32)]
        head = struct.Struct("<III").unpack_from
        at, end = header + types, header + types + length
        self.starts = [0]
        self.structs: dict[str, int] = {}
        self.sections: list[int] = []
        while at < end:
            name, info, _ = head(data, at)
            kind = info >> 24 & 31
            if kind == self._STRUCT and name:
                self.structs.setdefault(self._name(name), len(self.starts))
            elif kind == self._DATASEC:
                self.sections.append(len(self.starts))
            self.starts.append(at)
            behind, each = sizes[kind]
            at += 12 + behind + each * (info & 0xffff)
        self.pointers = cache(self._pointers)
        self.beginnings = cache(self._beginnings)

    def _name(self, offset: int) -> str:
        at = self.strings + offset
        return self.data[at:self.data.index(b"\0", at)].decode()

    def _head(self, number: int) -> tuple[int, int, int, int]:
        """Return kind, name, info, and size or type of a type."""
        if not number:
            return 0, 0, 0, 0
        name, info, size = struct.unpack_from("<III", self.data, self.starts[number])
        return info >> 24 & 31, name, info, size

    def _plain(self, number: int) -> int:
        """Return a type without names and qualifiers for it."""
        while True:
            kind, _, _, other = self._head(number)
            if kind not in (self._TYPEDEF, self._VOLATILE, self._CONST, self._RESTRICT,
                            self._TAG):
                return number
            number = other

    def _members(self, number: int) -> Iterator[tuple[str, int, int]]:
        """Yield name, type, and offset in bytes; without bit fields."""
        _, _, info, _ = self._head(number)
        for i in range(info & 0xffff):
            name, kind, offset = struct.unpack_from(
                "<III", self.data, self.starts[number] + 12 + 12 * i)
            if info >> 31:
                if offset >> 24:
                    continue
                offset &= 0xffffff
            yield self._name(name), kind, offset // 8

    def size(self, name: str) -> int:
        """Return the size of a struct in bytes."""
        return self._head(self.structs[name])[3]

    def offset(self, struct_name: str, member: str) -> int:
        """Return where a struct has a member, be it in one without name; KeyError."""
        def find(number: int) -> int | None:
            for name, kind, at in self._members(number):
                if name == member:
                    return at
                inner = find(kind) if not name else None
                if inner is not None:
                    return at + inner
            return None

        found = find(self.structs[struct_name])
        if found is None:
            raise KeyError(f"struct {struct_name} has no {member}")
        return found

    def _pointed(self, number: int) -> str:
        """Return the name of the struct that a type points at, or nothing."""
        kind, name, _, _ = self._head(self._plain(self._head(number)[3]))
        return self._name(name) if kind in (self._STRUCT, self._FWD) else ""

    def _within(self, number: int, at: int) -> Iterator[tuple[int, str]]:
        """Yield offset and struct of the pointers in a type.

        In a union those that all of its members have.
        """
        number = self._plain(number)
        kind, _, _, _ = self._head(number)
        if kind == self._PTR:
            yield at, self._pointed(number)
        elif kind == self._ARRAY:
            of, _, count = struct.unpack_from("<III", self.data,
                                              self.starts[number] + 12)
            of = self._plain(of)
            # One without length is the last member, and goes on.
            count = count or 1
            if self._head(of)[0] in (self._PTR, self._STRUCT) and count <= LINE:
                each = WORD if self._head(of)[0] == self._PTR else self._head(of)[3]
                for i in range(count):
                    yield from self._within(of, at + i * each)
        elif kind == self._STRUCT:
            name = self._name(self._head(number)[1])
            for text, member, offset in self._members(number):
                if (name, text) in DATA:
                    yield at + offset, DATA[name, text]
                yield from self._within(member, at + offset)
        elif kind == self._UNION:
            yield from set.intersection(*(set(self._within(member, at)) for
                                          _, member, _ in self._members(number)))

    def _pointers(self, name: str) -> list[tuple[int, str]]:
        """Return offsets of pointers in a struct, and the structs they point at."""
        return [(at, to) for at, to in self._within(self.structs[name], 0)
                if to and to not in PARTS]

    def _beginnings(self, name: str) -> set[str]:
        """Return the structs that a struct begins with, and those that these do."""
        found: set[str] = set()
        number = self.structs.get(name, 0)
        while number:
            first = next(self._members(number), None)
            number = self._plain(first[1]) if first and not first[2] else 0
            kind, text, _, _ = self._head(number)
            if kind != self._STRUCT:
                break
            found.add(self._name(text))
        return found

    def per_cpu(self) -> Iterator[tuple[int, str]]:
        """Yield offset and struct of the pointers in variables of each CPU."""
        for section in self.sections:
            _, name, info, _ = self._head(section)
            if self._name(name) != ".data..percpu":
                continue
            for i in range(info & 0xffff):
                variable, offset, _ = struct.unpack_from(
                    "<III", self.data, self.starts[section] + 12 + 12 * i)
                for at, to in self._within(self._head(variable)[3], offset):
                    if to and to not in PARTS:
                        yield at, to


class Place(NamedTuple):
    """Where a line is: its kind, and its number in the object, or among all."""

    kind: str
    line: int


class Touched(NamedTuple):
    """A line: an address in it that the kernel touched, and its bytes at the mark."""

    address: int
    content: bytes


class Slab(NamedTuple):
    """A cache of objects."""

    name: str
    size: int


class Object(NamedTuple):
    """An object of a slab."""

    address: int
    slab: Slab

    @property
    def is_kmalloc(self) -> bool:
        """Whether its cache does not tell what it is."""
        return re.match(r"(dma-)?kmalloc-", self.slab.name) is not None


class Kernel:
    """The kernel's memory, and what it says of itself."""

    def __init__(self, memory: Memory, btf: Btf, kallsyms: str) -> None:
        """Find what is fixed; raises KeyError and OSError."""
        self.memory, self.btf = memory, btf
        found = re.findall(rf"^(\w+) \w ({'|'.join(SYMBOLS)})$", kallsyms, re.MULTILINE)
        self.at = {name: int(address, 16) for address, name in found}
        self.vmemmap, self.direct, self.vmalloc, self.first, self.unit = (
            self.word(self.at[name]) for name in SYMBOLS[1:6])
        self.unit &= 0xffffffff
        self.per_cpu = self.word(self.at["__per_cpu_offset"])
        start, end = self.at["__per_cpu_start"], self.at["__per_cpu_end"]
        self.variables = sorted(
            (int(address, 16), name) for address, name in
            re.findall(r"^(\w+) [aAdDbBvV] (\w+)$", kallsyms, re.MULTILINE)
            if start <= int(address, 16) < end and not name.startswith("__per_cpu_"))
        self.areas: list[tuple[int, int, str]] = []
        self.page = btf.size("page")
        self.head = btf.offset("page", "compound_head")
        self.cache = btf.offset("slab", "slab_cache")
        self.slabs: dict[int, Slab] = {}
        self.held: dict[int, bytes] = {}
        self.pages: dict[int, tuple[int, Slab | None]] = {}

    def word(self, address: int) -> int:
        """Return the eight bytes at an address."""
        return int.from_bytes(self.memory.read(address, 8), "little")

    def _word_held(self, address: int) -> int:
        """Return the eight bytes at an address, as they were at the mark if known."""
        line = self.held.get(address - address % LINE)
        if line is None:
            return self.word(address)
        at = address % LINE
        return int.from_bytes(line[at:at + WORD], "little")

    def look(self, vmallocinfo: str) -> None:
        """Read what has changed: its caches, and areas of vmalloc(); raises OSError."""
        self.slabs = dict(self._slabs())
        self.areas = sorted(
            (int(begin, 16), int(end, 16), who) for begin, end, who in re.findall(
                r"^0x(\w+)-0x(\w+) +\d+ ([\w.]+)\+", vmallocinfo, re.MULTILINE))

    def _each(self, head: int, of: str, member: str) -> Iterator[int]:
        """Yield the structs that are in a list by a member."""
        to = self.btf.offset(of, member)
        at = head
        while (at := self.word(at)) != head:
            yield at - to

    def _slabs(self) -> Iterator[tuple[int, Slab]]:
        name = self.btf.offset("kmem_cache", "name")
        size = self.btf.offset("kmem_cache", "size")
        for at in self._each(self.at["slab_caches"], "kmem_cache", "list"):
            text = self.memory.read(self.word(at + name), 32)
            yield at, Slab(text.split(b"\0")[0].decode(),
                           self.word(at + size) & 0xffffffff)

    def _devices(self) -> Iterator[int]:
        """Yield the network devices of all namespaces."""
        head = self.btf.offset("net", "dev_base_head")
        for net in self._each(self.at["net_namespace_list"], "net", "list"):
            yield from self._each(net + head, "net_device", "dev_list")

    def object_at(self, address: int) -> Object | None:
        """Return the object that has an address, if a slab has it."""
        if not self.direct <= address < self.vmalloc:
            return None
        number = (address - self.direct) // PAGE
        if number not in self.pages:
            self.pages[number] = self._slab_of(number)
        begin, slab = self.pages[number]
        return Object(address - (address - begin) % slab.size, slab) if slab else None

    def _slab_of(self, number: int) -> tuple[int, Slab | None]:
        """Return where the slab that has a page begins, and its cache."""
        try:
            page = self.memory.read(self.vmemmap + number * self.page, self.page)
            head, = struct.unpack_from("<Q", page, self.head)
            if head & 1:
                page = self.memory.read(head - 1, self.page)
                number = (head - 1 - self.vmemmap) // self.page
        except OSError:
            return 0, None
        # What is no slab has a list or a mapping there, but never a cache.
        slab = self.slabs.get(struct.unpack_from("<Q", page, self.cache)[0])
        return self.direct + number * PAGE, slab

    def _variable(self, address: int) -> Place:
        """Return kind and line of an address in the first memory of the CPU."""
        offset = (address - self.per_cpu) & (1 << 64) - 1
        index = bisect_right(self.variables, (offset, "~")) - 1
        if index < 0 or offset >= self.at["__per_cpu_end"]:
            return Place("per-CPU memory", address // LINE)
        return Place(f"per-CPU {self.variables[index][1]}", address // LINE)

    def _area(self, address: int) -> Place:
        """Return kind and line of an address of vmalloc()."""
        index = bisect_right(self.areas, (address, 1 << 64, "")) - 1
        begin, end, who = self.areas[index] if index >= 0 else (0, 0, "")
        if address >= end:
            return Place(UNKNOWN, address // LINE)
        if who in STACKS:
            return Place("stack", (address - begin) // LINE)
        kind = "per-CPU memory" if who.startswith("pcpu_") else f"vmalloc() of {who}"
        return Place(kind, address // LINE)

    def range_of(self, address: int) -> Place:
        """Return kind and line of an address that is in no slab."""
        if address < 1 << 63:
            return Place("memory of programs", address % PAGE // LINE)
        if self.first <= address < self.first + self.unit:
            return self._variable(address)
        if self.direct <= address < self.vmalloc:
            return Place("pages", address % PAGE // LINE)
        if self.vmalloc <= address < self.vmemmap:
            return self._area(address)
        for kind, begin, end in (
                ("struct page", self.vmemmap, ENTRY),
                ("CPU entry area", ENTRY, ENTRY_END),
                ("static data", IMAGE, IMAGE_END)):
            if begin <= address < end:
                return Place(kind, address // LINE)
        return Place(UNKNOWN, address // LINE)

    def types(self, objects: Iterable[Object]) -> dict[Object, str]:
        """Return the structs of objects, of those that can be told.

        From the pointers of objects whose struct is known those of kmalloc() follow,
        and from these further ones. Network devices are in lists.
        """
        wanted = {one.address: one for one in objects if one.is_kmalloc}
        told = {one: STRUCTS.get(one.slab.name, one.slab.name) for one in objects
                if not one.is_kmalloc}
        claims: dict[Object, set[str]] = defaultdict(set)

        def claim(pointed: Iterable[tuple[int, str]]) -> None:
            for address, name in pointed:
                if address in wanted:
                    claims[wanted[address]].add(name)

        claim(self._pointed_by_variables())
        claim((address, "net_device") for address in self._devices())
        todo, done = told, set(told)
        while todo:
            for one, name in todo.items():
                claim(self._pointed_by(one, name))
            todo = {one: name for one in claims.keys() - done
                    if (name := self._one_of(claims[one], one.slab.size))}
            done |= todo.keys()
        return told | {one: name for one, names in claims.items()
                       if (name := self._one_of(names, one.slab.size))}

    def _pointed_by_variables(self) -> Iterator[tuple[int, str]]:
        """Yield what variables of each CPU point at, and as which struct."""
        section = self.per_cpu + self.at["__per_cpu_start"]
        for at, to in self.btf.per_cpu():
            yield self._word_held(section + at), to

    def _pointed_by(self, one: Object, name: str) -> Iterator[tuple[int, str]]:
        """Yield what an object of a struct points at, and as which one."""
        if name in self.btf.structs:
            for at, to in self.btf.pointers(name):
                if at + WORD <= one.slab.size:
                    yield self._word_held(one.address + at), to

    def _one_of(self, names: set[str], size: int) -> str:
        """Return the one of these structs that the others are the beginning of."""
        fit = {name for name in names
               if name not in self.btf.structs or self.btf.size(name) <= size}
        fit -= set().union(*map(self.btf.beginnings, fit))
        return fit.pop() if len(fit) == 1 else ""

    def kinds(self, touched: Mapping[int, Touched]) -> dict[int, Place]:
        """Return of lines, by physical address, where they are."""
        self.pages = {}
        objects = {physical: self.object_at(line.address)
                   for physical, line in touched.items()}
        self.held = {self.direct + physical: line.content
                     for physical, line in touched.items()}
        types = self.types({one for one in objects.values() if one})
        found = {}
        for physical, (address, _) in touched.items():
            one = objects[physical]
            if not one:
                found[physical] = self.range_of(address)
            elif one in types:
                found[physical] = Place(types[one], (address - one.address) // LINE)
            else:
                found[physical] = Place(f"{UNKNOWN} of {one.slab.name}",
                                        address // LINE)
        return found


def read_touched(reports: Iterable[Path]) -> dict[int, Touched]:
    """Return the lines of data in reports, by physical address; raises OSError."""
    found = {}
    for report in reports:
        for text in report.read_text().splitlines():
            if text.startswith("line "):
                _, physical, address, touched, *_, content = text.split()
                if int(touched):
                    found[int(physical, 16)] = Touched(int(address, 16),
                                                       bytes.fromhex(content))
    return found


def answer(kernel: Kernel, reports: list[Path]) -> None:
    """Leave the kinds of the lines of reports; raises OSError."""
    touched = read_touched(reports)
    kernel.look(Path("/proc/vmallocinfo").read_text())
    kinds, again = kernel.kinds(touched), kernel.kinds(touched)
    with Path(f"{reports[-1]}.kinds").open("w") as file:
        for physical, place in kinds.items():
            kind, line = (place if again[physical] == place
                          else (UNKNOWN, touched[physical].address // LINE))
            file.write(f"{physical:x} {line} {kind}\n")


def main() -> int:
    """Answer until there are no questions."""
    kernel = Kernel(Kcore(), Btf(Path("/sys/kernel/btf/vmlinux").read_bytes()),
                    Path("/proc/kallsyms").read_text())
    print("ready", flush=True)
    for question in sys.stdin:
        sys.stdin.readline()
        try:
            answer(kernel, [Path(word) for word in question.split()])
            print("ok", flush=True)
        except OSError as error:
            print(f"kinds: {error}", file=sys.stderr)
            print("failed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
