// SPDX-License-Identifier: Apache-2.0
#include "support/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "support/error.h"
#include "support/path.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel's

/// Number of a descriptor of this process that a path names by way of /proc; -1 otherwise.
int descriptor_of(const fs::path& folder, const std::string& name) {
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return -1;
  const fs::path own = fs::path("/proc") / std::to_string(getpid()) / "fd";
  return folder == own ? number : -1;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Writes all of it; false with errno otherwise.
bool write_all(int descriptor, const char* data, std::size_t size) {
  while (size != 0) {
    const ssize_t written = write(descriptor, data, size);
    if (written < 0 && errno == EAGAIN) {  // another process's pipe
      pollfd writable{descriptor, POLLOUT, 0};
      poll(&writable, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return false;
    } else if (written > 0) {
      data += written;
      size -= static_cast<std::size_t>(written);
    }
  }
  return true;
}

}  // namespace

OutputPlace output_place(const std::string& target) {
  VDLA_CHECK_USER(!target.empty()) << "an output needs a name, got an empty one";
  if (target == kStandardOutput)
    return {.path = "/dev/stdout", .descriptor = STDOUT_FILENO, .in_place = true};
  OutputPlace place{.path = target};
  std::error_code error;
  for (int links = 0;; ++links) {
    VDLA_CHECK_USER(links < kMostLinks) << target << ": cannot be written: " << std::strerror(ELOOP);
    const fs::path folder = fs::canonical(folder_of(place.path), error);
    if (error) break;  // making the file says what is wrong
    place.descriptor = descriptor_of(folder, place.path.filename().string());
    if (place.descriptor >= 0 || !fs::is_symlink(place.path, error)) break;
    const fs::path next = fs::read_symlink(place.path, error);
    VDLA_CHECK_USER(!error) << target << ": cannot be written: " << error.message();
    place.path = next.is_absolute() ? next : folder / next;
  }
  struct stat status{};
  const bool there = stat(target.c_str(), &status) == 0;
  VDLA_CHECK_USER(!there || !S_ISDIR(status.st_mode)) << target << ": cannot be written: is a folder";
  place.in_place = place.descriptor >= 0 || (there && !S_ISREG(status.st_mode));
  VDLA_CHECK_USER(place.in_place || !there || access(target.c_str(), W_OK) == 0)
      << target << ": cannot be written: " << std::strerror(errno);
  return place;
}

/// Bytes to a descriptor; remembers why the first write failed.
class OutputFile::Buffer : public std::streambuf {
 public:
  explicit Buffer(int descriptor) : descriptor_(descriptor) {
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    if (error_ == 0 && !write_all(descriptor_, pbase(), static_cast<std::size_t>(pptr() - pbase())))
      error_ = errno;
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int descriptor_;
  int error_ = 0;
  std::array<char, 1 << 16> bytes_;
};

OutputFile::OutputFile(std::string target)
    : target_(target == kStandardOutput ? "standard output" : target), place_(output_place(target)) {
  if (!place_.in_place) {
    temporary_.emplace(folder_of(place_.path), Temporary::Kind::File, target_);
    // The new file is as open to others as the old one.
    struct stat old{};
    if (stat(target_.c_str(), &old) == 0) {
      [[maybe_unused]] const int owner = fchown(temporary_->descriptor(), old.st_uid, old.st_gid);
      fchmod(temporary_->descriptor(), old.st_mode & 0777);
    }
    return;
  }
  descriptor_ = place_.descriptor >= 0 ? fcntl(place_.descriptor, F_DUPFD_CLOEXEC, 3)
                                       : open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  VDLA_CHECK_USER(descriptor_ >= 0) << target_ << ": cannot be written: " << std::strerror(errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::ostream& OutputFile::stream() {
  if (!stream_) {
    buffer_ = std::make_unique<Buffer>(place_.in_place ? descriptor_ : temporary_->descriptor());
    stream_ = std::make_unique<std::ostream>(buffer_.get());
  }
  return *stream_;
}

fs::path OutputFile::file() {
  if (!temporary_) temporary_.emplace(temporary_folder(), Temporary::Kind::File, target_);
  return temporary_->path();
}

/// Copies what another writer made into the target.
void OutputFile::copy_file() {
  const int from = open(temporary_->path().c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 1 << 16> bytes;
  ssize_t count = 0;
  while ((count = read(from, bytes.data(), bytes.size())) > 0) stream().write(bytes.data(), count);
  const int error = errno;
  close(from);
  VDLA_CHECK_USER(count == 0) << target_ << ": cannot be written: " << std::strerror(error);
}

void OutputFile::keep() {
  finish();  // may take long
  take_place(Uninterrupted());
}

void OutputFile::keep(const Uninterrupted& held) {
  finish();
  take_place(held);
}

void OutputFile::finish() {
  if (place_.in_place && temporary_) copy_file();
  if (stream_) {
    stream_->flush();
    VDLA_CHECK_USER(buffer_->error() == 0)
        << target_ << ": cannot be written: " << std::strerror(buffer_->error());
  }
}

void OutputFile::take_place(const Uninterrupted& held) {
  if (!place_.in_place) return temporary_->rename_to(place_.path, held);
  const int closed = close(std::exchange(descriptor_, -1));
  VDLA_CHECK_USER(closed == 0) << target_ << ": cannot be written: " << std::strerror(errno);
}

void write_output(const std::string& target, std::string_view content) {
  OutputFile file(target);
  file.stream().write(content.data(), static_cast<std::streamsize>(content.size()));
  file.keep();
}

}  // namespace vdla
