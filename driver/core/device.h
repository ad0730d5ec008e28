/* SPDX-License-Identifier: Apache-2.0 */
/* The register-level driver: probe, reset, windows, start, wait, post-mortem, counters. Plain C99 over
   transport.h: no OS, no allocation, no globals; the caller owns vdla_device. Every failure leaves a sentence
   in device->message. */
#ifndef VDLA_DRIVER_CORE_DEVICE_H
#define VDLA_DRIVER_CORE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "driver/core/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, "what it means") */
#define VDLA_DRIVER_STATUSES(X)                                \
  X(OK, "no error")                                            \
  X(TRANSPORT, "the transport failed")                         \
  X(NO_DEVICE, "no device answers: the magic number is wrong") \
  X(VERSION, "the device has another ISA version")             \
  X(GEOMETRY, "the device has another geometry")               \
  X(ARGUMENT, "the caller's argument cannot work")             \
  X(BUSY, "the device is still working")                       \
  X(RESET, "the device does not come out of reset")            \
  X(DEVICE, "the device stopped with an error")                \
  X(DEADLOCK, "no unit can make progress")                     \
  X(TIMEOUT, "the program did not finish in time")             \
  X(SEQUENCE, "another program than the one started has finished")

#define VDLA_ENUMERATOR(name, doc) VDLA_DRIVER_##name,
typedef enum vdla_driver_status { VDLA_DRIVER_STATUSES(VDLA_ENUMERATOR) } vdla_driver_status;
#undef VDLA_ENUMERATOR

/* "no error", ... for a status; "unknown status" otherwise. */
const char* vdla_driver_status_text(vdla_driver_status status);

enum { VDLA_MESSAGE_BYTES = 1024, VDLA_UNITS_WITH_QUEUE = 4 };

/* What a program was compiled for, and what a device is. */
typedef struct vdla_identity {
  uint32_t isa_version;
  uint64_t geometry_hash;
} vdla_identity;

typedef struct vdla_device {
  const vdla_transport* transport;
  vdla_identity identity;           /* of the device, set by vdla_probe */
  uint32_t first_insn;              /* index in window insn where the last start began */
  char message[VDLA_MESSAGE_BYTES]; /* of the last call that failed */
} vdla_device;

/* A program to run: where its instructions start in window insn, how many there are, the number in its
 * finish. */
typedef struct vdla_launch {
  uint32_t insn_offset;
  uint32_t insn_count;
  uint32_t sequence;
  uint32_t stall_limit; /* cycles without progress before the device gives up; 0: never */
} vdla_launch;

typedef struct vdla_device_error {
  uint32_t code; /* VDLA_ERROR_* */
  uint32_t unit;
  uint32_t insn; /* index in window insn, as a disassembly of the window counts */
  uint64_t address;
} vdla_device_error;

typedef struct vdla_unit_state {
  /* Index in window insn of the instruction that the unit works on or waits to start; fetch: next to
   * dispatch. */
  uint32_t insn;
  uint32_t since; /* cycle of the run from which on nothing has begun or ended here */
  int has_insn;   /* fetch: busy */
  int running;
  int owed;                /* the memory owes it data or a response */
  uint32_t waiting_pops;   /* bit per producing unit; fetch: bit per unit whose queue is full */
  uint32_t waiting_pushes; /* bit per consuming unit */
} vdla_unit_state;

/* load, gemm, vector, store, fetch */
typedef struct vdla_unit_states {
  vdla_unit_state unit[VDLA_UNITS_WITH_QUEUE + 1];
} vdla_unit_states;

/* Since the last start. */
typedef struct vdla_counters {
  uint64_t cycles;
  uint64_t read_bytes;
  uint64_t write_bytes;
  uint32_t busy[VDLA_UNITS_WITH_QUEUE];
  uint32_t token_stall[VDLA_UNITS_WITH_QUEUE];
} vdla_counters;

/* Connects, checks the magic number and remembers the device's identity. */
vdla_driver_status vdla_probe(vdla_device* device, const vdla_transport* transport);
/* Refuses a program made for another ISA version or geometry. */
vdla_driver_status vdla_require(vdla_device* device, const vdla_identity* needed);
/* Stops whatever runs and clears error, interrupt and queues. Bursts in flight end first: a memory that never
   answers is reported. */
vdla_driver_status vdla_soft_reset(vdla_device* device);
/* Refuses while the device is busy: windows of a running program cannot change. */
vdla_driver_status vdla_set_window(vdla_device* device, unsigned window, uint64_t base, uint64_t size);
/* Clears the interrupt, then starts. Refuses while the device is busy. */
vdla_driver_status vdla_start(vdla_device* device, const vdla_launch* launch);
/* Waits for the interrupt, then for the launch's own sequence number; a finish of something else is not taken
   for it. After DEVICE, DEADLOCK or TIMEOUT the message says which unit waits for what; soft-reset before the
   next start. */
vdla_driver_status vdla_wait(vdla_device* device, const vdla_launch* launch, uint64_t timeout);
/* start and wait */
vdla_driver_status vdla_run(vdla_device* device, const vdla_launch* launch, uint64_t timeout);

vdla_driver_status vdla_read_error(vdla_device* device, vdla_device_error* error);
vdla_driver_status vdla_read_units(vdla_device* device, vdla_unit_states* states);
vdla_driver_status vdla_read_counters(vdla_device* device, vdla_counters* counters);

/* "load at instruction 12: window: a DRAM access leaves its window; ...: 0x40" */
void vdla_describe_error(const vdla_device_error* error, char* buffer, size_t size);
/* "load waits at instruction 12 since cycle 88 for a token from gemm; gemm runs instruction 7 since cycle 92;
 * ..." */
void vdla_describe_units(const vdla_unit_states* states, char* buffer, size_t size);
/* One of them without its name: "waits at instruction 12 since cycle 88 for a token from gemm" */
void vdla_describe_unit(uint32_t unit, const vdla_unit_state* state, char* buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
