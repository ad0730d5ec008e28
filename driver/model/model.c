/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/model/model.h"

#include <stddef.h>

#include "driver/core/registers.h"
#include "isa/generated/vdla_isa.h"

typedef char model_has_all_windows[VDLA_MODEL_WINDOWS == VDLA_WINDOWS ? 1 : -1];

/* Rows that are padded on the device go through a buffer of kChunkBytes on the stack. */
enum { kChunkBytes = 256 };

/* A window that was not allocated; no memory lies there. */
static const uint64_t kNowhere = UINT64_MAX;

/* Every platform has these: compilers call them by themselves. Freestanding ones have no <string.h>. */
void* memcpy(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);

static vdla_driver_status check_call(vdla_device* device, int result, const char* what) {
  return result == 0 ? VDLA_DRIVER_OK : vdla_transport_failed(device, what);
}

static vdla_driver_status put(vdla_device* device, uint64_t address, const uint8_t* from, uint64_t bytes) {
  const vdla_transport* t = device->transport;
  return check_call(device, t->copy_in(t->context, address, from, bytes), "write device memory");
}

static vdla_driver_status get(vdla_device* device, uint8_t* to, uint64_t address, uint64_t bytes) {
  const vdla_transport* t = device->transport;
  return check_call(device, t->copy_out(t->context, to, address, bytes), "read device memory");
}

static vdla_driver_status flush(vdla_device* device, uint64_t address, uint64_t bytes) {
  const vdla_transport* t = device->transport;
  return check_call(device, t->sync_for_device(t->context, address, bytes), "flush the cache");
}

static vdla_driver_status invalidate(vdla_device* device, uint64_t address, uint64_t bytes) {
  const vdla_transport* t = device->transport;
  return check_call(device, t->sync_for_cpu(t->context, address, bytes), "invalidate the cache");
}

/* Elements of a row of the device from byte `at` on, then zeros. */
static uint32_t elements_at(const vdla_model_place* place, uint32_t at, uint32_t bytes) {
  if (at >= place->row_bytes) return 0;
  return bytes < place->row_bytes - at ? bytes : place->row_bytes - at;
}

/* The chunk's next bytes belong to one row, from `at` on. */
static uint32_t part_of_row(const vdla_model_place* place, uint32_t at, uint32_t room) {
  return place->stride - at < room ? place->stride - at : room;
}

/* From the CPU to the device, or back: one of `from` and `to` is null. */
static vdla_driver_status move_rows(vdla_device* device, const vdla_model_place* place, uint64_t address,
                                    const uint8_t* from, uint8_t* to) {
  const uint64_t bytes = (uint64_t)place->rows * place->stride;
  const int to_device = from != NULL;
  uint8_t chunk[kChunkBytes];
  uint32_t at = 0; /* place in its row */
  if (place->row_bytes == place->stride)
    return to_device ? put(device, address, from, bytes) : get(device, to, address, bytes);
  for (uint64_t done = 0; done < bytes; done += kChunkBytes) {
    const uint32_t count = bytes - done < kChunkBytes ? (uint32_t)(bytes - done) : kChunkBytes;
    memset(chunk, 0, sizeof chunk);
    if (!to_device) VDLA_TRY(get(device, chunk, address + done, count));
    for (uint32_t moved = 0; moved < count;) {
      const uint32_t part = part_of_row(place, at, count - moved), elements = elements_at(place, at, part);
      if (to_device) {
        memcpy(chunk + moved, from, elements);
        from += elements;
      } else {
        memcpy(to, chunk + moved, elements);
        to += elements;
      }
      moved += part;
      at = at + part == place->stride ? 0 : at + part;
    }
    if (to_device) VDLA_TRY(put(device, address + done, chunk, count));
  }
  return VDLA_DRIVER_OK;
}

/* move_rows(), with the caches. */
static vdla_driver_status move_tensor(vdla_device* device, const vdla_model_place* place,
                                      const uint64_t* windows, const uint8_t* from, uint8_t* to) {
  const uint64_t address = windows[place->window] + place->offset;
  const uint64_t bytes = (uint64_t)place->rows * place->stride;
  if (from == NULL) VDLA_TRY(invalidate(device, address, bytes));
  VDLA_TRY(move_rows(device, place, address, from, to));
  return from == NULL ? VDLA_DRIVER_OK : flush(device, address, bytes);
}

/* The tensors of one run. */
typedef struct run_memory {
  const vdla_model* model;
  uint8_t* arena;
  const void* const* inputs;
  void* const* outputs;
} run_memory;

static const uint8_t* tensor_to_read(const run_memory* memory, uint32_t index) {
  const vdla_model_tensor* tensor = &memory->model->tensors[index];
  switch (tensor->home) {
    case VDLA_MODEL_CONSTANT:
      return (const uint8_t*)tensor->data;
    case VDLA_MODEL_INPUT:
      return (const uint8_t*)memory->inputs[tensor->at];
    case VDLA_MODEL_OUTPUT:
      return (const uint8_t*)memory->outputs[tensor->at];
    case VDLA_MODEL_ARENA:
      break;
  }
  return memory->arena + tensor->at;
}

static uint8_t* tensor_to_write(const run_memory* memory, uint32_t index) {
  const vdla_model_tensor* tensor = &memory->model->tensors[index];
  return tensor->home == VDLA_MODEL_OUTPUT ? (uint8_t*)memory->outputs[tensor->at]
                                           : memory->arena + tensor->at;
}

static void add_counters(vdla_counters* sum, const vdla_counters* part) {
  sum->cycles += part->cycles;
  sum->read_bytes += part->read_bytes;
  sum->write_bytes += part->write_bytes;
  for (unsigned unit = 0; unit < VDLA_UNITS_WITH_QUEUE; ++unit) {
    sum->busy[unit] += part->busy[unit];
    sum->token_stall[unit] += part->token_stall[unit];
  }
}

static vdla_driver_status run_on_device(vdla_model_state* state, const vdla_model_device_step* step,
                                        const uint64_t* windows, const run_memory* memory) {
  vdla_device* device = state->device;
  const uint64_t timeout =
      state->timeout != 0 ? state->timeout : vdla_timeout(device->transport, step->predicted_cycles);
  for (uint32_t i = 0; i < step->input_count; ++i)
    VDLA_TRY(
        move_tensor(device, &step->inputs[i], windows, tensor_to_read(memory, step->inputs[i].tensor), NULL));
  for (unsigned w = 0; w < VDLA_MODEL_WINDOWS; ++w)
    VDLA_TRY(vdla_set_window(device, w, windows[w] == kNowhere ? 0 : windows[w], step->windows[w].bytes));
  for (uint32_t i = 0; i < step->launch_count; ++i) {
    vdla_counters counters;
    VDLA_TRY(vdla_run(device, &step->launches[i], timeout));
    VDLA_TRY(vdla_read_counters(device, &counters));
    add_counters(&state->counters, &counters);
  }
  for (uint32_t i = 0; i < step->output_count; ++i)
    VDLA_TRY(move_tensor(device, &step->outputs[i], windows, NULL,
                         tensor_to_write(memory, step->outputs[i].tensor)));
  return VDLA_DRIVER_OK;
}

static void run_on_cpu(const vdla_model_state* state, const vdla_model_cpu_step* step,
                       const run_memory* memory) {
  for (uint32_t i = 0; i < step->argument_count; ++i) {
    union { /* kernels write their results alone */
      const uint8_t* read;
      void* any;
    } argument;
    argument.read = tensor_to_read(memory, step->arguments[i]);
    state->arguments[i] = argument.any;
  }
  step->kernel(state->arguments);
}

static vdla_driver_status run_steps(vdla_model_state* state, const run_memory* memory) {
  const vdla_model* model = memory->model;
  const uint64_t* windows = state->windows;
  for (uint32_t i = 0; i < model->step_count; ++i) {
    const vdla_model_step* step = &model->steps[i];
    if (step->device != NULL) {
      VDLA_TRY(run_on_device(state, step->device, windows, memory));
      windows += VDLA_MODEL_WINDOWS;
    } else {
      run_on_cpu(state, step->cpu, memory);
    }
  }
  /* A tensor that is several outputs, or an input or a constant too, was made in one place. */
  for (uint32_t i = 0; i < model->output_count; ++i) {
    const uint8_t* made = tensor_to_read(memory, model->outputs[i]);
    if (made != memory->outputs[i]) memcpy(memory->outputs[i], made, model->tensors[model->outputs[i]].bytes);
  }
  for (uint32_t i = 0; i < model->kept_count; ++i)
    memcpy(tensor_to_write(memory, model->kept[i].begin), tensor_to_read(memory, model->kept[i].end),
           model->tensors[model->kept[i].begin].bytes);
  return VDLA_DRIVER_OK;
}

void vdla_model_reset_state(vdla_model_state* state, const vdla_model* model) {
  for (uint32_t i = 0; i < model->kept_count; ++i) {
    const vdla_model_kept* kept = &model->kept[i];
    const vdla_model_tensor* begin = &model->tensors[kept->begin];
    if (kept->initial == NULL)
      memset(state->arena + begin->at, 0, begin->bytes);
    else
      memcpy(state->arena + begin->at, kept->initial, begin->bytes);
  }
}

static vdla_driver_status load_step(vdla_device* device, const vdla_model_device_step* step,
                                    uint64_t* windows) {
  const vdla_transport* t = device->transport;
  const uint64_t alignment = t->cache_line > VDLA_MODEL_ALIGNMENT ? t->cache_line : VDLA_MODEL_ALIGNMENT;
  for (unsigned w = 0; w < VDLA_MODEL_WINDOWS; ++w) {
    const vdla_model_window* window = &step->windows[w];
    if (window->bytes == 0) continue;
    if (t->alloc(t->context, window->bytes, alignment, &windows[w]) != 0) {
      windows[w] = kNowhere;
      return vdla_transport_failed(device, "allocate device memory");
    }
    VDLA_TRY(vdla_require_reach(device, windows[w], window->bytes));
    if (window->image_bytes == 0) continue;
    VDLA_TRY(put(device, windows[w], window->image, window->image_bytes));
    VDLA_TRY(flush(device, windows[w], window->image_bytes));
  }
  return VDLA_DRIVER_OK;
}

static void free_windows(vdla_model_state* state, const vdla_model* model) {
  uint64_t* window = state->windows;
  for (uint32_t i = 0; i < model->step_count; ++i) {
    if (model->steps[i].device == NULL) continue;
    for (unsigned w = 0; w < VDLA_MODEL_WINDOWS; ++w, ++window) {
      const vdla_transport* t = state->device->transport;
      if (*window != kNowhere) t->free(t->context, *window);
      *window = kNowhere;
    }
  }
}

static vdla_driver_status load_steps(vdla_model_state* state, const vdla_model* model) {
  uint64_t* windows = state->windows;
  for (uint32_t i = 0; i < model->step_count; ++i) {
    if (model->steps[i].device == NULL) continue;
    VDLA_TRY(load_step(state->device, model->steps[i].device, windows));
    windows += VDLA_MODEL_WINDOWS;
  }
  return VDLA_DRIVER_OK;
}

vdla_driver_status vdla_model_load(vdla_model_state* state, const vdla_model* model, vdla_device* device) {
  uint64_t* window = state->windows;
  vdla_driver_status status;
  if (state->is_loaded) return VDLA_DRIVER_ARGUMENT;
  state->device = device;
  state->timeout = 0;
  state->has_failed = 0;
  for (uint32_t i = 0; i < model->step_count; ++i)
    for (unsigned w = 0; w < VDLA_MODEL_WINDOWS && model->steps[i].device != NULL; ++w) *window++ = kNowhere;
  if (window != state->windows) VDLA_TRY(vdla_require(device, &model->identity));
  status = load_steps(state, model);
  if (status != VDLA_DRIVER_OK) free_windows(state, model);
  vdla_model_reset_state(state, model);
  state->is_loaded = status == VDLA_DRIVER_OK;
  return status;
}

vdla_driver_status vdla_model_run(vdla_model_state* state, const vdla_model* model, const void* const* inputs,
                                  void* const* outputs) {
  static const vdla_counters kNone;
  run_memory memory;
  if (!state->is_loaded) return VDLA_DRIVER_ARGUMENT;
  if (state->has_failed) VDLA_TRY(vdla_reset(state->device));
  memory.model = model;
  memory.arena = state->arena;
  memory.inputs = inputs;
  memory.outputs = outputs;
  state->counters = kNone;
  state->has_failed = 1;
  VDLA_TRY(run_steps(state, &memory));
  state->has_failed = 0;
  return VDLA_DRIVER_OK;
}

void vdla_model_unload(vdla_model_state* state, const vdla_model* model) {
  if (state->is_loaded) free_windows(state, model);
  state->is_loaded = 0;
}
