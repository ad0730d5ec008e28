// SPDX-License-Identifier: Apache-2.0
#include "tools/common/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <string_view>

#include "support/error.h"
#include "support/inert.h"

namespace vdla::tools {
namespace {

/// Descriptor that takes the bytes of a stream, and the reason of the first write that failed.
class Destination {
 public:
  explicit Destination(int descriptor) : descriptor(descriptor) {}

  int descriptor;
  int error = 0;

  /// Writes the bytes in their visible form. A character that is cut off waits for its rest.
  bool write_text(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    held_ += bytes;
    const std::size_t whole = whole_characters(held_);
    const std::string text = visible(std::string_view(held_).substr(0, whole), "\n\t");
    held_.erase(0, whole);
    return write_all(text);
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    write_all(visible(held_, "\n\t"));
    held_.clear();
  }
  bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        if (error == 0) error = errno;
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::string held_;
};

Destination& output() {
  static Destination instance(STDOUT_FILENO);
  return instance;
}

Destination& errors() {
  static Destination instance(STDERR_FILENO);
  return instance;
}

/// Writes for fopencookie(): the number of bytes, 0 for an error.
ssize_t write_bytes(void* cookie, const char* bytes, std::size_t size) {
  return static_cast<Destination*>(cookie)->write_text({bytes, size}) ? static_cast<ssize_t>(size) : 0;
}

/// std::cout or std::cerr in the order of all else: it has no bytes of its own. It follows stdout and stderr
/// when they are replaced (driver/xrt/emulation.h).
class ThroughStdio : public std::streambuf {
 public:
  explicit ThroughStdio(std::FILE*& stream) : stream_(stream) {}

 protected:
  int_type overflow(int_type c) override {
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c) : std::putc(c, stream_);
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(size), stream_));
  }
  int sync() override { return std::fflush(stream_); }

 private:
  std::FILE*& stream_;
};

std::FILE* stream_to(Destination& destination, int buffering) {
  std::FILE* stream = fopencookie(&destination, "w", {nullptr, write_bytes, nullptr, nullptr});
  VDLA_CHECK(stream != nullptr) << "cannot make a stream: errno " << errno;
  std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

}  // namespace

void watch_standard_streams() {
  stdout = stream_to(output(), isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  stderr = stream_to(errors(), _IONBF);
  static ThroughStdio to_output(stdout), to_errors(stderr);
  std::cout.rdbuf(&to_output);
  std::cerr.rdbuf(&to_errors);
}

void print_to_standard_error() { output().descriptor = STDERR_FILENO; }

void print_over(const std::string& line) {
  std::fflush(stderr);
  errors().write_all("\r\033[K" + visible(line));
}

int finish_standard_output() {
  std::cout.flush();
  std::fflush(stdout);
  output().finish();
  errors().finish();
  return output().error;
}

}  // namespace vdla::tools
