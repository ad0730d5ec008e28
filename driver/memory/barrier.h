/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a device in the CPU's address space, in the order that driver/core/transport.h asks for. The
   one place that differs by architecture. */
#ifndef VDLA_DRIVER_MEMORY_BARRIER_H
#define VDLA_DRIVER_MEMORY_BARRIER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Accesses after it come once those before it are complete, for the device too. */
static inline void vdla_barrier(void) {
#if defined(__arm__) || defined(__aarch64__)
  __asm__ volatile("dsb sy" ::: "memory");
#elif defined(__riscv)
  __asm__ volatile("fence iorw, iorw" ::: "memory");
#elif defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("mfence" ::: "memory");
#else
#error \
    "no barrier is known for this architecture; add it here: it has to order memory against device accesses"
#endif
}

/* After it copy_out sees what the device wrote before the value that is read here. */
static inline uint32_t vdla_register_read(uintptr_t address) {
  const uint32_t value = *(const volatile uint32_t*)address;
  vdla_barrier();
  return value;
}

/* Copies before it are in memory before the register changes. */
static inline void vdla_register_write(uintptr_t address, uint32_t value) {
  vdla_barrier();
  *(volatile uint32_t*)address = value;
}

#ifdef __cplusplus
}
#endif

#endif
