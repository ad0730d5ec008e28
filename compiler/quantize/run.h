// SPDX-License-Identifier: Apache-2.0
// Runs of float and quantised models, which the caller has an engine for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/types.h"

namespace vdla::quantize {

/// The bytes of each input of a model by the input's name.
using Sample = std::map<std::string, graph::Bytes>;
/// A model that is ready to run: a sample to the values of its outputs, in order.
using Run = std::function<std::vector<std::vector<float>>(const Sample& sample)>;
/// Makes a model (the bytes of an ONNX file) ready to run.
using Prepare = std::function<Run(const graph::Bytes& model)>;

}  // namespace vdla::quantize
