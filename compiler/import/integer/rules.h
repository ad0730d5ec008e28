// SPDX-License-Identifier: Apache-2.0
// The rules that make integer layers, a file for each family.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/import/integer/context.h"

namespace vdla::import::integer {

/// Gives the node's output an integer form if a rule covers the node; false: the node is to be imported as it
/// is.
bool import_node(const tensor::Node& node, tensor::Import in_floats);
/// Whether a rule may make an integer layer of the operator.
bool has_rule(std::string_view op);
/// Says that no rule covers the node's operator, where an input is quantised.
void has_no_form(const tensor::Node& node);

struct Rule {
  std::string_view op;
  void (*apply)(const Context&);
  bool moves = false;        ///< holds for integers as for reals: no element is computed with
  bool all_outputs = false;  ///< makes every output, not output 0 alone
};

std::span<const Rule> layer_rules();
std::span<const Rule> pooling_rules();
std::span<const Rule> elementwise_rules();
std::span<const Rule> function_rules();
std::span<const Rule> movement_rules();
std::span<const Rule> moving_rules();
std::span<const Rule> resize_rules();
std::span<const Rule> slope_rules();
void quantize_linear(const Context& c);
void dequantize_linear(const Context& c);

/// An Add, Sub, Mul or Div of a layer's result and a constant of one number, or of one for each output
/// channel, joins the layer; that of an image is a layer of each channel on its own. False: it is none.
bool join_affine(const Context& c);

/// The function of each element of one int8 tensor that the node computes; null: it computes none.
std::shared_ptr<const tensor::ElementFunction> element_function(const Context& c);
Quantized as_table(const Context& c, const tensor::ElementFunction& f, const Request& request);
/// Gives the output such a function, whose integer form is a table; false: the node is none.
bool set_function(const Context& c);

/// The tensor in the scale and within the limits of the request.
Quantized in_scale(const Context& c, const Quantized& v, const Request& request);

/// Gives the outputs what the node makes of the integers of its input 0 in their place.
void move_elements(const Context& c);

/// Whether a constant of this shape adds the same to all rows of a result, along whose last dimension it
/// varies.
bool is_row(const Shape& constant, const Shape& result);
/// Whether a constant of this shape is one number, or one for each index of dimension `axis` of a result.
bool is_along(const Shape& constant, const Shape& result, std::size_t axis);

/// Choice of a PRelu between its input and its input times the slopes.
enum class SlopeSide : std::uint8_t { Larger, Smaller };
/// The choice of these slopes; nothing: some are above one, and some below.
std::optional<SlopeSide> side_of_slopes(const std::vector<double>& slopes);
/// Dimension of a PRelu's input of which each index has a slope; nothing: slopes vary along several.
std::optional<std::size_t> sloped_axis(const Shape& slopes, const Shape& input);

}  // namespace vdla::import::integer
