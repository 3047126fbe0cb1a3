/* SPDX-License-Identifier: GPL-2.0 */
/* signature: whether this kernel loads unsigned modules. */
#ifndef KTPUT_TOOLS_SIGNATURE_H
#define KTPUT_TOOLS_SIGNATURE_H

#define SIGNATURE_ENFORCE	"/sys/module/module/parameters/sig_enforce"
#define SIGNATURE_LOCKDOWN	"/sys/kernel/security/lockdown"

const char *signature_asked_by(const char *enforce, const char *lockdown);

#endif
