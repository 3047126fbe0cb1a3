/* SPDX-License-Identifier: GPL-2.0 */
/* Where a process of the guest executes an instruction to tell a plugin something. */
#ifndef PLACES_H
#define PLACES_H

/* A report. */
#define MARK		0x4b5450560000
/* A byte of an address, the highest first, and what such an address is. */
#define MARK_DIGIT(byte)	(MARK + 0x1000 + 8 * (byte))
#define MARK_EPOCHS	(MARK + 0x1800)
#define MARK_COPY	(MARK + 0x1808)
#define MARK_COPY_END	(MARK + 0x1810)
#define MARK_SIZE	0x2000

#endif /* PLACES_H */
