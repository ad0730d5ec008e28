/* SPDX-License-Identifier: Apache-2.0 */
/* A small program on the accelerator, a thousand times: over the driver core and its transport for bare
   metal, with interrupts. It adds 1 to each of four bytes, so that the sum shows whether a run was left out.

     vdla asm examples/firmware/increment.s -o increment.bin
     boards/firmware/build_firmware.sh --board qemu-zynq -o increment.elf examples/firmware/increment.c \
       examples/firmware/increment_program.S
     vdla board run increment.elf --board qemu-zynq --engine rtl

   increment_program.S holds increment.bin, which it finds in the folder where one is. */
#include "boards/firmware/accelerator.h"
#include "boards/firmware/firmware.h"
#include "driver/core/device.h"
#include "isa/generated/vdla_isa.h"

/* -D RUNS=... for another number. */
#ifndef RUNS
#define RUNS 1000
#endif

enum { kRuns = RUNS, kValues = 4, kPage = 4096, kCycles = 1000 };

/* increment_program.S */
extern const uint8_t program[], program_end[];

static vdla_mmio mmio;
static vdla_device device;

static _Noreturn void fail(const char* what, const char* why) {
  vdla_console_text(what);
  vdla_console_text(": ");
  vdla_console_text(why);
  vdla_console_text("\n");
  vdla_exit(1);
}

static void check(const char* what, vdla_driver_status status) {
  if (status != VDLA_DRIVER_OK) fail(what, device.message);
}

/* A block of DMA memory, which `window` shows to the device. */
static uint64_t make_window(unsigned window, uint64_t bytes) {
  const vdla_transport* t = &mmio.transport;
  uint64_t address;
  if (t->alloc(t->context, bytes, kPage, &address) != 0) fail("memory", t->last_error(t->context));
  check("window", vdla_set_window(&device, window, address, bytes));
  return address;
}

static void copy_in(uint64_t address, const void* from, uint64_t bytes) {
  const vdla_transport* t = &mmio.transport;
  if (t->copy_in(t->context, address, from, bytes) != 0 ||
      t->sync_for_device(t->context, address, bytes) != 0)
    fail("memory", t->last_error(t->context));
}

static void copy_out(void* to, uint64_t address, uint64_t bytes) {
  const vdla_transport* t = &mmio.transport;
  if (t->sync_for_cpu(t->context, address, bytes) != 0 || t->copy_out(t->context, to, address, bytes) != 0)
    fail("memory", t->last_error(t->context));
}

int main(void) {
  if (vdla_accelerator_open(&mmio) != 0) fail("transport", mmio.error);
  check("probe", vdla_probe(&device, &mmio.transport));
  check("reset", vdla_reset(&device));

  const uint32_t bytes = (uint32_t)(program_end - program);
  copy_in(make_window(VDLA_WINDOW_INSN, bytes), program, bytes);
  const uint64_t in = make_window(VDLA_WINDOW_INPUT, kPage), out = make_window(VDLA_WINDOW_OUTPUT, kPage);
  const vdla_launch launch = {.insn_count = bytes / VDLA_INSN_BYTES, .sequence = 1, .stall_limit = 100000};

  int8_t values[kValues] = {-128, -1, 0, 100};
  const uint64_t begin = vdla_microseconds();
  for (unsigned run = 0; run < kRuns; ++run) {
    copy_in(in, values, kValues);
    check("run", vdla_run(&device, &launch, vdla_timeout(&mmio.transport, kCycles)));
    copy_out(values, out, kValues);
    if (values[3] == 127) values[3] = -128; /* here it is clamped */
  }
  const uint64_t us = vdla_microseconds() - begin;

  vdla_console_number(kRuns);
  vdla_console_text(" runs, ");
  vdla_console_number(device.interrupts_taken);
  vdla_console_text(" interrupts, ");
  vdla_console_number(device.interrupts_lost);
  vdla_console_text(" lost, ");
  vdla_console_number(us);
  vdla_console_text(" us, last values");
  for (unsigned i = 0; i < kValues; ++i) {
    vdla_console_text(values[i] < 0 ? " -" : " ");
    vdla_console_number((uint64_t)(values[i] < 0 ? -values[i] : values[i]));
  }
  vdla_console_text("\n");
  char warning[256];
  if (vdla_warning(&device, warning, sizeof warning)) {
    vdla_console_text(warning);
    vdla_console_text("\n");
  }
  check("reset", vdla_reset(&device));
  return 0;
}
