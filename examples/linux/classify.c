/* SPDX-License-Identifier: Apache-2.0 */
/* examples/firmware/classify.c as a program of Linux: a network as C, over driver/uio. It runs the inferences
   whose answers are known, compares, and prints class and cycles of each. CMakeLists.txt links it statically
   with what `vdla compile --emit c --name net --cpu-target x86-64 --answers IMAGES` made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/core/device.h"
#include "driver/uio/uio.h"
#include "net.h"
#include "net_answers.h"

enum { kValues = sizeof net_answer_output0[0] / sizeof net_answer_output0[0][0] };

static vdla_uio* uio;
static vdla_device device;
static net model;

static void fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  vdla_uio_close(uio);
  exit(1);
}

static void check(const char* what, vdla_driver_status status) {
  if (status != VDLA_DRIVER_OK) fail(what, device.message);
}

/* The first of the largest. */
static unsigned class_of(const int8_t* scores) {
  unsigned best = 0;
  for (unsigned i = 1; i < kValues; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

int main(void) {
  const vdla_uio_options options = {0};
  char message[VDLA_MESSAGE_BYTES];
  if (vdla_uio_open(&options, &uio, message, sizeof message) != VDLA_DRIVER_OK) fail("open", message);
  check("probe", vdla_probe(&device, vdla_uio_transport(uio)));
  check("reset", vdla_reset(&device));
  check("load", net_load(&model, &device));
  for (unsigned i = 0; i < NET_ANSWERS; ++i) {
    int8_t scores[kValues];
    check("run", net_run(&model, net_answer_input0[i], scores));
    if (memcmp(scores, net_answer_output0[i], sizeof scores) != 0)
      fail(net_answer_names[i], "another output than on a desk");
    printf("%s: class %u, %llu cycles\n", net_answer_names[i], class_of(scores),
           (unsigned long long)model.state.counters.cycles);
  }
  if (vdla_warning(&device, message, sizeof message)) printf("%s\n", message);
  net_unload(&model);
  check("reset", vdla_reset(&device));
  vdla_uio_close(uio);
  return 0;
}
