// SPDX-License-Identifier: Apache-2.0
// Quantised forms of a network with some layers in float: what each costs, and the choice between them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/quantize/network.h"
#include "compiler/quantize/options.h"
#include "compiler/quantize/result.h"
#include "compiler/quantize/run.h"
#include "compiler/quantize/statistics.h"

namespace vdla::quantize {

/// Writes the network that `options` ask for to `result`, with scales by what the samples gave (`seen`), and
/// measures it where they ask for that. UserError: too many layers to keep in float, a budget that none of
/// the networks keeps.
void write_mixed(const Network& network, const std::map<std::string, Statistics>& seen,
                 std::span<const Sample> samples, const Prepare& prepare, const Options& options,
                 Result& result);

}  // namespace vdla::quantize
