// SPDX-License-Identifier: GPL-2.0
/* run_where: the transports and layers that a keyword applies to. */
#include <stdio.h>

#include "run_where.h"

#define WHERE_LAYERS		(WHERE_OWN | WHERE_OTHERS)
#define WHERE_SINK_LAYERS	(WHERE_SINK_OWN | WHERE_SINK_OTHER)

/* A refusal lists up to this many allowed layers, else it names the refused one. */
#define LISTED_MAX		3

#define PLACE(engine, word, command, transports) \
	{ WHERE_##engine, "engine " word, RUN_##command },

/* The words for each place, and the commands that have it. */
const struct options_place run_where_places[] = {
	{ WHERE_TCP, "tcp", 0 },
	{ WHERE_UDP, "udp", 0 },
	{ WHERE_SOCKET, "layer socket", RUN_START | RUN_TRIPS },
	{ WHERE_QUEUE, "layer queue", RUN_START },
	{ WHERE_DRIVER, "layer driver", RUN_START | RUN_TRIPS },
	{ WHERE_XDP, "layer xdp", RUN_START },
	{ WHERE_USER, "layer user", RUN_START | RUN_TRIPS },
	CONFIG_ENGINES(PLACE)
	{ WHERE_SINK_SOCKET, "sink-layer socket", RUN_START },
	{ WHERE_SINK_INGRESS, "sink-layer ingress", RUN_START },
	{ WHERE_SINK_XDP, "sink-layer xdp", RUN_START },
	{ WHERE_SINK_USER, "sink-layer user", RUN_START },
	{ WHERE_SINK_SOCKET, "layer socket", RUN_SINK },
	{ WHERE_SINK_INGRESS, "layer ingress", RUN_SINK },
	{ WHERE_SINK_XDP, "layer xdp", RUN_SINK },
	{ WHERE_SINK_USER, "layer user", RUN_SINK },
	{ .words = NULL }
};

static unsigned int source_place(const struct run_options *options)
{
	if (options->engine)
		return WHERE_USER << options->engine;
	switch (options->layer) {
	case KTPUT_LAYER_QUEUE:
		return WHERE_QUEUE;
	case KTPUT_LAYER_DRIVER:
		return WHERE_DRIVER;
	case KTPUT_LAYER_XDP:
		return WHERE_XDP;
	case KTPUT_LAYER_USER:
		return WHERE_USER;
	default:
		return WHERE_SOCKET;
	}
}

static unsigned int sink_place(const struct run_options *options)
{
	switch (options->sink_layer) {
	case KTPUT_LAYER_INGRESS:
		return WHERE_SINK_INGRESS;
	case KTPUT_LAYER_XDP:
		return WHERE_SINK_XDP;
	case KTPUT_LAYER_USER:
		return WHERE_SINK_USER;
	default:
		return WHERE_SINK_SOCKET;
	}
}

/* The places of a command's ends: one of each class. */
static unsigned int ends_of(const struct command_context *context,
			    const struct run_options *options)
{
	const unsigned int transport =
		options->transport == KTPUT_TRANSPORT_UDP ? WHERE_UDP :
							    WHERE_TCP;
	const unsigned int source = source_place(options);

	if (context->options->command == RUN_SINK)
		return transport | sink_place(options);
	return transport | source |
	       (source & WHERE_OTHERS ? WHERE_SINK_OTHER :
					sink_place(options));
}

static const char *words_of(unsigned int place, unsigned int command)
{
	const struct options_place *at = run_where_places;

	while (!(at->place & place) || !(at->commands & command))
		at++;
	return at->words;
}

/* "works with layer driver and layer xdp only", or "does not work with layer socket". */
static void refuse_place(const char *keyword, const char *value,
			 unsigned int where, unsigned int ends,
			 unsigned int command, struct units_error *err)
{
	const bool source = ends & WHERE_OTHERS || where & WHERE_OWN;
	const unsigned int refused = ends & (source ? WHERE_LAYERS :
						      WHERE_SINK_LAYERS);
	const char *listed[LISTED_MAX];
	size_t count = 0;

	for (const struct options_place *at = run_where_places; at->words;
	     at++) {
		if (!(at->place & where) || !(at->commands & command))
			continue;
		if (count < LISTED_MAX)
			listed[count] = at->words;
		count++;
	}
	if (ends & WHERE_OTHERS || !count || count > LISTED_MAX)
		units_refuse(err, "'%s%s%s' does not work with %s", keyword,
			     *value ? " " : "", value,
			     words_of(refused, command));
	else
		units_refuse(err, "'%s%s%s' works with %s%s%s%s%s only", keyword,
			     *value ? " " : "", value, listed[0],
			     count > 2 ? ", " : "", count > 2 ? listed[1] : "",
			     count > 1 ? " and " : "",
			     count > 1 ? listed[count - 1] : "");
}

static bool has_meaning(unsigned int where, unsigned int ends)
{
	const unsigned int layers = where & (WHERE_LAYERS | WHERE_SINK_LAYERS);

	if (where & WHERE_TRANSPORTS && !(where & ends & WHERE_TRANSPORTS))
		return false;
	if (!layers || layers & ends)
		return true;
	/* A command without a source has only sink layers. */
	return !(layers & WHERE_SINK_LAYERS) && !(ends & WHERE_LAYERS);
}

static void refuse_transport(const struct options_entry *entry,
			     const char *value, unsigned int where,
			     struct units_error *err)
{
	const bool udp = where & WHERE_UDP;

	if (entry->instead)
		units_refuse(err, "'%s' works with %s only; with %s use '%s'",
			     entry->keyword, udp ? "udp" : "tcp",
			     udp ? "tcp" : "udp", entry->instead);
	else
		units_refuse(err, "'%s%s%s' works with %s only", entry->keyword,
			     *value ? " " : "", value, udp ? "udp" : "tcp");
}

/* @value is the refused choice of the keyword, or "" to refuse the keyword itself. */
static int check(const struct options_entry *entry, const char *value,
		 unsigned int where, unsigned int ends, unsigned int command,
		 struct units_error *err)
{
	if (has_meaning(where, ends))
		return 0;
	if (where & WHERE_TRANSPORTS && !(where & ends & WHERE_TRANSPORTS))
		refuse_transport(entry, value, where, err);
	else
		refuse_place(entry->keyword, value, where, ends, command, err);
	return -1;
}

/* The choice that was given, or NULL if the entry has no choices. */
static const struct options_choice *
choice_of(const struct options_table *table, const struct options_entry *entry,
	  const struct run_options *options)
{
	const struct options_choice *choice = entry->choices;

	if (!choice)
		return NULL;
	while (choice->value != options_number(entry, options) ||
	       !options_has_choice(table, choice))
		choice++;
	return choice;
}

/**
 * run_where_check() - refuse keywords and choices that do not apply
 * @context: the command's context
 * @options: parsed options
 * @err: reason for the refusal
 */
int run_where_check(const struct command_context *context,
		    const struct run_options *options,
		    struct units_error *err)
{
	const struct options_table *table = context->options;
	const unsigned int ends = ends_of(context, options);

	for (size_t i = 0; i < table->count; i++) {
		const struct options_entry *entry = &table->entry[i];
		const struct options_choice *choice;

		if (!options_in(&context->given, i))
			continue;
		if (check(entry, "", entry->where, ends, table->command, err))
			return -1;
		choice = choice_of(table, entry, options);
		if (choice && check(entry, choice->word, choice->where, ends,
				    table->command, err))
			return -1;
	}
	return 0;
}

static bool all_have_meaning(const struct options_table *table,
			     const struct options_set *given,
			     const struct run_options *options,
			     unsigned int ends)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct options_choice *choice;

		if (!options_in(given, i))
			continue;
		choice = choice_of(table, &table->entry[i], options);
		if (!has_meaning(table->entry[i].where, ends) ||
		    (choice && !has_meaning(choice->where, ends)))
			return false;
	}
	return true;
}

/* The places of a class that are still possible after the words so far. */
static unsigned int open_places(const struct options_table *table, bool given,
				unsigned int place, unsigned int class)
{
	unsigned int open = 0;

	if (given)
		return place;
	for (const struct options_place *at = run_where_places; at->words; at++)
		if (!at->commands || at->commands & table->command)
			open |= at->place & class;
	return open;
}

/* At layer user the engine may follow, and after ktput's name the layer. */
static unsigned int open_sources(const struct options_table *table,
				 const struct options_set *given,
				 const struct run_options *options)
{
	const bool layer = options_given(table, *given,
					 offsetof(struct run_options, layer));
	const bool engine = options_given(table, *given,
					  offsetof(struct run_options, engine));
	const unsigned int place = source_place(options);
	const unsigned int open = open_places(table, options->engine ||
					      (layer && engine), place,
					      WHERE_LAYERS);

	if (engine)
		return layer || options->engine ? open : open & WHERE_OWN;
	if (layer)
		return place | (place == WHERE_USER ? open & WHERE_OTHERS : 0);
	return open;
}

static bool sinks_apply(const struct options_table *table,
			const struct options_set *given,
			const struct run_options *options, unsigned int ends,
			unsigned int sinks)
{
	for (unsigned int sink = 1; sink <= sinks; sink <<= 1)
		if (sinks & sink &&
		    all_have_meaning(table, given, options, ends | sink))
			return true;
	return false;
}

/**
 * run_where_applies() - whether keywords can apply after further words
 * @table: the options
 * @given: the keywords
 * @data: parsed options, of struct run_options
 *
 * Return: true if further words can make the keywords apply.
 */
bool run_where_applies(const struct options_table *table,
		       const struct options_set *given, const void *data)
{
	const struct run_options *options = data;
	const unsigned int transports = open_places(table,
		options_given(table, *given,
			      offsetof(struct run_options, transport)),
		options->transport == KTPUT_TRANSPORT_UDP ? WHERE_UDP :
							    WHERE_TCP,
		WHERE_TRANSPORTS);
	const unsigned int sources = open_sources(table, given, options);
	const unsigned int sinks = open_places(table,
		table->command & RUN_TRIPS ||
		options_given(table, *given,
			      offsetof(struct run_options, sink_layer)),
		sink_place(options), WHERE_SINK_OWN);

	for (unsigned int transport = WHERE_TCP; transport <= WHERE_UDP;
	     transport <<= 1) {
		if (!(transports & transport))
			continue;
		if (!sources &&
		    sinks_apply(table, given, options, transport, sinks))
			return true;
		for (unsigned int source = 1; source <= sources; source <<= 1)
			if (sources & source &&
			    sinks_apply(table, given, options,
					transport | source,
					source & WHERE_OTHERS ?
					WHERE_SINK_OTHER : sinks))
				return true;
	}
	return false;
}
