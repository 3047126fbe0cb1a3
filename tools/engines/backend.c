// SPDX-License-Identifier: GPL-2.0
/* backend: the implementation that runs an end of a session. */
#include "end.h"
#include "engine.h"

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

/**
 * backend_is_due() - take the events of an end whose descriptor is readable
 * @end: the end
 *
 * Return: true if a refresh is due.
 */
bool backend_is_due(struct session_end *end)
{
	return !end->backend->take_events || end->backend->take_events(end);
}
