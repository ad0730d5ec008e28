/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that a device gives of itself: its error, what its units do, its counters. A register that cannot be
 * read leaves a sentence in device->message. */
#ifndef VDLA_DRIVER_CORE_STATE_H
#define VDLA_DRIVER_CORE_STATE_H

#include <stdint.h>

#include "driver/core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { VDLA_UNITS_WITH_QUEUE = 4 };

typedef struct vdla_device_error {
  uint32_t code; /* VDLA_ERROR_* */
  uint32_t unit;
  uint32_t insn; /* index in window insn, as a disassembly of the window counts */
  uint64_t address;
} vdla_device_error;

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

vdla_driver_status vdla_read_error(vdla_device* device, vdla_device_error* error);
vdla_driver_status vdla_read_units(vdla_device* device, vdla_unit_states* states);
/* Reads them for a caller that is writing the message: that stays as it is (driver/core/registers.h:
 * vdla_add_fault). */
vdla_driver_status vdla_peek_units(const vdla_device* device, vdla_unit_states* states);
vdla_driver_status vdla_read_counters(vdla_device* device, vdla_counters* counters);

#ifdef __cplusplus
}
#endif

#endif
