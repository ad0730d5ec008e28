// SPDX-License-Identifier: Apache-2.0
// Cases of ONNX's suite between QuantizeLinear and DequantizeLinear.
#pragma once

#include "tools/onnx_suite/onnx_case.h"

namespace vdla::tools {

/// A data set of a case whose float inputs and outputs pass through quantisation to `type` (int8 or uint8).
/// Right is what the float network makes of the inputs as they are quantised, within a step of the output.
void run_between_qdq(SuiteCase& result, const graph::Bytes& model, const std::filesystem::path& folder,
                     graph::DataType type, const SuiteOptions& options);

}  // namespace vdla::tools
