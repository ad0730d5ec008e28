// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/passages.h"

#include "support/error.h"

namespace vdla::isa::gen {

std::string with_passages(std::string_view current, const PassageMarkers& markers,
                          const std::function<std::string(std::string_view name)>& passage) {
  std::string text;
  while (true) {
    const std::size_t begin = current.find(markers.begin);
    if (begin == std::string_view::npos) return text + std::string(current);
    const std::size_t name = begin + markers.begin.size();
    const std::size_t close = current.find(markers.close, name);
    const std::size_t end = current.find(markers.end, begin);
    VDLA_CHECK_USER(close < end && end != std::string_view::npos)
        << "'" << current.substr(begin, 40) << "' has no end marker";
    text += current.substr(0, close + markers.close.size());
    text += passage(current.substr(name, close - name));
    const std::size_t end_line = current.rfind('\n', end) + 1;
    text += current.substr(end_line, end - end_line);
    text += markers.end;
    current.remove_prefix(end + markers.end.size());
  }
}

void refuse_passage(std::string_view name) {
  throw UserError("vdla-isagen knows no passage '" + std::string(name) + "'");
}

}  // namespace vdla::isa::gen
