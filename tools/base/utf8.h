/* SPDX-License-Identifier: GPL-2.0 */
/*
 * utf8: check text for UTF-8, or convert it (RFC 3629).
 */
#ifndef KTPUT_TOOLS_UTF8_H
#define KTPUT_TOOLS_UTF8_H

#include <stddef.h>

size_t utf8_length(const char *text);
char *utf8_copy(const char *text);

#endif
