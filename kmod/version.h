/* SPDX-License-Identifier: GPL-2.0 */
/*
 * version: of the module, the tools and the packages. All others read it here.
 */
#ifndef KTPUT_VERSION_H
#define KTPUT_VERSION_H

#define KTPUT_VERSION "0.1.0"

#endif /* KTPUT_VERSION_H */
