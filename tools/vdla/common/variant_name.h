// SPDX-License-Identifier: Apache-2.0
// Names that --variant of the commands takes.
#pragma once

#include <string>

#include "isa/spec/geometry.h"

namespace vdla::tools {

/// As boards::named_variant() says, with the kit's data.
isa::Variant named_variant(const std::string& text);

/// For what is kept and read without the kit's data, a stored case of `vdla fuzz`: the name of a variant that
/// is not compiled in becomes the path of its file, all else stays.
std::string without_data_names(const std::string& text);

/// For the help of such an option.
inline constexpr const char* kVariantHelp =
    "Variant of the machine: a name (vdla info lists them), board:BOARD, or a file";

}  // namespace vdla::tools
