// SPDX-License-Identifier: GPL-2.0
/*
 * Formatted extended ACK messages for kernels before 6.2.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/string.h>

#ifdef KTPUT_COMPAT_EXTACK

#define EXTACK_TEXTS 128

/*
 * An entry never changes once a handler was given it, so that the core may read
 * it at any time until genl_unregister_family() has waited for the last reader.
 */
static char extack_texts[EXTACK_TEXTS][NETLINK_MAX_FMTMSG_LEN];
static unsigned int extack_nr;	/* entries in use, under extack_mutex */
static DEFINE_MUTEX(extack_mutex);

/**
 * ktput_extack_text() - format a message that outlives the handler
 * @fmt: printf format, a literal; cut off at NETLINK_MAX_FMTMSG_LEN - 1 bytes
 *
 * Equal texts share one of a bounded number of entries. Context: may sleep.
 *
 * Return: the text, or @fmt itself when every entry holds some other text.
 */
const char *ktput_extack_text(const char *fmt, ...)
{
	char text[NETLINK_MAX_FMTMSG_LEN];
	const char *found = fmt;
	unsigned int i;
	va_list args;

	va_start(args, fmt);
	vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);

	mutex_lock(&extack_mutex);
	for (i = 0; i < extack_nr; i++)
		if (!strcmp(extack_texts[i], text))
			break;
	if (i < EXTACK_TEXTS) {
		if (i == extack_nr) {
			strscpy(extack_texts[i], text, sizeof(extack_texts[i]));
			extack_nr++;
		}
		found = extack_texts[i];
	}
	mutex_unlock(&extack_mutex);

	return found;
}

#endif /* KTPUT_COMPAT_EXTACK */
