// SPDX-License-Identifier: Apache-2.0
// A scalar function as a table over int8.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/graph/graph.h"

namespace vdla::import {

/// Entry of a table for a result in steps of the output from its zero point, rounded already; NaN, which
/// scales of both extremes make as 0 times infinity, is the zero point.
std::int8_t table_entry(double steps, std::int32_t zero_point, std::int32_t min = -128,
                        std::int32_t max = 127);

/// table[q + 128] = round(f(real of q) / output scale) + output zero point, limited to int8.
graph::Lut make_lut(std::string function, double (*f)(double), const graph::Quantization& input,
                    const graph::Quantization& output);

}  // namespace vdla::import
