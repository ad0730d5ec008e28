/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime for C: load a module, open a session over a transport, run. Functions return a status; on
   failure `message` (may be null) receives a sentence of at most `message_size` bytes with its terminator.
   Nothing throws; handles are not shared between threads. A module carries machine code, which a session
   loads into this process: open sessions over modules of those whom you trust. */
#ifndef VDLA_RUNTIME_VDLA_H
#define VDLA_RUNTIME_VDLA_H

#include <stddef.h>
#include <stdint.h>

#include "driver/core/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vdla_rt_status {
  VDLA_RT_OK = 0,
  VDLA_RT_INVALID = 1, /* the caller's argument or file cannot work */
  VDLA_RT_DEVICE = 2,  /* the device, or the way to it, failed */
  VDLA_RT_MEMORY = 3,  /* out of memory */
  VDLA_RT_INTERNAL = 4 /* a fault of the runtime itself */
} vdla_rt_status;

typedef struct vdla_rt_module vdla_rt_module;
typedef struct vdla_rt_session vdla_rt_session;

/* A model input or output, in the model's own type and layout. Strings live as long as the module. */
typedef struct vdla_rt_port {
  const char* name;
  const char* type; /* "int8", "uint8", "int32", "float32" */
  size_t bytes;
  size_t rank;
  const int64_t* shape;
} vdla_rt_port;

typedef struct vdla_rt_result {
  uint64_t cycles; /* cycles of the device */
  uint64_t read_bytes;
  uint64_t write_bytes;
} vdla_rt_result;

vdla_rt_status vdla_rt_module_load(const char* path, vdla_rt_module** module, char* message,
                                   size_t message_size);
vdla_rt_status vdla_rt_module_parse(const void* bytes, size_t size, vdla_rt_module** module, char* message,
                                    size_t message_size);
/* Refuses a module that is not signed with the secret key of `public_key`, a file of vdla keygen (NAME.pub),
   before it looks at anything else of it. */
vdla_rt_status vdla_rt_module_load_signed(const char* path, const char* public_key, vdla_rt_module** module,
                                          char* message, size_t message_size);
void vdla_rt_module_free(vdla_rt_module* module);
size_t vdla_rt_input_count(const vdla_rt_module* module);
size_t vdla_rt_output_count(const vdla_rt_module* module);
vdla_rt_status vdla_rt_input(const vdla_rt_module* module, size_t index, vdla_rt_port* port, char* message,
                             size_t message_size);
vdla_rt_status vdla_rt_output(const vdla_rt_module* module, size_t index, vdla_rt_port* port, char* message,
                              size_t message_size);

/* `transport` may be null for a module that needs no device; it must outlive the session, the module need
 * not. */
vdla_rt_status vdla_rt_session_open(const vdla_rt_module* module, const vdla_transport* transport,
                                    vdla_rt_session** session, char* message, size_t message_size);
void vdla_rt_session_close(vdla_rt_session* session);

/* One pointer per model input and output, each to a buffer of its port's size. `result` may be null. Values
   that the network keeps go on from the last run that did not fail. */
vdla_rt_status vdla_rt_run(vdla_rt_session* session, const void* const* inputs, void* const* outputs,
                           vdla_rt_result* result, char* message, size_t message_size);

/* Gives the values that the network keeps those of the first run. */
void vdla_rt_reset_state(vdla_rt_session* session);

/* Faults that the device's side has had to get over so far without failing, "the interrupt is not wired:
   ..."; an empty text: none. Valid until the next call for this session. */
const char* vdla_rt_warning(const vdla_rt_session* session);

#ifdef __cplusplus
}
#endif

#endif
