/* SPDX-License-Identifier: Apache-2.0 */
/* The interrupt controller of both families, GIC version 1 and 2. */
#include "board.h"
#include "boards/firmware/fault.h"
#include "boards/firmware/firmware.h"

#define DISTRIBUTOR (VDLA_BOARD_ZYNQMP ? 0xf9010000u : 0xf8f01000u)
#define CPU_INTERFACE (VDLA_BOARD_ZYNQMP ? 0xf9020000u : 0xf8f00100u)

/* Registers of the distributor: a bit, a byte for each interrupt; and of the interface of a core. */
enum { kControl = 0, kSetEnable = 0x100, kClearEnable = 0x180, kPriority = 0x400, kTarget = 0x800 };
enum { kCpuControl = 0, kCpuPriorities = 4, kAcknowledge = 0xc, kEnd = 0x10 };
enum { kNone = 1020, kMiddle = 0xa0, kAll = 0xff };

static void (*handler_)(void* context);
static void* context_;
static unsigned id_;

static volatile uint32_t* word(uintptr_t base, unsigned offset) {
  return (volatile uint32_t*)(base + offset);
}
static volatile uint8_t* byte(uintptr_t base, unsigned offset) { return (volatile uint8_t*)(base + offset); }

void vdla_interrupt_handle(unsigned id, void (*handler)(void* context), void* context) {
  handler_ = handler;
  context_ = context;
  id_ = id;
  *byte(DISTRIBUTOR, kPriority + id) = kMiddle;
  *byte(DISTRIBUTOR, kTarget + id) = 1; /* the first core */
  *word(DISTRIBUTOR, kControl) = 1;
  *word(CPU_INTERFACE, kCpuPriorities) = kAll;
  *word(CPU_INTERFACE, kCpuControl) = 1;
  vdla_interrupt_enable(id);
#ifdef __aarch64__
  __asm__ volatile("dsb sy\n isb\n msr DAIFClr, #2" ::: "memory");
#else
  __asm__ volatile("dsb\n isb\n cpsie i" ::: "memory");
#endif
}

void vdla_interrupt_enable(unsigned id) { *word(DISTRIBUTOR, kSetEnable + id / 32 * 4) = 1u << id % 32; }

void vdla_interrupt_disable(unsigned id) {
  *word(DISTRIBUTOR, kClearEnable + id / 32 * 4) = 1u << id % 32;
  (void)*word(DISTRIBUTOR, kClearEnable + id / 32 * 4); /* it has arrived */
}

void vdla_interrupt_dispatch(void) {
  const uint32_t acknowledged = *word(CPU_INTERFACE, kAcknowledge);
  const unsigned id = acknowledged & 0x3ff;
  if (id >= kNone) return;
  if (id == id_ && handler_ != 0)
    handler_(context_);
  else
    vdla_interrupt_disable(id);
  *word(CPU_INTERFACE, kEnd) = acknowledged;
}
