/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ping-pong below the socket layer: frames that are turned round.
 */
#ifndef KTPUT_BYPASS_H
#define KTPUT_BYPASS_H

extern const struct ktput_ops ktput_bypass_source_ops;
extern const struct ktput_ops ktput_bypass_sink_ops;

#endif /* KTPUT_BYPASS_H */
