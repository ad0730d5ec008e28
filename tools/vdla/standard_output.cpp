// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <streambuf>
#include <string>

#include "support/error.h"

namespace vdla::tools {
namespace {

/// Where the bytes go, and why the first of them did not arrive.
struct Destination {
  int descriptor = STDOUT_FILENO;
  int error = 0;
};

Destination& destination() {
  static Destination instance;
  return instance;
}

/// Of fopencookie(): how many bytes were written, 0 for an error.
ssize_t write_bytes(void* cookie, const char* bytes, std::size_t size) {
  auto& to = *static_cast<Destination*>(cookie);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t written = write(to.descriptor, bytes + done, size - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      if (to.error == 0) to.error = errno;
      break;
    }
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(done);
}

/// std::cout in the order of all else: it has no bytes of its own.
class ThroughStdio : public std::streambuf {
 protected:
  int_type overflow(int_type c) override {
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c) : std::putc(c, stdout);
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(size), stdout));
  }
  int sync() override { return std::fflush(stdout); }
};

}  // namespace

void watch_standard_output() {
  std::FILE* watched = fopencookie(&destination(), "w", {nullptr, write_bytes, nullptr, nullptr});
  VDLA_CHECK(watched != nullptr) << "cannot make a stream: errno " << errno;
  if (isatty(STDOUT_FILENO) != 0) std::setvbuf(watched, nullptr, _IOLBF, BUFSIZ);
  stdout = watched;
  static ThroughStdio through_stdio;
  std::cout.rdbuf(&through_stdio);
}

void print_to_standard_error() { destination().descriptor = STDERR_FILENO; }

int finish_standard_output() {
  std::cout.flush();
  std::fflush(stdout);
  return destination().error;
}

}  // namespace vdla::tools
