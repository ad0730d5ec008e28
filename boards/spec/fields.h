// SPDX-License-Identifier: Apache-2.0
// Fields of a board.json. Texts of a stranger's file go into scripts, headers and command lines, so each has
// an alphabet; what leaves it is refused with its place. Private to boards/spec.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_text.h"

namespace vdla::boards {

/// Letters, digits and `others`, after a letter, a digit or one of `first`.
struct Alphabet {
  std::string_view others, first = {};
};

/// An object of the text. Fields are taken by name; a field that was not taken is an unknown one.
class Fields {
 public:
  using Json = nlohmann::ordered_json;

  Fields(const JsonText& text, const Json& value, std::string pointer);

  bool has(const std::string& key);
  /// UserError "board.json:3:7: /fpga/number is "..", needs NEED".
  [[noreturn]] void refuse(const std::string& key, const std::string& need) const;
  /// Refuses the value of a key unless `good`.
  void need(bool good, const std::string& key, const std::string& need) const;

  /// A text for programs.
  std::string word(const std::string& key, Alphabet alphabet);
  /// A word of the alphabet, or an empty one if the key is missing.
  std::string word_or_none(const std::string& key, Alphabet alphabet);
  /// A text for people: one line of any writing.
  std::string prose(const std::string& key);
  std::uint64_t number(const std::string& key, std::uint64_t most = UINT64_MAX);
  bool yes_or(bool otherwise, const std::string& key);
  double positive(const std::string& key);
  Fields object(const std::string& key);
  const Json& list(const std::string& key);
  Fields element(const std::string& key, std::size_t i) const;

  /// Last of all.
  void refuse_others() const;

 private:
  const Json& take(const std::string& key, const std::string& needed);
  std::string at(const std::string& key) const { return text_.at(pointer_ + "/" + key); }

  const JsonText& text_;
  const Json& value_;
  std::string pointer_;
  std::vector<std::string> known_;
};

}  // namespace vdla::boards
