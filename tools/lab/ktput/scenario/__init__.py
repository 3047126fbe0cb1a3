# SPDX-License-Identifier: GPL-2.0
"""ktput-scenario: an experiment of a data file, and its tables beside a memo's."""
