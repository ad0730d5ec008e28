// SPDX-License-Identifier: Apache-2.0
// The two kinds of error, never mixed: the caller's mistake (UserError) and ours (InternalError). Leaf of the kit.
//
//   VDLA_CHECK_USER(factor > 0) << "split of '" << axis << "' needs a positive factor, got " << factor;
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace vdla {

/// The caller gave something that cannot work; the message names culprit, value seen, value needed and remedy.
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

/// Collects a message and throws it at the end of the full expression.
template <class Error>
class Thrower {
 public:
  explicit Thrower(const std::string& prefix) { text_ << prefix; }
  Thrower(const Thrower&) = delete;
  Thrower& operator=(const Thrower&) = delete;
  [[noreturn]] ~Thrower() noexcept(false) { throw Error(text_.str()); }

  template <class T>
  Thrower& operator<<(const T& value) {
    text_ << value;
    return *this;
  }

 private:
  std::ostringstream text_;
};

/// "file:line: check failed: condition: "
std::string internal_prefix(const char* file, int line, const char* condition);

}  // namespace detail
}  // namespace vdla

#define VDLA_CHECK_USER(condition) \
  if (condition) {                 \
  } else                           \
    ::vdla::detail::Thrower<::vdla::UserError>("")

#define VDLA_CHECK(condition) \
  if (condition) {            \
  } else                      \
    ::vdla::detail::Thrower<::vdla::InternalError>(::vdla::detail::internal_prefix(__FILE__, __LINE__, #condition))
