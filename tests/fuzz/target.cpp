// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <sys/mman.h>
#include <unistd.h>

namespace vdla::fuzzing {

MemoryFile::MemoryFile(const std::uint8_t* data, std::size_t size)
    : descriptor_(memfd_create("fuzz", 0)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  VDLA_CHECK(descriptor_ >= 0 && write(descriptor_, data, size) == static_cast<ssize_t>(size));
}

MemoryFile::~MemoryFile() { close(descriptor_); }

}  // namespace vdla::fuzzing
