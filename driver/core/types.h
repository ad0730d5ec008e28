/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the driver core's files: statuses, a device, a unit, a program to run. */
#ifndef VDLA_DRIVER_CORE_TYPES_H
#define VDLA_DRIVER_CORE_TYPES_H

#include <stdint.h>

#include "driver/core/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, "what it means") */
#define VDLA_DRIVER_STATUSES(X)                                    \
  X(OK, "no error")                                                \
  X(TRANSPORT, "the transport failed")                             \
  X(NO_DEVICE, "no device answers: the magic number is wrong")     \
  X(VERSION, "the device has another ISA version")                 \
  X(GEOMETRY, "the device has another geometry")                   \
  X(ARGUMENT, "the caller's argument cannot work")                 \
  X(BUSY, "the device is still working")                           \
  X(RESET, "the device does not come out of reset")                \
  X(DEVICE, "the device stopped with an error")                    \
  X(DEADLOCK, "no unit can make progress")                         \
  X(TIMEOUT, "the program did not finish in time")                 \
  X(SEQUENCE, "another program than the one started has finished") \
  X(BUS, "nothing answers on the bus: registers read all ones")    \
  X(OWNED, "another process has the device")                       \
  X(STOPPED, "the device was reset while a program ran")

#define VDLA_ENUMERATOR(name, doc) VDLA_DRIVER_##name,
typedef enum vdla_driver_status { VDLA_DRIVER_STATUSES(VDLA_ENUMERATOR) } vdla_driver_status;
#undef VDLA_ENUMERATOR

enum { VDLA_MESSAGE_BYTES = 1024 };

/* Identity of the device that a program was compiled for, or of a device. */
typedef struct vdla_identity {
  uint32_t isa_version;
  uint64_t geometry_hash;
  /* Geometry of a program: the numbers behind the hash, VDLA_GEOMETRY_FIELDS; may be 0. */
  const uint32_t* geometry;
} vdla_identity;

typedef struct vdla_device {
  const vdla_transport* transport;
  vdla_identity identity; /* identity of the device, set by vdla_probe */
  /* Bits of memory addresses, as the device says; 0: 64; set by vdla_probe. */
  uint32_t address_bits;
  uint32_t first_insn;              /* index in window insn where the last start began */
  uint32_t interrupts_taken;        /* since the probe: ends of programs that an interrupt told */
  uint32_t interrupts_lost;         /* and such that the registers told, the interrupt never */
  uint32_t hard_resets;             /* resets after a soft reset that did not end */
  char message[VDLA_MESSAGE_BYTES]; /* message of the last call that failed */
} vdla_device;

/* State of a unit: load, gemm, vector, store or fetch. */
typedef struct vdla_unit_state {
  /* Index in window insn of the instruction that the unit works on or waits to start; fetch: next to
   * dispatch. */
  uint32_t insn;
  uint32_t since;   /* cycle of the run from which on nothing has begun or ended here */
  uint8_t has_insn; /* fetch: busy */
  uint8_t running;
  uint8_t owed;           /* the memory owes it data or a response */
  uint8_t waiting_pops;   /* bit per producing unit; fetch: bit per unit whose queue is full */
  uint8_t waiting_pushes; /* bit per consuming unit */
} vdla_unit_state;

/* A program to run: where its instructions start in window insn, how many there are, the number in its
 * finish. */
typedef struct vdla_launch {
  uint32_t insn_offset;
  uint32_t insn_count;
  uint32_t sequence;
  uint32_t stall_limit; /* cycles without progress before the device gives up; 0: never */
} vdla_launch;

#ifdef __cplusplus
}
#endif

#endif
