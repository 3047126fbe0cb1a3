// SPDX-License-Identifier: GPL-2.0
/*
 * UDP at the socket layer: streams that wait for room in their sockets.
 */
#include <linux/list.h>
#include <linux/wait.h>
#include <net/sock.h>

#include "socket.h"
#include "udp.h"

static int room_came(struct wait_queue_entry *entry, unsigned int mode,
		     int flags, void *key)
{
	struct ktput_udp_stream *udp =
		container_of(entry, struct ktput_udp_stream, room);

	list_del_init(&entry->entry);
	ktput_turn_ready(&udp->stream.turn);
	return 0;
}

/**
 * ktput_udp_init_room() - prepare a stream to wait for room
 * @stream: new stream
 */
void ktput_udp_init_room(struct ktput_stream *stream)
{
	struct wait_queue_entry *room = &ktput_udp_of(stream)->room;

	init_waitqueue_func_entry(room, room_came);
	INIT_LIST_HEAD(&room->entry);
}

/**
 * ktput_udp_await_room() - make a stream ready, once, when its socket has room
 * @stream: stream; of several that wait at a time, the caller lets one do so
 * @sk: its socket
 *
 * A datagram socket has room when half of its send buffer is free. The stream
 * is put on the socket's wait queue, as by poll(). A callback in sk_write_space
 * would cost a second atomic operation for each freed frame (sock_wfree()),
 * also without a waiter.
 *
 * Return: true if half is free already, and the caller need not wait.
 */
bool ktput_udp_await_room(struct ktput_stream *stream, struct sock *sk)
{
	struct wait_queue_entry *room = &ktput_udp_of(stream)->room;
	wait_queue_head_t *head = sk_sleep(sk);
	unsigned long flags;

	spin_lock_irqsave(&head->lock, flags);
	if (list_empty(&room->entry))
		__add_wait_queue(head, room);
	spin_unlock_irqrestore(&head->lock, flags);
	/*
	 * Pairs with the barrier in sock_def_write_space(): either that
	 * function sees the entry, or this CPU sees the freed memory.
	 */
	smp_mb();
	return sock_writeable(sk);
}

/**
 * ktput_udp_forget_room() - undo ktput_udp_await_room()
 * @stream: stream with a socket, waiting or not
 */
void ktput_udp_forget_room(struct ktput_stream *stream)
{
	wait_queue_head_t *head = sk_sleep(ktput_socket_sk(stream));
	unsigned long flags;

	spin_lock_irqsave(&head->lock, flags);
	list_del_init(&ktput_udp_of(stream)->room.entry);
	spin_unlock_irqrestore(&head->lock, flags);
}
