# SPDX-License-Identifier: GPL-2.0
"""Programs of BPF for tests, compiled, loaded and attached to the root cgroup."""

import contextlib
import os
import tempfile

from testbed import TOP, shell, skip_all, succeeds


@contextlib.contextmanager
def programs(source, attachments, **defines):
    """The programs of a file of cases/ are attached; where its maps are pinned.

    ATTACHMENTS has a type of bpftool's by the name of each program that is to be
    attached to the root of cgroups, where workers and tests are. Programs are pinned
    below "programs" there. The test is skipped if the kernel takes no such program.
    """
    with contextlib.ExitStack() as undo:
        # libbpf makes a "_" of each "." in where it pins.
        directory = tempfile.mkdtemp(prefix="ktput-")
        undo.callback(shell, f"rm -rf --one-file-system {directory}")
        for kind in "cgroup2", "bpf":
            place = f"{directory}/{kind}"
            os.mkdir(place)
            if not succeeds(f"mount -t {kind} none {place}"):
                skip_all(f"no {kind} can be mounted")
            undo.callback(shell, f"umount {place}")
        cgroup, pins = f"{directory}/cgroup2", f"{directory}/bpf"
        # bpftool mounts one itself, unless it makes the directory of programs.
        loaded = f"{pins}/programs"
        compiled = f"{directory}/{os.path.splitext(source)[0]}.o"
        # The target has no headers of its own: those of the host.
        shell("clang -target bpf -O2 -g -Wall -Wextra -Werror " +
              " ".join(f"-D{name}={value}" for name, value in defines.items()) +
              " -idirafter /usr/include/$(gcc -print-multiarch) "
              f"-c {TOP}/selftests/cases/{source} -o {compiled}")
        if not succeeds(f"bpftool prog loadall {compiled} {loaded} "
                        f"pinmaps {pins}"):
            skip_all(f"{source} does not load")
        for name, kind in attachments.items():
            attached = f"{cgroup} {kind} pinned {loaded}/{name}"
            if not succeeds(f"bpftool cgroup attach {attached} multi"):
                skip_all(f"the cgroup takes no program {name}")
            undo.callback(shell, f"bpftool cgroup detach {attached}")
        yield pins
