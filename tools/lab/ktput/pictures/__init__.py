# SPDX-License-Identifier: GPL-2.0
"""Pictures of runs, for the question who took the rest of the rate.

Each module has a ``draw``, which returns a :class:`~ktput.pictures.style.Picture`, or
raises CommandError where there is nothing to draw.
"""

import logging
import warnings

# Matplotlib warns where it cannot keep its cache, and of letters that the font lacks:
# neither changes what a picture says.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", "Glyph .* missing")
