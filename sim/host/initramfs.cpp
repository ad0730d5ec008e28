// SPDX-License-Identifier: Apache-2.0
#include "sim/host/initramfs.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace vdla::sim {
namespace {

constexpr std::size_t kAlignment = 4;
constexpr std::string_view kLast = "TRAILER!!!";

}  // namespace

void Initramfs::pad() { bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment); }

void Initramfs::add(std::string_view path, std::uint32_t mode, std::string_view bytes, unsigned major,
                    unsigned minor) {
  const bool folder = S_ISDIR(mode);
  // Inode, mode, owner, group, links, time, size, device of the file, device, length of the name, checksum.
  bytes_ += fmt::format(
      "070701{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}", ++inode_, mode,
      0, 0, folder ? 2 : 1, 0, bytes.size(), 0, 0, major, minor, path.size() + 1, 0);
  bytes_ += path;
  bytes_ += '\0';
  pad();
  bytes_ += bytes;
  pad();
}

void Initramfs::add_folder(std::string_view path) { add(path, S_IFDIR | 0755, {}, 0, 0); }

void Initramfs::add_file(std::string_view path, std::string_view bytes, bool executable) {
  add(path, S_IFREG | (executable ? 0755u : 0644u), bytes, 0, 0);
}

void Initramfs::add_device(std::string_view path, unsigned major, unsigned minor) {
  add(path, S_IFCHR | 0600, {}, major, minor);
}

std::string Initramfs::finish() && {
  add(kLast, 0, {}, 0, 0);
  return std::move(bytes_);
}

}  // namespace vdla::sim
