/* SPDX-License-Identifier: Apache-2.0 */
/* examples/firmware/increment.c as a program of Linux: over driver/uio, with interrupts, as on a board. It
   adds 1 to each of four bytes a thousand times, or as often as its argument says. CMakeLists.txt links it
   statically.

     vdla board run increment --board qemu-pci --engine rtl --argument 1000 */
#include <stdio.h>
#include <stdlib.h>

#include "driver/core/device.h"
#include "driver/uio/uio.h"
#include "isa/generated/vdla_isa.h"

enum { kRuns = 1000, kValues = 4, kPage = 4096, kCycles = 1000 };

/* increment_program.S */
extern const uint8_t program[], program_end[];

static vdla_uio* uio;
static vdla_device device;

static void fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  vdla_uio_close(uio);
  exit(1);
}

static void check(const char* what, vdla_driver_status status) {
  if (status != VDLA_DRIVER_OK) fail(what, device.message);
}

/* A block of DMA memory, which `window` shows to the device. */
static uint64_t make_window(const vdla_transport* t, unsigned window, uint64_t bytes) {
  uint64_t address;
  if (t->alloc(t->context, bytes, kPage, &address) != 0) fail("memory", t->last_error(t->context));
  check("window", vdla_set_window(&device, window, address, bytes));
  return address;
}

int main(int argc, char** argv) {
  const unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], 0, 10) : kRuns;
  const vdla_uio_options options = {0};
  char message[VDLA_MESSAGE_BYTES];
  if (vdla_uio_open(&options, &uio, message, sizeof message) != VDLA_DRIVER_OK) fail("open", message);
  const vdla_transport* t = vdla_uio_transport(uio);
  check("probe", vdla_probe(&device, t));
  check("reset", vdla_reset(&device));

  const uint64_t bytes = (uint64_t)(program_end - program);
  const uint64_t insn = make_window(t, VDLA_WINDOW_INSN, bytes);
  if (t->copy_in(t->context, insn, program, bytes) != 0 || t->sync_for_device(t->context, insn, bytes) != 0)
    fail("memory", t->last_error(t->context));
  const uint64_t in = make_window(t, VDLA_WINDOW_INPUT, kPage),
                 out = make_window(t, VDLA_WINDOW_OUTPUT, kPage);
  const vdla_launch launch = {
      .insn_count = (uint32_t)(bytes / VDLA_INSN_BYTES), .sequence = 1, .stall_limit = 100000};

  int8_t values[kValues] = {-128, -1, 0, 100};
  for (unsigned run = 0; run < runs; ++run) {
    if (t->copy_in(t->context, in, values, kValues) != 0 || t->sync_for_device(t->context, in, kValues) != 0)
      fail("memory", t->last_error(t->context));
    check("run", vdla_run(&device, &launch, vdla_timeout(t, kCycles)));
    if (t->sync_for_cpu(t->context, out, kValues) != 0 || t->copy_out(t->context, values, out, kValues) != 0)
      fail("memory", t->last_error(t->context));
    if (values[3] == 127) values[3] = -128; /* here it is clamped */
  }
  vdla_counters counters;
  check("counters", vdla_read_counters(&device, &counters));
  printf("%u runs, %u interrupts, %u lost, %llu cycles the last, last values %d %d %d %d\n", runs,
         device.interrupts_taken, device.interrupts_lost, (unsigned long long)counters.cycles, values[0],
         values[1], values[2], values[3]);
  if (vdla_warning(&device, message, sizeof message)) printf("%s\n", message);
  check("reset", vdla_reset(&device));
  vdla_uio_close(uio);
  return 0;
}
