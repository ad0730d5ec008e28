/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and unit states as sentences. */
#ifndef VDLA_DRIVER_CORE_DESCRIBE_H
#define VDLA_DRIVER_CORE_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "driver/core/state.h"
#include "driver/core/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "load at instruction 12: window: a DRAM access leaves its window; ...: 0x40" */
void vdla_describe_error(const vdla_device_error* error, char* buffer, size_t size);
/* "load waits at instruction 12 since cycle 88 for a token from gemm; gemm runs instruction 7 since cycle 92;
 * ..." */
void vdla_describe_units(const vdla_unit_states* states, char* buffer, size_t size);
/* One of them without its name: "waits at instruction 12 since cycle 88 for a token from gemm" */
void vdla_describe_unit(uint32_t unit, const vdla_unit_state* state, char* buffer, size_t size);
/* "inp_depth is 256, needs 2048; out_depth is 64, needs 512; ": VDLA_GEOMETRY_FIELDS numbers each, those that
 * differ. */
void vdla_add_geometry(vdla_text* text, const uint32_t* device, const uint32_t* needed);

#ifdef __cplusplus
}
#endif

#endif
