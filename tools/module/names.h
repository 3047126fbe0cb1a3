/* SPDX-License-Identifier: GPL-2.0 */
/*
 * names: names of the module's enumerations, as in its specification.
 *
 * A number that this program does not know is named "unknown".
 */
#ifndef KTPUT_TOOLS_NAMES_H
#define KTPUT_TOOLS_NAMES_H

#include <linux/ktput.h>

/* The name for a number of an enumeration. */
typedef const char *(*names_word)(unsigned int value);

int names_find(names_word name, const char *word);
const char *names_role(unsigned int role);
const char *names_transport(unsigned int transport);
const char *names_layer(unsigned int layer);
const char *names_method(unsigned int method);
const char *names_pattern(unsigned int pattern);
const char *names_reply(unsigned int reply);
const char *names_link(unsigned int link);
const char *names_medium(unsigned int medium);
const char *names_engine(unsigned int engine);
const char *names_wait(unsigned int wait);
const char *names_state(unsigned int state);
const char *names_reason(unsigned int reason);
const char *names_reason_text(unsigned int reason);

#endif
