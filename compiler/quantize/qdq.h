// SPDX-License-Identifier: Apache-2.0
// A network with QuantizeLinear and DequantizeLinear around its operators.
#pragma once

#include <map>
#include <string>

#include "compiler/quantize/network.h"
#include "compiler/quantize/options.h"
#include "compiler/quantize/result.h"
#include "compiler/quantize/statistics.h"

namespace vdla::quantize {

/// The quantised model: activations between `scales`, weights and biases as integers. Reports weights and
/// what is left in float to `result`; means of what layers read are taken from `seen`.
Network with_scales(const Network& network, const std::map<std::string, Scale>& scales,
                    const std::map<std::string, Statistics>& seen, const Options& options, Result& result);

}  // namespace vdla::quantize
