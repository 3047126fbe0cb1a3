# SPDX-License-Identifier: GPL-2.0
"""ktput-improve: try what may help, and keep what does."""
