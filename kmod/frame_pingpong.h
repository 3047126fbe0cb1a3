/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ping-pong below the socket layer: frames that are turned round.
 */
#ifndef KTPUT_FRAME_PINGPONG_H
#define KTPUT_FRAME_PINGPONG_H

extern const struct ktput_ops ktput_frame_pingpong_source_ops;
extern const struct ktput_ops ktput_frame_pingpong_sink_ops;

#endif /* KTPUT_FRAME_PINGPONG_H */
