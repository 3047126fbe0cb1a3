/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drop_reasons: what the program that counts dropped datagrams shares with its owner.
 */
#ifndef KTPUT_TOOLS_DROP_REASONS_H
#define KTPUT_TOOLS_DROP_REASONS_H

/*
 * Reasons that are counted apart: enum skb_drop_reason has about 100 in Linux 6.12.
 * Those of subsystems (drop_reason.h, from 6.4) are greater, and counted as the last.
 */
#define DROPS_REASONS	256

/**
 * struct drops_run - the datagrams of a run
 * @cookie: their cookie, in network byte order
 * @port: first port that they are sent to, host byte order
 * @ports: number of consecutive ports; 0 before they are known
 *
 * Ports identify a datagram whose payload is in pages, which a program cannot read.
 */
struct drops_run {
	unsigned int cookie;
	unsigned short port;
	unsigned short ports;
};

#endif
