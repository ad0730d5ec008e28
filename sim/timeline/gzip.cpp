// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/gzip.h"

#include <zlib.h>

#include <ostream>

#include "support/error.h"

namespace vdla::timeline {
namespace {

constexpr int kWindowBits = 15, kWithGzipHeader = 16, kMemoryLevel = 8;

}  // namespace

struct GzipBuffer::State {
  z_stream stream{};
};

GzipBuffer::GzipBuffer(std::ostream& out) : out_(out), state_(std::make_unique<State>()) {
  const int begun = deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                                 kWindowBits + kWithGzipHeader, kMemoryLevel, Z_DEFAULT_STRATEGY);
  VDLA_CHECK(begun == Z_OK) << "zlib gives status " << begun << " where a stream begins";
  setp(input_.data(), input_.data() + input_.size());
}

GzipBuffer::~GzipBuffer() { deflateEnd(&state_->stream); }

void GzipBuffer::finish() { compress(Z_FINISH); }

int GzipBuffer::overflow(int c) {
  compress(Z_NO_FLUSH);
  if (c == traits_type::eof()) return 0;
  *pptr() = static_cast<char>(c);
  pbump(1);
  return c;
}

void GzipBuffer::compress(int flush) {
  z_stream& stream = state_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(pbase());
  stream.avail_in = static_cast<uInt>(pptr() - pbase());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream.avail_out = static_cast<uInt>(output_.size());
    const int status = deflate(&stream, flush);
    VDLA_CHECK(status != Z_STREAM_ERROR) << "zlib's state is broken";
    out_.write(output_.data(), static_cast<std::streamsize>(output_.size() - stream.avail_out));
  } while (stream.avail_out == 0);
  setp(input_.data(), input_.data() + input_.size());
}

}  // namespace vdla::timeline
