// SPDX-License-Identifier: Apache-2.0
#include "compiler/expr/for_kind.h"

#include <iterator>

namespace vdla::expr {
namespace {

constexpr std::string_view kForKinds[] = {
#define VDLA_ROW(name, text) text,
    VDLA_FOR_KINDS(VDLA_ROW)
#undef VDLA_ROW
};

}  // namespace

std::string_view name(ForKind kind) { return kForKinds[static_cast<std::size_t>(kind)]; }

std::optional<ForKind> parse_for_kind(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kForKinds); ++i) {
    if (kForKinds[i] == text) return static_cast<ForKind>(i);
  }
  return std::nullopt;
}

}  // namespace vdla::expr
