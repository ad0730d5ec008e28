// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"
#include "tools/data/image_decode.h"

namespace vdla::tools {

bool have_jpeg() { return false; }

Image decode_jpeg(std::span<const std::byte>, const std::string& path, std::uint64_t) {
  throw UserError(
      path +
      ": is a JPEG image, and this kit was built without JPEG: install libjpeg62-turbo-dev and build again");
}

}  // namespace vdla::tools
