// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/lut.h"

#include <algorithm>
#include <cmath>

namespace vdla::import {

std::int8_t table_entry(double steps, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
  const double step = (std::isnan(steps) ? 0 : steps) + zero_point;
  return static_cast<std::int8_t>(std::clamp<double>(step, min, max));
}

graph::Lut make_lut(std::string function, double (*f)(double), const graph::Quantization& input,
                    const graph::Quantization& output) {
  graph::Lut lut{std::move(function), {}};
  for (int q = -128; q < 128; ++q) {
    const double real = f(input.scale.at(0) * (q - input.zero_point.at(0)));
    lut.table[static_cast<std::size_t>(q + 128)] =
        table_entry(std::round(real / output.scale.at(0)), output.zero_point.at(0));
  }
  return lut;
}

}  // namespace vdla::import
