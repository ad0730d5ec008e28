/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a compiled model that is constant data of the firmware: what runtime/session/session.h does, in plain
   C99. No OS, no allocation, no globals, no floating point; the caller owns all state. `vdla compile --emit
   c` writes the data, and typed functions around these (compiler/bundle). Statuses and messages are those of
   the driver core: after a failure device->message says what happened. */
#ifndef VDLA_DRIVER_MODEL_MODEL_H
#define VDLA_DRIVER_MODEL_MODEL_H

#include <stdint.h>

#include "driver/core/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of the layout of these structures: generated code asks for the one that it was written for. */
#define VDLA_MODEL_FORMAT 2

/* Windows are allocated at multiples of it, so that cycles do not depend on what else is allocated. */
enum { VDLA_MODEL_ALIGNMENT = 4096 };

/* Windows of the machine. */
enum { VDLA_MODEL_WINDOWS = 8 };

/* A window of a step. */
typedef struct vdla_model_window {
  uint64_t bytes;       /* bytes of device memory; 0: the step does not use it */
  const uint8_t* image; /* its first bytes, written once when the model is loaded; null: undefined */
  uint32_t image_bytes;
} vdla_model_window;

/* Place of a tensor in a window: rows of `row_bytes`, each followed by zeros up to `stride`. On the CPU the
   rows lie one behind the other. */
typedef struct vdla_model_place {
  uint32_t tensor; /* index */
  uint32_t window;
  uint64_t offset; /* bytes */
  uint32_t rows;
  uint32_t row_bytes;
  uint32_t stride;
} vdla_model_place;

/* One run of the device. */
typedef struct vdla_model_device_step {
  vdla_model_window windows[VDLA_MODEL_WINDOWS];
  const vdla_model_place* inputs;
  const vdla_model_place* outputs;
  const vdla_launch* launches; /* one after the other */
  uint32_t input_count, output_count, launch_count;
  uint64_t predicted_cycles; /* all instructions one after the other: time-outs come from it */
} vdla_model_device_step;

/* A kernel's parameters are dense row-major tensors, each at a multiple of its element's size. */
typedef void (*vdla_model_kernel)(void* const* arguments);

/* One call of a kernel on the CPU. */
typedef struct vdla_model_cpu_step {
  vdla_model_kernel kernel;
  const uint32_t* arguments; /* tensors */
  uint32_t argument_count;
} vdla_model_cpu_step;

/* One of the two. */
typedef struct vdla_model_step {
  const vdla_model_device_step* device;
  const vdla_model_cpu_step* cpu;
} vdla_model_step;

typedef enum vdla_model_home {
  VDLA_MODEL_CONSTANT, /* `data` */
  VDLA_MODEL_ARENA,    /* byte `at` of the arena */
  VDLA_MODEL_INPUT,    /* the caller's input number `at` */
  VDLA_MODEL_OUTPUT    /* the caller's output number `at` */
} vdla_model_home;

typedef struct vdla_model_tensor {
  vdla_model_home home;
  uint32_t at;
  const void* data;
  uint32_t bytes;
} vdla_model_tensor;

/* A value that is kept from one run to the next: what tensor `end` holds after a run is what `begin`, in the
   arena, holds in the next one. */
typedef struct vdla_model_kept {
  uint32_t begin, end;
  const void* initial; /* bytes of `begin` in the first run; null: zeros */
} vdla_model_kept;

typedef struct vdla_model {
  vdla_identity identity; /* identity of the device that it was compiled for */
  const vdla_model_tensor* tensors;
  const vdla_model_step* steps;
  const uint32_t* outputs; /* tensors */
  const vdla_model_kept* kept;
  uint32_t step_count;
  uint32_t output_count;
  uint32_t kept_count;
} vdla_model;

/* A model in memory, zero before the first load. What it points to is the caller's and stays where it is; the
   generated header has a struct with all of it. */
typedef struct vdla_model_state {
  uint64_t* windows; /* device addresses: VDLA_MODEL_WINDOWS for each step of the device, in order */
  uint8_t* arena;    /* tensors between steps; aligned to 8 bytes */
  void** arguments;  /* room for as many as the kernel with the most parameters has */
  vdla_device* device;
  uint64_t timeout; /* longest time of one launch, in the transport's unit; 0: what vdla_timeout() says */
  vdla_counters counters; /* sums over all steps of the last run; busy and stalls of the units included */
  int is_loaded;
  int has_failed; /* the last run; the next one resets the device first */
} vdla_model_state;

/* Allocates the windows and writes programs and constants into them. `device` was probed and reset; it
   may be null for a model that runs on the CPU alone. VERSION or GEOMETRY, before anything is allocated, when
   the model was compiled for another device; TRANSPORT when memory is missing, and nothing stays allocated;
   ARGUMENT, without a message, when the state is loaded already. */
vdla_driver_status vdla_model_load(vdla_model_state* state, const vdla_model* model, vdla_device* device);

/* One inference. Inputs and outputs are the model's tensors, dense and row-major, none inside another one.
   After a failure the outputs are undefined, kept values are those before, and the model can be run again.
   ARGUMENT, without a message, when it is not loaded. */
vdla_driver_status vdla_model_run(vdla_model_state* state, const vdla_model* model, const void* const* inputs,
                                  void* const* outputs);

/* Gives kept values those of the first run, as loading does. */
void vdla_model_reset_state(vdla_model_state* state, const vdla_model* model);

/* Gives the windows back. */
void vdla_model_unload(vdla_model_state* state, const vdla_model* model);

#ifdef __cplusplus
}
#endif

#endif
