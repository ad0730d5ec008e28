// SPDX-License-Identifier: Apache-2.0
// ONNX's backend tests: folders with model.onnx and test_data_set_*/{input,output}_N.pb.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/onnx_suite/onnx_case.h"

namespace vdla::tools {

/// The folder of a suite, or of one case. `progress` is called with each case when it is done.
std::vector<SuiteCase> run_onnx_suite(const std::filesystem::path& folder, const SuiteOptions& options,
                                      const std::function<void(const SuiteCase&)>& progress = {});

/// The float outputs of a network fed i / n for i = 0 ... n - 1, n the number of elements of an input.
std::vector<std::vector<float>> run_on_ramp(const std::filesystem::path& model, const SuiteOptions& options);

/// A network beside its recorded output NAME_output_0.pb, fed as by run_on_ramp(), which is
/// how ONNX's runner does it.
SuiteCase run_light_network(const std::filesystem::path& model, const SuiteOptions& options);

}  // namespace vdla::tools
