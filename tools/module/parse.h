/* SPDX-License-Identifier: GPL-2.0 */
/*
 * parse: parse messages of the ktput module.
 *
 * Each returns 0, or -1 if the message lacks the requested data.
 */
#ifndef KTPUT_TOOLS_PARSE_H
#define KTPUT_TOOLS_PARSE_H

#include "client.h"

int parse_module(struct nlmsghdr *message, struct client_module *module);
int parse_run(struct nlmsghdr *message, struct client_run *run);
int parse_listing(struct nlmsghdr *message, struct client_listing *listing);
int parse_cpu(struct nlmsghdr *message, struct client_cpu *cpu);
int parse_stream(struct nlmsghdr *message, struct client_stream *stream);
int parse_peer(struct nlmsghdr *message, struct client_peer *peer);
int parse_latency(struct nlmsghdr *message, struct histogram *latency);

#endif
