// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/trial_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace vdla::tune {

void fill(std::span<std::byte> bytes, graph::DataType type, unsigned seed) {
  std::mt19937 random(seed);
  if (type == graph::DataType::Float32) {
    for (std::size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
      const float value = static_cast<float>(random() % 2048) / 1024.0f - 1;
      std::memcpy(&bytes[i], &value, sizeof value);
    }
  } else if (type == graph::DataType::Int8 || type == graph::DataType::UInt8) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  }
}

bool are_alike(std::span<const std::byte> values, std::span<const std::byte> others, graph::DataType type) {
  if (type != graph::DataType::Float32 || values.size() != others.size())
    return std::ranges::equal(values, others);
  constexpr double kBound = 1e-4;
  double apart = 0, largest = 0;
  for (std::size_t i = 0; i + sizeof(float) <= values.size(); i += sizeof(float)) {
    float first = 0, second = 0;
    std::memcpy(&first, &values[i], sizeof first);
    std::memcpy(&second, &others[i], sizeof second);
    if (!(std::abs(first - second) <= apart)) apart = std::abs(first - second);  // takes a NaN
    largest = std::max<double>(largest, std::abs(second));
  }
  return apart <= kBound * largest;
}

Outcome outcome_of(RaceResult result, const std::string& program, const std::string& incumbent_program) {
  if (program == incumbent_program) result.ratio = {.median = 1, .low = 1, .high = 1};
  return {{"status", "ok"},
          {"ns", result.candidate_ns},
          {"incumbent_ns", result.incumbent_ns},
          {"ratio", result.ratio.median},
          {"low", result.ratio.low},
          {"high", result.ratio.high},
          {"turns", result.turns},
          {"program", program}};
}

Outcome unbuildable(const std::string& reason) { return {{"status", "unbuildable"}, {"reason", reason}}; }

Outcome computes_something_else() {
  return {{"status", "failed"}, {"reason", "it computes something else than with the knobs so far"}};
}

std::string text_of_knobs(const pipeline::KnobBook& book) {
  std::string text;
  for (const pipeline::KnobRecord& r : book.records) text += (text.empty() ? "" : "; ") + r.knobs;
  return text.empty() ? kByDefault : text;
}

}  // namespace vdla::tune
