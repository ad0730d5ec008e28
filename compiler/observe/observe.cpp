// SPDX-License-Identifier: Apache-2.0
#include "compiler/observe/observe.h"

#include <algorithm>
#include <iterator>

#include "compiler/observe/pass_list.h"
#include "support/error.h"

namespace vdla::pipeline {
namespace {

struct Row {
  Pass pass;
  std::string_view name, shows;
};

constexpr Row kRows[] = {
#define VDLA_ROW(id, name, shows, ...) {Pass::id, name, shows},
    VDLA_COMPILE_PASSES(VDLA_ROW)
#undef VDLA_ROW
};

const Row& row_of(Pass pass) { return kRows[static_cast<std::size_t>(pass)]; }

}  // namespace

std::string_view name_of(Pass pass) { return row_of(pass).name; }
std::string_view text_of(Pass pass) { return row_of(pass).shows; }

std::vector<Pass> all_passes() {
  std::vector<Pass> all;
  for (const Row& row : kRows) all.push_back(row.pass);
  return all;
}

Pass pass_named(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &Row::name);
  VDLA_CHECK(found != std::end(kRows)) << "the passes of a compile have none called '" << name << "'";
  return found->pass;
}

}  // namespace vdla::pipeline
