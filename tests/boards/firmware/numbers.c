/* SPDX-License-Identifier: Apache-2.0 */
/* What compilers call on their own, the console's numbers, floating point, and an exit status of one's own.
 */
#include "boards/firmware/firmware.h"

static volatile uint64_t big = 0xfedcba9876543210u, divisor = 1000000007u;
static volatile uint32_t word = 4000000000u, small = 7;
static volatile int32_t negative = -1000;
static volatile float third = 1.0f / 3.0f;
static volatile struct {
  uint8_t bytes[37];
} from, to;

static void put(uint64_t value) {
  vdla_console_number(value);
  vdla_console_text(" ");
}

/* Of 64 bits by 0 to 63: to the left, to the right, to the right with the sign. */
static uint64_t shifted(void) {
  static const unsigned amounts[] = {0, 5, 31, 32, 33, 63};
  uint64_t all = 0;
  for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; ++i) {
    volatile unsigned by = amounts[i];
    all = all * 31 + (big << by);
    all = all * 31 + (big >> by);
    all = all * 31 + (uint64_t)((int64_t)big >> by);
  }
  return all;
}

int main(void) {
  put(0);
  put(big / divisor);
  put(big % divisor);
  put(big / (divisor << 33));
  put(word / small);
  put(word % small);
  put((uint32_t)(negative / 7 + 1000));
  put((uint32_t)(negative % 7 + 1000));
  put((uint32_t)(third * 3000.0f));
  for (unsigned i = 0; i < sizeof from.bytes; ++i) from.bytes[i] = (uint8_t)i;
  to = from;
  put(to.bytes[36]);
  put(shifted());
  vdla_console_hex(big);
  const uint64_t begin = vdla_microseconds();
  while (vdla_microseconds() < begin + 10) {
  }
  vdla_console_text("\n");
  return 42;
}
