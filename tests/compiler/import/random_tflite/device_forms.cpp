// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/import/random_tflite/device_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/targets/vdla/templates/from_graph.h"
#include "isa/variants/variants.h"
#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

constexpr std::uint64_t kFiles = 150;  // files of each operator

using Kinds = std::set<std::string_view>;

/// A product of two activations becomes a layer when a pass packs the second one.
bool is_layer(const graph::Graph& g, const graph::Node& n, const isa::Geometry& geometry) {
  if (std::holds_alternative<graph::BatchMatMul>(n.op))
    return !pipeline::device::why_not_packed(g, n, geometry);
  return std::holds_alternative<pipeline::device::Layer>(pipeline::device::layer_of(g, n, geometry));
}

/// Kinds of the file's nodes without reshapes; empty where one of them is no layer of the device.
Kinds layers_of(const graph::Graph& g, const isa::Geometry& geometry) {
  Kinds kinds;
  for (const graph::Node& n : g.nodes) {
    if (std::holds_alternative<graph::Reshape>(n.op)) continue;
    if (!is_layer(g, n, geometry)) return {};
    kinds.insert(graph::name_of(n.op));
  }
  return kinds;
}

}  // namespace

std::string text_of_device_forms() {
  const isa::Geometry geometry = isa::load_variant("paper").geometry;
  std::set<std::pair<std::string, Kinds>> forms;
  for (const std::string& op : operators_like("*"))
    for (std::uint64_t seed = 0; seed < kFiles; ++seed) {
      const Drawn drawn = draw_of_whole_blocks(seed, op, geometry.block_out);
      if (Kinds kinds = layers_of(import::import_tflite(drawn.model, "drawn"), geometry); !kinds.empty())
        forms.emplace(op.substr(0, op.find(' ')), std::move(kinds));
    }
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Operators of TFLite of which drawn files of 8-bit integers are layers of the device, and the kinds "
      "of "
      "these\n"
      "// layers. Written by `random_tflite --device-forms tools/vdla/explain/device_forms.h`.\n"
      "#pragma once\n\n"
      "#include <string_view>\n\n"
      "namespace vdla::tools {\n\n"
      "struct DeviceForm {\n"
      "  std::string_view op, layers;\n"
      "};\n\n"
      "inline constexpr DeviceForm kDeviceForms[] = {\n";
  for (const auto& [op, kinds] : forms)
    text += fmt::format("    {{\"{}\", \"{}\"}},\n", op, fmt::join(kinds, " + "));
  return text + "};\n\n}  // namespace vdla::tools\n";
}

}  // namespace vdla::random_tflite
