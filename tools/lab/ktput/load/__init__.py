# SPDX-License-Identifier: GPL-2.0
"""ktput-load: round trips before, during and after a load."""
