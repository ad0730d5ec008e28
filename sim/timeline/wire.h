// SPDX-License-Identifier: Apache-2.0
// A message of Protocol Buffers in the making, field by field. The library of Protocol Buffers, which only
// the importer of ONNX needs, would become one of every simulation for these few kinds of fields; code that
// its compiler makes reads timelines back in the tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vdla::timeline {

class Message {
 public:
  void number(unsigned field, std::uint64_t value) {
    tag(field, kVarint);
    varint(value);
  }
  void fixed(unsigned field, std::uint64_t value) {
    tag(field, kFixed64);
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<char>(value >> 8 * i & 0xff));
  }
  void text(unsigned field, std::string_view value) {
    tag(field, kLength);
    varint(value.size());
    bytes_ += value;
  }
  void message(unsigned field, const Message& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  enum Type : std::uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2 };

  void tag(unsigned field, Type type) { varint(field << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace vdla::timeline
