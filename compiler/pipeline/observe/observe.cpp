// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/observe/observe.h"

namespace vdla::pipeline {

std::string_view name_of(Pass pass) {
  switch (pass) {
#define VDLA_CASE(id, name, shows) \
  case Pass::id:                   \
    return name;
    VDLA_COMPILE_PASSES(VDLA_CASE)
#undef VDLA_CASE
  }
  return {};
}

std::string_view text_of(Pass pass) {
  switch (pass) {
#define VDLA_CASE(id, name, shows) \
  case Pass::id:                   \
    return shows;
    VDLA_COMPILE_PASSES(VDLA_CASE)
#undef VDLA_CASE
  }
  return {};
}

std::vector<Pass> all_passes() {
#define VDLA_ITEM(id, name, shows) Pass::id,
  return {VDLA_COMPILE_PASSES(VDLA_ITEM)};
#undef VDLA_ITEM
}

}  // namespace vdla::pipeline
