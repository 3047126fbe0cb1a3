# SPDX-License-Identifier: GPL-2.0
"""Two command lines of ktput-ctl, run in turn and compared by pairs."""
