// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"
#include "tools/data/image_decode.h"

namespace vdla::tools {

bool have_png() { return false; }

Image decode_png(std::span<const std::byte>, const std::string& path, std::uint64_t) {
  throw UserError(path +
                  ": is a PNG image, and this kit was built without PNG: install libpng-dev and build again");
}

}  // namespace vdla::tools
