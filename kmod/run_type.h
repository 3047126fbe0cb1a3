/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of runs: what the module can do.
 */
#ifndef KTPUT_RUN_TYPE_H
#define KTPUT_RUN_TYPE_H

#include <linux/types.h>
#include <linux/ktput.h>

struct ktput_ops;

/**
 * struct ktput_run_type - a type of run
 * @role: what its streams do
 * @transport: protocol that carries the payload
 * @layer: layer where payload is injected or consumed
 * @methods: bit n is set if the type supports method n
 * @method: default method
 * @ops: operations
 * @pattern: traffic pattern between sources and sinks
 */
struct ktput_run_type {
	enum ktput_role role;
	enum ktput_transport transport;
	enum ktput_layer layer;
	u32 methods;
	enum ktput_method method;
	const struct ktput_ops *ops;
	enum ktput_pattern pattern;
};

/**
 * struct ktput_features - features of all types together
 * @layers: bit n is set for layer n, by role
 * @methods: bit n is set for method n, by role
 * @transports: bit n is set for transport n
 */
struct ktput_features {
	u32 layers[KTPUT_ROLE_SINK + 1];
	u32 methods[KTPUT_ROLE_SINK + 1];
	u32 transports;
};

const struct ktput_run_type *ktput_run_type_find(enum ktput_role role,
						 enum ktput_transport transport,
						 enum ktput_layer layer,
						 enum ktput_pattern pattern);
void ktput_run_type_features(struct ktput_features *abilities);

#endif /* KTPUT_RUN_TYPE_H */
