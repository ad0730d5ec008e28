/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled module run from C, by the C interface of the runtime (runtime/vdla.h): what a plug-in of another
 * program, or another language, calls.
 *
 *   vdla compile net.onnx --target cpu -o net.vdla && run_from_c net.vdla
 *   vdla compile net.onnx -o net.vdla && run_from_c net.vdla vdla    # on a board, its UIO device
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/uio/uio.h"
#include "runtime/vdla.h"

enum { kMessageBytes = 512, kMostPorts = 16 };

static char message[kMessageBytes];

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, message);
  return EXIT_FAILURE;
}

static void print_port(const char* kind, const vdla_rt_port* port) {
  printf("%s '%s': %s", kind, port->name, port->type);
  for (size_t d = 0; d < port->rank; ++d) printf("%s%lld", d == 0 ? " " : "x", (long long)port->shape[d]);
  printf(", %zu bytes\n", port->bytes);
}

/* Prints the ports of one side, and gives each a buffer. */
typedef vdla_rt_status port_of(const vdla_rt_module*, size_t, vdla_rt_port*, char*, size_t);
static int make_buffers(const vdla_rt_module* module, const char* kind, port_of* of, size_t count,
                        void** buffers) {
  for (size_t i = 0; i < count; ++i) {
    vdla_rt_port port;
    if (of(module, i, &port, message, sizeof message) != VDLA_RT_OK) return fail(kind);
    print_port(kind, &port);
    buffers[i] = malloc(port.bytes);
    if (buffers[i] == NULL) return EXIT_FAILURE;
    for (size_t b = 0; b < port.bytes; ++b) ((uint8_t*)buffers[i])[b] = (uint8_t)(b % 64);
  }
  return EXIT_SUCCESS;
}

static int run(const vdla_rt_module* module, const vdla_transport* transport) {
  const size_t inputs = vdla_rt_input_count(module), outputs = vdla_rt_output_count(module);
  void *in[kMostPorts] = {0}, *out[kMostPorts] = {0};
  vdla_rt_session* session = NULL;
  vdla_rt_result result;
  int status = EXIT_FAILURE;
  if (inputs > kMostPorts || outputs > kMostPorts) return EXIT_FAILURE;
  if (make_buffers(module, "input", vdla_rt_input, inputs, in) == EXIT_SUCCESS &&
      make_buffers(module, "output", vdla_rt_output, outputs, out) == EXIT_SUCCESS) {
    if (vdla_rt_session_open(module, transport, &session, message, sizeof message) != VDLA_RT_OK ||
        vdla_rt_run(session, (const void* const*)in, out, &result, message, sizeof message) != VDLA_RT_OK) {
      fail("run");
    } else {
      printf("ran, %llu cycles on the device; the first output begins with byte %d\n",
             (unsigned long long)result.cycles, ((const uint8_t*)out[0])[0]);
      status = EXIT_SUCCESS;
    }
  }
  vdla_rt_session_close(session);
  for (size_t i = 0; i < kMostPorts; ++i) {
    free(in[i]);
    free(out[i]);
  }
  return status;
}

int main(int argc, char** argv) {
  vdla_rt_module* module = NULL;
  vdla_uio* uio = NULL;
  int status;
  if (argc < 2) {
    fprintf(stderr, "usage: run_from_c MODULE [UIO]\n");
    return EXIT_FAILURE;
  }
  if (vdla_rt_module_load(argv[1], &module, message, sizeof message) != VDLA_RT_OK) return fail("load");
  if (argc > 2) {
    vdla_uio_options options = {0};
    options.device = argv[2];
    if (vdla_uio_open(&options, &uio, message, sizeof message) != VDLA_DRIVER_OK) {
      vdla_rt_module_free(module);
      return fail("device");
    }
  }
  status = run(module, uio != NULL ? vdla_uio_transport(uio) : NULL);
  vdla_rt_module_free(module);
  if (uio != NULL) vdla_uio_close(uio);
  return status;
}
