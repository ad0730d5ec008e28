// SPDX-License-Identifier: Apache-2.0
// Scan and Loop of ONNX whose trips are known when the model is compiled: nodes of the body for each trip.
#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <string>

#include "compiler/import/tensor/node.h"

namespace vdla::import {

/// Reads the nodes of a body: `names` are its inputs in one trip, its constants, and what it reads from
/// around it. Names of nodes begin with `prefix`. `done` gets all names that the body knows then.
using ReadBody =
    std::function<void(const onnx::GraphProto& body, tensor::Scope names, const std::string& prefix,
                       const std::function<void(const tensor::Scope&)>& done)>;

inline constexpr const char *kLoop = "Loop", *kScan = "Scan";
inline bool is_loop(std::string_view op) { return op == kLoop || op == kScan; }

/// Gives the node's outputs. `around`: names that the body sees. UserError where the trips are not known, or
/// are too many.
void import_loop(const tensor::Node& node, const tensor::Scope& around, const ReadBody& read);

}  // namespace vdla::import
