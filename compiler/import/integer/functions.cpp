// SPDX-License-Identifier: Apache-2.0
// Functions of each element of one int8 tensor, whatever the node computes: its meaning in floats is computed
// for the 256 elements that there are, and a table of them is the integer operator. Functions of functions,
// and operators of several of them, are such functions again.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "compiler/graph/requant.h"
#include "compiler/import/integer/rules.h"
#include "compiler/import/lut.h"
#include "support/error.h"

namespace vdla::import::integer {
namespace {

using tensor::ElementFunction;

constexpr int kElements = 256;

/// The reals of an int8 tensor, as DequantizeLinear gives them.
ElementFunction reals(const Context& c, const Quantized& x) {
  const graph::Quantization& q = c.quantization(x);
  std::vector<double> values;
  for (int element = -128; element < 128; ++element)
    values.push_back(static_cast<float>(q.scale[0]) * static_cast<float>(element - q.zero_point[0]));
  return {x, tensor::make_constant(DataType::Float32, {kElements}, values)};
}

/// Input i as a function of the elements of one tensor; nothing: it is none.
std::optional<ElementFunction> function_of(const Context& c, int i) {
  if (const auto* v = c.form<Quantized>(i); v != nullptr && c.as_it_is(i).type == DataType::Float32)
    return reals(c, *v);
  const auto* d = c.form<Deferred>(i);
  if (d == nullptr || !d->function) return std::nullopt;
  return *d->function;
}

/// Input i, a constant, as one number; nothing: it is more.
std::optional<Value> number_of(const Context& c, int i, std::size_t rank) {
  if (graph::element_count(c.shape(i)) != 1 || c.shape(i).size() > rank) return std::nullopt;
  if (c.form<QuantizedConstant>(i)) return tensor::make_constant(DataType::Float32, {}, c.reals(i));
  Value number = c.as_it_is(i);
  number.shape = {};
  return number;
}

/// Constants and functions of elements that the node reads; nothing: it reads others.
struct ElementOperands {
  std::vector<Value> values;
  Quantized x;
  Shape shape;
};

std::optional<ElementOperands> element_operands(const Context& c) {
  ElementOperands result;
  std::vector<int> constants;
  for (int i = 0; i < c.inputs(); ++i) {
    result.values.emplace_back();
    if (!c.has(i)) continue;
    if (c.is_constant(i)) {
      constants.push_back(i);
      continue;
    }
    auto f = function_of(c, i);
    const bool first = result.x.id == graph::kNone;
    if (!f || (!first && (f->x.id != result.x.id || f->x.perm != result.x.perm))) return std::nullopt;
    result.x = f->x;
    result.shape = c.shape(i);
    result.values.back() = std::move(f->values);
  }
  if (result.x.id == graph::kNone) return std::nullopt;
  for (const int i : constants) {
    auto number = number_of(c, i, result.shape.size());
    if (!number) return std::nullopt;
    result.values[static_cast<std::size_t>(i)] = std::move(*number);
  }
  return result;
}

/// "HardSwish" is hard_swish.
std::string snake_case(const std::string& op) {
  std::string result;
  for (const char letter : op) {
    const auto at = static_cast<unsigned char>(letter);
    if (std::isupper(at) != 0 && !result.empty()) result += '_';
    result += static_cast<char>(std::tolower(at));
  }
  return result;
}

}  // namespace

std::shared_ptr<const ElementFunction> element_function(const Context& c) {
  const auto read = element_operands(c);
  if (!read) return nullptr;
  try {
    Value values = c.made_of(c.in_floats(), read->values).at(0);
    const bool whole = values.constant() && values.type == DataType::Float32 && values.count() == kElements;
    if (!whole) return nullptr;
    return std::make_shared<const ElementFunction>(ElementFunction{read->x, std::move(values)});
  } catch (const UserError&) {  // said again, or not, where the node has its own inputs
    return nullptr;
  }
}

/// Divided and rounded in float32, halves to even, as QuantizeLinear is defined; NaN is the zero point.
Quantized as_table(const Context& c, const ElementFunction& f, const Request& request) {
  const auto scale = static_cast<float>(request.quantization.scale[0]);
  const graph::OutputStage limits = stage(request, {});
  graph::Lut lut{snake_case(c.op()), {}};
  const std::vector<double> values = tensor::reals_of(f.values);
  for (std::size_t i = 0; i < lut.table.size(); ++i) {
    const float steps = std::nearbyint(static_cast<float>(values[i]) / scale);
    lut.table[i] = table_entry(steps, limits.zero_point, limits.min, limits.max);
  }
  return c.add(c.name(), std::move(lut), {f.x.id}, request.quantization, f.x.perm);
}

bool set_function(const Context& c) {
  auto f = element_function(c);
  if (f == nullptr) return false;
  Deferred d;
  d.quantize = [c, f](const Request& request) { return as_table(c, *f, request); };
  Shape shape = c.model_shape(f->x);
  d.function = std::move(f);
  c.set(std::move(d), std::move(shape));
  return true;
}

namespace {

void function(const Context& c) {
  c.require(set_function(c),
            "reads other values than one int8 tensor and single numbers, needs a DequantizeLinear before");
}

constexpr Rule kFunctionRules[] = {
    {"Abs", function},        {"Acos", function},        {"Acosh", function},
    {"Asin", function},       {"Asinh", function},       {"Atan", function},
    {"Atanh", function},      {"Ceil", function},        {"Celu", function},
    {"Cos", function},        {"Cosh", function},        {"Elu", function},
    {"Erf", function},        {"Exp", function},         {"Floor", function},
    {"Gelu", function},       {"HardSigmoid", function}, {"HardSwish", function},
    {"LeakyRelu", function},  {"Log", function},         {"Mish", function},
    {"Mod", function},        {"Neg", function},         {"Pow", function},
    {"Reciprocal", function}, {"Round", function},       {"Selu", function},
    {"Shrink", function},     {"Sigmoid", function},     {"Sign", function},
    {"Sin", function},        {"Sinh", function},        {"Softplus", function},
    {"Softsign", function},   {"Sqrt", function},        {"Swish", function},
    {"Tan", function},        {"Tanh", function},        {"ThresholdedRelu", function},
};

}  // namespace

std::span<const Rule> function_rules() { return kFunctionRules; }

}  // namespace vdla::import::integer
