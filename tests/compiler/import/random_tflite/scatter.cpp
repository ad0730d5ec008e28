// SPDX-License-Identifier: Apache-2.0
// Operators that write at places, and those that choose boxes.
#include <algorithm>
#include <numeric>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

using import::tflite::BuiltinOptions;

DataType number_type(Sketch& s) {
  return s.random.one_of({kFloat, kFloat, DataType::Int32, DataType::Int64});
}

/// Rows of `width` indices into the first dimensions of a shape.
std::vector<double> rows_into(Sketch& s, const Shape& shape, std::int64_t rows, std::int64_t width) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < rows * width; ++i)
    result.push_back(static_cast<double>(s.random.below(shape[static_cast<std::size_t>(i % width)])));
  return result;
}

void scatter_nd(Sketch& s, int code) {
  const DataType type = number_type(s);
  const Shape shape = s.shape(1, 3);
  const std::int64_t rows = s.random.between(std::int64_t{1}, std::int64_t{5}),
                     width = s.random.between(std::int64_t{1}, static_cast<std::int64_t>(shape.size()));
  Shape updates{rows};
  updates.insert(updates.end(), shape.begin() + width, shape.end());
  const int at = s.constant(DataType::Int32, {rows, width}, rows_into(s, shape, rows, width));
  const int what = s.input(type, updates), extents = s.numbers(shape);
  s.output(type, shape);
  s.finish(code, {at, what, extents});
}

void segment_sum(Sketch& s, int code) {
  const DataType type = s.random.one_of({kFloat, DataType::Int32});
  const Shape shape = s.shape(1, 3);
  std::vector<std::int64_t> segments;
  for (std::int64_t i = 0; i < shape[0]; ++i)
    segments.push_back(segments.empty() ? 0 : segments.back() + s.random.below(2));
  const int x = s.input(type, shape), at = s.numbers(segments);
  Shape out = shape;
  out[0] = segments.back() + 1;
  s.output(type, out);
  s.finish(code, {x, at});
}

/// Rows of indices ascend and are there once.
void sparse_to_dense(Sketch& s, int code) {
  const DataType type = number_type(s);
  const Shape shape = s.shape(1, 3);
  std::vector<std::int64_t> places(static_cast<std::size_t>(graph::element_count(shape)));
  std::iota(places.begin(), places.end(), 0);
  std::erase_if(places, [&](std::int64_t p) { return p > 0 && s.random.chance(0.5); });
  std::vector<double> rows;
  for (const std::int64_t place : places) {
    std::int64_t stride = graph::element_count(shape);
    for (const std::int64_t extent : shape) {
      stride /= extent;
      rows.push_back(static_cast<double>(place / stride % extent));
    }
  }
  const auto count = static_cast<std::int64_t>(places.size()), rank = static_cast<std::int64_t>(shape.size());
  const bool flat = rank == 1 && s.random.chance(0.5);
  const int at = s.constant(DataType::Int32, flat ? Shape{count} : Shape{count, rank}, rows);
  const int extents = s.numbers(shape), values = s.input(type, Shape{count});
  const int fill = s.constant(type, {}, {2});
  s.output(type, shape);
  s.finish(code, {at, extents, values, fill});
}

void matrix_diag(Sketch& s, int code) {
  const DataType type = number_type(s);
  Shape shape = s.shape(1, 3);
  const int x = s.input(type, shape);
  shape.push_back(shape.back());
  s.output(type, shape);
  s.finish(code, {x});
}

void matrix_set_diag(Sketch& s, int code) {
  const DataType type = number_type(s);
  const Shape shape = s.shape(2, 4);
  Shape diagonal(shape.begin(), shape.end() - 1);
  diagonal.back() = std::min(shape.back(), diagonal.back());
  const int x = s.input(type, shape), d = s.input(type, diagonal);
  s.output(type, shape);
  s.finish(code, {x, d});
}

void reverse_sequence(Sketch& s, int code) {
  const DataType type = number_type(s);
  const Shape shape = s.shape(2, 4);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t steps = s.random.below(rank),
                     batch = (steps + s.random.between(std::int64_t{1}, rank - 1)) % rank;
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < shape[static_cast<std::size_t>(batch)]; ++i)
    lengths.push_back(s.random.between(std::int64_t{0}, shape[static_cast<std::size_t>(steps)]));
  const int x = s.input(type, shape), counts = s.numbers(lengths);
  s.output(type, shape);
  s.finish(code, BuiltinOptions::ReverseSequenceOptions,
           import::tflite::CreateReverseSequenceOptions(s.file.builder(), static_cast<int>(steps),
                                                        static_cast<int>(batch)),
           {x, counts});
}

void suppression(Sketch& s, int code) {
  const bool with_scores = code == 121;
  const std::int64_t boxes = s.random.between(std::int64_t{1}, std::int64_t{12}),
                     most = s.random.between(std::int64_t{1}, std::int64_t{14});
  const auto real = [&](double value) { return s.constant(kFloat, {}, {static_cast<float>(value)}); };
  Ints inputs = {s.input(kFloat, {boxes, 4}, 0, 1), s.input(kFloat, {boxes}, 0, 1),
                 s.constant(DataType::Int32, {}, {static_cast<double>(most)}),
                 real(s.random.one_of({0.1, 0.3, 0.5, 0.6, 1.0})), real(s.random.one_of({0.0, 0.2, 0.5}))};
  if (with_scores) inputs.push_back(real(0));
  s.output(DataType::Int32, {most});
  if (with_scores) s.output(kFloat, {most});
  s.output(DataType::Int32, {});
  s.finish(code, inputs);
}

}  // namespace

std::vector<Row> scatter_rows() {
  return {{"MATRIX_DIAG", 113, matrix_diag},
          {"MATRIX_SET_DIAG", 115, matrix_set_diag},
          {"NON_MAX_SUPPRESSION_V4", 120, suppression},
          {"NON_MAX_SUPPRESSION_V5", 121, suppression},
          {"REVERSE_SEQUENCE", 112, reverse_sequence},
          {"SCATTER_ND", 122, scatter_nd},
          {"SEGMENT_SUM", 125, segment_sum},
          {"SPARSE_TO_DENSE", 68, sparse_to_dense}};
}

}  // namespace vdla::random_tflite
