/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interrupt: count terminating signals and make them pollable.
 */
#ifndef KTPUT_CTL_INTERRUPT_H
#define KTPUT_CTL_INTERRUPT_H

int interrupt_catch(void);
void interrupt_renew(void);
unsigned int interrupt_count(void);
void interrupt_drain(void);

#endif
