/* SPDX-License-Identifier: GPL-2.0 */
/*
 * config: convert the configuration of a run to netlink attributes and back.
 *
 * Attributes that are not set get the module's defaults. Attributes that are set are
 * passed unchanged, so the module checks them.
 */
#ifndef KTPUT_TOOLS_CONFIG_H
#define KTPUT_TOOLS_CONFIG_H

#include <linux/ktput.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/units.h"
#include "../host/address.h"
#include "config_attributes.h"

/* Longest list of CPUs or queues, and longest mix, that the module accepts. */
#define CONFIG_LIST_MAX		1024
#define CONFIG_MIX_MAX		255
#define CONFIG_MAC_BYTES	6

/*
 * row(engine, word, command, transports): other programs that make the traffic, at
 * layer user; RUN_ and WHERE_ of run_options.h and run_where.h
 */
#define CONFIG_ENGINES(row)						\
	row(IPERF3, "iperf3", START, TRANSPORTS)			\
	row(NUTTCP, "nuttcp", START, TRANSPORTS)			\
	row(NPTCP, "nptcp", PINGPONG, TCP)

/* CONFIG_ENGINE_KTPUT is the module, or ktput-ctl at layer user. */
#define CONFIG_ENGINE(engine, word, command, transports) \
	CONFIG_ENGINE_##engine,
enum config_engine {
	CONFIG_ENGINE_KTPUT,
	CONFIG_ENGINES(CONFIG_ENGINE)
};

/**
 * enum config_wait - how an application waits for messages
 * @CONFIG_WAIT_EPOLL: sleep in epoll
 * @CONFIG_WAIT_BLOCK: sleep in the receiving call
 * @CONFIG_WAIT_SPIN: do not sleep, but poll in a loop
 */
enum config_wait {
	CONFIG_WAIT_EPOLL,
	CONFIG_WAIT_BLOCK,
	CONFIG_WAIT_SPIN,
};

/**
 * struct config - configuration of a run
 * @set: bit n is set if attribute n (KTPUT_A_CONFIG_...) is given
 * @number: values of numeric attributes, in the module's units
 * @congestion: TCP congestion control
 * @cpus: list of CPUs
 * @queues: list of transmit queues
 * @mix: frame sizes with their weights
 * @source_mac: MAC address
 * @destination_mac: MAC address
 * @local: address, and its port if KTPUT_A_CONFIG_LOCAL_PORT is set
 * @remote: likewise
 * @engine: what makes the traffic
 * @batch: calls per sendmmsg() or recvmmsg(), 0 if not given; for the engine in
 *	user space
 * @wait: how a ping-pong waits, likewise
 * @busy_poll_us: SO_BUSY_POLL of its sockets, likewise
 * @warmup_ns: beginning of its time that another program leaves out
 * @interval_ns: time between two reports of another program, 0 for none
 *
 * An address is given if its family is not AF_UNSPEC.
 */
struct config {
	uint64_t set;
	uint64_t number[KTPUT_A_CONFIG_MAX + 1];
	char congestion[16];
	char cpus[CONFIG_LIST_MAX + 1];
	char queues[CONFIG_LIST_MAX + 1];
	char mix[CONFIG_MIX_MAX + 1];
	uint8_t source_mac[CONFIG_MAC_BYTES];
	uint8_t destination_mac[CONFIG_MAC_BYTES];
	struct address local;
	struct address remote;
	enum config_engine engine;
	uint32_t batch;
	enum config_wait wait;
	uint32_t busy_poll_us;
	uint64_t warmup_ns;
	uint64_t interval_ns;
};

/**
 * enum config_kind - type of an attribute
 * @CONFIG_NONE: no such attribute
 * @CONFIG_FLAG: no value; its presence is the information
 * @CONFIG_U8: number of 8 bits
 * @CONFIG_U16: number of 16 bits
 * @CONFIG_U32: number of 32 bits
 * @CONFIG_U64: number of 64 bits
 * @CONFIG_STRING: string
 * @CONFIG_MAC: bytes of a MAC address
 * @CONFIG_ADDRESS: bytes of an IP address, IPv4 or IPv6 by the attribute's type
 */
enum config_kind {
	CONFIG_NONE,
	CONFIG_FLAG,
	CONFIG_U8,
	CONFIG_U16,
	CONFIG_U32,
	CONFIG_U64,
	CONFIG_STRING,
	CONFIG_MAC,
	CONFIG_ADDRESS,
};

/**
 * struct config_attribute - description of an attribute
 * @name: as in the specification
 * @key: JSON key with its unit
 * @kind: its type
 * @min: least value of a number, if @max is not 0
 * @max: greatest value, or 0 if the specification has no bounds
 */
struct config_attribute {
	const char *name;
	const char *key;
	enum config_kind kind;
	uint64_t min;
	uint64_t max;
};

extern const struct config_attribute config_attributes[KTPUT_A_CONFIG_MAX + 1];

bool config_sockets(const struct config *config);
bool config_user(const struct config *config);
bool config_has(const struct config *config, int type);
void config_set(struct config *config, int type, uint64_t number);
void config_set_string(struct config *config, int type, const char *string);
int config_set_list(struct config *config, int type,
		    const struct units_cpus *list, struct units_error *err);
void config_set_mac(struct config *config, int type, const uint8_t *mac);
const char *config_string(const struct config *config, int type);
const uint8_t *config_mac(const struct config *config, int type);
int config_put(struct nl_msg *msg, const struct config *config);
void config_get(struct config *config, struct nlattr *nest);
const char *config_attribute_name(const int *types, size_t depth);

#endif
