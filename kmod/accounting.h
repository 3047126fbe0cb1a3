/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounting: what is counted on each CPU while there are runs.
 */
#ifndef KTPUT_ACCOUNTING_H
#define KTPUT_ACCOUNTING_H

#include <linux/types.h>

void ktput_accounting_get(bool events);
void ktput_accounting_put(void);
void ktput_accounting_exit(void);

#endif /* KTPUT_ACCOUNTING_H */
