// SPDX-License-Identifier: Apache-2.0
// Quantised and float networks of the shared data, for tests that hold for every network.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "compiler/import/import.h"
#include "support/error.h"
#include "tests/compiler/import/data.h"

namespace vdla::testing {

/// Imports a network; nothing if the importers refuse it, which is the subject of other tests.
inline std::optional<graph::Graph> imported(const std::filesystem::path& path) {
  try {
    return import::import_model(path);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// Calls `use(path, graph)` for each TFLite and ONNX network that the importers take, and expects that there
/// are many.
template <class Use>
void each_network_of_the_data(const Use& use) {
  constexpr std::size_t kKnown = 18;
  std::size_t networks = 0;
  for (const char* folder :
       {"mlperf_tiny/models", "mlperf_tiny/models_onnx", "small_models", "cifar10/models"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_folder() / folder)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() != ".tflite" && path.extension() != ".onnx") continue;
      const auto graph = imported(path);
      if (!graph) continue;
      SCOPED_TRACE(path.string());
      use(path, *graph);
      ++networks;
    }
  EXPECT_GE(networks, kKnown);
}

}  // namespace vdla::testing
