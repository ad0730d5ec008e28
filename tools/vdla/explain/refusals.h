// SPDX-License-Identifier: Apache-2.0
// vdla explain of a model of which operators are refused.
#pragma once

#include <string>

#include "compiler/import/import.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

/// Reports why the model in `file` does not compile, and how much of it would.
void report_refusals(const std::string& file, const std::string& error, const import::ModelReport& report,
                     const Context& context);

}  // namespace vdla::tools
