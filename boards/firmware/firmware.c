/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/firmware/firmware.h"

#include "board.h"
#include "boards/firmware/fault.h"

/* Registers of the Cadence UART that both families have. Clock and speed are as the boot loader left them. */
enum { kUartControl = 0, kUartStatus = 0x2c, kUartFifo = 0x30 };
enum { kUartTransmit = 0x10, kUartNoTransmit = 0x20, kUartFull = 0x10 };

static volatile uint32_t* at(uintptr_t address) { return (volatile uint32_t*)address; }

static void put(char c) {
  volatile uint32_t* control = at(VDLA_BOARD_UART_BASE + kUartControl);
  *control = (*control & ~(uint32_t)kUartNoTransmit) | kUartTransmit;
  while (*at(VDLA_BOARD_UART_BASE + kUartStatus) & kUartFull) {
  }
  *at(VDLA_BOARD_UART_BASE + kUartFifo) = (uint32_t)c;
}

void vdla_console_text(const char* text) {
  for (; *text != 0; ++text) put(*text);
}

static void put_number(uint64_t value, unsigned base) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  while (count > 0) put(digits[--count]);
}

void vdla_console_number(uint64_t value) { put_number(value, 10); }

void vdla_console_hex(uint64_t value) {
  vdla_console_text("0x");
  put_number(value, 16);
}

void vdla_exit(int status) {
  if (VDLA_BOARD_SIMULATED) {
    /* Semihosting, SYS_EXIT_EXTENDED: the application ends with a status. */
    uintptr_t why[2] = {0x20026, (uintptr_t)status};
#ifdef __aarch64__
    register uint64_t call __asm__("x0") = 0x20;
    register uintptr_t* argument __asm__("x1") = why;
    __asm__ volatile("hlt #0xf000" ::"r"(call), "r"(argument) : "memory");
#else
    register uint32_t call __asm__("r0") = 0x20;
    register uintptr_t* argument __asm__("r1") = why;
    __asm__ volatile("svc #0x123456" ::"r"(call), "r"(argument) : "memory");
#endif
  }
  for (;;) __asm__ volatile("wfi");
}

void vdla_fault(const char* what, uintptr_t where, uintptr_t address) {
  vdla_console_text("firmware: ");
  vdla_console_text(what);
  vdla_console_text(" at ");
  vdla_console_hex(where);
  vdla_console_text(", address ");
  vdla_console_hex(address);
  vdla_console_text("\n");
  vdla_exit(1);
}

#ifdef __aarch64__
uint64_t vdla_microseconds(void) {
  uint64_t count, per_second;
  __asm__ volatile("isb\n mrs %0, CNTPCT_EL0" : "=r"(count));
  __asm__ volatile("mrs %0, CNTFRQ_EL0" : "=r"(per_second));
  return count / per_second * 1000000 + count % per_second * 1000000 / per_second;
}
#else
/* The global timer of Cortex-A9 counts at half of the core's clock, 667 MHz on Zynq-7000; QEMU's at 100 MHz.
 */
enum { kTimer = 0xf8f00200, kTicksPerMicrosecond = VDLA_BOARD_SIMULATED ? 100 : 333 };

uint64_t vdla_microseconds(void) {
  volatile uint32_t* timer = at(kTimer);
  uint32_t high, low;
  if ((timer[2] & 1) == 0) timer[2] = 1;
  do {
    high = timer[1];
    low = timer[0];
  } while (timer[1] != high);
  return ((uint64_t)high << 32 | low) / kTicksPerMicrosecond;
}
#endif
