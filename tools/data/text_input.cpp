// SPDX-License-Identifier: Apache-2.0
#include "tools/data/text_input.h"

#include "support/error.h"
#include "support/file_kind.h"
#include "tools/data/files.h"

namespace vdla::tools {

std::string read_text_of(const std::string& path, const std::string& needed) {
  const std::string text = read_text(path);
  const FileKind kind = file_kind(text);
  const bool taken = kind == FileKind::Text || kind == FileKind::Empty || kind == FileKind::Json;
  VDLA_CHECK_USER(taken) << path << ": " << wrong_kind(kind, needed);
  return std::string(without_byte_order_mark(text));
}

}  // namespace vdla::tools
