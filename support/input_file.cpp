// SPDX-License-Identifier: Apache-2.0
#include "support/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "support/error.h"

namespace vdla {
namespace {

class Descriptor {
 public:
  explicit Descriptor(const char* path) : fd_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Bytes behind those that `bytes` has; none at the end.
std::size_t read_more(int fd, std::vector<std::byte>& bytes, std::size_t most, const std::string& where) {
  const std::size_t had = bytes.size();
  bytes.resize(had + most);
  ssize_t got = -1;
  do {
    got = read(fd, bytes.data() + had, most);
  } while (got < 0 && errno == EINTR);
  VDLA_CHECK_USER(got >= 0) << where << std::strerror(errno);
  bytes.resize(had + static_cast<std::size_t>(got));
  return static_cast<std::size_t>(got);
}

}  // namespace

std::vector<std::byte> read_input(const std::filesystem::path& path) {
  const std::string where = "cannot read '" + path.string() + "': ";
  const Descriptor file(path.c_str());
  VDLA_CHECK_USER(file.get() >= 0) << where << std::strerror(errno);
  struct stat about{};
  VDLA_CHECK_USER(fstat(file.get(), &about) == 0) << where << std::strerror(errno);
  VDLA_CHECK_USER(!S_ISDIR(about.st_mode)) << where << "it is a folder";
  const bool regular = S_ISREG(about.st_mode);
  const auto size = static_cast<std::size_t>(regular ? about.st_size : 0);
  std::vector<std::byte> bytes;
  try {
    bytes.reserve(size + 1);
    for (std::size_t step = std::max<std::size_t>(size + 1, std::size_t{1} << 16);
         read_more(file.get(), bytes, step, where) > 0; step = std::size_t{1} << 20)
      VDLA_CHECK_USER(regular || bytes.size() <= kMostOfAStream)
          << where << "it gives more than " << (kMostOfAStream >> 20)
          << " MiB and is no regular file; write what it gives to a file first";
  } catch (const std::bad_alloc&) {
    throw UserError(where + "its " + std::to_string(std::max(size, bytes.size())) +
                    " bytes do not fit the memory that this process may have");
  } catch (const std::length_error&) {
    throw UserError(where + "its " + std::to_string(size) + " bytes are more than memory can hold");
  }
  return bytes;
}

}  // namespace vdla
