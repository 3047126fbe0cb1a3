# SPDX-License-Identifier: GPL-2.0
"""ktput-ladder: the same traffic at every layer, and the cost between two layers."""
