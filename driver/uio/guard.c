/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64 /* 32-bit CPUs: directories and inodes of large file systems */
#include "driver/uio/guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "driver/memory/barrier.h"
#include "isa/generated/vdla_isa.h"

/* Signals belong to the process, so what their handlers need does: devices of this process. */
enum { kDevices = 8, kSignals = 3 };
static volatile uintptr_t guarded[kDevices];
static const int ending[kSignals] = {SIGHUP, SIGINT, SIGTERM};
static struct sigaction before_ending[kSignals], before_bus;
static int is_installed[kSignals], bus_users;

/* Place at which the access of this thread goes on after a bus error. */
static __thread sigjmp_buf* volatile bus_error;

static void on_bus_error(int number) {
  if (bus_error != NULL) siglongjmp(*bus_error, 1);
  sigaction(number, &before_bus,
            NULL); /* no access to registers: the fault comes again, and is what it was */
}

/* `above`: of an access that a signal's handler interrupts. */
int vdla_guarded_read(uintptr_t address, uint32_t* value) {
  sigjmp_buf here;
  sigjmp_buf* const above = bus_error;
  if (sigsetjmp(here, 0) != 0) {
    bus_error = above;
    return 1;
  }
  bus_error = &here;
  *value = vdla_register_read(address);
  bus_error = above;
  return 0;
}

int vdla_guarded_write(uintptr_t address, uint32_t value) {
  sigjmp_buf here;
  sigjmp_buf* const above = bus_error;
  if (sigsetjmp(here, 0) != 0) {
    bus_error = above;
    return 1;
  }
  bus_error = &here;
  vdla_register_write(address, value);
  vdla_barrier(); /* so that an error comes here */
  bus_error = above;
  return 0;
}

void vdla_guarded_reset(uintptr_t registers) {
  uint32_t magic = 0;
  if (vdla_guarded_read(registers + VDLA_REG_MAGIC, &magic) == 0 && magic == VDLA_MAGIC)
    (void)vdla_guarded_write(registers + VDLA_REG_CONTROL, VDLA_CONTROL_SOFT_RESET);
}

/* Only what a handler may do: two accesses a device. */
static void on_ending(int number) {
  for (int i = 0; i < kDevices; ++i) {
    const uintptr_t registers = guarded[i];
    if ((registers & 1) != 0) vdla_guarded_reset(registers - 1); /* the lowest bit: by signals too */
  }
  for (int i = 0; i < kSignals; ++i)
    if (ending[i] == number) sigaction(number, &before_ending[i], NULL);
  raise(number); /* comes when this handler is over */
}

static void install(int by_signals) {
  struct sigaction action = {0};
  sigemptyset(&action.sa_mask);
  if (bus_users++ == 0) {
    action.sa_handler = on_bus_error;
    action.sa_flags = SA_NODEFER; /* it is left by a jump */
    sigaction(SIGBUS, &action, &before_bus);
  }
  action.sa_handler = on_ending;
  action.sa_flags = SA_RESTART;
  for (int i = 0; by_signals && i < kSignals; ++i) {
    struct sigaction now;
    if (is_installed[i] || sigaction(ending[i], NULL, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    is_installed[i] = sigaction(ending[i], &action, &before_ending[i]) == 0;
  }
}

static void uninstall(void) {
  if (--bus_users > 0) return;
  sigaction(SIGBUS, &before_bus, NULL);
  for (int i = 0; i < kSignals; ++i) {
    struct sigaction now;
    if (!is_installed[i]) continue;
    is_installed[i] = 0;
    /* A handler of the program's own over this one stays. */
    if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler == on_ending)
      sigaction(ending[i], &before_ending[i], NULL);
  }
}

int vdla_guard_begin(uintptr_t registers, int by_signals) {
  for (int i = 0; i < kDevices; ++i) {
    if (guarded[i] != 0) continue;
    install(by_signals);
    guarded[i] = registers | (by_signals ? 1 : 0);
    return 0;
  }
  return 1;
}

void vdla_guard_end(uintptr_t registers) {
  for (int i = 0; i < kDevices; ++i) {
    if ((guarded[i] & ~(uintptr_t)1) != registers || registers == 0) continue;
    guarded[i] = 0;
    uninstall();
  }
}
