// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/experiments.h"

#include "support/error.h"

namespace vdla::bench::paper {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> kAll = {
      {"4", "operator fusion on and off, Titan X", "section 3", figure4, ""},
      {"7", "cooperative fetching into shared memory, on the recorded GPU instead of a Titan X",
       "section 4.2", figure7, ""},
      {"10", "roofline of VDLA over ResNet-18's layers, latency hiding off and on", "section 4.4", figure10,
       ""},
      {"12", "learned tuner against genetic and random search, on VDLA instead of a Titan X", "section 5",
       figure12, "", "takes about an hour: --figure 12 runs it"},
      {"14", "Networks on a GPU, the recorded one instead of a Titan X", "section 6.1", figure14, ""},
      {"15", "C1 to C12 and D1 to D9 on a GPU, the recorded one instead of a Titan X", "section 6.1",
       figure15, ""},
      {"16",
       "whole networks on an Arm Cortex-A53",
       "section 6.2",
       {},
       "needs a board: the kit's AArch64 code runs here under qemu-user, whose time says nothing; and the "
       "tuner"},
      {"17",
       "C1 to C12 and D1 to D9 on an Arm Cortex-A53",
       "section 6.2",
       {},
       "needs a board: the kit's AArch64 code runs here under qemu-user, whose time says nothing; and the "
       "tuner"},
      {"18", "bit-serial convolutions on an Arm CPU", "section 6.2", figure18, ""},
      {"19",
       "whole networks on a Mali GPU",
       "section 6.3",
       {},
       "needs a board: kernels for such GPUs run here on PoCL, whose time says nothing"},
      {"21", "ResNet-18 on a CPU alone, and with convolutions on VDLA", "section 6.4", figure21, ""},
      {"table2", "the layers that the paper measures", "section 6.1", table2, ""},
  };
  return kAll;
}

const Experiment& experiment(const std::string& id) {
  std::string known;
  for (const Experiment& e : experiments()) {
    if (e.id == id) return e;
    known += (known.empty() ? "" : ", ") + e.id;
  }
  throw UserError("no experiment '" + id + "' of the paper: --figure takes one of " + known);
}

}  // namespace vdla::bench::paper
