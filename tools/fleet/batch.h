// SPDX-License-Identifier: Apache-2.0
// Files by which work goes to another machine and comes back: a batch holds what all of its items share and
// the items, its result an answer for each, or why that machine can answer nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vdla::fleet {

using Json = nlohmann::ordered_json;

struct Batch {
  std::string kind;  ///< row of vdla batch's table that measures it
  std::string kit;   ///< hash of the `vdla` that is to do it: others may answer differently
  Json head;         ///< part that all items share
  std::vector<Json> items;
};

struct BatchResult {
  std::vector<Json> answers;  ///< one for each item
  std::string node, lost;     ///< the machine, and why it cannot be used; empty: it can
  bool differs = false;       ///< it is lost for all work: it differs, or its board does not work
};

void write_batch(const std::filesystem::path& file, const Batch& batch);
/// UserError for what is none.
Batch read_batch(const std::filesystem::path& file);

/// Whole or not at all.
void write_result(const std::filesystem::path& file, const BatchResult& result);
/// UserError for what is none, and for one with another number of answers than `items`.
BatchResult read_result(const std::filesystem::path& file, std::size_t items);

}  // namespace vdla::fleet
