// SPDX-License-Identifier: Apache-2.0
// Names that --variant of the commands takes.
#pragma once

#include <string>

#include "isa/spec/geometry.h"

namespace vdla::tools {

/// Returns what boards::named_variant() does with the kit's data.
isa::Variant named_variant(const std::string& text);

/// Returns the text with names of variants that are not compiled in as paths of their files: for a file that
/// is read without the kit's data, as a stored case of `vdla fuzz` is.
std::string without_data_names(const std::string& text);

/// Help of an option that takes such a name.
inline constexpr const char* kVariantHelp =
    "Variant of the machine: a name (vdla info lists them), board:BOARD, or a file";

}  // namespace vdla::tools
