// SPDX-License-Identifier: Apache-2.0
// Parts that campaigns of drawn model files share: seeds, files that are kept, the message of a fault.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {

struct Seeds {
  std::uint64_t first = 0, count = 0;
  std::string keep = {};  ///< folder; empty: no file is kept
};

/// `files` and `kept` are the words of the help for what is drawn, and for what is kept of it.
inline void add_seeds(CLI::App& app, Seeds& seeds, const std::string& files, const std::string& kept) {
  app.add_option("--first", seeds.first, "First seed")->capture_default_str();
  app.add_option("--count", seeds.count, files + ", of seeds that follow each other")->capture_default_str();
  app.add_option("--keep", seeds.keep, "Folder for " + kept);
}

/// Prints a line of a seed and keeps its file, whose name has this ending.
inline void report(const Seeds& seeds, std::uint64_t seed, const Drawn& drawn, const std::string& text,
                   const char* ending = "tflite") {
  fmt::print("seed {}{}\n", seed, text);
  if (seeds.keep.empty()) return;
  std::ofstream file(fmt::format("{}/{}.{}", seeds.keep, seed, ending), std::ios::binary);
  file.write(reinterpret_cast<const char*>(drawn.model.data()),
             static_cast<std::streamsize>(drawn.model.size()));
}

/// The campaign's exit status; 3, with a message, where it throws.
template <class Campaign>
int status_of(const char* program, const Campaign& campaign) {
  try {
    return campaign();
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", program, e.what());
    return 3;
  }
}

}  // namespace vdla::random_tflite
