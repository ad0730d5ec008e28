// SPDX-License-Identifier: Apache-2.0
// A word of a command that a message prints, as one copies it into a shell.
#pragma once

#include <string>

namespace vdla {

/// "lab" -> "lab", "my lab" -> "'my lab'"
std::string shell_word(const std::string& word);

}  // namespace vdla
