/* SPDX-License-Identifier: Apache-2.0 */
/* A network that says what it sees: runs the inferences of its folder whose answers are known, compares, and
   prints class and cycles of each. It takes any model with one input and one output that was compiled with
   --name net and --answers.

     vdla compile examples/digits/digits.onnx --variant tiny --emit c --name net --cpu-target armv7 \
       --answers examples/digits/images.npy -o digits
     boards/firmware/build_firmware.sh --board qemu-zynq --no-driver -o digits.elf \
       examples/firmware/classify.c $(find digits -name '*.[ca]') -- -I digits -I digits/vdla
     vdla board run digits.elf --board qemu-zynq --engine rtl */
#include "boards/firmware/accelerator.h"
#include "boards/firmware/firmware.h"
#include "net.h"
#include "net_answers.h"

enum { kValues = sizeof net_answer_output0[0] / sizeof net_answer_output0[0][0] };

static vdla_mmio mmio;
static vdla_device device;
static net model;

static _Noreturn void fail(const char* what, const char* why) {
  vdla_console_text(what);
  vdla_console_text(": ");
  vdla_console_text(why);
  vdla_console_text("\n");
  vdla_exit(1);
}

/* The status is all that is left of a message without numbers where the firmware is built --without-texts. */
static void check(const char* what, vdla_driver_status status) {
  if (status == VDLA_DRIVER_OK) return;
  vdla_console_text("status ");
  vdla_console_number((uint64_t)status);
  vdla_console_text(" of ");
  fail(what, device.message);
}

/* The first of the largest. */
static unsigned class_of(const int8_t* scores) {
  unsigned best = 0;
  for (unsigned i = 1; i < kValues; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

static void classify(unsigned number) {
  int8_t scores[kValues];
  check("run", net_run(&model, net_answer_input0[number], scores));
  for (unsigned i = 0; i < kValues; ++i)
    if (scores[i] != net_answer_output0[number][i])
      fail(net_answer_names[number], "another output than on a desk");
  vdla_console_text(net_answer_names[number]);
  vdla_console_text(": class ");
  vdla_console_number(class_of(scores));
  vdla_console_text(", ");
  vdla_console_number(model.state.counters.cycles);
  vdla_console_text(" cycles\n");
}

int main(void) {
  char warning[256];
  if (vdla_accelerator_open(&mmio) != 0) fail("transport", mmio.error);
  check("probe", vdla_probe(&device, &mmio.transport));
  check("reset", vdla_reset(&device));
  check("load", net_load(&model, &device));
  for (unsigned i = 0; i < NET_ANSWERS; ++i) classify(i);
  if (vdla_warning(&device, warning, sizeof warning)) {
    vdla_console_text(warning);
    vdla_console_text("\n");
  }
  net_unload(&model);
  check("reset", vdla_reset(&device));
  return 0;
}
