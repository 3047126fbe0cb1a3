// SPDX-License-Identifier: GPL-2.0
/* backend: the implementation that runs an end of a session. */
#include "backend.h"
#include "engine.h"
#include "xdp_run.h"

/**
 * backend_of() - select the backend for a configuration
 * @config: configuration of an end
 *
 * Return: the backend.
 */
const struct backend *backend_of(const struct config *config)
{
	if (config_user(config))
		return &backend_user;
	if (engine_of(config->engine))
		return &backend_engine;
	return xdp_run_wanted(config) ? &backend_xdp : &backend_module;
}
