/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread: takes the turns of the streams of a run on one CPU.
 *
 * Its epoll set tells which sockets have become ready (edge-triggered), and
 * streams that have more to do take turns in a list. What others want of the
 * thread, they say by a flag that it reads between two turns, and by an eventfd
 * where it sleeps.
 */
#ifndef KTPUT_USER_THREAD_H
#define KTPUT_USER_THREAD_H

#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>

#include "settings.h"
#include "stream.h"

/* Where a datagram that GRO made of several fits. */
#define USER_GRO_BYTES	65536

/**
 * struct user_payload - memory of a thread
 * @buffer: payload, of as many pieces as a system call takes
 * @size: bytes of @buffer
 * @piece: bytes of a piece
 * @file: memfd with the payload, of a source that uses sendfile(); else -1
 * @messages: what sendmmsg() and recvmmsg() take, of UDP
 * @vectors: one for each of @messages
 * @controls: room for ancillary data of each, of a sink of UDP
 * @names: senders of each, of a sink of UDP that tells its peers apart
 */
struct user_payload {
	uint8_t *buffer;
	size_t size;
	size_t piece;
	int file;
	struct mmsghdr *messages;
	struct iovec *vectors;
	uint8_t *controls;
	struct sockaddr_storage *names;
};

/* Room for the size of segments that UDP_GRO tells. */
#define USER_CONTROL_BYTES	CMSG_SPACE(sizeof(int))

int user_payload_make(struct user_payload *payload,
		      const struct user_settings *settings,
		      struct units_error *err);
void user_payload_free(struct user_payload *payload);

struct user_engine;
struct user_uring;

/**
 * struct user_thread - a thread of a run
 * @engine: the run
 * @cpu: CPU that it is pinned to
 * @handle: the thread, where @running
 * @running: it was created
 * @epoll: what its streams wait for
 * @wake: eventfd that ends its sleep
 * @attention: somebody wants something
 * @open: streams that have not ended
 * @asked: how often an answer was asked for; by the engine
 * @answered_count: how often it has answered
 * @answered: one for each answer
 * @first: streams that are ready, in order
 * @last: the last of them
 * @ready: how many they are
 * @draining: its streams that wait for the peer to have all
 * @listening: connections of its run come to it, and it is to look for them
 * @blocks: its turns wait in the call that takes a message
 * @drained: it has told its streams to send no more
 * @woken: it has slept since the last turn
 * @uring: what makes its calls, or NULL
 * @latency: round trips that ended in its turns, or NULL
 * @counters: what the turns of its streams came to
 * @shown: its CPU at its last answer, but for the idle time
 * @payload: what calls send from, or receive into
 */
struct user_thread {
	struct user_engine *engine;
	unsigned int cpu;
	pthread_t handle;
	bool running;
	int epoll;
	int wake;
	atomic_bool attention;
	atomic_uint open;
	atomic_uint asked;
	unsigned int answered_count;
	sem_t answered;
	struct user_stream *first;
	struct user_stream *last;
	unsigned int ready;
	unsigned int draining;
	bool drained;
	bool listening;
	bool blocks;
	bool woken;
	struct user_uring *uring;
	struct histogram *latency;
	struct client_counters counters;
	struct client_cpu shown;
	struct user_payload payload;
};

int user_thread_create(struct user_thread *thread, struct user_engine *engine,
		       unsigned int cpu, struct units_error *err);
void user_thread_call(struct user_thread *thread);
void user_thread_ask(struct user_thread *thread);
void user_thread_await(struct user_thread *thread);
int user_thread_attach(struct user_thread *thread, struct user_stream *stream);
int user_thread_watch(struct user_thread *thread, struct user_stream *stream);
void user_thread_accepted(struct user_thread *thread);
int user_thread_listen(struct user_thread *thread, int fd);
void user_thread_ready(struct user_thread *thread, struct user_stream *stream);
void user_thread_destroy(struct user_thread *thread);

#endif
