# SPDX-License-Identifier: GPL-2.0
"""ktput-compare: what a packet costs in one setup and in another, exactly."""
