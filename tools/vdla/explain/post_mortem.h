// SPDX-License-Identifier: Apache-2.0
// vdla explain of a post-mortem: unit, token, instruction and, given the module, layer and loop.
#pragma once

#include <string>

#include "tools/vdla/common/command.h"
#include "tools/vdla/common/trust.h"

namespace vdla::tools {

/// Whether a file that explain was given is a folder, which a post-mortem is.
bool is_post_mortem(const std::string& path);

/// `module`: a path, or empty.
void explain_post_mortem(const std::string& folder, const std::string& module, const TrustFlag& trust,
                         const Context& context);

}  // namespace vdla::tools
