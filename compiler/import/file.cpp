// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "support/error.h"

namespace vdla::import {

graph::Bytes read_file(const std::filesystem::path& path) {
  VDLA_CHECK_USER(!std::filesystem::is_directory(path))
      << "cannot read '" << path.string() << "': it is a folder";
  errno = 0;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  VDLA_CHECK_USER(in.good()) << "cannot read '" << path.string() << "': " << std::strerror(errno);
  graph::Bytes bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  VDLA_CHECK_USER(in.good() || bytes.empty())
      << "cannot read '" << path.string() << "': " << std::strerror(errno);
  VDLA_CHECK_USER(!bytes.empty()) << "'" << path.string() << "' is empty, needs a TFLite or ONNX model";
  return bytes;
}

}  // namespace vdla::import
