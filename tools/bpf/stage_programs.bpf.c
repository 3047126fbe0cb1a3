// SPDX-License-Identifier: GPL-2.0
/*
 * stage_programs: stamp each N-th message of a run where it passes.
 *
 * Each hook has a program of its own, so that a kernel without one has the others.
 * A message is known by the cookie and the number in its payload, which is read from
 * the linear part of the packet. That is done of each packet where it comes from: UDP
 * gives it to IP, or a device that has another buffer hands it over. From there on a
 * message that is followed is known by where the head of its packet is, which clones
 * share, so that of others only that is read.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "stage_programs.h"

#define ETHERTYPE_IPV6	0x86dd
#define PROTOCOL_UDP	17
#define FRAGMENT_OFFSET	0x1fff
#define PEEK		2
#define SECOND_NS	1000000000ULL
/* Turns of a CPU that are kept, a power of 2, and how long they are at least. */
#define TURNS		8
#define TURN_NS		20000
/* Heads that are told apart, and how many bits of a hash those are. */
#define HEADS_BITS	16
#define HEADS		0x10000
/* In the place of a head: all that have its hash. Heads are aligned. */
#define ANY_HEAD	2
/* Beside a head: its packet is in the queue of a socket. */
#define IS_DELIVERED	1
#define IFF_LOOPBACK	8
/* A packet is looked at, and not stamped. */
#define NO_PLACE	STAGES_PLACES

const char program_license[] SEC("license") = "GPL";

/* What of the kernel's structures is read; their places are those of the kernel. */
struct ns_common {
	unsigned int inum;
} __attribute__((preserve_access_index));

struct net {
	struct ns_common ns;
} __attribute__((preserve_access_index));

struct possible_net {
	struct net *net;
} __attribute__((preserve_access_index));

struct net_device {
	unsigned int flags;
	struct possible_net nd_net;
} __attribute__((preserve_access_index));

struct sk_buff {
	struct net_device *dev;
	unsigned int len;
	unsigned int data_len;
	__be16 protocol;
	unsigned short network_header;
	unsigned char *head;
	unsigned char *data;
} __attribute__((preserve_access_index));

struct task_struct {
	int pid;
	char comm[STAGES_TASK];
} __attribute__((preserve_access_index));

/* As struct ktput_datagram, with an alignment of 4. */
struct message {
	__be32 cookie;
	__be32 sequence;
	__be32 time[2];
};

struct ports {
	__be16 source;
	__be16 port;
	__be16 length;
	__be16 checksum;
};

/* Without options, which ktput does not send. */
struct ipv4 {
	__u8 version;
	__u8 service;
	__be16 length;
	__be16 id;
	__be16 fragment;
	__u8 lifetime;
	__u8 protocol;
	__be16 checksum;
	__be32 addresses[2];
	struct ports udp;
	struct message message;
};

struct ipv6 {
	__u8 version;
	__u8 flow[3];
	__be16 length;
	__u8 protocol;
	__u8 lifetime;
	__be32 addresses[8];
	struct ports udp;
	struct message message;
};

union headers {
	struct ipv4 ipv4;
	struct ipv6 ipv6;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, STAGES_RING);
} stamps_map SEC(".maps");

/* Those that have taken a message, by their number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STAGES_READERS);
	__type(key, __u32);
	__type(value, struct stages_reader);
} readers_map SEC(".maps");

/* A task that had a CPU, until there was another. */
struct turn {
	__u64 begin_ns;
	__u64 end_ns;
	char name[STAGES_TASK];
	int pid;
};

/* The latest long turns on a CPU; the last is at @next - 1. */
struct turns {
	__u64 since_ns;
	__u32 next;
	struct turn turn[TURNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct turns);
} turns_map SEC(".maps");

volatile struct stages_run run;

/*
 * Heads of packets with a message that is followed, by a hash. One stays until there is
 * a packet of another message in its memory: a copy may be under way still.
 */
volatile __u64 heads[HEADS];

/* Arguments of a hook, and behind them what a function returned. */
#define SKB(context, argument)	((const struct sk_buff *)(context)[argument])
#define TASK(context, argument)	((const struct task_struct *)(context)[argument])

static __always_inline volatile __u64 *slot_of(__u64 head)
{
	return &heads[(__u32)(head >> 6) * 0x9e3779b1U >> (32 - HEADS_BITS)];
}

static __always_inline __u64 head_of(const struct sk_buff *skb)
{
	return (__u64)skb->head;
}

static __always_inline int is_followed(__u64 head)
{
	const __u64 slot = *slot_of(head);

	return (slot ^ head) <= IS_DELIVERED || slot == ANY_HEAD;
}

/* If another has that slot, all that have it are looked at. */
static __always_inline void follow(__u64 head)
{
	volatile __u64 *slot = slot_of(head);
	const __u64 was = __sync_val_compare_and_swap(slot, 0, head);

	if (!was)
		__sync_fetch_and_add(&run.heads, 1);
	else if ((was ^ head) > IS_DELIVERED)
		*slot = ANY_HEAD;
}

/* The head of a packet that was followed is now that of another. */
static __always_inline void forget(__u64 head)
{
	volatile __u64 *slot = slot_of(head);
	const __u64 was = *slot;

	if ((was ^ head) > IS_DELIVERED ||
	    __sync_val_compare_and_swap(slot, was, 0) != was)
		return;
	__sync_fetch_and_add(&run.heads, -1);
	if (was & IS_DELIVERED)
		__sync_fetch_and_add(&run.waiting, -1);
}

/* A message waits for a reader: from now on it counts what becomes of readers. */
static __always_inline void begin_wait(__u64 head, __u64 now)
{
	volatile __u64 *slot = slot_of(head);

	if (!run.waiting)
		run.waiting_ns = now;
	if (*slot == ANY_HEAD ||
	    __sync_val_compare_and_swap(slot, head, head | IS_DELIVERED) == head)
		__sync_fetch_and_add(&run.waiting, 1);
}

static __always_inline void end_wait(__u64 head)
{
	volatile __u64 *slot = slot_of(head);
	const __u64 delivered = head | IS_DELIVERED;

	if (*slot == ANY_HEAD ||
	    __sync_val_compare_and_swap(slot, delivered, head) == delivered)
		__sync_fetch_and_add(&run.waiting, -1);
}

/* With too many in a second, stamp only every other one of them from now on. */
static __always_inline void thin(__u64 now)
{
	if (now - run.second_ns >= SECOND_NS) {
		run.second_ns = now;
		run.count = 0;
	}
	if (__sync_fetch_and_add(&run.count, 1) < STAGES_BUDGET)
		return;
	run.mask = run.mask << 1 | 1;
	run.count = 0;
}

/* Of requests, the lower bits of the number are the slot. */
static __always_inline __u32 number_of(__be32 sequence)
{
	const __u32 number = bpf_ntohl(sequence), turn = run.turn & 31;

	return number >> turn | number << (-turn & 31);
}

static __always_inline int is_sent_to(__be16 port)
{
	const __u16 offset = bpf_ntohs(port) - run.port;

	return offset < run.ports;
}

/* A response comes from where requests are sent to. */
static __always_inline int is_response(const struct ports *udp)
{
	return run.back && is_sent_to(udp->source) && !is_sent_to(udp->port);
}

static __always_inline void fill(struct stages_stamp *to, __u64 now,
				 const struct sk_buff *skb,
				 const struct ports *udp, int back,
				 const struct message *message,
				 enum stages_place place)
{
	to->time_ns = now;
	to->sent_ns = (__u64)bpf_ntohl(message->time[0]) << 32 |
		      bpf_ntohl(message->time[1]);
	to->packet = (__u64)skb;
	to->number = number_of(message->sequence);
	to->ports = (__u32)bpf_ntohs(back ? udp->port : udp->source) << 16 |
		    bpf_ntohs(back ? udp->source : udp->port);
	to->place = place + (back ? STAGES_BACK : 0);
	to->cpu = bpf_get_smp_processor_id();
}

/* This task has taken a message; from now on it is known as a reader. */
static __always_inline void fill_reader(struct stages_reader *to)
{
	const __u32 pid = bpf_get_current_pid_tgid();
	const struct stages_reader none = { 0 };
	const struct stages_reader *reader =
		bpf_map_lookup_elem(&readers_map, &pid);

	/* Of two that come at one time, one may have undone what the other wrote. */
	if (!run.readers || pid < run.reader_first)
		run.reader_first = pid;
	if (pid > run.reader_last)
		run.reader_last = pid;
	if (reader) {
		*to = *reader;
		return;
	}
	*to = none;
	run.readers = 1;
	bpf_map_update_elem(&readers_map, &pid, &none, BPF_NOEXIST);
}

static __always_inline void stamp(const struct sk_buff *skb,
				  const struct ports *udp, int back,
				  const struct message *message,
				  enum stages_place place)
{
	const __u64 now = bpf_ktime_get_tai_ns();
	const __u64 size = place == STAGES_TAKEN ? sizeof(struct stages_taken) :
						   sizeof(struct stages_stamp);
	struct stages_taken *to;

	if (place == run.first && !back)
		thin(now);
	if (place == STAGES_DELIVERED)
		begin_wait(head_of(skb), now);
	if (place == STAGES_TAKEN)
		end_wait(head_of(skb));
	/* Other devices than this one have another buffer, or may have. */
	if (place == STAGES_TRANSMITTED && !(skb->dev->flags & IFF_LOOPBACK))
		run.looks[STAGES_RECEIVED] = 1;
	to = bpf_ringbuf_reserve(&stamps_map, size, 0);
	if (!to) {
		__sync_fetch_and_add(&run.lost, 1);
		return;
	}
	fill(&to->stamp, now, skb, udp, back, message, place);
	if (place == STAGES_TAKEN)
		fill_reader(&to->reader);
	/* The owner looks by itself. */
	bpf_ringbuf_submit(to, BPF_RB_NO_WAKEUP);
}

static __always_inline const struct ports *
ports_of(const union headers *headers, int ipv6)
{
	return ipv6 ? &headers->ipv6.udp : &headers->ipv4.udp;
}

static __always_inline int is_udp(const union headers *headers, int ipv6)
{
	if (ipv6)
		return headers->ipv6.version >> 4 == 6 &&
		       headers->ipv6.protocol == PROTOCOL_UDP;
	return headers->ipv4.version == 0x45 &&
	       headers->ipv4.protocol == PROTOCOL_UDP &&
	       !(headers->ipv4.fragment & bpf_htons(FRAGMENT_OFFSET));
}

/*
 * On the way to other namespaces there are other devices. At a socket, the packet may
 * have no device.
 */
static __always_inline int is_elsewhere(const struct sk_buff *skb, int back,
					enum stages_place place)
{
	const int sink = place > STAGES_TRANSMITTED;
	__u32 netns;

	if (place == STAGES_SENT || place >= STAGES_DELIVERED)
		return 0;
	netns = run.netns[sink != back];
	return netns && skb->dev->nd_net.net->ns.inum != netns;
}

/* A packet that ends in pages may have the number there. */
static __always_inline int may_be_followed(const struct sk_buff *skb,
					   __be32 cookie, __be32 sequence)
{
	return cookie == run.cookie ? !(number_of(sequence) & run.mask) :
				      !!skb->data_len;
}

/*
 * @at is where the header of IP is. If @any packet comes here, this reads eight bytes of
 * most: where the cookie and the number are, if it is a message. One that ends in pages is
 * counted by its port, if that can be read. Return 0 for a packet that is neither followed
 * nor counted.
 */
static __always_inline int look(const struct sk_buff *skb,
				const unsigned char *at, int ipv6,
				enum stages_place place, int any)
{
	const __u32 offset = ipv6 ? __builtin_offsetof(struct ipv6, message) :
				    __builtin_offsetof(struct ipv4, message);
	const __u32 size = ipv6 ? sizeof(struct ipv6) : sizeof(struct ipv4);
	const unsigned char *end = skb->data + (skb->len - skb->data_len);
	const struct message *message;
	const struct ports *udp;
	union headers headers;
	__be32 known[2];
	int back;

	if (!run.open)
		return 0;
	if (any && (bpf_probe_read_kernel(known, sizeof(known), at + offset) ||
		    !may_be_followed(skb, known[0], known[1])))
		return 0;
	/* Behind the linear part there is a structure of the kernel: it can be read. */
	if (bpf_probe_read_kernel(&headers, sizeof(headers), at) ||
	    !is_udp(&headers, ipv6))
		return 0;
	message = ipv6 ? &headers.ipv6.message : &headers.ipv4.message;
	if (!may_be_followed(skb, message->cookie, message->sequence))
		return 0;
	udp = ports_of(&headers, ipv6);
	back = is_response(udp);
	if (at + size > end ? !back && !is_sent_to(udp->port) :
			      message->cookie != run.cookie)
		return 0;
	follow(head_of(skb));
	if (place == NO_PLACE || is_elsewhere(skb, back, place))
		return 1;
	if (at + size > end)
		__sync_fetch_and_add(&run.unread, 1);
	else
		stamp(skb, udp, back, message, place);
	return 1;
}

static __always_inline int is_ipv6(const struct sk_buff *skb)
{
	return skb->protocol == bpf_htons(ETHERTYPE_IPV6);
}

static __always_inline const unsigned char *
network_header(const struct sk_buff *skb)
{
	return skb->head + skb->network_header;
}

static __always_inline int look_if_followed(const struct sk_buff *skb,
					    const unsigned char *at,
					    enum stages_place place)
{
	const int any = run.looks[place];

	if (!any && !(run.heads && is_followed(head_of(skb))))
		return 0;
	if (!look(skb, at, is_ipv6(skb), place, any))
		forget(head_of(skb));
	return 0;
}

static __always_inline int pass(const struct sk_buff *skb,
				enum stages_place place)
{
	return look_if_followed(skb, network_header(skb), place);
}

/* A receiving driver sets no network header; the data begins with it. */
static __always_inline int enter(const struct sk_buff *skb,
				 enum stages_place place)
{
	return look_if_followed(skb, skb->data, place);
}

static __always_inline struct stages_reader *
reader_of(const struct task_struct *task)
{
	const __u32 pid = task->pid;

	/* For most tasks, there is nothing to look up. */
	if (!run.readers || pid < run.reader_first || pid > run.reader_last)
		return NULL;
	return bpf_map_lookup_elem(&readers_map, &pid);
}

SEC("fentry/ip_send_skb")
int source_ip(__u64 *context)
{
	const struct sk_buff *skb = SKB(context, 1);

	look(skb, network_header(skb), 0, STAGES_SENT, 1);
	return 0;
}

SEC("fentry/ip6_send_skb")
int source_ip6(__u64 *context)
{
	const struct sk_buff *skb = SKB(context, 0);

	look(skb, network_header(skb), 1, STAGES_SENT, 1);
	return 0;
}

SEC("tp_btf/net_dev_queue")
int source_queue(__u64 *context)
{
	return pass(SKB(context, 0), STAGES_QUEUED);
}

SEC("tp_btf/net_dev_start_xmit")
int source_driver(__u64 *context)
{
	return pass(SKB(context, 0), STAGES_TRANSMITTED);
}

SEC("tp_btf/napi_gro_receive_entry")
int sink_napi(__u64 *context)
{
	return enter(SKB(context, 0), STAGES_RECEIVED);
}

SEC("tp_btf/netif_receive_skb_entry")
int sink_driver(__u64 *context)
{
	return enter(SKB(context, 0), STAGES_RECEIVED);
}

SEC("tp_btf/netif_rx")
int sink_backlog(__u64 *context)
{
	return enter(SKB(context, 0), STAGES_RECEIVED);
}

SEC("tp_btf/netif_receive_skb")
int sink_stack(__u64 *context)
{
	return enter(SKB(context, 0), STAGES_ENTERED);
}

SEC("fentry/__udp_enqueue_schedule_skb")
int sink_socket(__u64 *context)
{
	return pass(SKB(context, 1), STAGES_DELIVERED);
}

SEC("tp_btf/sched_waking")
int sink_woken(__u64 *context)
{
	struct stages_reader *reader;

	if (!run.waiting)
		return 0;
	reader = reader_of(TASK(context, 0));
	if (reader)
		reader->woken_ns = bpf_ktime_get_tai_ns();
	return 0;
}

static __always_inline void add_turn(struct turns *turns,
				     const struct task_struct *task, __u64 now)
{
	/* Before, not every turn was seen. */
	const __u64 since = turns->since_ns > run.waiting_ns ?
			    turns->since_ns : run.waiting_ns;
	struct turn *turn;

	turns->since_ns = now;
	if (now - since < TURN_NS)
		return;
	turn = &turns->turn[turns->next++ & (TURNS - 1)];
	turn->begin_ns = since;
	turn->end_ns = now;
	turn->pid = task->pid;
	bpf_probe_read_kernel(turn->name, sizeof(turn->name), task->comm);
}

/*
 * What had the CPU longest since a reader waits for it: since it was woken, or ran. If no
 * turn was long, it is the task before.
 */
static __always_inline void name_longest(const struct turns *turns,
					 const struct task_struct *before,
					 const struct task_struct *task,
					 struct stages_reader *reader)
{
	const __u64 since_ns = reader->woken_ns > run.waiting_ns ?
			       reader->woken_ns : run.waiting_ns;
	const char *name = before->comm;
	const int pid = task->pid;
	__u64 longest_ns = 0;

	for (__u32 i = 1; i <= TURNS; i++) {
		const struct turn *turn =
			&turns->turn[(turns->next - i) & (TURNS - 1)];
		const __u64 begin = turn->begin_ns > since_ns ?
				    turn->begin_ns : since_ns;

		if (turn->pid == pid || turn->end_ns < begin)
			break;
		if (turn->end_ns - begin <= longest_ns)
			continue;
		longest_ns = turn->end_ns - begin;
		name = turn->name;
	}
	bpf_probe_read_kernel(reader->instead, sizeof(reader->instead), name);
}

SEC("tp_btf/sched_switch")
int sink_runs(__u64 *context)
{
	const struct task_struct *before = TASK(context, 1);
	const struct task_struct *task = TASK(context, 2);
	struct stages_reader *reader;
	struct turns *turns;
	const __u32 only = 0;
	__u64 now;

	if (!run.waiting || !run.readers)
		return 0;
	turns = bpf_map_lookup_elem(&turns_map, &only);
	if (!turns)
		return 0;
	now = bpf_ktime_get_tai_ns();
	add_turn(turns, before, now);
	reader = reader_of(task);
	if (!reader)
		return 0;
	reader->running_ns = now;
	name_longest(turns, before, task, reader);
	return 0;
}

SEC("fexit/__skb_recv_udp")
int sink_reader(__u64 *context)
{
	const struct sk_buff *skb = SKB(context, 4);

	return skb && !(context[1] & PEEK) ? pass(skb, STAGES_TAKEN) : 0;
}

SEC("fentry/skb_consume_udp")
int sink_copied(__u64 *context)
{
	return pass(SKB(context, 1), STAGES_COPIED);
}

/* The programs from here on see to it that a message is known in another memory too. */
SEC("fentry/skb_copy_header")
int moved_copy(__u64 *context)
{
	if (is_followed(head_of(SKB(context, 1))))
		follow(head_of(SKB(context, 0)));
	return 0;
}

SEC("fexit/pskb_expand_head")
int moved_head(__u64 *context)
{
	const struct sk_buff *skb = SKB(context, 0);

	if (!look(skb, network_header(skb), is_ipv6(skb), NO_PLACE, 1))
		look(skb, skb->data, is_ipv6(skb), NO_PLACE, 1);
	return 0;
}

SEC("fentry/ip_do_fragment")
int moved_fragments(__u64 *context)
{
	(void)context;
	run.looks[STAGES_QUEUED] = 1;
	return 0;
}
