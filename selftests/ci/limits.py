# SPDX-License-Identifier: GPL-2.0
"""The bounds in a document, from those of the spec.

usage: limits.py SPEC DOCUMENT

A bound stands in a document as its value and its name: "128 (``max-burst``)", or
"8 MiB (``max-snapshot-memory``)". Prints the document with the values of SPEC.

exit: 0 done, 1 the document names a bound that the spec has not
"""

import re
import sys

import yaml

BOUND = re.compile(r"([0-9][0-9,]*)( MiB|)(\s+\(``((?:max|min|snapshot)-[a-z-]+)``\))")


def main(spec, document):
    """Print DOCUMENT with the bounds of SPEC."""
    with open(spec, encoding="utf-8") as file:
        bounds = {each["name"]: each["value"]
                  for each in yaml.safe_load(file)["definitions"]
                  if each["type"] == "const"}
    with open(document, encoding="utf-8") as file:
        text = file.read()

    def write(match):
        name = match[4]
        if name not in bounds:
            sys.exit(f"{document}: {name} is no constant of the spec")
        value = bounds[name] >> (20 if match[2] else 0)
        return f"{value:,}{match[2]}{match[3]}"
    sys.stdout.write(BOUND.sub(write, text))


if __name__ == "__main__":
    main(*sys.argv[1:])
