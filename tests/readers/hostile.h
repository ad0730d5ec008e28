// SPDX-License-Identifier: Apache-2.0
// Names that no language of the kit's outputs has a plain place for.
#pragma once

#include <string>
#include <vector>

namespace vdla::readers {

/// Every character of a byte but the zero, and what runs a command in one of the languages.
inline std::string hostile_text() {
  std::string text =
      "[exec touch PWN] $(touch PWN) `touch PWN` ;touch PWN; *"
      "/ --> %n \"; exec touch PWN\n";
  text += "touch PWN\nexec touch PWN\n";
  for (int c = 1; c < 256; ++c) text += static_cast<char>(c);
  return text + "<script>\\";
}

/// Names that end a text, a line, a comment, an element or a field somewhere, one for each way, and all at
/// once.
inline std::vector<std::string> hostile_names() {
  return {"a \"b\" 'c' \\",
          "one,two;three\tfour",
          "<b>&amp;</b></script><img src=x onerror=alert(1)>]]>",
          "ends\r\na line\xe2\x80\xa8here",
          "\x1b]0;title\x07\x7f",
          "no UTF-8 \xff\xc3\x28\xed\xa0\x80",
          "*/ // --> #} @{ ${x} $(x) `x` %n %s ?\?/",
          "Infinity",
          std::string(5000, 'n'),
          hostile_text()};
}

}  // namespace vdla::readers
