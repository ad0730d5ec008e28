// SPDX-License-Identifier: Apache-2.0
// JSON that a person wrote: every message about it says line, column and the key.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace vdla {

class JsonText {
 public:
  /// Comments are allowed. Throws UserError "ORIGIN:3:7: is no JSON: unexpected '}'; expected string
  /// literal", names what a file is that holds something else, and refuses a key that stands twice in an
  /// object.
  JsonText(std::string text, std::string origin);
  ~JsonText();
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  const nlohmann::ordered_json& root() const { return *root_; }

  /// "ORIGIN:3:7: /geometry/batch": the key's place (an element's, in an array) and the JSON pointer, to
  /// begin a message with. The nearest that is there, where the text has no such value.
  std::string at(const std::string& pointer) const;

 private:
  std::string text_, origin_;
  std::unique_ptr<nlohmann::ordered_json> root_;
};

/// Returns the first of these keys in the object that a text holds, or nothing. The text is read up to that
/// key, so that a large file of another kind is refused before it is parsed.
std::string_view first_key(std::string_view text, std::initializer_list<std::string_view> keys);

}  // namespace vdla
