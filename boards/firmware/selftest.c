/* SPDX-License-Identifier: Apache-2.0 */
/* The self test as firmware: a line for each stage on the console, exit status 1 where one failed. `vdla
   board selftest --board NAME` writes its plan, builds and runs it. */
#include "driver/selftest/selftest.h"

#include "boards/firmware/accelerator.h"
#include "boards/firmware/firmware.h"

extern const vdla_selftest_plan vdla_selftest_plan_of_board;

static vdla_mmio mmio;
static vdla_device device;

static void console_padded(const char* text, unsigned width) {
  vdla_console_text(text);
  for (unsigned length = 0; length < width; ++length)
    if (*text != '\0')
      ++text;
    else
      vdla_console_text(" ");
}

static void report(void* context, vdla_selftest_stage stage, vdla_selftest_verdict verdict,
                   const char* text) {
  (void)context;
  console_padded(vdla_selftest_name(stage), 11);
  console_padded(vdla_selftest_verdict_text(verdict), 9);
  vdla_console_text(text);
  vdla_console_text("\n");
}

int main(void) {
  const int opened = vdla_accelerator_open(&mmio);
  if (opened != VDLA_MMIO_OK && opened != VDLA_MMIO_NOT_CONFIGURED) { /* stage fpga tells of it */
    vdla_console_text(mmio.error);
    vdla_console_text("\n");
    return 1;
  }
  return vdla_selftest_run(&device, &mmio.transport, &vdla_selftest_plan_of_board, report, 0) ==
         VDLA_SELFTEST_FAILED;
}
