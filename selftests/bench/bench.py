#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""bench.py: measure in instructions, print tables, save the record

usage: bench.py MODULES RESULT [BENCH]...

MODULES is a directory with ktput.ko and uncounted/ktput.ko, RESULT the JSON file
to write. A BENCH is tcp, udp, frames, user, pingpong, pace or scale; all of them
unless given; or queues, which wants a second CPU.
"""
import json
import sys

import frames
import pace
import pingpong
import queues
import scale
import tcp
import udp
import user

BENCHES = {"tcp": tcp, "udp": udp, "frames": frames, "user": user,
           "pingpong": pingpong, "pace": pace, "scale": scale}
ALONE = {"queues": queues}


def main():
    """Run the benches that are asked for."""
    modules, result, *names = sys.argv[1:]
    record = {}
    for name in names or BENCHES:
        record.update((BENCHES | ALONE)[name].bench(modules))
    with open(result, "w", encoding="ascii") as file:
        json.dump(record, file, indent=2)
        file.write("\n")
    print(f"\nsaved in {result}")


if __name__ == "__main__":
    main()
