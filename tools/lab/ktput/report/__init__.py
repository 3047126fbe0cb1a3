# SPDX-License-Identifier: GPL-2.0
"""ktput-report: what records of runs say, as tables, pictures and pages."""
