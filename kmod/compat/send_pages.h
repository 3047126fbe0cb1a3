/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending references to pages: sendpage until 6.5, MSG_SPLICE_PAGES since.
 *
 * The MSG_SPLICE_PAGES macro proves nothing: it was backported to 6.1 without
 * the code that honours it.
 *
 * MSG_NO_SHARED_FRAGS is not set: many frames refer to these pages, and that flag
 * says that a frame has them for itself. ESP input then decrypts them in place. A
 * device that cannot sum gets a copy of such a frame, with or without the flag:
 * the kernel lets it gather only if it sums.
 */
#ifndef KTPUT_COMPAT_SEND_PAGES_H
#define KTPUT_COMPAT_SEND_PAGES_H

#include <linux/bvec.h>
#include <linux/uio.h>
#include <linux/version.h>
#include <net/tcp.h>

/**
 * ktput_send_pages() - send a part of a compound page by reference
 * @sk: connected TCP socket, locked by the caller
 * @pages: compound page, never changed while a frame refers to it
 * @offset: of the first byte in @pages
 * @length: bytes
 * @flags: MSG_* flags
 *
 * Return: bytes that the socket took, or a negative errno.
 */
static inline int ktput_send_pages(struct sock *sk, struct page *pages,
				   u32 offset, u32 length, int flags)
{
	struct msghdr msg = { .msg_flags = flags };
	struct bio_vec vec;

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	if (sk->sk_route_caps & NETIF_F_SG)
		return do_tcp_sendpages(sk, pages, offset, length, flags);
#else
	msg.msg_flags |= MSG_SPLICE_PAGES;
#endif
	bvec_set_page(&vec, pages, length, offset);
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &vec, 1, length);
	return tcp_sendmsg_locked(sk, &msg, length);
}

/*
 * Until 6.5, sendpage of UDP builds one datagram from many calls. In the
 * kernels still maintained it has become a copy.
 */
#define KTPUT_DATAGRAM_PAGES \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0))

/**
 * ktput_send_datagram_pages() - send datagrams of parts of pages
 * @sock: connected UDP socket
 * @vecs: parts, never changed while a frame refers to them
 * @count: number of @vecs
 * @length: bytes of all
 * @flags: MSG_* flags
 *
 * Where KTPUT_DATAGRAM_PAGES is false the kernel copies.
 *
 * Return: bytes that the socket took, or a negative errno.
 */
static inline int ktput_send_datagram_pages(struct socket *sock,
					    const struct bio_vec *vecs,
					    unsigned int count, u32 length,
					    int flags)
{
	struct msghdr msg = {
		.msg_flags = flags |
			     (KTPUT_DATAGRAM_PAGES ? MSG_SPLICE_PAGES : 0),
	};

	iov_iter_bvec(&msg.msg_iter, WRITE, vecs, count, length);
	return sock->ops->sendmsg(sock, &msg, length);
}

#endif /* KTPUT_COMPAT_SEND_PAGES_H */
