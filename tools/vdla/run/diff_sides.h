// SPDX-License-Identifier: Apache-2.0
// The two sides of vdla diff: values of the model's tensors, and how one gets them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kit/insn_search.h"
#include "kit/model_tensors.h"
#include "kit/network.h"
#include "runtime/module/module.h"
#include "tools/common/network_inputs.h"

namespace vdla::tools {

struct Side {
  std::string name;                       ///< "rtl", "the interpreter", "recorded.npz"
  std::vector<kit::ModelTensor> tensors;  ///< empty: those of `read`, which are not computed yet
  kit::ReadTensors read;
  kit::ProbedRun run;  ///< again, with another probe; empty: nothing told what instructions write
};

/// Runs a module.
Side side_of_run(std::string name, const kit::ProbedRun& run);

/// Values that the interpreter computes of the inputs of a run.
Side side_of_interpreter(const graph::Graph& network, const runtime::Module& module,
                         const kit::ReadTensors& read);

/// A network in machine code of this CPU, node by node, on the input of another one. UserError where that is
/// not its input.
Side side_of_network(std::string name, const graph::Graph& network, const runtime::Module& other,
                     const NetworkSample& sample);

/// Arrays of a folder or an archive by their names, with what tensors.json says of them. UserError where none
/// has the name of one of `tensors`.
Side side_of_files(const std::string& path, const std::vector<kit::ModelTensor>& tensors);

}  // namespace vdla::tools
