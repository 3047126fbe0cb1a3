/* SPDX-License-Identifier: GPL-2.0 */
/*
 * peers: what each peer of a long-lived sink has sent.
 *
 * A visit is the connections from one address until all of them have closed, or its
 * datagrams until none has come for an interval. It is printed, and recorded, at the
 * first interval after that. Time between visits is in none of them.
 */
#ifndef KTPUT_RESULT_PEERS_H
#define KTPUT_RESULT_PEERS_H

#include "../run/session.h"

/**
 * struct peers - which connections, or ports that sent datagrams, have been printed
 * @printed: by their number
 * @size: numbers that there is room for
 */
struct peers {
	bool *printed;
	size_t size;
};

void peers_look(struct peers *peers, const struct session *session);
void peers_free(struct peers *peers);

#endif
