/* SPDX-License-Identifier: Apache-2.0 */
/* Says that it runs, and does not end. */
#include "boards/firmware/firmware.h"

int main(void) {
  vdla_console_text("running\n");
  for (;;) __asm__ volatile("");
}
