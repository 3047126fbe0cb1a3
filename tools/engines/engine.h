/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine: other programs that generate traffic, at both ends.
 */
#ifndef KTPUT_CTL_ENGINE_H
#define KTPUT_CTL_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine_result.h"
#include "engine_argv.h"

/**
 * struct engine - a program
 * @name: name of the program, of its package, and of the engine
 * @number: number of the engine
 * @port: default port of a server
 * @ports: the server uses one more port per stream, after @port
 * @told_by_client: the client prints the counts of its server
 * @tells_tcp: the result includes TCP statistics
 * @serves_on: the server continues after its client was interrupted
 * @make: make its command line
 * @read: read the result of an end from its output file; a stopped client reports
 *	that as an error
 */
struct engine {
	const char *name;
	enum config_engine number;
	uint16_t port;
	bool ports;
	bool told_by_client;
	bool tells_tcp;
	bool serves_on;
	int (*make)(struct engine_argv *words, const struct config *config,
		    struct units_error *err);
	int (*read)(int fd, bool sender, bool stopped,
		    struct engine_result *result, struct units_error *err);
};

const struct engine *engine_of(enum config_engine number);

#endif
