// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/op.h"

#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::graph {

std::string_view name_of(Outside outside) {
  switch (outside) {
    case Outside::Never:
      return "never";
    case Outside::Fill:
      return "fill";
    case Outside::Edge:
      return "edge";
    case Outside::Reflect:
      return "reflect";
  }
  VDLA_CHECK(false) << "outside " << static_cast<int>(outside);
  return {};
}

std::string_view name_of(ScatterMode mode) {
  switch (mode) {
    case ScatterMode::Replace:
      return "replace";
    case ScatterMode::Add:
      return "add";
    case ScatterMode::Multiply:
      return "multiply";
  }
  VDLA_CHECK(false) << "scatter mode " << static_cast<int>(mode);
  return {};
}

std::string_view name_of(const Op& op) {
  return std::visit(
      overloaded{
#define VDLA_CASE(type, text, fusion) [](const type&) -> std::string_view { return text; },
          VDLA_GRAPH_OPS(VDLA_CASE)
#undef VDLA_CASE
      },
      op);
}

FusionClass fusion_class_of(const Op& op) {
  return std::visit(
      overloaded{
#define VDLA_CASE(type, text, fusion) [](const type&) { return FusionClass::fusion; },
          VDLA_GRAPH_OPS(VDLA_CASE)
#undef VDLA_CASE
      },
      op);
}

}  // namespace vdla::graph
