// SPDX-License-Identifier: Apache-2.0
// FlatBuffers fields, which may be absent, as values. Internal to the module file.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/module/tensor.h"
#include "support/error.h"

namespace vdla::runtime::payload {

/// Limit on what this thread copies out of a section, for as long as it lives: as many bytes as the section
/// has. In a crafted file a million fields can name one text, which would become a million of them.
class Room {
 public:
  explicit Room(std::size_t section_bytes) : left_(section_bytes), outer_(current_) { current_ = this; }
  ~Room() { current_ = outer_; }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  /// UserError where there is no more.
  static void take(std::size_t bytes) {
    if (current_ == nullptr) return;
    VDLA_CHECK_USER(bytes <= current_->left_) << "its fields name the same bytes again and again";
    current_->left_ -= bytes;
  }

 private:
  std::size_t left_;
  Room* outer_;
  static inline thread_local Room* current_ = nullptr;
};

inline std::string text(const flatbuffers::String* s) {
  if (!s) return {};
  Room::take(s->size());
  return s->str();
}

inline std::vector<std::byte> bytes(const flatbuffers::Vector<std::uint8_t>* v) {
  if (!v) return {};
  Room::take(v->size());
  const auto* begin = reinterpret_cast<const std::byte*>(v->data());
  return {begin, begin + v->size()};
}

/// Elements of a vector as values. Copied: a damaged file may have it off its alignment, which the verifier
/// of FlatBuffers looks at for up to four bytes only.
template <class T, class Vector>
std::vector<T> copied(const Vector* v) {
  if (v) Room::take(v->size() * sizeof(T));
  std::vector<T> values(v ? v->size() : 0);
  if (!values.empty()) std::memcpy(values.data(), v->Data(), values.size() * sizeof(T));
  return values;
}

template <class T>
std::vector<T> numbers(const flatbuffers::Vector<T>* v) {
  return copied<T>(v);
}

template <class T>
std::vector<T> structs(const flatbuffers::Vector<const T*>* v) {
  return copied<T>(v);
}

/// make(row) for each row of a vector of tables.
template <class T, class Row, class Make>
std::vector<T> list(const flatbuffers::Vector<flatbuffers::Offset<Row>>* v, Make make) {
  std::vector<T> made;
  if (!v) return made;
  Room::take(v->size() * sizeof(flatbuffers::Offset<Row>));
  made.reserve(v->size());
  for (const Row* row : *v) made.push_back(make(*row));
  return made;
}

/// UserError for a code that is none.
inline DataType data_type(std::uint8_t code) {
  VDLA_CHECK_USER(code <= static_cast<std::uint8_t>(DataType::BFloat16))
      << "unknown element type " << unsigned{code};
  return static_cast<DataType>(code);
}

}  // namespace vdla::runtime::payload
