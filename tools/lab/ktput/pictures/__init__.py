# SPDX-License-Identifier: GPL-2.0
"""Pictures of runs, which show where the rest of the rate went.

Each module has a ``draw``, which returns a :class:`~ktput.pictures.style.Picture`, or
raises CommandError if there is nothing to draw.
"""

import logging
import warnings
from collections.abc import Callable
from typing import TypeVar

from ..output import CommandError

Drawn = TypeVar("Drawn")

# Matplotlib warns if it cannot write its cache or if the font lacks a letter. Neither
# affects the content of a picture.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", "Glyph .* missing")


def guarded(make: Callable[[], Drawn]) -> Drawn:
    """Return what *make* draws; whatever goes wrong in it is a CommandError.

    A picture comes with a result, which must not be lost for a fault in drawing it.
    """
    try:
        return make()
    except CommandError:
        raise
    except Exception as error:
        raise CommandError("a fault in drawing it, which is worth a report: "
                           f"{type(error).__name__}: {error}") from error
