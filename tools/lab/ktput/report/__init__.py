# SPDX-License-Identifier: GPL-2.0
"""ktput-report: records of runs as tables, pictures and pages."""
