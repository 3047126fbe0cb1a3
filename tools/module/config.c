// SPDX-License-Identifier: GPL-2.0
/* config: convert the configuration of a run to netlink attributes and back. */
#include <assert.h>
#include <errno.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <string.h>

#include "../host/cpus.h"
#include "config.h"

#define ROW(attribute, name, key, kind, min, max) \
	[KTPUT_A_CONFIG_##attribute] = { name, key, CONFIG_##kind, min, max },

const struct config_attribute config_attributes[KTPUT_A_CONFIG_MAX + 1] = {
	CONFIG_ATTRIBUTES(ROW)
};

static_assert(KTPUT_A_CONFIG_MAX < 64, "a set has a bit for each attribute");

/* Storage of a string attribute, and its size in bytes. */
static char *string_of(const struct config *config, int type, size_t *size)
{
	struct config *owner = (struct config *)config;

	switch (type) {
	case KTPUT_A_CONFIG_CPUS:
		*size = sizeof(owner->cpus);
		return owner->cpus;
	case KTPUT_A_CONFIG_QUEUES:
		*size = sizeof(owner->queues);
		return owner->queues;
	case KTPUT_A_CONFIG_MIX:
		*size = sizeof(owner->mix);
		return owner->mix;
	default:
		*size = sizeof(owner->congestion);
		return owner->congestion;
	}
}

bool config_has(const struct config *config, int type)
{
	return config->set >> type & 1;
}

/* Whether payload passes sockets, of the kernel or of user space. */
bool config_sockets(const struct config *config)
{
	return config->number[KTPUT_A_CONFIG_LAYER] == KTPUT_LAYER_SOCKET ||
	       config->number[KTPUT_A_CONFIG_LAYER] == KTPUT_LAYER_USER;
}

/* Whether it is for ktput's own engine in user space. */
bool config_user(const struct config *config)
{
	return config->number[KTPUT_A_CONFIG_LAYER] == KTPUT_LAYER_USER &&
	       config->engine == CONFIG_ENGINE_KTPUT;
}

void config_set(struct config *config, int type, uint64_t number)
{
	config->set |= 1ULL << type;
	config->number[type] = number;
}

void config_set_string(struct config *config, int type, const char *string)
{
	size_t size;
	char *to = string_of(config, type, &size);

	config->set |= 1ULL << type;
	snprintf(to, size, "%s", string);
}

/**
 * config_set_list() - set a list of CPUs or queues
 * @config: configuration
 * @type: attribute
 * @list: the list; if it is "all", the attribute is not set
 * @err: set if it is too long
 */
int config_set_list(struct config *config, int type,
		    const struct units_cpus *list, struct units_error *err)
{
	char text[CONFIG_LIST_MAX + 1];

	if (list->all)
		return 0;
	if (cpus_show(list, text, sizeof(text)))
		return units_refuse(err,
				    "a list of more than %d characters does not fit",
				    CONFIG_LIST_MAX);
	config_set_string(config, type, text);
	return 0;
}

const char *config_string(const struct config *config, int type)
{
	size_t size;

	return string_of(config, type, &size);
}

const uint8_t *config_mac(const struct config *config, int type)
{
	return type == KTPUT_A_CONFIG_FROM_MAC ? config->source_mac :
						   config->destination_mac;
}

void config_set_mac(struct config *config, int type, const uint8_t *mac)
{
	config->set |= 1ULL << type;
	memcpy((void *)config_mac(config, type), mac, CONFIG_MAC_BYTES);
}

static int put_address(struct nl_msg *msg, const struct address *address,
		       int ipv4, int ipv6)
{
	if (address_family(address) == AF_UNSPEC)
		return 0;
	return nla_put(msg, address_family(address) == AF_INET6 ? ipv6 : ipv4,
		       address_length(address), address_bytes(address));
}

static int put_one(struct nl_msg *msg, const struct config *config, int type)
{
	uint64_t number = config->number[type];

	switch (config_attributes[type].kind) {
	case CONFIG_FLAG:
		return nla_put_flag(msg, type);
	case CONFIG_U8:
		return nla_put_u8(msg, type, number);
	case CONFIG_U16:
		return nla_put_u16(msg, type, number);
	case CONFIG_U32:
		return nla_put_u32(msg, type, number);
	case CONFIG_U64:
		return nla_put_u64(msg, type, number);
	case CONFIG_STRING:
		return nla_put_string(msg, type, config_string(config, type));
	case CONFIG_MAC:
		return nla_put(msg, type, CONFIG_MAC_BYTES,
			       config_mac(config, type));
	default:
		return 0;
	}
}

/**
 * config_put() - write a configuration
 * @msg: request; the attribute KTPUT_A_MESSAGE_CONFIG is added
 * @config: configuration
 *
 * Return: 0, or -1 if @msg has no room.
 */
int config_put(struct nl_msg *msg, const struct config *config)
{
	struct nlattr *nest = nla_nest_start(msg, KTPUT_A_MESSAGE_CONFIG);

	if (!nest ||
	    put_address(msg, &config->local, KTPUT_A_CONFIG_LOCAL_IPV4,
			KTPUT_A_CONFIG_LOCAL_IPV6) ||
	    put_address(msg, &config->remote, KTPUT_A_CONFIG_REMOTE_IPV4,
			KTPUT_A_CONFIG_REMOTE_IPV6))
		return -1;
	for (int type = 0; type <= KTPUT_A_CONFIG_MAX; type++)
		if (config_has(config, type) && put_one(msg, config, type))
			return -1;
	nla_nest_end(msg, nest);
	return 0;
}

static void get_address(struct address *address, int family,
			struct nlattr *attr)
{
	address->storage.ss_family = family;
	nla_memcpy((void *)address_bytes(address), attr,
		   address_length(address));
}

static void get_one(struct config *config, int type, struct nlattr *attr)
{
	switch (config_attributes[type].kind) {
	case CONFIG_FLAG:
		config_set(config, type, 1);
		break;
	case CONFIG_U8:
		config_set(config, type, nla_get_u8(attr));
		break;
	case CONFIG_U16:
		config_set(config, type, nla_get_u16(attr));
		break;
	case CONFIG_U32:
		config_set(config, type, nla_get_u32(attr));
		break;
	case CONFIG_U64:
		config_set(config, type, nla_get_u64(attr));
		break;
	case CONFIG_STRING:
		config_set_string(config, type, nla_get_string(attr));
		break;
	case CONFIG_MAC:
		if (nla_len(attr) == CONFIG_MAC_BYTES)
			config_set_mac(config, type, nla_data(attr));
		break;
	case CONFIG_ADDRESS:
		get_address(type == KTPUT_A_CONFIG_LOCAL_IPV4 ||
			    type == KTPUT_A_CONFIG_LOCAL_IPV6 ?
			    &config->local : &config->remote,
			    type == KTPUT_A_CONFIG_LOCAL_IPV6 ||
			    type == KTPUT_A_CONFIG_REMOTE_IPV6 ?
			    AF_INET6 : AF_INET, attr);
		break;
	case CONFIG_NONE:
		break;
	}
}

/**
 * config_get() - read a configuration
 * @config: cleared and filled in
 * @nest: attribute that holds it; unknown attributes are ignored
 */
void config_get(struct config *config, struct nlattr *nest)
{
	struct nlattr *tb[KTPUT_A_CONFIG_MAX + 1];

	memset(config, 0, sizeof(*config));
	if (nla_parse_nested(tb, KTPUT_A_CONFIG_MAX, nest, NULL))
		return;
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++)
		if (tb[type])
			get_one(config, type, tb[type]);
	address_set_port(&config->local,
			 config->number[KTPUT_A_CONFIG_LOCAL_PORT]);
	address_set_port(&config->remote,
			 config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
}

/**
 * config_attribute_name() - name an attribute of a request of the family
 * @types: attribute types from the outermost to the one meant
 * @depth: number of types
 *
 * Return: its name in the specification, or NULL.
 */
const char *config_attribute_name(const int *types, size_t depth)
{
	if (types[0] == KTPUT_A_MESSAGE_RUN_ID)
		return "run-id";
	if (types[0] != KTPUT_A_MESSAGE_CONFIG)
		return NULL;
	if (depth < 2 || types[1] > KTPUT_A_CONFIG_MAX)
		return "config";
	return config_attributes[types[1]].name;
}
