// SPDX-License-Identifier: Apache-2.0
// A scalar function as a table over int8.
#pragma once

#include <string>

#include "compiler/graph/graph.h"

namespace vdla::import {

/// table[q + 128] = round(f(real of q) / output scale) + output zero point, limited to int8.
graph::Lut make_lut(std::string function, double (*f)(double), const graph::Quantization& input,
                    const graph::Quantization& output);

}  // namespace vdla::import
