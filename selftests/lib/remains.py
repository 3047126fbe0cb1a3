# SPDX-License-Identifier: GPL-2.0
"""What runs may leave behind: messages, threads, sockets, references, memory."""

import collections
import errno
import glob
import os
import re

from testbed import inside

# Of linux/kern_levels.h: that and what is more urgent.
WARNING = 4
# Whose names need not be read each time.
OLD = set(os.listdir("/proc"))
# What it says of a virtual CPU that had to wait for its turn.
SLOW = re.compile("(hrtimer|perf): interrupt took|hogged CPU|"
                  "clocksource: Long readout interval")
MODULE = "/sys/module/ktput"
# Of each cache a file that makes it smaller, kept open: each time that one of
# /sys is opened the kernel takes memory which it frees only seconds later.
SHRINKERS = {}
# Where the kernel says who allocated what, if it was booted with slub_debug=U.
TRACES = "/sys/kernel/debug/slab/*/alloc_traces"
# Freed buffer heads that a CPU keeps, of any owner.
KEPT = 64
# KiB: of a page, and the change by other processes in the meantime.
PAGE, OTHERS = 4, 4096
# Whose objects come and go with files, names and processes, also of others, and
# those of connections that are over, which TCP keeps for a minute; and what a
# kernel that looks for defects notes of each object, these as well.
RESTLESS = re.compile(
    r"dentry|inode|filp|vm_area|anon_vma|vma|maple|radix_tree|buffer_head|"
    r"kernfs|cred|pid|task|files_cache|signal|sighand|mm_struct|fs_cache|"
    r"lsm|seq_file|names_cache|proc_dir|ovl_|9p|v9fs|fasync|eventpoll|"
    r"bio|biovec|xfs|ext4|jbd2|trace_event|uid_cache|delayed|sigqueue|"
    r"key_jar|numa_policy|posix|iommu|audit|ftrace|tw_sock|bind2?_bucket|"
    r"kmemleak|debug_objects")


def slurp(path):
    """All of a file of /proc or /sys."""
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


class Kmsg:
    """What the kernel says from now on."""

    def __init__(self):
        self.file = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.file, 0, os.SEEK_END)

    def said(self):
        """New messages, each with its level."""
        while True:
            try:
                record = os.read(self.file, 8192).decode(errors="replace")
            except BlockingIOError:
                return
            except OSError as error:
                # Overwritten before it was read; what follows is there.
                if error.errno != errno.EPIPE:
                    raise
                continue
            prefix, _, text = record.partition(";")
            yield int(prefix.split(",")[0]) & 7, text.splitlines()[0]

    def complaints(self):
        """New messages that warn, or are the module's own."""
        return [text for level, text in self.said()
                if (level <= WARNING or "ktput" in text) and
                not SLOW.search(text)]


def threads():
    """Names of the module's threads, of which there was none at first."""
    found = []
    for number in os.listdir("/proc"):
        if number.isdigit() and number not in OLD:
            try:
                name = slurp(f"/proc/{number}/comm").strip()
            except OSError:
                continue
            if name.startswith("ktput/"):
                found.append(name)
    return found


def sockets(netns):
    """Sockets of the kernel and of others in a namespace, by /proc/net.

    Those in time-wait are none, and have a field of their own. Orphans are of
    all namespaces.
    """
    with inside(netns):
        text = slurp("/proc/thread-self/net/sockstat") + \
            slurp("/proc/thread-self/net/sockstat6")
    found = {}
    for line in text.splitlines():
        name, *words = line.replace(":", "").split()
        fields = dict(zip(words[::2], words[1::2]))
        for field in "inuse", "orphan":
            if name[:3] in ("TCP", "UDP", "RAW") and \
                    fields.get(field, "0") != "0":
                found[f"{name} {field}"] = int(fields[field])
    return found


def references():
    """References to the module, beside its own."""
    return int(slurp(MODULE + "/refcnt"))


def memory(what):
    """A line of /proc/meminfo, in KiB."""
    lines = slurp("/proc/meminfo").splitlines()
    return next(int(line.split()[1]) for line in lines
                if line.startswith(what + ":"))


def free():
    """Free memory in KiB.

    To MemFree belongs what each CPU keeps in lists of its own: some tens of
    MiB, where huge pages have the kernel keep more free.
    """
    listed = re.findall(r"^ +count: (\d+)", slurp("/proc/zoneinfo"), re.M)
    return memory("MemFree") + PAGE * sum(map(int, listed))


def shrink():
    """Have the kernel let go of all memory that it may."""
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("3")
    for name in os.listdir("/sys/kernel/slab"):
        try:
            if name not in SHRINKERS:
                SHRINKERS[name] = os.open(f"/sys/kernel/slab/{name}/shrink",
                                          os.O_WRONLY)
            os.write(SHRINKERS[name], b"1")
        except OSError:
            continue


def allocated():
    """Objects that the module has had allocated, by cache and function."""
    found = collections.Counter()
    for path in glob.glob(TRACES):
        cache = path.split("/")[-2]
        for trace in slurp(path).split("\n\n"):
            # Of a module that is gone addresses are left, and no names.
            function = re.search(r"(\w+)\S* \[ktput\]|\s(0xffff\w+)\s", trace)
            if function and not RESTLESS.search(cache):
                found[f"{cache} of {function[1] or 'another module'}"] += \
                    int(trace.split()[0])
    return found


def kept(name):
    """Objects of a cache that CPUs may keep when they are freed."""
    return KEPT * os.cpu_count() if name.startswith("skbuff_head_cache") else 0


class Memory:
    """Objects of slab caches, and pages, when all that may go is let go.

    The least of some looks: all objects of a slab count that a CPU allocates
    from, and that it has lately freed some of.
    """

    def __init__(self):
        self.allocated = allocated()
        self.objects, self.slab = {}, {}
        for _ in range(3):
            shrink()
            for line in slurp("/proc/slabinfo").splitlines()[2:]:
                name, active, _, _, slab = line.split()[:5]
                if RESTLESS.search(name):
                    continue
                self.slab[name] = int(slab)
                self.objects[name] = min(
                    int(active), self.objects.get(name, int(active)))
        # And what this process has.
        self.free = free() + PAGE * int(slurp("/proc/self/statm").split()[1])

    def flat(self, times):
        """Nothing has grown by something for each of so many TIMES since.

        Which is a page, or half an object: of the module, if the kernel knows
        whose they are, else of a cache, beside two slabs of each CPU.
        """
        now = Memory()
        grown = {name: count - self.objects.get(name, 0)
                 for name, count in now.objects.items()
                 if count - self.objects.get(name, 0) >=
                 times / 2 + 2 * os.cpu_count() * now.slab[name]}
        lost, bound = self.free - now.free, PAGE * times + OTHERS
        print(f"# {times} times: free {-lost:+} KiB, at least -{bound} KiB; "
              f"caches that grew: {grown}")
        if glob.glob(TRACES):
            grown = now.allocated - self.allocated
            print(f"# of the module {self.allocated.total()} objects, then "
                  f"{now.allocated.total()}; that grew: {dict(grown)}")
            grown = {name: count for name, count in grown.items()
                     if count >= times / 2 + kept(name)}
        assert not grown and lost < bound, "memory grows"
