/* SPDX-License-Identifier: Apache-2.0 */
/* Model that boards/firmware/model.c runs: one with the input that it gets and room for its outputs. */
#ifndef VDLA_BOARDS_COMMON_MODEL_H
#define VDLA_BOARDS_COMMON_MODEL_H

#include <stdint.h>

#include "driver/core/device.h"

extern const uint32_t vdla_board_model_output_count;
extern const uint32_t vdla_board_model_output_bytes[];
extern uint8_t* const vdla_board_model_outputs[];

/* Loads the model into a device that was probed and reset, runs it once and unloads it. */
vdla_driver_status vdla_board_model_run(vdla_device* device);

#endif
