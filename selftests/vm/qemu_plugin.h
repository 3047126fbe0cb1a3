/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is used of QEMU's interface for plugins, version 1, which QEMU 7.2 has.
 * Debian's packages have no header of it.
 */
#ifndef QEMU_PLUGIN_H
#define QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT	__attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION	1
#define QEMU_PLUGIN_CB_NO_REGS	0
#define QEMU_PLUGIN_MEM_RW	3

struct qemu_plugin_tb;
struct qemu_plugin_insn;

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*call)(uint64_t id,
							struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
					  void (*call)(unsigned int cpu,
						       void *data),
					  int registers, void *data);
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block,
					      enum qemu_plugin_op op,
					      void *to, uint64_t value);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
				      void (*call)(unsigned int cpu,
						   uint32_t info,
						   uint64_t address,
						   void *data),
				      int registers, int which, void *data);
bool qemu_plugin_mem_is_store(uint32_t info);
unsigned int qemu_plugin_mem_size_shift(uint32_t info);

/* Of an access in the callback for it. */
struct qemu_plugin_hwaddr;

struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info,
						  uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *place);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *place);

/* Drop all translations and callbacks, and call when that is done. */
void qemu_plugin_reset(uint64_t id, void (*call)(uint64_t id));

#endif /* QEMU_PLUGIN_H */
