/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/firmware/accelerator.h"

#include "board.h"
#include "boards/firmware/firmware.h"
#include "driver/memory/barrier.h"

#ifdef __aarch64__
enum { kLine = 64 };
#define CLEAN_LINE(address) __asm__ volatile("dc cvac, %0" ::"r"(address) : "memory")
#define DROP_LINE(address) __asm__ volatile("dc civac, %0" ::"r"(address) : "memory")
#define LINES_DONE() __asm__ volatile("dsb sy" ::: "memory")
#else
/* The cache of the first level; the one of the second is off, as the boot loader leaves it. */
enum { kLine = 32 };
#define CLEAN_LINE(address) __asm__ volatile("mcr p15, 0, %0, c7, c10, 1" ::"r"(address) : "memory")
#define DROP_LINE(address) __asm__ volatile("mcr p15, 0, %0, c7, c14, 1" ::"r"(address) : "memory")
#define LINES_DONE() __asm__ volatile("dsb" ::: "memory")
#endif

static volatile unsigned came_;

/* The line is high until the driver has looked: it is masked until the next wait. */
static void on_interrupt(void* context) {
  (void)context;
  vdla_interrupt_disable(VDLA_BOARD_INTERRUPT_ID);
  came_ = 1;
}

static uint64_t now(void* context) {
  (void)context;
  return vdla_microseconds();
}

static int interrupt(void* context) {
  (void)context;
  return (int)came_;
}

static void unmask(void* context) {
  (void)context;
  came_ = 0;
  vdla_interrupt_enable(VDLA_BOARD_INTERRUPT_ID);
}

static void clean(void* context, uintptr_t address, size_t bytes) {
  (void)context;
  for (size_t at = 0; at < bytes; at += kLine) CLEAN_LINE(address + at);
  LINES_DONE();
}

static void invalidate(void* context, uintptr_t address, size_t bytes) {
  (void)context;
  for (size_t at = 0; at < bytes; at += kLine) DROP_LINE(address + at);
  LINES_DONE();
}

static int configured(void* context, const char** said) {
  const uint32_t status = vdla_register_read(VDLA_BOARD_FABRIC_STATUS);
  const int is_done = (int)(status >> VDLA_BOARD_FABRIC_BIT & 1);
  (void)context;
  *said = is_done ? VDLA_BOARD_FABRIC_NAME " reads 1" : VDLA_BOARD_FABRIC_NAME " reads 0, needs 1";
  return !is_done;
}

int vdla_accelerator_open(vdla_mmio* mmio) {
  const vdla_mmio_board board = {
      .registers = VDLA_BOARD_REGISTERS_BASE,
      .memory = VDLA_BOARD_MEMORY_BASE,
      .memory_bytes = VDLA_BOARD_MEMORY_BYTES,
      .device_memory = VDLA_BOARD_MEMORY_BASE,
      .cache_line = kLine,
      .normal_memory = 1,
      .now = now,
      .interrupt = interrupt,
      .unmask = unmask,
      .clean = clean,
      .invalidate = invalidate,
      .configured = VDLA_BOARD_FABRIC_STATUS != 0 ? configured : 0,
  };
  const int opened = vdla_mmio_open(mmio, &board);
  if (opened != VDLA_MMIO_BOARD) vdla_interrupt_handle(VDLA_BOARD_INTERRUPT_ID, on_interrupt, 0);
  return opened;
}
