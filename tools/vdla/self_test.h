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
  bool passed = false;  ///< the same bytes as the reference
  std::string text{};   ///< what was seen
  std::string remedy;   ///< where it did not pass
};

std::vector<SelfTest> self_test();

}  // namespace vdla::tools
