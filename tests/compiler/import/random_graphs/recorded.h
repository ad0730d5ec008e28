// SPDX-License-Identifier: Apache-2.0
// Answers of another implementation in a file: the graphs come from their seeds, so that it stays small.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/compiler/import/random_graphs/judge.h"

namespace vdla::random_graphs {

/// Elements at places that are spread evenly over an output.
struct RecordedOutput {
  DataType type = DataType::Float32;
  Shape shape;
  double near = 0;  ///< distance by which an element may miss
  std::vector<double> elements;
};

struct Recorded {
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;  ///< of model and inputs: another drawing has other answers
  std::vector<RecordedOutput> outputs;
};

std::uint64_t hash_of(std::span<const std::byte> model, const std::vector<import::Array>& inputs);
std::uint64_t hash_of(const Drawn& drawn);
Recorded record_of(std::uint64_t seed, std::uint64_t hash, const Answer& answer,
                   const std::vector<Allowed>& allowed);

std::string to_text(const Recorded& recorded);
/// UserError names the line that is none of to_text().
std::vector<Recorded> parse_recorded(const std::string& text);
std::vector<Recorded> read_recorded(const std::filesystem::path& file);

/// Says what is not as recorded; empty where all is.
std::string compare(const std::vector<import::Array>& have, const Recorded& want);

}  // namespace vdla::random_graphs
