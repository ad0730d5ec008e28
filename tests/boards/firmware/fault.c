/* SPDX-License-Identifier: Apache-2.0 */
/* Executes what is no instruction. */
#include "boards/firmware/firmware.h"

int main(void) {
  vdla_console_text("before\n");
  __asm__ volatile("udf #0");
  return 0;
}
