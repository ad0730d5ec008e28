// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"

namespace vdla::detail {

Message::Message(std::string_view prefix) { text_ << prefix; }
Message::~Message() = default;

Message& Message::operator<<(std::string_view value) {
  text_ << value;
  return *this;
}
std::string Message::text() const { return text_.str(); }

template <class Error>
void Thrower<Error>::operator&(const Message& message) const {
  throw Error(message.text());
}
template struct Thrower<UserError>;
template struct Thrower<InternalError>;

std::string internal_prefix(const char* file, int line, const char* condition) {
  std::string path = file;
  if (const auto slash = path.find_last_of('/'); slash != std::string::npos) path = path.substr(slash + 1);
  return path + ":" + std::to_string(line) + ": check failed: " + condition + ": ";
}

}  // namespace vdla::detail
