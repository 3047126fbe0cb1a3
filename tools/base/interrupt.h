/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interrupt: signals that end, counted, and as something to poll for.
 */
#ifndef KTPUT_CTL_INTERRUPT_H
#define KTPUT_CTL_INTERRUPT_H

int interrupt_catch(void);
unsigned int interrupt_count(void);
void interrupt_drain(void);

#endif
