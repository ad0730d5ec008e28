// SPDX-License-Identifier: Apache-2.0
#include "compiler/bundle/convert_c.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "compiler/bundle/text_c.h"
#include "driver/model/convert.h"
#include "support/error.h"

namespace vdla::bundle {
namespace {

using runtime::DataType;

/// A port that needs a function.
struct Conversion {
  const runtime::Port* port;
  const runtime::Tensor* tensor;
  std::string name;
  bool is_input;
};

std::vector<Conversion> conversions_of(const Plan& plan) {
  std::vector<Conversion> list;
  const auto add = [&](const std::vector<runtime::Port>& ports, const std::vector<std::string>& names,
                       bool is_input) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const runtime::Tensor& tensor = plan.module.tensors[ports[i].tensor];
      if (tensor.bytes() == 0 || (ports[i].perm.empty() && ports[i].model_type == tensor.type)) continue;
      list.push_back({&ports[i], &tensor, plan.name + "_" + names[i], is_input});
    }
  };
  add(plan.module.inputs, plan.inputs, true);
  add(plan.module.outputs, plan.outputs, false);
  return list;
}

std::string conversion_signature(const Conversion& c) {
  const std::string_view model = c_type(c.port->model_type), tensor = c_type(c.tensor->type);
  return c.is_input ? fmt::format("void {}_from_model(const {}* model, {}* tensor)", c.name, model, tensor)
                    : fmt::format("void {}_to_model(const {}* tensor, {}* model)", c.name, tensor, model);
}

/// Dimensions that lie together in both orders are one.
struct Dimensions {
  std::vector<std::int64_t> extents, strides;
};

Dimensions dimensions_of(const runtime::Port& port) {
  if (port.perm.empty()) return {{runtime::element_count(port.model_shape)}, {1}};
  std::vector<std::int64_t> model_strides(port.model_shape.size(), 1);
  for (std::size_t d = model_strides.size(); d-- > 1;)
    model_strides[d - 1] = model_strides[d] * port.model_shape[d];
  Dimensions dims;
  for (const std::int32_t from : port.perm) {
    const std::int64_t extent = port.model_shape[static_cast<std::size_t>(from)],
                       stride = model_strides[static_cast<std::size_t>(from)];
    if (!dims.extents.empty() && dims.strides.back() == extent * stride) {
      dims.extents.back() *= extent;
      dims.strides.back() = stride;
    } else {
      dims.extents.push_back(extent);
      dims.strides.push_back(stride);
    }
  }
  return dims;
}

std::string port_c(const Conversion& c) {
  const Dimensions dims = dimensions_of(*c.port);
  VDLA_CHECK_USER(dims.extents.size() <= VDLA_PORT_DIMENSIONS)
      << "'" << c.port->name << "' changes the order of " << dims.extents.size()
      << " dimensions between the model's file and the network, C code of at most " << VDLA_PORT_DIMENSIONS;
  const auto& q = c.tensor->quantization;
  const float scale = q.scale.size() == 1 ? static_cast<float>(q.scale[0]) : 1.0F;
  VDLA_CHECK_USER(std::isfinite(scale) && scale > 0)
      << "'" << c.port->name << "' has scale " << q.scale[0]
      << ", C code needs one that is above 0 and finite in a float";
  return fmt::format(
      "static const vdla_model_port kPort_{} = {{\n    .dimensions = {},\n    .extents = {{{}}},\n    "
      ".strides = "
      "{{{}}},\n    .scale = {}F,\n    .zero_point = {},\n    .half_away = {}}};\n\n",
      c.name, dims.extents.size(), fmt::join(dims.extents, ", "), fmt::join(dims.strides, ", "),
      literal(scale), q.zero_point.size() == 1 ? q.zero_point[0] : 0,
      c.port->rounding == Rounding::HalfAwayFromZero ? 1 : 0);
}

std::string call_c(const Conversion& c) {
  const char* arguments = c.is_input ? "model, tensor" : "tensor, model";
  if (c.port->model_type == c.tensor->type)
    return fmt::format("{}(&kPort_{}, {}, {})", c.is_input ? "vdla_from_model_order" : "vdla_to_model_order",
                       c.name, arguments, runtime::bytes_of(c.tensor->type));
  const bool is_float = c.port->model_type == DataType::Float32;
  return fmt::format("{}(&kPort_{}, {})",
                     is_float ? (c.is_input ? "vdla_quantize" : "vdla_dequantize")
                              : (c.is_input ? "vdla_from_unsigned" : "vdla_to_unsigned"),
                     c.name, arguments);
}

}  // namespace

std::string conversions_h(const Plan& plan) {
  const std::vector<Conversion> list = conversions_of(plan);
  if (list.empty()) return "";
  std::string text = fmt::format(
      "/* From what the model's file speaks of, and back to it ({}_convert.c; floating point). */\n",
      plan.name);
  for (const Conversion& c : list) text += conversion_signature(c) + ";\n";
  return text + "\n";
}

std::string conversions_c(const Plan& plan) {
  const std::vector<Conversion> list = conversions_of(plan);
  if (list.empty()) return "";
  std::string text = banner(plan, "its conversions") +
                     fmt::format("#include \"{}.h\"\n\n#include \"driver/model/convert.h\"\n\n", plan.name);
  for (const Conversion& c : list)
    text += port_c(c) + fmt::format("{} {{\n  {};\n}}\n\n", conversion_signature(c), call_c(c));
  return text;
}

}  // namespace vdla::bundle
