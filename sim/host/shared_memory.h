// SPDX-License-Identifier: Apache-2.0
// Memory that processes share by a file descriptor; it has no name that could be left behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/host/connection.h"

namespace vdla::sim {

/// Memory that processes share, zero at first; a page is taken from the system when it is first touched.
class SharedMemory {
 public:
  /// UserError where the system has not that much.
  explicit SharedMemory(std::uint64_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  int fd() const { return file_.get(); }
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  Descriptor file_;
  std::span<std::byte> bytes_;
};

}  // namespace vdla::sim
