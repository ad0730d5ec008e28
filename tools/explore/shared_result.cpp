// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/shared_result.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "support/error.h"

namespace vdla::explore {

SharedResult::SharedResult() : file_(memfd_create("vdla_result", MFD_CLOEXEC)) {
  VDLA_CHECK_USER(file_ >= 0) << "no memory for a result: " << std::strerror(errno);
}

SharedResult::~SharedResult() {
  if (file_ >= 0) close(file_);
}

void SharedResult::write(const std::string& text) const {
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = pwrite(file_, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (bytes < 0 && errno == EINTR) continue;
    VDLA_CHECK_USER(bytes > 0) << "no memory for a result of " << text.size()
                               << " bytes: " << std::strerror(errno);
    at += static_cast<std::size_t>(bytes);
  }
}

std::string SharedResult::read() const {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const auto bytes = pread(file_, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (bytes < 0 && errno == EINTR) continue;
    VDLA_CHECK(bytes >= 0) << "a result of a child: " << std::strerror(errno);
    if (bytes == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

}  // namespace vdla::explore
