# SPDX-License-Identifier: GPL-2.0
"""ktput-mesh: every host to every other host, pair by pair."""
