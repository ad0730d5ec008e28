// SPDX-License-Identifier: Apache-2.0
// Findings of `vdla doctor`, each with its remedy.
#pragma once

#include <string>
#include <vector>

namespace vdla::tools {

enum class Health { Good, Lacking, Broken };  ///< Lacking: optional, something cannot be done without it

struct Finding {
  std::string part, text, remedy;
  Health health = Health::Good;
};

/// Debian packages of scripts/packages/LIST.txt: how many are there with which versions, which are not.
std::vector<Finding> package_findings();
/// Tools that commands call: where they are.
std::vector<Finding> tool_findings();
/// Levels and features of the CPU that code of this kit is chosen by.
std::vector<Finding> cpu_findings();
/// Built RTL libraries of the built-in variants: where, how large, whether they run here.
std::vector<Finding> rtl_findings();
/// Folders that fill up, and how to empty them.
std::vector<Finding> cache_findings();

}  // namespace vdla::tools
