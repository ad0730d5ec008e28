// SPDX-License-Identifier: Apache-2.0
// Text that commands read: a file of another kind is named for what it is.
#pragma once

#include <string>

namespace vdla::tools {

/// Reads a text, without its byte order mark. `needed` says what it should be: "assembler text".
std::string read_text_of(const std::string& path, const std::string& needed);

}  // namespace vdla::tools
