/* SPDX-License-Identifier: GPL-2.0 */
/* html_page: a page of runs. */
#ifndef KTPUT_REPORT_HTML_PAGE_H
#define KTPUT_REPORT_HTML_PAGE_H

#include <stdio.h>

#include "record.h"

void html_escape(FILE *to, const char *text);
void html_page(FILE *to, const struct records *records, struct output *out);

#endif
