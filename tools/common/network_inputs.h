// SPDX-License-Identifier: Apache-2.0
// Inputs of a whole network from files: one for each of its inputs, or archives with an array for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/module/module.h"
#include "support/preprocessing.h"

namespace vdla::tools {

/// Values of all inputs of a network for one run.
struct NetworkSample {
  std::string name;                    ///< name of the first input's sample
  std::vector<runtime::Bytes> inputs;  ///< values in the module's order, in the model's types and layouts
  std::optional<int> label;            ///< as the first input's file knows it
};

struct NetworkInputs {
  std::vector<NetworkSample> samples;
  std::optional<Preprocessing> pixels;  ///< steps used for the images, where some were
  std::vector<std::string> notes;       ///< for the reader, as load_input() has them
};

/// Reads the values of `option`:
///
///   PATH         for a network with one input: a file or folder, as load_samples() takes them
///   NAME=PATH    for each input of a network with several; sample i has number i of each
///   PATH.npz     arrays by the inputs' names; also a folder of such archives, in name order
///
/// `flags` go before `kept`, for the inputs that are images. UserError for an input without samples, for
/// inputs with other numbers of them, and for flags without an image.
NetworkInputs load_inputs(const std::vector<std::string>& files, const runtime::Module& module,
                          const Preprocessing& flags, const Preprocessing& kept, const std::string& option);

/// As random_sample() makes each input; those after the first are of other seeds.
NetworkSample random_inputs(const runtime::Module& module, std::uint64_t seed);

}  // namespace vdla::tools
