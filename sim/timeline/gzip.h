// SPDX-License-Identifier: Apache-2.0
// A stream buffer that compresses what is written and passes it on as gzip.
#pragma once

#include <array>
#include <iosfwd>
#include <memory>
#include <streambuf>

namespace vdla::timeline {

/// `out` must outlive it; the file is whole after finish().
class GzipBuffer final : public std::streambuf {
 public:
  explicit GzipBuffer(std::ostream& out);
  ~GzipBuffer() override;
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;

  void finish();

 private:
  int overflow(int c) override;
  void compress(int flush);

  struct State;
  std::ostream& out_;
  std::unique_ptr<State> state_;
  std::array<char, 1 << 16> input_{};
  std::array<char, 1 << 16> output_{};
};

}  // namespace vdla::timeline
