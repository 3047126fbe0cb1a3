# SPDX-License-Identifier: GPL-2.0
"""Pictures of runs, which show where the rest of the rate went.

Each module has a ``draw``, which returns a :class:`~ktput.pictures.style.Picture`, or
raises CommandError if there is nothing to draw.
"""

import logging
import warnings

# Matplotlib warns if it cannot write its cache or if the font lacks a letter. Neither
# affects the content of a picture.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", "Glyph .* missing")
