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

}  // namespace vdla::tools
