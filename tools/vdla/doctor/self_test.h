// SPDX-License-Identifier: Apache-2.0
// The embedded digit network on every engine that is there, against the interpreter of its graph.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vdla::tools {

struct SelfTest {
  std::string engine;
  bool there = false;   ///< the engine can run at all
  bool passed = false;  ///< whether the bytes are those of the reference
  std::string text{};   ///< text of what was seen
  std::string remedy;   ///< remedy where it did not pass
};

std::vector<SelfTest> self_test();

}  // namespace vdla::tools
