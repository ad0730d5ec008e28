// SPDX-License-Identifier: Apache-2.0
// A text that a child process leaves for its parent, in memory: no file has to be removed when one of them is
// killed.
#pragma once

#include <string>

namespace vdla::explore {

class SharedResult {
 public:
  /// InternalError when the system gives no memory file.
  SharedResult();
  ~SharedResult();
  SharedResult(SharedResult&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  SharedResult& operator=(SharedResult&&) = delete;
  SharedResult(const SharedResult&) = delete;
  SharedResult& operator=(const SharedResult&) = delete;

  void write(const std::string& text) const;
  std::string read() const;

 private:
  int file_ = -1;
};

}  // namespace vdla::explore
