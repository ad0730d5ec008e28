// SPDX-License-Identifier: Apache-2.0
// The two kinds of error, never mixed: the caller's mistake (UserError) and ours (InternalError). Leaf of the
// kit.
//
//   VDLA_CHECK_USER(factor > 0) << "split of '" << axis << "' needs a positive factor, got " << factor;
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vdla {

/// The caller gave something that cannot work; the message names culprit, value seen, value needed and
/// remedy.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A fault of the kit itself; the message starts with the source position.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

/// Collects the text of an error. What is thrown while a value is printed passes through. Compiled once:
/// checks stand everywhere and seldom speak.
class Message {
 public:
  explicit Message(std::string_view prefix);
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  Message& operator<<(std::string_view value);
  Message& operator<<(const std::string& value) { return *this << std::string_view(value); }
  Message& operator<<(const char* value) { return *this << std::string_view(value); }
  template <class T>
  Message& operator<<(const T& value) {
    text_ << value;
    return *this;
  }
  std::string text() const;

 private:
  std::ostringstream text_;
};

/// Throws a finished message: `&` binds looser than `<<`.
template <class Error>
struct Thrower {
  [[noreturn, gnu::cold]] void operator&(const Message& message) const;
};

/// "file:line: check failed: condition: "
std::string internal_prefix(const char* file, int line, const char* condition);

}  // namespace detail
}  // namespace vdla

#define VDLA_CHECK_USER(condition) \
  if (condition) {                 \
  } else                           \
    ::vdla::detail::Thrower<::vdla::UserError>() & ::vdla::detail::Message("")

#define VDLA_CHECK(condition)                          \
  if (condition) {                                     \
  } else                                               \
    ::vdla::detail::Thrower<::vdla::InternalError>() & \
        ::vdla::detail::Message(::vdla::detail::internal_prefix(__FILE__, __LINE__, #condition))
