// SPDX-License-Identifier: GPL-2.0
/* run_options: keywords of the commands that start runs. */
#include <stdlib.h>
#include <sys/random.h>

#include "run_options.h"

const char *const run_options_in[] = { "copy", "trunc", "zerocopy", NULL };

const char *const run_options_sink_layers[] = {
	"socket", "ingress", "xdp", NULL
};

/**
 * run_options_method_in() - the module's name for a choice of "in"
 * @choice: index into run_options_in
 *
 * Return: method of enum ktput_method.
 */
int run_options_method_in(unsigned int choice)
{
	static const enum ktput_method methods[] = {
		KTPUT_METHOD_COPY, KTPUT_METHOD_TRUNC, KTPUT_METHOD_DIRECT,
	};

	return methods[choice];
}

/**
 * run_options_sink_layer() - the module's name for a choice of a sink's layer
 * @choice: index into run_options_sink_layers
 *
 * Return: layer of enum ktput_layer.
 */
int run_options_sink_layer(unsigned int choice)
{
	static const enum ktput_layer layers[] = {
		KTPUT_LAYER_SOCKET, KTPUT_LAYER_INGRESS, KTPUT_LAYER_DRIVER,
	};

	return layers[choice];
}

/**
 * run_options_cookie() - what datagrams begin with if nothing is said
 *
 * Return: a number that nobody can foresee.
 */
uint32_t run_options_cookie(void)
{
	uint32_t cookie;

	if (getrandom(&cookie, sizeof(cookie), 0) != sizeof(cookie))
		abort();
	return cookie;
}
