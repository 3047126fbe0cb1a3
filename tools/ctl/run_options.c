// SPDX-License-Identifier: GPL-2.0
/* run_options: keywords of the commands that start runs. */
#include <stdlib.h>
#include <sys/random.h>

#include "run_options.h"

const char *const run_options_in[] = {
	"copy", "trunc", "zerocopy", "io_uring", NULL
};

const char *const run_options_sink_layers[] = {
	"socket", "ingress", "xdp", "user", NULL
};

/**
 * run_options_method_in() - the module's name for a choice of "in"
 * @choice: index into run_options_in
 *
 * Return: method of enum ktput_method, or CONFIG_METHOD_URING.
 */
int run_options_method_in(unsigned int choice)
{
	static const int methods[] = {
		KTPUT_METHOD_COPY, KTPUT_METHOD_TRUNC, KTPUT_METHOD_DIRECT,
		CONFIG_METHOD_URING,
	};

	return methods[choice];
}

/**
 * run_options_sink_layer() - the module's name for a choice of a sink's layer
 * @choice: index into run_options_sink_layers
 *
 * Return: layer of enum ktput_layer, or CONFIG_LAYER_USER.
 */
int run_options_sink_layer(unsigned int choice)
{
	static const int layers[] = {
		KTPUT_LAYER_SOCKET, KTPUT_LAYER_INGRESS, KTPUT_LAYER_DRIVER,
		CONFIG_LAYER_USER,
	};

	return layers[choice];
}

/**
 * run_options_sink_sockets() - whether a sink takes from sockets
 * @choice: index into run_options_sink_layers
 *
 * Return: true for sockets of the kernel and of user space.
 */
bool run_options_sink_sockets(unsigned int choice)
{
	const int layer = run_options_sink_layer(choice);

	return layer == KTPUT_LAYER_SOCKET || layer == CONFIG_LAYER_USER;
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
