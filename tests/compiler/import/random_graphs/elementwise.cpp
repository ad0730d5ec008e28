// SPDX-License-Identifier: Apache-2.0
// Operators whose output element comes from one element of each input.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

constexpr double kMost = 1e8;  ///< no value that arithmetic makes is larger

/// Functions of one float, with where they are defined and what they give there.
struct Function {
  std::string_view name;
  double low, high, least, most;
};
constexpr Function kFunctions[] = {{"Acos", -1, 1, 0, 3.2},           {"Acosh", 1, 20, 0, 4},
                                   {"Asin", -1, 1, -1.6, 1.6},        {"Asinh", -50, 50, -5, 5},
                                   {"Atan", -1e6, 1e6, -1.6, 1.6},    {"Atanh", -0.95, 0.95, -2, 2},
                                   {"Cos", -20, 20, -1, 1},           {"Cosh", -5, 5, 0, 80},
                                   {"Erf", -1e6, 1e6, -1, 1},         {"Exp", -20, 8, 0, 3000},
                                   {"HardSwish", -1e6, 1e6, -1, 1e6}, {"Log", 0.05, 1e6, -3, 14},
                                   {"Mish", -1e6, 1e6, -1, 1e6},      {"Reciprocal", 0.1, 1e6, 0, 10},
                                   {"Sigmoid", -1e6, 1e6, 0, 1},      {"Sin", -20, 20, -1, 1},
                                   {"Sinh", -5, 5, -80, 80},          {"Softplus", -1e6, 1e6, 0, 1e6},
                                   {"Softsign", -1e6, 1e6, -1, 1},    {"Sqrt", 0, 1e6, 0, 1000},
                                   {"Tan", -1.3, 1.3, -4, 4},         {"Tanh", -1e6, 1e6, -1, 1}};

bool function(Sketch& s, const char* name) {
  for (const Function& f : kFunctions) {
    if (f.name != name) continue;
    const Piece x = s.take({kFloat, 0, 5, f.low, f.high});
    const double most = f.most > 1e5 ? std::max(x.high, 1.0) : f.most;
    Written n = s.node(name);
    n.in(x).out(DataType::Float32, x.shape, f.least, most, false);
  }
  return true;
}

/// Operators of one input whose result has its type.
bool same_type(Sketch& s, const char* name) {
  const std::string_view op = name;
  const bool jumps = op == "Ceil" || op == "Floor" || op == "Round" || op == "Sign";
  const bool integers = op == "Abs" || op == "Sign" || op == "Neg" || (op == "Relu" && s.opset() >= 14);
  static const Types kSigned = {DataType::Float32, DataType::Int32, DataType::Int64, DataType::Int8};
  static const Types kRelu = {DataType::Float32, DataType::Float32, DataType::Int32, DataType::Int8};
  const Types& types = !integers ? kFloat : op == "Relu" ? kRelu : op == "Neg" ? kSigned : kNumbers;
  const Piece x = s.take({types, 0, 5, -kMost, kMost, jumps});
  double low = x.low, high = x.high;
  if (op == "Abs") low = 0, high = reach(x);
  if (op == "Relu") low = std::max(low, 0.0), high = std::max(high, 0.0);
  if (op == "Neg") low = -x.high, high = -x.low;
  if (op == "Sign") low = -1, high = 1;
  if (op == "Ceil" || op == "Floor" || op == "Round") low = std::floor(low), high = std::ceil(high);
  Written n = s.node(name);
  n.in(x).out(x.type, x.shape, low, high, true);
  return true;
}

bool with_alpha(Sketch& s, const char* name) {
  const std::string_view op = name;
  const bool jumps = op == "ThresholdedRelu" || op == "Shrink";
  const Piece x = s.take({kFloat, 0, 5, -1e4, 1e4, jumps});
  Random& r = s.random();
  Written n = s.node(name);
  n.in(x);
  double most = std::max(1.0, reach(x));
  if (op == "LeakyRelu") most *= std::max(1.0, std::fabs(n.some("alpha", 0.01, r.between(-0.5, 1.5))));
  if (op == "Elu" || op == "Celu") most *= std::max(1.0, n.some("alpha", 1, r.between(0.3, 2.0)));
  if (op == "ThresholdedRelu") n.some("alpha", 1, r.between(-1.0, 2.0));
  if (op == "Selu") {
    const double alpha = n.some("alpha", 1.6733, r.between(0.3, 2.0));
    most *= std::max(1.0, alpha) * std::max(1.0, n.some("gamma", 1.0508, r.between(0.3, 2.0)));
  }
  if (op == "HardSigmoid") {
    n.some("alpha", 0.2, r.between(0.05, 1.0));
    n.some("beta", 0.5, r.between(-0.5, 1.0));
    most = 1;
  }
  if (op == "Shrink") {
    n.some("lambd", 0.5, r.between(0.0, 1.5));
    most += std::fabs(n.some("bias", 0, r.between(-1.0, 1.0)));
  }
  if (op == "Gelu" && r.chance(0.6)) n.text("approximate", r.one_of({"none", "tanh"}));
  n.out(DataType::Float32, x.shape, op == "HardSigmoid" ? 0 : -most, most, jumps);
  return true;
}

bool logical_not(Sketch& s, const char* name) {
  const Piece x = s.take({kBool});
  s.node(name).in(x).out(DataType::Bool, x.shape, 0, 1, true);
  return true;
}

bool is_special(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat});
  Written n = s.node(name);
  n.in(x);
  if (std::string_view(name) == "IsInf") {
    n.some("detect_positive", 1, s.random().below(2));
    n.some("detect_negative", 1, s.random().below(2));
  }
  n.out(DataType::Bool, x.shape, 0, 1, true);
  return true;
}

bool arithmetic(Sketch& s, const char* name) {
  const std::string_view op = name;
  static const Types kBytesToo = {DataType::Float32, DataType::Float32, DataType::Float32, DataType::Int32,
                                  DataType::Int64,   DataType::Int8,    DataType::UInt8};
  const Piece x = s.take({s.opset() >= 14 && s.random().chance(0.2) ? kBytesToo : kNumbers, 0, 5, -1e6, 1e6});
  const bool divides = op == "Div", whole = x.type != DataType::Float32;
  const double least = divides ? (whole ? 1 : 0.25) : -1e3;
  Piece y = s.mate(x, x.type, least, 1e3);
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape)) return false;
  double low = std::min(x.low, 0.0) + std::min(y.low, 0.0),
         high = std::max(x.high, 0.0) + std::max(y.high, 0.0);
  double typical = x.typical + y.typical;
  if (op == "Sub") low = x.low - y.high, high = x.high - y.low;
  if (op == "Mul") {
    high = reach(x) * reach(y), low = x.low >= 0 && y.low >= 0 ? 0 : -high;
    typical = x.typical * y.typical;
  }
  if (divides) {
    const double by = whole ? 1 : std::max(y.low, 0.25);
    low = std::min(x.low / by, 0.0), high = std::max(x.high / by, 0.0);
    typical = x.typical / by;
  }
  const auto [smallest, largest] = limits(x.type);
  if (whole && (low < smallest || high > largest)) {  // wraps around, as all implementations have it
    if (x.type == DataType::Int64) return false;
    low = smallest, high = largest;
  }
  const bool turned = !divides && op != "Sub" && s.random().chance(0.4);
  s.node(name).in(turned ? y : x).in(turned ? x : y).out(x.type, shape, low, high, true, typical);
  return true;
}

bool variadic(Sketch& s, const char* name) {
  const std::string_view op = name;
  const bool extreme = op == "Max" || op == "Min";
  static const Types kWide = {DataType::Float32, DataType::Float32, DataType::Int32,
                              DataType::Int64,   DataType::Int8,    DataType::UInt8};
  const Types& types = extreme && s.opset() >= 12 ? kWide : kFloat;
  Piece x = s.take({types, 0, 5, -1e6, 1e6});
  std::vector<Piece> inputs = {x};
  Shape shape = x.shape;
  double low = x.low, high = x.high;
  for (std::int64_t i = s.random().below(4); i-- > 0;) {
    const Piece y = s.opset() >= 8 ? s.mate(x, x.type, -1e6, 1e6) : s.fresh(x.type, x.shape, -10, 10);
    Shape wide;
    if (!broadcast(shape, y.shape, wide)) continue;
    shape = wide;
    inputs.push_back(y);
    low = extreme ? std::min(low, y.low) : low + std::min(0.0, y.low);
    high = extreme ? std::max(high, y.high) : high + std::max(0.0, y.high);
  }
  s.random().shuffle(inputs);
  Written n = s.node(name);
  for (const Piece& piece : inputs) n.in(piece);
  n.out(x.type, shape, std::min(low, 0.0), std::max(high, 0.0), extreme);
  return true;
}

bool logic(Sketch& s, const char* name) {
  const Piece x = s.take({kBool});
  const Piece y = s.mate(x, DataType::Bool, 0, 1);
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape)) return false;
  s.node(name).in(x).in(y).out(DataType::Bool, shape, 0, 1, true);
  return true;
}

bool comparison(Sketch& s, const char* name) {
  const bool equal = std::string_view(name) == "Equal";
  static const Types kEarlyEqual = {DataType::Int32, DataType::Int64, DataType::Bool};
  const Types& types = equal && s.opset() < 11 ? kEarlyEqual : s.opset() < 9 ? kFloat : kNumbers;
  const Piece x = s.take({types, 0, 5, -1e8, 1e8, true});
  const Piece y = s.mate(x, x.type, -1e8, 1e8);
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape)) return false;
  s.node(name).in(x).in(y).out(DataType::Bool, shape, 0, 1, true);
  return true;
}

bool power(Sketch& s, const char* name) {
  const bool whole = s.opset() >= 12 && s.random().chance(0.3);
  static const Types kWhole = {DataType::Int32, DataType::Int64};
  // Positive bases for fractions, whole exponents for the others.
  const bool positive = s.random().chance(0.5);
  const Piece x = s.take({whole ? kWhole : kFloat, 0, 5, positive ? 0.1 : -8.0, 8});
  const DataType type = s.opset() < 12 ? x.type : s.random().one_of(kNumbers);
  if (whole && type == DataType::Float32) return false;
  const Piece y =
      positive && !whole && type == DataType::Float32
          ? s.mate(x, type, -3, 3)
          : s.constant_of(type, {},
                          {static_cast<double>(s.random().between(std::int64_t{0}, std::int64_t{4}))});
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape)) return false;
  const double most = whole ? 5000 : 1e4;
  s.node(name).in(x).in(y).out(x.type, shape, x.low >= 0 ? 0 : -most, most, whole);
  return true;
}

bool remainder(Sketch& s, const char* name) {
  const Piece x = s.take({kNumbers, 0, 5, -1e6, 1e6, true});
  const bool real = x.type == DataType::Float32;
  const Piece y = s.mate(x, x.type, real ? 0.25 : 1, 100);
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape) || (real && !(x.exact && y.exact))) return false;
  Written n = s.node(name);
  n.in(x).in(y);
  if (real || s.random().chance(0.4)) n.integer("fmod", 1);
  const double most = std::max(reach(x), y.high);
  n.out(x.type, shape, -most, most, true);
  return true;
}

bool shift(Sketch& s, const char* name) {
  static const Types kUnsigned = {DataType::UInt8, DataType::UInt32, DataType::UInt64};
  const Piece x = s.take({kUnsigned});
  const Piece y = s.mate(x, x.type, 0, 7);
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape)) return false;
  const auto [low, high] = limits(x.type);
  s.node(name)
      .in(x)
      .in(y)
      .text("direction", s.random().one_of({"LEFT", "RIGHT"}))
      .out(x.type, shape, low, high, true);
  return true;
}

bool prelu(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 0, 5, -1e6, 1e6});
  const Piece slope = s.mate(x, DataType::Float32, -4, 4, false);
  Shape shape;
  if (!broadcast(x.shape, slope.shape, shape) || shape != x.shape) return false;
  const double most = reach(x) * std::max(1.0, reach(slope));
  s.node(name).in(x).in(slope).out(x.type, shape, -most, most, true);
  return true;
}

bool where(Sketch& s, const char* name) {
  const Piece x = s.take({kAny});
  const Piece y = s.mate(x, x.type, limits(x.type).first, limits(x.type).second);
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape)) return false;
  Piece both = x;
  both.shape = shape;
  const Piece condition = s.mate(both, DataType::Bool, 0, 1);
  Shape all;
  if (!broadcast(shape, condition.shape, all)) return false;
  s.node(name).in(condition).in(x).in(y).out(x.type, all, std::min(x.low, y.low), std::max(x.high, y.high),
                                             true);
  return true;
}

bool clip(Sketch& s, const char* name) {
  static const Types kWide = {DataType::Float32, DataType::Float32, DataType::Int32,
                              DataType::Int64,   DataType::Int8,    DataType::UInt8};
  const Piece x = s.take({s.opset() >= 12 ? kWide : kFloat});
  Random& r = s.random();
  const double unit = x.type == DataType::Float32 ? std::max(x.typical, 0.1) : 20;
  double low = std::clamp(-r.between(0.0, unit), limits(x.type).first, limits(x.type).second);
  double high = std::clamp(r.between(0.0, unit), limits(x.type).first, limits(x.type).second);
  if (x.type != DataType::Float32) low = std::floor(low), high = std::floor(high);
  const bool has_low = r.chance(0.6), has_high = r.chance(0.6);
  const bool attributes = s.opset() < 11;
  const auto scalar = [&](double v) { return s.constant_of(x.type, {}, {v}); };
  const Piece bounds[2] = {scalar(low), scalar(high)};
  Written n = s.node(name);
  n.in(x);
  if (attributes) {
    if (has_low) n.real("min", low);
    if (has_high) n.real("max", high);
  } else {
    if (has_low) n.in(bounds[0]);
    if (has_high && !has_low) n.absent();
    if (has_high) n.in(bounds[1]);
  }
  n.out(x.type, x.shape,
        has_low ? std::max(std::min(x.low, high), low) : std::min(x.low, has_high ? high : x.low),
        has_high ? std::min(std::max(x.high, low), high) : std::max(x.high, has_low ? low : x.high), true);
  return true;
}

/// A value of the type that a cast to `to` has a meaning for.
Piece castable(Sketch& s, DataType to) {
  const auto [low, high] = limits(to);
  const bool jumps = to != DataType::Float32;
  if (to == DataType::Float32 || to == DataType::Bool) return s.take({kAny, 0, 5, -1e7, 1e7, jumps});
  return s.take({kAny, 0, 5, std::max(low, -1e7), std::min(high, 1e7), jumps});
}

bool cast(Sketch& s, const char* name) {
  const DataType to = s.random().one_of(kAny);
  const Piece x = castable(s, to);
  const bool truth = to == DataType::Bool;
  s.node(name)
      .in(x)
      .integer("to", onnx_code(to))
      .out(to, x.shape, truth ? 0 : x.low, truth ? 1 : x.high, true);
  return true;
}

bool cast_like(Sketch& s, const char* name) {
  const Piece like = s.take({kAny});
  const Piece x = castable(s, like.type);
  const bool truth = like.type == DataType::Bool;
  s.node(name).in(x).in(like).out(like.type, x.shape, truth ? 0 : x.low, truth ? 1 : x.high, true);
  return true;
}

}  // namespace

std::vector<Operator> common_operators() {
  return {{"Add", 7, kEver, arithmetic}, {"Clip", 6, kEver, clip},        {"Mul", 7, kEver, arithmetic},
          {"Relu", 6, kEver, same_type}, {"Sigmoid", 6, kEver, function}, {"Sub", 7, kEver, arithmetic}};
}

std::vector<Operator> elementwise_operators() {
  return {{"Abs", 6, kEver, same_type},
          {"Acos", 7, kEver, function},
          {"Acosh", 9, kEver, function},
          {"Add", 7, kEver, arithmetic},
          {"And", 7, kEver, logic},
          {"Asin", 7, kEver, function},
          {"Asinh", 9, kEver, function},
          {"Atan", 7, kEver, function},
          {"Atanh", 9, kEver, function},
          {"BitShift", 11, kEver, shift},
          {"Cast", 9, kEver, cast},
          {"CastLike", 15, kEver, cast_like},
          {"Ceil", 6, kEver, same_type},
          {"Celu", 12, kEver, with_alpha},
          {"Clip", 6, kEver, clip},
          {"Cos", 7, kEver, function},
          {"Cosh", 9, kEver, function},
          {"Div", 7, kEver, arithmetic},
          {"Elu", 6, kEver, with_alpha},
          {"Equal", 7, kEver, comparison},
          {"Erf", 9, kEver, function},
          {"Exp", 6, kEver, function},
          {"Floor", 6, kEver, same_type},
          {"Gelu", 20, kEver, with_alpha},
          {"Greater", 7, kEver, comparison},
          {"GreaterOrEqual", 12, kEver, comparison},
          {"HardSigmoid", 6, kEver, with_alpha},
          {"HardSwish", 14, kEver, function},
          {"IsInf", 10, kEver, is_special},
          {"IsNaN", 9, kEver, is_special},
          {"LeakyRelu", 6, kEver, with_alpha},
          {"Less", 7, kEver, comparison},
          {"LessOrEqual", 12, kEver, comparison},
          {"Log", 6, kEver, function},
          {"Max", 6, kEver, variadic},
          {"Mean", 6, kEver, variadic},
          {"Min", 6, kEver, variadic},
          {"Mish", 18, kEver, function},
          {"Mod", 10, kEver, remainder},
          {"Mul", 7, kEver, arithmetic},
          {"Neg", 6, kEver, same_type},
          {"Not", 1, kEver, logical_not},
          {"Or", 7, kEver, logic},
          {"PRelu", 7, kEver, prelu},
          {"Pow", 7, kEver, power},
          {"Reciprocal", 6, kEver, function},
          {"Relu", 6, kEver, same_type},
          {"Round", 11, kEver, same_type},
          {"Selu", 6, kEver, with_alpha},
          {"Shrink", 9, kEver, with_alpha},
          {"Sigmoid", 6, kEver, function},
          {"Sign", 9, kEver, same_type},
          {"Sin", 7, kEver, function},
          {"Sinh", 9, kEver, function},
          {"Softplus", 1, kEver, function},
          {"Softsign", 1, kEver, function},
          {"Sqrt", 6, kEver, function},
          {"Sub", 7, kEver, arithmetic},
          {"Sum", 6, kEver, variadic},
          {"Tan", 7, kEver, function},
          {"Tanh", 6, kEver, function},
          {"ThresholdedRelu", 10, kEver, with_alpha},
          {"Where", 9, kEver, where},
          {"Xor", 7, kEver, logic}};
}

}  // namespace vdla::random_graphs
