// SPDX-License-Identifier: Apache-2.0
#include "support/shell_word.h"

#include <cctype>
#include <string_view>

namespace vdla {

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "-_./:@%+,=";
  bool plain = !word.empty();
  std::string quoted = "'";
  for (const char c : word) {
    plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos);
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return plain ? word : quoted + "'";
}

}  // namespace vdla
