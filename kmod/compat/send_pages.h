/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending references to pages: sendpage until 6.5, MSG_SPLICE_PAGES since.
 *
 * The macro MSG_SPLICE_PAGES says nothing, since it was backported to 6.1
 * without the code that looks at it.
 */
#ifndef KTPUT_COMPAT_SEND_PAGES_H
#define KTPUT_COMPAT_SEND_PAGES_H

#include <linux/bvec.h>
#include <linux/net.h>
#include <linux/uio.h>
#include <linux/version.h>

/**
 * ktput_send_pages() - send a part of a compound page by reference
 * @sock: connected TCP socket
 * @pages: compound page, never changed as long as a frame refers to it
 * @offset: of the first byte in @pages
 * @length: bytes
 * @flags: MSG_* flags
 *
 * Return: bytes that the socket took, or a negative errno.
 */
static inline int ktput_send_pages(struct socket *sock, struct page *pages,
				   u32 offset, u32 length, int flags)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	return kernel_sendpage(sock, pages, offset, length, flags);
#else
	struct msghdr msg = { .msg_flags = flags | MSG_SPLICE_PAGES };
	struct bio_vec vec;

	bvec_set_page(&vec, pages, length, offset);
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &vec, 1, length);
	return sock_sendmsg(sock, &msg);
#endif
}

#endif /* KTPUT_COMPAT_SEND_PAGES_H */
