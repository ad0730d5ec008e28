// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/import/random_tflite/draw.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "compiler/import/tensor/network.h"
#include "support/error.h"

namespace vdla::random_tflite {
namespace {

TensorType file_type(DataType type, bool uint8) {
  switch (type) {
    case DataType::Int8:
      return uint8 ? TensorType::UINT8 : TensorType::INT8;
    case DataType::Int16:
      return TensorType::INT16;
    case DataType::Int32:
      return TensorType::INT32;
    case DataType::Int64:
      return TensorType::INT64;
    case DataType::Bool:
      return TensorType::BOOL;
    case DataType::Float16:
      return TensorType::FLOAT16;
    default:
      return TensorType::FLOAT32;
  }
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> result;
    for (const auto& family : {elementwise_rows(), movement_rows(), layer_rows(), recurrent_rows(),
                               custom_rows(), integer16_rows(), integer8_rows(), layer8_rows(), sparse_rows(),
                               control_rows(), scatter_rows(), volume_rows()})
      result.insert(result.end(), family.begin(), family.end());
    return result;
  }();
  return all;
}

const Row& row_of(const std::string& op) {
  const auto row = std::ranges::find(rows(), op, &Row::name);
  VDLA_CHECK_USER(row != rows().end()) << "nothing draws '" << op << "'";
  return *row;
}

Drawn draw(std::uint64_t seed, const Row& row, bool wrong_types = false, bool wrapped = false) {
  Sketch s(seed);
  s.wrong_types = wrong_types;
  s.file.wrapped = wrapped;
  s.drawn.op = row.name;
  row.draw(s, row.code);
  return std::move(s.drawn);
}

}  // namespace

Shape Sketch::shape(std::int64_t least_rank, std::int64_t most_rank) {
  Shape result(static_cast<std::size_t>(random.between(least_rank, most_rank)));
  for (auto& extent : result)
    extent = random.between(std::int64_t{1}, std::int64_t{result.size() > 3 ? 3 : 4});
  if (block > 0 && result.size() == 4) {
    result[0] = 1;
    result[3] *= block;
  }
  return result;
}

FileTensor Sketch::tensor(DataType type, const Shape& shape) {
  FileTensor t;
  t.shape.assign(shape.begin(), shape.end());
  t.type = file_type(type, uint8_);
  const bool scaled = type == DataType::Int8, wide = type == DataType::Int16;
  t.scale = scaled ? scale_ : wide ? scale16_ : 0;
  t.zero_point = scaled ? zero_ : wide ? zero16_ : 0;
  return t;
}

std::vector<double> Sketch::elements(DataType type, const Shape& shape, double low, double high) {
  std::vector<double> result(static_cast<std::size_t>(graph::element_count(shape)));
  for (double& e : result) {
    if (type == DataType::Bool)
      e = static_cast<double>(random.below(2));
    else if (type == DataType::Int8)
      e = static_cast<double>(uint8_ ? random.between(std::int64_t{0}, std::int64_t{255})
                                     : random.between(std::int64_t{-128}, std::int64_t{127}));
    else if (type == DataType::Int16)
      e = static_cast<double>(random.between(std::int64_t{-32768}, std::int64_t{32767}));
    else if (type == DataType::Float32 || type == DataType::Float16)
      e = static_cast<float>(random.between(low, high));
    else
      e = std::round(random.between(low, high));
  }
  return result;
}

namespace {

/// uint8 has no type of its own in a file's tensor that has a scale.
import::Array array_of(DataType type, bool uint8, const Shape& shape, const std::vector<double>& elements) {
  if (type == DataType::Float16)
    return {type, shape, import::tensor::make_constant(type, shape, elements).data};
  return random_graphs::array_of(type == DataType::Int8 && uint8 ? DataType::UInt8 : type, shape, elements);
}

}  // namespace

int Sketch::input(DataType type, const Shape& shape, double low, double high) {
  drawn.inputs.push_back(array_of(type, uint8_, shape, elements(type, shape, low, high)));
  tensors_.push_back(tensor(type, shape));
  return static_cast<int>(tensors_.size()) - 1;
}

int Sketch::constant(DataType type, const Shape& shape, const std::vector<double>& values) {
  FileTensor t = tensor(type, shape);
  const import::Array array = array_of(type, uint8_, shape, values);
  const auto* raw = reinterpret_cast<const std::uint8_t*>(array.data->data());
  t.data.assign(raw, raw + array.data->size());
  tensors_.push_back(t);
  return static_cast<int>(tensors_.size()) - 1;
}

int Sketch::drawn_constant(const Shape& shape, double low, double high) {
  return constant(kFloat, shape, elements(kFloat, shape, low, high));
}

int Sketch::numbers(const std::vector<std::int64_t>& values) {
  return constant(DataType::Int32, {static_cast<std::int64_t>(values.size())},
                  {values.begin(), values.end()});
}

int Sketch::operand(DataType type, const Shape& shape, double low, double high) {
  return random.chance(0.5) ? input(type, shape, low, high)
                            : constant(type, shape, elements(type, shape, low, high));
}

int Sketch::weights(const Shape& shape, int axis) {
  if (random.chance(0.6)) return operand(kFloat, shape, -1, 1);
  std::vector<double> values;
  for (std::int64_t i = 0; i < graph::element_count(shape); ++i)
    values.push_back(static_cast<double>(random.between(std::int64_t{-127}, std::int64_t{127})));
  const int index = constant(DataType::Int8, shape, values);
  drawn.slack = 1e-6;  // of sums that cancel
  FileTensor& t = tensors_.back();
  t.scale = static_cast<float>(random.between(0.001, 0.02));
  t.zero_point = 0;
  for (std::int64_t i = 0; axis >= 0 && i < shape[static_cast<std::size_t>(axis)]; ++i)
    t.scales.push_back(static_cast<float>(random.between(0.001, 0.02)));
  t.axis = std::max(axis, 0);
  return index;
}

int Sketch::weights16(const Shape& shape, int axis, float& scale, double least, double most) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < graph::element_count(shape); ++i)
    values.push_back(static_cast<double>(random.between(std::int64_t{-127}, std::int64_t{127})));
  const int index = constant(DataType::Int8, shape, values);
  scale = static_cast<float>(random.between(least, most));
  FileTensor& t = tensors_.back();
  t.scale = scale;
  t.zero_point = 0;
  for (std::int64_t i = 0; axis >= 0 && i < shape[static_cast<std::size_t>(axis)]; ++i)
    t.scales.push_back(scale * static_cast<float>(random.between(0.5, 2.0)));
  t.axis = std::max(axis, 0);
  return index;
}

void Sketch::quantise16() { scale16_ = static_cast<float>(random.between(0.00005, 0.001)); }

void Sketch::output(DataType type, const Shape& shape) {
  tensors_.push_back(tensor(type, shape));
  ++outputs_;
}

void Sketch::output_without_shape(DataType type) {
  output(type, {});
  tensors_.back().shapeless = true;
}

int Sketch::variable(DataType type, const Shape& shape) {
  tensors_.push_back(tensor(type, shape));
  tensors_.back().variable = true;
  return static_cast<int>(tensors_.size()) - 1;
}

int Sketch::with_scale(int index, float scale) {
  tensors_[static_cast<std::size_t>(index)].scale = scale;
  return index;
}

int Sketch::sparse(DataType type, const Shape& shape, const std::vector<double>& elements,
                   import::tflite::FileSparsity places) {
  const int index = constant(type, {static_cast<std::int64_t>(elements.size())},
                             elements);  // the elements that the file has
  tensors_.back().shape.assign(shape.begin(), shape.end());
  tensors_.back().sparsity = std::move(places);
  return index;
}

int Sketch::inner(DataType type, const Shape& shape) {
  tensors_.push_back(tensor(type, shape));
  tensors_.back().inner = true;
  return static_cast<int>(tensors_.size()) - 1;
}

int Sketch::complex(const Shape& shape) {
  tensors_.push_back(tensor(kFloat, shape));
  tensors_.back().type = TensorType::COMPLEX64;
  tensors_.back().inner = true;
  return static_cast<int>(tensors_.size()) - 1;
}

void Sketch::quantise(bool uint8) {
  uint8_ = uint8;
  scale_ = static_cast<float>(random.between(0.01, 0.2));
  zero_ = uint8 ? random.between(std::int64_t{0}, std::int64_t{255})
                : random.between(std::int64_t{-128}, std::int64_t{127});
}

void Sketch::quantise(bool uint8, float scale, std::int64_t zero_point) {
  uint8_ = uint8;
  scale_ = scale;
  zero_ = zero_point;
}

void Sketch::finish(int code, import::tflite::BuiltinOptions kind, flatbuffers::Offset<void> options,
                    const Ints& inputs) {
  if (wrong_types) change_types();
  file.build(code, kind, options, tensors_, inputs, outputs_);
  const auto bytes = file.bytes();
  drawn.model.assign(bytes.begin(), bytes.end());
}

void Sketch::change_types() {
  using enum TensorType;
  struct Type {
    TensorType type;
    std::size_t bytes;
  };
  const std::vector<Type> types = {{FLOAT32, 4}, {FLOAT16, 2}, {FLOAT64, 8}, {INT8, 1},
                                   {UINT8, 1},   {INT16, 2},   {UINT16, 2},  {INT32, 4},
                                   {UINT32, 4},  {INT64, 8},   {UINT64, 8},  {BOOL, 1}};
  const Type all = random.one_of(types);  // mostly one for the whole file
  for (FileTensor& t : tensors_) {
    if (random.chance(0.5)) continue;
    const Type type = random.chance(0.7) ? all : random.one_of(types);
    std::size_t count = 1;
    for (std::int32_t extent : t.shape) count *= static_cast<std::size_t>(extent);
    t.type = type.type;
    if (!t.data.empty()) t.data.resize(count * type.bytes);
    if (random.chance(0.2)) t.scale = t.scale == 0 ? 0.5F : 0;
  }
}

Drawn draw_of_wrong_types(std::uint64_t seed) { return draw(seed, rows()[seed % rows().size()], true); }

Drawn draw(std::uint64_t seed) { return draw(seed, rows()[seed % rows().size()]); }

Drawn draw(std::uint64_t seed, const std::string& op) { return draw(seed, row_of(op)); }

Drawn draw_of_whole_blocks(std::uint64_t seed, const std::string& op, std::int64_t block) {
  const Row& row = row_of(op);
  Sketch s(seed);
  s.block = block;
  s.drawn.op = row.name;
  row.draw(s, row.code);
  return std::move(s.drawn);
}

std::vector<std::string> operators_like(const std::string& pattern) {
  std::vector<std::string> names;
  for (const Row& row : rows())
    if (const std::string name(row.name); fnmatch(pattern.c_str(), name.c_str(), 0) == 0)
      names.push_back(name);
  VDLA_CHECK_USER(!names.empty()) << "nothing draws '" << pattern << "'";
  return names;
}

Drawn draw_wrapped(std::uint64_t seed, const std::string& op) { return draw(seed, row_of(op), false, true); }

}  // namespace vdla::random_tflite
