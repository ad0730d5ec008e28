// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {

Shape narrower(Sketch& s, Shape shape) {
  for (auto& extent : shape)
    if (s.random.chance(0.3)) extent = 1;
  while (!shape.empty() && s.random.chance(0.2)) shape.erase(shape.begin());
  return shape;
}

namespace {

using import::tflite::Activation;
using import::tflite::BuiltinOptions;

DataType number(Sketch& s) { return s.random.one_of({kFloat, kFloat, DataType::Int32, DataType::Int64}); }

/// Two operands that broadcast; the result has `all`. At least one of them arrives.
struct Pair {
  Shape all;
  int a = 0, b = 0;
};
Pair pair(Sketch& s, DataType type, double low, double high, double low_b, double high_b) {
  Pair p;
  p.all = s.shape(1, 4);
  const Shape narrow = narrower(s, p.all);
  if (s.random.chance(0.5)) {
    p.a = s.input(type, p.all, low, high);
    p.b = s.operand(type, narrow, low_b, high_b);
  } else {
    p.a = s.operand(type, narrow, low, high);
    p.b = s.input(type, p.all, low_b, high_b);
  }
  return p;
}

void binary(Sketch& s, int code, DataType type, DataType result, double low = -3, double high = 3,
            double low_b = -3, double high_b = 3) {
  const Pair p = pair(s, type, low, high, low_b, high_b);
  s.output(result, p.all);
  s.finish(code, {p.a, p.b});
}

void numbers(Sketch& s, int code) {
  const DataType type = number(s);
  binary(s, code, type, type);
}
void compared(Sketch& s, int code) {
  binary(s, code, s.random.one_of({kFloat, DataType::Int32}), DataType::Bool);
}
void truths(Sketch& s, int code) { binary(s, code, DataType::Bool, DataType::Bool); }
void powers(Sketch& s, int code) { binary(s, code, kFloat, kFloat, 0.1, 3, -2, 2); }
void quotients(Sketch& s, int code) {
  const DataType type = s.random.one_of({kFloat, DataType::Int32});
  const Pair p = pair(s, type, -9, 9, 1, 4);
  s.output(type, p.all);
  s.finish(code, {p.a, p.b});
}

/// Two operands of 8-bit integers, each with a scale of its own, and a result with another.
template <class Finish>
void of_bytes(Sketch& s, const Finish& finish) {
  const bool uint8 = s.random.chance(0.3);
  const Shape all = s.shape(1, 4);
  s.quantise(uint8);
  const int a = s.input(DataType::Int8, all);
  s.quantise(uint8);
  const int b = s.operand(DataType::Int8, narrower(s, all));
  s.quantise(uint8);
  s.output(DataType::Int8, all);
  finish(a, b);
}
/// A function of 8-bit integers, from one scale to another.
bool one_of_bytes(Sketch& s, int code, BuiltinOptions kind, flatbuffers::Offset<void> options) {
  if (s.random.chance(0.6)) return false;
  const Shape shape = s.shape(1, 4);
  s.quantise(false);
  const int x = s.input(DataType::Int8, shape);
  s.quantise(false);
  s.output(DataType::Int8, shape);
  s.finish(code, kind, options, {x});
  return true;
}

template <class Create>
void activated(Sketch& s, int code, BuiltinOptions kind, const Create& create, bool divides = false) {
  const bool floats = s.random.chance(0.7);
  const DataType type = floats ? kFloat : DataType::Int32;
  const Activation activation =
      floats
          ? s.random.one_of({Activation::NONE, Activation::RELU, Activation::RELU6, Activation::RELU_N1_TO_1})
          : Activation::NONE;
  const Pair p = pair(s, type, -9, 9, divides ? 1 : -9, divides ? 5 : 9);
  s.output(type, p.all);
  s.finish(code, kind, create(activation), {p.a, p.b});
}
void add(Sketch& s, int code) {
  activated(s, code, BuiltinOptions::AddOptions,
            [&](Activation a) { return import::tflite::CreateAddOptions(s.file.builder(), a).Union(); });
}
void sub(Sketch& s, int code) {
  activated(s, code, BuiltinOptions::SubOptions, [&](Activation a) {
    return import::tflite::CreateActivationOptions(s.file.builder(), a).Union();
  });
}
void mul(Sketch& s, int code) {
  activated(s, code, BuiltinOptions::MulOptions,
            [&](Activation a) { return import::tflite::CreateMulOptions(s.file.builder(), a).Union(); });
}
void div(Sketch& s, int code) {
  activated(
      s, code, BuiltinOptions::DivOptions,
      [&](Activation a) { return import::tflite::CreateActivationOptions(s.file.builder(), a).Union(); },
      true);
}

void unary(Sketch& s, int code, double low, double high) {
  const Shape shape = s.shape(1, 4);
  const int x = s.input(kFloat, shape, low, high);
  s.output(kFloat, shape);
  s.finish(code, {x});
}
void any_real(Sketch& s, int code) { unary(s, code, -8, 8); }
void small(Sketch& s, int code) { unary(s, code, -3, 3); }
void positive(Sketch& s, int code) { unary(s, code, 0.05, 9); }

void fake_quant(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const int x = s.input(kFloat, shape, -8, 8);
  s.output(kFloat, shape);
  const auto low = static_cast<float>(s.random.between(-7.0, 0.0)),
             high = static_cast<float>(s.random.between(0.1, 7.0));
  s.finish(
      code, BuiltinOptions::FakeQuantOptions,
      import::tflite::CreateFakeQuantOptions(
          s.file.builder(), low, high, static_cast<int>(s.random.between(std::int64_t{2}, std::int64_t{16}))),
      {x});
}

/// Whole numbers of floats are boundaries often.
void bucketize(Sketch& s, int code) {
  const DataType type = s.random.one_of({kFloat, DataType::Int32, DataType::Int64});
  const Shape shape = s.shape(1, 4);
  const int x = s.input(type, shape, -8, 8);
  s.output(DataType::Int32, shape);
  std::vector<float> boundaries;
  for (std::int64_t i = s.random.between(std::int64_t{1}, std::int64_t{6}); i > 0; --i)
    boundaries.push_back(std::round(static_cast<float>(s.random.between(-8.0, 8.0))));
  std::ranges::sort(boundaries);
  s.finish(code, BuiltinOptions::BucketizeOptions,
           import::tflite::CreateBucketizeOptionsDirect(s.file.builder(), &boundaries), {x});
}

void leaky_relu(Sketch& s, int code) {
  const auto options = import::tflite::CreateLeakyReluOptions(
      s.file.builder(), static_cast<float>(s.random.between(-0.5, 0.9)));
  if (one_of_bytes(s, code, BuiltinOptions::LeakyReluOptions, options.Union())) return;
  const Shape shape = s.shape(1, 4);
  const int x = s.input(kFloat, shape);
  s.output(kFloat, shape);
  s.finish(code, BuiltinOptions::LeakyReluOptions, options, {x});
}
void prelu(Sketch& s, int code) {
  if (s.random.chance(0.5)) return of_bytes(s, [&](int a, int b) { s.finish(code, {a, b}); });
  const Shape shape = s.shape(1, 4);
  const int x = s.input(kFloat, shape), slope = s.operand(kFloat, narrower(s, shape));
  s.output(kFloat, shape);
  s.finish(code, {x, slope});
}
void gelu(Sketch& s, int code) {
  const auto options = import::tflite::CreateGeluOptions(s.file.builder(), s.random.chance(0.5));
  if (one_of_bytes(s, code, BuiltinOptions::GeluOptions, options.Union())) return;
  const Shape shape = s.shape(1, 4);
  // Below, the function is the small difference of large numbers.
  const int x = s.input(kFloat, shape, -2, 5);
  s.output(kFloat, shape);
  s.finish(code, BuiltinOptions::GeluOptions, options, {x});
}
/// Functions of floats, or of 8-bit integers from one scale to another.
void bytes_too(Sketch& s, int code) {
  if (!one_of_bytes(s, code, BuiltinOptions::NONE, 0)) any_real(s, code);
}

void logical_not(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const int x = s.input(DataType::Bool, shape);
  s.output(DataType::Bool, shape);
  s.finish(code, {x});
}

/// A condition of one dimension chooses rows.
void select(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  const int condition = s.input(DataType::Bool, s.random.chance(0.3) ? Shape{shape[0]} : shape);
  const int a = s.input(type, shape), b = s.input(type, shape);
  s.output(type, shape);
  s.finish(code, {condition, a, b});
}
void select_v2(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  const int condition = s.input(DataType::Bool, narrower(s, shape));
  const int a = s.input(type, shape), b = s.operand(type, narrower(s, shape));
  s.output(type, shape);
  s.finish(code, {condition, a, b});
}

void cast(Sketch& s, int code) {
  const std::vector<DataType> types = {kFloat, DataType::Int32, DataType::Int64, DataType::Bool};
  const bool bytes = s.random.chance(0.3);  // with a scale, which a cast does not look at
  const DataType from = bytes ? DataType::Int8 : s.random.one_of(types), to = s.random.one_of(types);
  if (bytes) s.quantise(s.random.chance(0.5));
  const Shape shape = s.shape(1, 4);
  const int x = s.input(from, shape, -9, 9);
  s.output(to, shape);
  s.finish(code, {x});
}

void add_n(Sketch& s, int code) {
  const DataType type = s.random.one_of({kFloat, DataType::Int32});
  const Shape shape = s.shape(1, 4);
  Ints inputs;
  for (std::int64_t i = s.random.between(std::int64_t{2}, std::int64_t{4}); i > 0; --i)
    inputs.push_back(s.input(type, shape));
  s.output(type, shape);
  s.finish(code, inputs);
}

}  // namespace

std::vector<Row> elementwise_rows() {
  return {{"ADD", 0, add},
          {"MUL", 18, mul},
          {"SUB", 41, sub},
          {"DIV", 42, div},
          {"FLOOR_DIV", 90, quotients},
          {"FLOOR_MOD", 95, quotients},
          {"POW", 78, powers},
          {"SQUARED_DIFFERENCE", 99, [](Sketch& s, int code) { binary(s, code, kFloat, kFloat); }},
          {"MAXIMUM", 55, numbers},
          {"MINIMUM", 57, numbers},
          {"LESS", 58, compared},
          {"GREATER", 61, compared},
          {"GREATER_EQUAL", 62, compared},
          {"LESS_EQUAL", 63, compared},
          {"EQUAL", 71, compared},
          {"NOT_EQUAL", 72, compared},
          {"BUCKETIZE", 147, bucketize},
          {"FAKE_QUANT", 80, fake_quant},
          {"LOGICAL_OR", 84, truths},
          {"LOGICAL_AND", 86, truths},
          {"LOGICAL_NOT", 87, logical_not},
          {"ADD_N", 106, add_n},
          {"FLOOR", 8, any_real},
          {"LOGISTIC", 14, any_real},
          {"RELU", 19, bytes_too},
          {"RELU_N1_TO_1", 20, bytes_too},
          {"RELU6", 21, bytes_too},
          {"TANH", 28, any_real},
          {"EXP", 47, small},
          {"NEG", 59, any_real},
          {"SIN", 66, any_real},
          {"LOG", 73, positive},
          {"SQRT", 75, positive},
          {"RSQRT", 76, positive},
          {"SQUARE", 92, any_real},
          {"ABS", 101, any_real},
          {"CEIL", 104, any_real},
          {"COS", 108, any_real},
          {"ELU", 111, bytes_too},
          {"ROUND", 116, any_real},
          {"HARD_SWISH", 117, any_real},
          {"GELU", 150, gelu},
          {"LEAKY_RELU", 98, leaky_relu},
          {"PRELU", 54, prelu},
          {"SELECT", 64, select},
          {"SELECT_V2", 123, select_v2},
          {"CAST", 53, cast}};
}

}  // namespace vdla::random_tflite
