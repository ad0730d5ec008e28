// SPDX-License-Identifier: Apache-2.0
#include "sim/host/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/error.h"

namespace vdla::sim {

SharedMemory::SharedMemory(std::uint64_t bytes) : file_(memfd_create("vdla-memory", MFD_CLOEXEC)) {
  VDLA_CHECK_USER(file_.get() >= 0 && ftruncate(file_.get(), static_cast<off_t>(bytes)) == 0)
      << "cannot make " << bytes << " bytes of shared memory: " << std::strerror(errno);
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  VDLA_CHECK_USER(at != MAP_FAILED) << "cannot map " << bytes
                                    << " bytes of shared memory: " << std::strerror(errno);
  bytes_ = {static_cast<std::byte*>(at), bytes};
}

SharedMemory::~SharedMemory() { munmap(bytes_.data(), bytes_.size()); }

}  // namespace vdla::sim
