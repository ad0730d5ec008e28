// SPDX-License-Identifier: Apache-2.0
// Loops whose trips are known, and branches whose condition is.
#include <cstring>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

using import::tflite::BuiltinOptions;
using import::tflite::FileFunction;

constexpr int kAdd = 0, kMul = 18, kTanh = 28, kGather = 36, kCast = 53, kLess = 58, kGreater = 61,
              kNotEqual = 72, kIf = 118, kWhile = 119;

/// A subgraph while it is drawn.
class Function {
 public:
  explicit Function(Sketch& s) : s_(s) {}

  int value(TensorType type, const Ints& shape) {
    made_.tensors.push_back({shape, type, {}, 0});
    return static_cast<int>(made_.tensors.size()) - 1;
  }
  int input(TensorType type, const Ints& shape) { return made_.inputs.emplace_back(value(type, shape)); }
  template <class Element>
  int constant(TensorType type, const Ints& shape, const std::vector<Element>& elements) {
    const int index = value(type, shape);
    std::vector<std::uint8_t>& data = made_.tensors.back().data;
    data.resize(elements.size() * sizeof(Element));
    std::memcpy(data.data(), elements.data(), data.size());
    return index;
  }
  int floats(const Ints& shape) {
    std::vector<float> elements(1);
    for (const std::int32_t extent : shape)
      elements.resize(elements.size() * static_cast<std::size_t>(extent));
    for (float& e : elements) e = static_cast<float>(s_.random.between(-1.0, 1.0));
    return constant(TensorType::FLOAT32, shape, elements);
  }
  int whole(const Ints& shape, std::int32_t number) {
    return constant(TensorType::INT32, shape, std::vector<std::int32_t>{number});
  }
  int step(int code, const Ints& inputs, TensorType type, const Ints& shape,
           BuiltinOptions kind = BuiltinOptions::NONE, flatbuffers::Offset<void> options = {}) {
    const int made = value(type, shape);
    if (code == kAdd)
      kind = BuiltinOptions::AddOptions, options = import::tflite::CreateAddOptions(b()).Union();
    if (code == kMul)
      kind = BuiltinOptions::MulOptions, options = import::tflite::CreateMulOptions(b()).Union();
    if (code == kGather)
      kind = BuiltinOptions::GatherOptions, options = import::tflite::CreateGatherOptions(b(), 0).Union();
    made_.operators.push_back({code, kind, options, inputs, {made}});
    return made;
  }
  /// The number of the subgraph in the file.
  int finish(const Ints& outputs) {
    made_.outputs = outputs;
    s_.file.functions.push_back(std::move(made_));
    return static_cast<int>(s_.file.functions.size());
  }
  flatbuffers::FlatBufferBuilder& b() { return s_.file.builder(); }

 private:
  Sketch& s_;
  FileFunction made_;
};

Ints ints_of(const Shape& shape) {
  Ints result;
  for (const std::int64_t extent : shape) result.push_back(static_cast<std::int32_t>(extent));
  return result;
}

/// A function of two values of a shape: x * c + y, or tanh(x + c).
int some_function(Sketch& s, const Ints& shape) {
  Function f(s);
  const int x = f.input(TensorType::FLOAT32, shape), y = f.input(TensorType::FLOAT32, shape);
  const int c = f.floats(shape);
  if (s.random.chance(0.5))
    return f.finish(
        {f.step(kAdd, {f.step(kMul, {x, c}, TensorType::FLOAT32, shape), y}, TensorType::FLOAT32, shape)});
  return f.finish(
      {f.step(kTanh, {f.step(kAdd, {x, c}, TensorType::FLOAT32, shape)}, TensorType::FLOAT32, shape)});
}

void branch(Sketch& s, int code) {
  const Shape shape = s.shape(1, 3);
  const int yes = some_function(s, ints_of(shape)), no = some_function(s, ints_of(shape));
  const int condition = s.constant(DataType::Bool, {1}, {s.random.chance(0.5) ? 1.0 : 0.0});
  const int x = s.input(kFloat, shape), y = s.input(kFloat, shape);
  s.output(kFloat, shape);
  s.finish(code, BuiltinOptions::IfOptions, import::tflite::CreateIfOptions(s.file.builder(), yes, no),
           {condition, x, y});
}

/// The condition of a loop over a counter, which ends at `limit`.
int condition_of(Sketch& s, const Ints& counter, const Ints& shape, std::int32_t limit, bool counter_last) {
  Function f(s);
  int count = 0;
  for (int i = 0; i < 3; ++i)
    if (i == (counter_last ? 2 : 0))
      count = f.input(TensorType::INT32, counter);
    else
      f.input(TensorType::FLOAT32, shape);
  const int end = f.whole(counter, limit);
  const int test = s.random.one_of({kLess, kGreater, kNotEqual});
  return f.finish(
      {f.step(test, test == kGreater ? Ints{end, count} : Ints{count, end}, TensorType::BOOL, counter)});
}

/// Values of a loop: a counter and two of floats, of which one gathers what the other becomes. Trips see the
/// counter: as a number, as an index of rows, or by a branch.
void loop(Sketch& s, int code) {
  const Shape shape = s.shape(1, 3);
  const Ints extents = ints_of(shape), counter = s.random.chance(0.5) ? Ints{} : Ints{1};
  const auto start = static_cast<std::int32_t>(s.random.between(std::int64_t{0}, std::int64_t{2})),
             each = static_cast<std::int32_t>(s.random.between(std::int64_t{1}, std::int64_t{2})),
             trips = static_cast<std::int32_t>(s.random.between(std::int64_t{0}, std::int64_t{4})),
             limit = start + each * trips;
  const bool last = s.random.chance(0.5), swaps = s.random.chance(0.3);
  const int test = condition_of(s, counter, extents, limit, last);
  const int kind = static_cast<int>(s.random.below(3));
  const int yes = kind == 2 ? some_function(s, extents) : 0, no = kind == 2 ? some_function(s, extents) : 0;
  Function f(s);
  int count = 0;
  Ints values;
  for (int i = 0; i < 3; ++i)
    if (i == (last ? 2 : 0))
      count = f.input(TensorType::INT32, counter);
    else
      values.push_back(f.input(TensorType::FLOAT32, extents));
  const int next = f.step(kAdd, {count, f.whole(counter, each)}, TensorType::INT32, counter);
  int fresh = 0;
  if (kind == 0) {
    const int number = f.step(kCast, {count}, TensorType::FLOAT32, counter);
    fresh = f.step(kAdd, {f.step(kMul, {values[0], f.floats(extents)}, TensorType::FLOAT32, extents), number},
                   TensorType::FLOAT32, extents);
  } else if (kind == 1) {
    Ints rows = extents, row = counter;
    rows.insert(rows.begin(), limit + 1);
    row.insert(row.end(), extents.begin(), extents.end());
    const int gathered = f.step(kGather, {f.floats(rows), count}, TensorType::FLOAT32, row);
    const int flat = f.constant(TensorType::INT32, {static_cast<std::int32_t>(extents.size())}, extents);
    fresh = f.step(kAdd, {values[0], f.step(22, {gathered, flat}, TensorType::FLOAT32, extents)},
                   TensorType::FLOAT32, extents);
  } else {
    const int few = f.step(kLess, {count, f.whole(counter, start + 2)}, TensorType::BOOL, counter);
    fresh = f.step(kIf, {few, values[0], values[1]}, TensorType::FLOAT32, extents, BuiltinOptions::IfOptions,
                   import::tflite::CreateIfOptions(f.b(), yes, no).Union());
  }
  const int sum = f.step(kAdd, {values[1], fresh}, TensorType::FLOAT32, extents);
  Ints outputs = swaps ? Ints{sum, fresh} : Ints{fresh, sum};
  outputs.insert(last ? outputs.end() : outputs.begin(), next);
  const int body = f.finish(outputs);

  const Shape of_counter(counter.begin(), counter.end());
  const int begin = s.constant(DataType::Int32, of_counter, {static_cast<double>(start)});
  Ints inputs = {s.input(kFloat, shape), s.input(kFloat, shape)};
  inputs.insert(last ? inputs.end() : inputs.begin(), begin);
  for (int i = 0; i < 3; ++i)
    if (i == (last ? 2 : 0))
      s.output(DataType::Int32, of_counter);
    else
      s.output(kFloat, shape);
  s.drawn.slack = 1e-6;
  s.finish(code, BuiltinOptions::WhileOptions,
           import::tflite::CreateWhileOptions(s.file.builder(), test, body), inputs);
}

}  // namespace

std::vector<Row> control_rows() { return {{"IF", kIf, branch}, {"WHILE", kWhile, loop}}; }

}  // namespace vdla::random_tflite
