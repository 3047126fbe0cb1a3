/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources below the socket layer.
 */
#ifndef KTPUT_INJECT_H
#define KTPUT_INJECT_H

extern const struct ktput_ops ktput_inject_ops;

#endif /* KTPUT_INJECT_H */
