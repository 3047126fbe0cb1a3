/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of runs: what the module can do.
 */
#ifndef KTPUT_KIND_H
#define KTPUT_KIND_H

#include <linux/types.h>
#include <linux/ktput.h>

struct ktput_ops;

/**
 * struct ktput_kind - a kind of run
 * @role: what its streams do
 * @transport: what the payload travels in
 * @layer: where it is injected or consumed
 * @methods: bit n is set where it knows method n
 * @method: method unless one is given
 * @ops: what does it
 * @pattern: what sources and sinks have to do with each other
 */
struct ktput_kind {
	enum ktput_role role;
	enum ktput_transport transport;
	enum ktput_layer layer;
	u32 methods;
	enum ktput_method method;
	const struct ktput_ops *ops;
	enum ktput_pattern pattern;
};

/**
 * struct ktput_abilities - what all kinds together can do
 * @layers: bit n is set for layer n, by role
 * @methods: bit n is set for method n, by role
 * @transports: bit n is set for transport n
 */
struct ktput_abilities {
	u32 layers[KTPUT_ROLE_SINK + 1];
	u32 methods[KTPUT_ROLE_SINK + 1];
	u32 transports;
};

const struct ktput_kind *ktput_kind_find(enum ktput_role role,
					 enum ktput_transport transport,
					 enum ktput_layer layer,
					 enum ktput_pattern pattern);
void ktput_kind_abilities(struct ktput_abilities *abilities);

#endif /* KTPUT_KIND_H */
