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
 * @STAGES_TAKEN: the reader has taken it from there
 * @STAGES_COPIED: it is in user space
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
	STAGES_TAKEN,
	STAGES_COPIED,
	STAGES_PLACES
};

/* Messages that are stamped per second, above which only every other one is. */
#define STAGES_BUDGET	1024

/* Bytes of stamps that wait for the owner. */
#define STAGES_RING	(4 << 20)

/**
 * struct stages_stamp - a message was at a place
 * @time_ns: when; CLOCK_TAI in the ring
 * @sent_ns: when it was handed over, by the message: CLOCK_REALTIME
 * @packet: identifies the packet among copies of it
 * @number: of the message in its stream
 * @ports: source port in the upper half, destination port in the lower
 * @place: enum stages_place
 * @reserved: 0
 */
struct stages_stamp {
	__u64 time_ns;
	__u64 sent_ns;
	__u64 packet;
	__u32 number;
	__u32 ports;
	__u32 place;
	__u32 reserved;
};

/**
 * struct stages_run - whose messages, and which
 * @cookie: of the run, in network byte order
 * @mask: a message is stamped if its number has none of these bits: 2^n - 1
 * @port: first port that messages are sent to, host byte order
 * @ports: number of consecutive ports; 0 before they are known
 * @first: the first place that is watched, by which messages are counted
 * @source_netns: inode of the network namespace of the source, 0 for any
 * @sink_netns: of the sink
 * @second_ns: when the second began in which messages are counted
 * @count: messages that were stamped in it at the first place
 * @lost: stamps that the ring had no room for
 * @unread: packets to these ports whose message is not in the linear part
 */
struct stages_run {
	__u32 cookie;
	__u32 mask;
	__u16 port;
	__u16 ports;
	__u32 first;
	__u32 source_netns;
	__u32 sink_netns;
	__u64 second_ns;
	__u64 count;
	__u64 lost;
	__u64 unread;
};

#endif
