# SPDX-License-Identifier: GPL-2.0
"""ktput-compare: the program."""

import csv
import signal
import sys
from collections.abc import Sequence
from functools import partial

from ..command import Command, Program, Values, main
from ..control import own_program
from ..output import CommandError, Output

SUMMARY = "compare the ladder on other kernels or setups, in instructions"
NOTES = ("Each setup is booted in a VM that counts instructions: a result does not "
         "depend\non this machine's speed or load. Ctrl-C ends it and prints what "
         "there is.\nDocumentation/measure/compare.rst describes the file of a setup.")
PRICES = "compare price-list"
PRICES_SUMMARY = "what each part of the network stack costs, in instructions"
PRICES_NOTES = ("Each kernel is booted in a VM that counts instructions, and sends the "
                "same traffic\nwith and without each row. Ctrl-C ends it and prints "
                "what there is.\nDocumentation/measure/price-list.rst describes the "
                "list.")
#: Of git-bisect(1): this one cannot be judged.
SKIP = 125
INTERRUPTED = 130


def _compare(program: Sequence[str], output: Output, values: Values) -> int:
    """Measure the setups, and print how they differ."""
    from .setting import Comparison
    from .text import lines_of

    signal.signal(signal.SIGPIPE, lambda *_: None)
    compared = Comparison(values, output, [program[0], sys.argv[0], "."])
    document = compared.run()
    output.result(document, lines_of(document))
    if values["plot"] and compared.ladders:
        from ..pictures import guarded
        from .picture import draw

        guarded(lambda: draw(document)).save(values["plot"])
    if compared.interrupts.count:
        return INTERRUPTED
    if values["fail_above"] is None:
        return int(not compared.ladders)
    return int(document["compare"].get("fails", SKIP))


def _compare_or_skip(program: Sequence[str], output: Output, values: Values) -> int:
    """Compare; what fails otherwise does not make a commit bad."""
    try:
        return _compare(program, output, values)
    except CommandError as error:
        if values["fail_above"] is None:
            raise
        output.error(str(error))
        return SKIP


def _prices(program: Sequence[str], output: Output, values: Values) -> int:
    """Measure the price list, and print it."""
    from .price_text import lines_of, values_of
    from .prices import PriceList

    signal.signal(signal.SIGPIPE, lambda *_: None)
    priced = PriceList(values, output, [program[0], sys.argv[0], "."])
    document = priced.run()
    output.result(document, lines_of(document))
    if values["csv"]:
        with open(values["csv"], "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(values_of(document))
    if values["html"]:
        from .price_page import make

        with open(values["html"], "w", encoding="utf-8") as file:
            file.write(make(document, output.warning))
    if priced.interrupts.count:
        return INTERRUPTED
    return int(not any(priced.measured.values()))


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-compare, which ktput-ctl does for "compare"; return its status."""
    program = own_program()

    def command() -> Command:
        # Import here: a dependency may be missing, and main() reports that.
        from .options import OPTIONS, check

        return Command("compare", SUMMARY, OPTIONS, NOTES,
                       partial(_compare_or_skip, program), check)

    def price_list() -> Command:
        from .options import PRICE_OPTIONS, check_prices

        return Command(PRICES, PRICES_SUMMARY, PRICE_OPTIONS, PRICES_NOTES,
                       partial(_prices, program), check_prices)

    words = list(arguments)
    first = next((word for word in words if not word.startswith("-")), "")
    only = "compare"
    if first == PRICES.split()[1]:
        words.remove(first)
        only = PRICES
    return main(Program("ktput-ctl", version, "more detail",
                        {"compare": command, PRICES: price_list}), words, only)
