// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/rows.h"

#include <cmath>

#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::tune {

void Rows::add(std::span<const float> row) {
  VDLA_CHECK(row.size() == columns_) << "a row of " << row.size() << " features among rows of " << columns_;
  values_.insert(values_.end(), row.begin(), row.end());
}

std::vector<float> row_of(const pipeline::KnobSpace& space, const pipeline::Point& point, double estimate) {
  std::vector<float> row;
  const auto add = [&](double value) { row.push_back(static_cast<float>(value)); };
  std::vector<double> logs;  // logarithms of sizes
  for (std::size_t k = 0; k < point.size(); ++k) {
    const pipeline::Knob& knob = space.knobs()[k];
    if (!knob.names.empty()) {
      for (std::int64_t value = 1; value <= knob.values; ++value) add(value == point[k] ? 1 : 0);
      continue;
    }
    const auto value = static_cast<double>(point[k]), range = static_cast<double>(knob.values);
    const auto parts = static_cast<double>(ceil_div(knob.values, point[k]));
    logs.push_back(std::log2(value));
    add(logs.back());
    add(value / range);
    add(std::log2(parts));
    add(parts * value / range);
  }
  for (std::size_t i = 0; i < logs.size(); ++i)
    for (std::size_t j = i + 1; j < logs.size(); ++j) add(logs[i] + logs[j]);
  add(std::log2(std::max(estimate, 1.0)));
  return row;
}

}  // namespace vdla::tune
