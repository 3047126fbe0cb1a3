/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Version of the module, the tools and the packages; the only place to set it.
 */
#ifndef KTPUT_VERSION_H
#define KTPUT_VERSION_H

#define KTPUT_VERSION "0.1.0"

#endif /* KTPUT_VERSION_H */
