/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's header is plain C: this file runs a module as a C program would. Returns 0, or the number of
 * the step that failed. */
#include "runtime/vdla.h"

int run_from_c(const char* path, const void* input, void* output, char* message, size_t size) {
  vdla_rt_module* module = 0;
  vdla_rt_session* session = 0;
  vdla_rt_result result = {1, 1, 1};
  const void* inputs[1] = {0};
  void* outputs[1] = {0};
  int failed = 0;
  inputs[0] = input;
  outputs[0] = output;
  if (vdla_rt_module_load(path, &module, message, size) != VDLA_RT_OK) return 1;
  if (vdla_rt_session_open(module, 0, &session, message, size) != VDLA_RT_OK) failed = 2;
  vdla_rt_module_free(module); /* the session does not need it */
  if (!failed && vdla_rt_run(session, inputs, outputs, &result, message, size) != VDLA_RT_OK) failed = 3;
  if (!failed && result.cycles != 0) failed = 4;
  vdla_rt_session_close(session);
  return failed;
}
