/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Errors of a call that sends datagrams: which of them end a source.
 *
 * TCP rides out what a network does: it retransmits. A source of datagrams does the
 * same: what it cannot send is late, and what ICMP tells concerns datagrams that have
 * left. Only an error that no waiting mends ends it.
 */
#ifndef _UAPI_LINUX_KTPUT_SEND_ERRORS_H
#define _UAPI_LINUX_KTPUT_SEND_ERRORS_H

#include <linux/errno.h>

/**
 * enum ktput_send_error - what an error of a send means
 * @KTPUT_SEND_FATAL: it would come again: the stream ends
 * @KTPUT_SEND_ROOM: there is no memory now
 * @KTPUT_SEND_REFUSED: ICMP: nobody receives there
 * @KTPUT_SEND_MTU: ICMP: an earlier datagram exceeded the MTU of the path, which
 *	the kernel has learned now; fatal if no call succeeds in between
 * @KTPUT_SEND_UNREACHABLE: no route, no device, or a firewall, at present
 */
enum ktput_send_error {
	KTPUT_SEND_FATAL,
	KTPUT_SEND_ROOM,
	KTPUT_SEND_REFUSED,
	KTPUT_SEND_MTU,
	KTPUT_SEND_UNREACHABLE,
};

/* Calls in a row that KTPUT_SEND_MTU may fail: one for each ICMP that is under way. */
#define KTPUT_SEND_MTU_MAX	64

/* How long a source waits until it tries again what is unreachable. */
#define KTPUT_SEND_RETRY_NS	1000000

/**
 * ktput_send_error() - what an error means
 * @error: errno, positive
 *
 * Return: of enum ktput_send_error.
 */
static inline enum ktput_send_error ktput_send_error(int error)
{
	switch (error) {
	case EAGAIN:
	case ENOBUFS:
		return KTPUT_SEND_ROOM;
	case ECONNREFUSED:
		return KTPUT_SEND_REFUSED;
	case EMSGSIZE:
		return KTPUT_SEND_MTU;
	case EPERM:
	case EACCES:
	case ENETDOWN:
	case ENETUNREACH:
	case EHOSTDOWN:
	case EHOSTUNREACH:
	case ENOPROTOOPT:
		return KTPUT_SEND_UNREACHABLE;
	default:
		return KTPUT_SEND_FATAL;
	}
}

#endif /* _UAPI_LINUX_KTPUT_SEND_ERRORS_H */
