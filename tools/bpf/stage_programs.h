/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stage_programs: what the programs that stamp messages share with their owner.
 */
#ifndef KTPUT_BPF_STAGE_PROGRAMS_H
#define KTPUT_BPF_STAGE_PROGRAMS_H

#include <linux/types.h>

/**
 * enum stages_place - a place that a message passes, in order
 * @STAGES_HANDED: the caller hands it over, by the time in it
 * @STAGES_SENT: UDP gives it to IP
 * @STAGES_QUEUED: IP gives it to the queueing discipline
 * @STAGES_TRANSMITTED: the driver gets it
 * @STAGES_RECEIVED: the receiving driver hands it over
 * @STAGES_ENTERED: the receiving stack gets it
 * @STAGES_DELIVERED: UDP gives it to a socket
 * @STAGES_WOKEN: its reader is woken
 * @STAGES_RUNNING: its reader gets a CPU
 * @STAGES_TAKEN: the reader has taken it from there
 * @STAGES_COPIED: it is in user space
 * @STAGES_BACK: how much later the same place of its response is
 * @STAGES_PLACES: number of places
 */
enum stages_place {
	STAGES_HANDED,
	STAGES_SENT,
	STAGES_QUEUED,
	STAGES_TRANSMITTED,
	STAGES_RECEIVED,
	STAGES_ENTERED,
	STAGES_DELIVERED,
	STAGES_WOKEN,
	STAGES_RUNNING,
	STAGES_TAKEN,
	STAGES_COPIED,
	STAGES_BACK = STAGES_COPIED,
	STAGES_PLACES = STAGES_BACK + STAGES_COPIED + 1
};

/* Messages that are stamped per second, above which only every other one is. */
#define STAGES_BUDGET	1024

/* Bytes of stamps that wait for the owner. */
#define STAGES_RING	(4 << 20)

/* Readers whose wake-ups are followed, and bytes of the name of a task. */
#define STAGES_READERS	4096
#define STAGES_TASK	16

/**
 * struct stages_stamp - a message was at a place
 * @time_ns: when; CLOCK_TAI in the ring
 * @sent_ns: when it was handed over, by the message: CLOCK_REALTIME
 * @packet: identifies the packet among copies of it
 * @number: of the message in its stream
 * @ports: source port in the upper half, destination port in the lower; of a response
 *	those of its request
 * @place: enum stages_place
 * @cpu: where the stamp was made
 */
struct stages_stamp {
	__u64 time_ns;
	__u64 sent_ns;
	__u64 packet;
	__u32 number;
	__u32 ports;
	__u32 place;
	__u32 cpu;
};

/**
 * struct stages_reader - what became of a reader last
 * @woken_ns: when it was woken, CLOCK_TAI in the ring; 0 if that was not seen
 * @running_ns: when it got a CPU
 * @instead: name of the task that had that CPU longest while it waited
 */
struct stages_reader {
	__u64 woken_ns;
	__u64 running_ns;
	char instead[STAGES_TASK];
};

/**
 * struct stages_taken - a reader has taken a message
 * @stamp: when
 * @reader: what had become of the reader before
 */
struct stages_taken {
	struct stages_stamp stamp;
	struct stages_reader reader;
};

/**
 * struct stages_run - whose messages, and which
 * @open: messages are stamped
 * @cookie: of the run, in network byte order
 * @mask: a message is stamped if its number has none of these bits: 2^n - 1
 * @port: first port that messages are sent to, host byte order
 * @ports: number of consecutive ports; 0 before they are known
 * @first: the place by which messages are counted
 * @turn: bits by which the number is turned to the right, so that it counts rounds
 * @back: there are responses
 * @readers: there are readers that are known
 * @reader_first: the least of their numbers
 * @reader_last: the greatest
 * @netns: inodes of the network namespaces of the source and of the sink, 0 for any
 * @looks: each packet is looked at in this place, not only those that are followed since
 *	a place before
 * @heads: heads of packets that have a message that is followed
 * @waiting: messages that wait for a reader
 * @waiting_ns: since when there are any
 * @second_ns: when the second began in which messages are counted
 * @count: messages that were stamped in it at the first place
 * @lost: stamps that the ring had no room for
 * @unread: packets to these ports whose message is not in the linear part
 */
struct stages_run {
	__u32 open;
	__u32 cookie;
	__u32 mask;
	__u16 port;
	__u16 ports;
	__u32 first;
	__u32 turn;
	__u32 back;
	__u32 readers;
	__u32 reader_first;
	__u32 reader_last;
	__u32 netns[2];
	__u32 looks[STAGES_COPIED + 1];
	__u32 heads;
	__u32 waiting;
	__u64 waiting_ns;
	__u64 second_ns;
	__u64 count;
	__u64 lost;
	__u64 unread;
};

#endif
