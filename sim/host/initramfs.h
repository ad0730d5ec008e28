// SPDX-License-Identifier: Apache-2.0
// The first file system of a Linux guest, as its kernel unpacks it (cpio, format newc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vdla::sim {

class Initramfs {
 public:
  /// `path` begins without a slash; its folders come first.
  void add_folder(std::string_view path);
  void add_file(std::string_view path, std::string_view bytes, bool executable);
  /// A character device.
  void add_device(std::string_view path, unsigned major, unsigned minor);

  /// The whole, to which nothing is added any more.
  std::string finish() &&;

 private:
  void add(std::string_view path, std::uint32_t mode, std::string_view bytes, unsigned major, unsigned minor);
  void pad();

  std::string bytes_;
  std::uint32_t inode_ = 0;
};

}  // namespace vdla::sim
