/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine: other programs that make a run, at both ends.
 */
#ifndef KTPUT_CTL_ENGINE_H
#define KTPUT_CTL_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine_result.h"
#include "engine_words.h"

/**
 * struct engine - a program
 * @name: of the program, of its package, and of the layer
 * @layer: number of that layer
 * @port: of a server that nothing else is said of
 * @ports: further ports that a server takes, those behind it: one for each stream
 * @told_by_client: a server's counts are printed by its client
 * @tells_tcp: what it was told by TCP is in its result
 * @serves_on: a server goes on where its client was interrupted
 * @make: make its command line
 * @read: read what came of an end from the file that it was printed to; a client
 *	that was told to end says so as an error
 */
struct engine {
	const char *name;
	int layer;
	uint16_t port;
	bool ports;
	bool told_by_client;
	bool tells_tcp;
	bool serves_on;
	int (*make)(struct engine_words *words, const struct config *config,
		    struct units_error *err);
	int (*read)(int fd, bool sender, bool stopped,
		    struct engine_result *result, struct units_error *err);
};

const struct engine *engine_of(unsigned int layer);

#endif
