/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * What each UDP payload of ktput begins with; see Documentation/layers/datagram.rst.
 */
#ifndef _UAPI_LINUX_KTPUT_DATAGRAM_H
#define _UAPI_LINUX_KTPUT_DATAGRAM_H

#include <linux/types.h>

/**
 * struct ktput_datagram - header of a datagram, 16 bytes in network byte order
 * @cookie: of the run, the same at both ends; others are none of its business
 * @sequence: number in the stream, from 0, modulo 2^32
 * @time: CLOCK_REALTIME of the sender in nanoseconds when it was handed over
 */
struct ktput_datagram {
	__be32 cookie;
	__be32 sequence;
	__be64 time;
};

#endif /* _UAPI_LINUX_KTPUT_DATAGRAM_H */
