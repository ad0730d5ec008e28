// SPDX-License-Identifier: Apache-2.0
// Layers of tokens as nodes, as exporters write them: attention by MatMul, Softmax and MatMul, Gelu by Erf.
#pragma once

#include <string>
#include <vector>

#include "compiler/zoo/onnx_model.h"

namespace vdla::zoo {

/// The nodes of one layer, which read `inputs`; the last one makes `output`.
void write_tokens(OnnxModel& model, const Layer& layer, const Parameters& parameters,
                  const std::vector<std::string>& inputs, const std::string& output);

/// `output`: the tensor of an Append without its oldest token.
void write_without_oldest(OnnxModel& model, const Layer& layer, const std::string& value,
                          const std::string& output);

}  // namespace vdla::zoo
