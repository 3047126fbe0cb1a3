/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU accounting while runs exist.
 */
#ifndef KTPUT_ACCOUNTING_H
#define KTPUT_ACCOUNTING_H

#include <linux/types.h>

void ktput_accounting_get(bool events);
void ktput_accounting_put(void);
void ktput_accounting_exit(void);

#endif /* KTPUT_ACCOUNTING_H */
