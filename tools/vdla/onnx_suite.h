// SPDX-License-Identifier: Apache-2.0
// ONNX's backend tests: folders with model.onnx and test_data_set_*/{input,output}_N.pb.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kit/kernel_device.h"

namespace vdla::tools {

enum class Verdict : std::uint8_t { Pass, Unsupported, OutOfScope, Fail };
std::string_view name_of(Verdict verdict);

struct SuiteCase {
  std::string name, op;  ///< of the folder less "test_"; of the node, or of the nodes' common origin
  Verdict verdict = Verdict::Fail;
  std::string message;             ///< why it is no pass
  std::vector<std::string> bound;  ///< inputs that became constants
  std::size_t steps = 0;           ///< that a run computes; none where the outputs are constants or inputs
};

struct SuiteOptions {
  bool interpret = false;                     ///< the loop IR interpreter instead of machine code
  const kit::KernelDevice* device = nullptr;  ///< kernels on this one instead of machine code
  std::string only;                           ///< cases whose name holds this; empty: all
  std::size_t draw = 0;                       ///< so many of the cases, drawn by `seed`; 0: all
  std::uint64_t seed = 0;
  /// As ONNX's own runner compares floats: |have - want| <= atol + rtol * |want|. Integers are equal.
  double rtol = 1e-3, atol = 1e-7;
};

/// The folder of a suite, or of one case. `progress` hears of each case when it is done.
std::vector<SuiteCase> run_onnx_suite(const std::filesystem::path& folder, const SuiteOptions& options,
                                      const std::function<void(const SuiteCase&)>& progress = {});

/// The float outputs of a network fed i / n for i = 0 ... n - 1, n the number of elements of an input.
std::vector<std::vector<float>> run_on_ramp(const std::filesystem::path& model, const SuiteOptions& options);

/// A network beside its recorded output NAME_output_0.pb, fed as by run_on_ramp(), which is
/// how ONNX's runner does it.
SuiteCase run_light_network(const std::filesystem::path& model, const SuiteOptions& options);

}  // namespace vdla::tools
