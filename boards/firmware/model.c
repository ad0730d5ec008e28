/* SPDX-License-Identifier: Apache-2.0 */
/* One inference of a model as firmware: prints the bytes of each output and the cycles. `vdla board run
   NET.vdla
   --board NAME` writes the rest of the program (boards/firmware/model.h), builds and runs it. */
#include "boards/firmware/model.h"

#include "boards/firmware/accelerator.h"
#include "boards/firmware/firmware.h"

static vdla_mmio mmio;
static vdla_device device;

static _Noreturn void fail(const char* why) {
  vdla_console_text(why);
  vdla_console_text("\n");
  vdla_exit(1);
}

static void check(vdla_driver_status status) {
  if (status != VDLA_DRIVER_OK) fail(device.message);
}

static void print_output(uint32_t number) {
  static const char digits[] = "0123456789abcdef";
  char byte[3] = "";
  vdla_console_text("output ");
  vdla_console_number(number);
  vdla_console_text(" ");
  for (uint32_t i = 0; i < vdla_board_model_output_bytes[number]; ++i) {
    byte[0] = digits[vdla_board_model_outputs[number][i] >> 4];
    byte[1] = digits[vdla_board_model_outputs[number][i] & 15];
    vdla_console_text(byte);
  }
  vdla_console_text("\n");
}

int main(void) {
  char warning[256];
  if (vdla_accelerator_open(&mmio) != 0) fail(mmio.error);
  check(vdla_probe(&device, &mmio.transport));
  check(vdla_reset(&device));
  check(vdla_board_model_run(&device));
  for (uint32_t i = 0; i < vdla_board_model_output_count; ++i) print_output(i);
  if (vdla_warning(&device, warning, sizeof warning)) {
    vdla_console_text(warning);
    vdla_console_text("\n");
  }
  check(vdla_reset(&device));
  return 0;
}
