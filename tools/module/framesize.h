/* SPDX-License-Identifier: GPL-2.0 */
/*
 * framesize: one size, a range of sizes, or a mix of sizes with weights.
 */
#ifndef KTPUT_TOOLS_FRAMESIZE_H
#define KTPUT_TOOLS_FRAMESIZE_H

#include <stdint.h>

#include "../base/units.h"
#include "config.h"

/* The usual mix of Internet traffic, in frames without FCS. */
#define FRAMESIZE_IMIX		"60:7,590:4,1514:1"
#define FRAMESIZE_MIX_SIZES	16

/**
 * struct framesize - frame sizes
 * @first: minimum, in bytes
 * @last: maximum
 * @mix: sizes with their weights, or empty
 */
struct framesize {
	uint64_t first;
	uint64_t last;
	char mix[CONFIG_MIX_MAX + 1];
};

int framesize_parse(const char *word, struct framesize *size,
		    struct units_error *err);

#endif
