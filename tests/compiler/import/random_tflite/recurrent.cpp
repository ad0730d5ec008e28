// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: two runs follow each other, so that what they keep is seen.
#include <cmath>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

using import::tflite::Activation;
using import::tflite::BuiltinOptions;

std::int64_t few(Sketch& s) { return s.random.between(std::int64_t{1}, std::int64_t{4}); }

Activation tanh_or_relu(Sketch& s) {
  return s.random.one_of({Activation::TANH, Activation::TANH, Activation::RELU});
}

/// Constants of floats, or of 8-bit integers with a scale for each.
struct Weights {
  Sketch& s;
  bool hybrid = s.random.chance(0.5);

  int operator()(bool there, const Shape& shape) const {
    if (!there) return -1;
    float scale = 0;
    return hybrid ? s.weights16(shape, -1, scale) : s.drawn_constant(shape, -1, 1);
  }
};

/// Draws layers with and without an input gate, peepholes, a projection and normalised sums.
void sequence_lstm(Sketch& s, int code) {
  s.drawn.runs = 2;
  const bool sequence = code != 16;
  const std::int64_t steps = few(s), batch = s.random.between(std::int64_t{1}, std::int64_t{2}),
                     width = few(s), cells = few(s);
  const bool steps_first = s.random.chance(0.5), coupled = s.random.chance(0.3),
             peepholes = s.random.chance(0.3), projects = s.random.chance(0.3),
             normalises = s.random.chance(0.3);
  const std::int64_t outputs = projects ? few(s) : cells;
  const Weights weights{s};
  const auto reals = [&](bool there, const Shape& shape) {
    return there ? s.drawn_constant(shape, -1, 1) : -1;
  };
  const auto shape = [&](std::int64_t last) {
    return !sequence     ? Shape{batch, last}
           : steps_first ? Shape{steps, batch, last}
                         : Shape{batch, steps, last};
  };
  Ints inputs = {s.input(kFloat, shape(width))};
  for (int g = 0; g < 4; ++g) inputs.push_back(weights(g > 0 || !coupled, {cells, width}));
  for (int g = 0; g < 4; ++g) inputs.push_back(weights(g > 0 || !coupled, {cells, outputs}));
  for (int g = 0; g < 3; ++g) inputs.push_back(weights(peepholes && (g > 0 || !coupled), {cells}));
  for (int g = 0; g < 4; ++g) inputs.push_back(reals(g > 0 || !coupled, {cells}));
  inputs.push_back(weights(projects, {outputs, cells}));
  inputs.push_back(reals(projects && s.random.chance(0.5), {outputs}));
  inputs.push_back(s.variable(kFloat, {batch, outputs}));
  inputs.push_back(s.variable(kFloat, {batch, cells}));
  for (int g = 0; (normalises || s.random.chance(0.5)) && g < 4; ++g)
    inputs.push_back(reals(normalises && (g > 0 || !coupled), {cells}));
  if (inputs.size() < 24) inputs.resize(20);
  s.output(kFloat, shape(outputs));
  // Two sums that are almost equal are far apart after normalisation, and so is their rounding.
  s.drawn.slack = normalises ? 1e-4 : 1e-6;
  const float clip = s.random.one_of({0.0F, 0.0F, 0.3F});
  const Activation activation = tanh_or_relu(s);
  const float most = projects ? s.random.one_of({0.0F, 0.2F}) : 0.0F;
  const bool asymmetric = s.random.chance(0.5);
  if (sequence)
    s.finish(code, BuiltinOptions::SequenceLstmOptions,
             import::tflite::CreateSequenceLstmOptions(s.file.builder(), activation, clip, most, steps_first,
                                                       asymmetric),
             inputs);
  else
    s.finish(code, BuiltinOptions::LstmOptions,
             import::tflite::CreateLstmOptions(s.file.builder(), activation, clip, most,
                                               import::tflite::LstmKernel::FULL, asymmetric),
             inputs);
}

void recurrent(Sketch& s, int code) {
  s.drawn.runs = 2;
  s.drawn.slack = 1e-6;
  const bool sequence = code == 35, steps_first = s.random.chance(0.5), asymmetric = s.random.chance(0.5);
  const std::int64_t steps = few(s), batch = few(s), width = few(s), units = few(s);
  const auto shape = [&](std::int64_t last) {
    return !sequence     ? Shape{batch, last}
           : steps_first ? Shape{steps, batch, last}
                         : Shape{batch, steps, last};
  };
  const Weights weights{s};
  const int x = s.input(kFloat, shape(width)), w = weights(true, {units, width}),
            r = weights(true, {units, units});
  const int bias = s.drawn_constant({units}, -1, 1), state = s.variable(kFloat, {batch, units});
  s.output(kFloat, shape(units));
  const Activation activation = tanh_or_relu(s);
  if (sequence)
    s.finish(code, BuiltinOptions::SequenceRnnOptions,
             import::tflite::CreateSequenceRnnOptions(s.file.builder(), steps_first, activation, asymmetric),
             {x, w, r, bias, state});
  else
    s.finish(code, BuiltinOptions::RnnOptions,
             import::tflite::CreateRnnOptions(s.file.builder(), activation, asymmetric),
             {x, w, r, bias, state});
}

/// TensorFlow Lite takes directions of equal extents alone.
struct LstmExtents {
  std::int64_t batch, width, cells, outputs, more;
  bool projects;
};
/// One direction of an LSTM: its inputs from place `first` on.
void lstm_direction(Sketch& s, Ints& inputs, const Weights& weights, const LstmExtents& e, std::size_t first,
                    std::size_t states, std::size_t more_first) {
  const auto [batch, width, cells, outputs, more, projects] = e;
  const bool coupled = s.random.chance(0.3), peepholes = s.random.chance(0.3);
  const auto own = [&](int g) { return g > 0 || !coupled; };
  const auto at = [&](std::size_t place) -> int& { return inputs[place]; };
  for (int g = 0; g < 4; ++g) {
    const auto gate = static_cast<std::size_t>(g);
    at(first + gate) = weights(own(g), {cells, width});
    at(first + 4 + gate) = weights(own(g), {cells, outputs});
    if (g < 3) at(first + 8 + gate) = weights(peepholes && own(g), {cells});
    at(first + 11 + gate) = own(g) ? s.drawn_constant({cells}, -1, 1) : -1;
    if (more > 0) at(more_first + gate) = weights(own(g), {cells, more});
  }
  at(first + 15) = weights(projects, {outputs, cells});
  if (projects && s.random.chance(0.5)) at(first + 16) = s.drawn_constant({outputs}, -1, 1);
  at(states) = s.variable(kFloat, {batch, outputs});
  at(states + 1) = s.variable(kFloat, {batch, cells});
}

/// Data beside those of a layer of two directions: none, of weights of its own, or those of the second. They
/// have as many elements, since TensorFlow Lite goes over both in the same steps.
enum class Beside : std::uint8_t { None, Weighted, Backward };

void bidirectional_lstm(Sketch& s, int code) {
  s.drawn.runs = 2;
  s.drawn.slack = 1e-6;
  const std::int64_t steps = few(s);
  const bool steps_first = s.random.chance(0.5), merged = s.random.chance(0.5);
  const Beside beside = s.random.one_of({Beside::None, Beside::None, Beside::Weighted, Beside::Backward});
  // The library mixes up the states of several sequences where both outputs are one: one sequence there.
  LstmExtents e{merged && !steps_first ? 1 : s.random.between(std::int64_t{1}, std::int64_t{2}),
                few(s),
                few(s),
                0,
                0,
                s.random.chance(0.3)};
  e.outputs = e.projects ? few(s) : e.cells;
  if (beside == Beside::Weighted) e.more = e.width;
  const auto shape = [&](std::int64_t last) {
    return steps_first ? Shape{steps, e.batch, last} : Shape{e.batch, steps, last};
  };
  const Weights weights{s};
  Ints inputs(48, -1);
  inputs[0] = s.input(kFloat, shape(e.width));
  if (beside != Beside::None) inputs[39] = s.input(kFloat, shape(e.width));
  lstm_direction(s, inputs, weights, e, 1, 35, 40);
  lstm_direction(s, inputs, weights, e, 18, 37, 44);
  for (int i = 0; i < (merged ? 1 : 2); ++i) s.output(kFloat, shape(merged ? 2 * e.outputs : e.outputs));
  const float clip = s.random.one_of({0.0F, 0.0F, 0.3F}),
              most = e.projects ? s.random.one_of({0.0F, 0.2F}) : 0.0F;
  const Activation fused = tanh_or_relu(s);
  s.finish(code, BuiltinOptions::BidirectionalLstmOptions,
           import::tflite::CreateBidirectionalLstmOptions(s.file.builder(), fused, clip, most, merged,
                                                          steps_first, s.random.chance(0.5)),
           inputs);
}

/// Forms that the library computes otherwise than its description are left out: sequences with steps first
/// whose weights are integers, or whose second output is one of another shape; data of the second direction
/// for sequences with steps last, which it does not read.
void bidirectional_rnn(Sketch& s, int code) {
  s.drawn.runs = 2;
  s.drawn.slack = 1e-6;
  const bool steps_first = s.random.chance(0.5), merged = s.random.chance(0.5);
  const std::int64_t steps = few(s), batch = steps_first && !merged ? steps : few(s), width = few(s);
  const Beside beside =
      s.random.one_of({Beside::None, Beside::Weighted, steps_first ? Beside::Backward : Beside::None});
  const auto shape = [&](std::int64_t last) {
    return steps_first ? Shape{steps, batch, last} : Shape{batch, steps, last};
  };
  Weights weights{s};
  weights.hybrid = weights.hybrid && !steps_first;
  Ints inputs(12, -1);
  inputs[0] = s.input(kFloat, shape(width));
  if (beside != Beside::None) inputs[9] = s.input(kFloat, shape(width));
  const std::int64_t units[] = {few(s), few(s)};
  for (std::size_t d = 0; d < 2; ++d) {
    const std::size_t first = 1 + 4 * d;
    inputs[first] = weights(true, {units[d], width});
    inputs[first + 1] = weights(true, {units[d], units[d]});
    inputs[first + 2] = s.drawn_constant({units[d]}, -1, 1);
    inputs[first + 3] = s.variable(kFloat, {batch, units[d]});
    if (beside == Beside::Weighted) inputs[10 + d] = weights(true, {units[d], width});
  }
  if (merged)
    s.output(kFloat, shape(units[0] + units[1]));
  else
    for (const std::int64_t each : units) s.output(kFloat, shape(each));
  const Activation fused = tanh_or_relu(s);
  s.finish(code, BuiltinOptions::BidirectionalRnnOptions,
           import::tflite::CreateBidirectionalRnnOptions(s.file.builder(), steps_first, fused, merged,
                                                         s.random.chance(0.5)),
           inputs);
}

struct SvdfExtents {
  std::int64_t batch, width, rank, units, steps, filters = rank * units;
};
SvdfExtents svdf_extents(Sketch& s) {
  s.drawn.runs = 3;
  const std::int64_t batch = few(s), width = few(s),
                     rank = s.random.between(std::int64_t{1}, std::int64_t{2}), units = few(s),
                     steps = few(s);
  return {batch, width, rank, units, steps};
}

void svdf(Sketch& s, int code) {
  const SvdfExtents e = svdf_extents(s);
  s.drawn.slack = 1e-6;
  const Weights weights{s};
  const int x = s.input(kFloat, {e.batch, e.width}), features = weights(true, {e.filters, e.width}),
            time = weights(true, {e.filters, e.steps});
  const int bias = s.random.chance(0.7) ? s.drawn_constant({e.units}, -1, 1) : -1;
  const int state = s.variable(kFloat, {e.batch, e.filters * e.steps});
  s.output(kFloat, {e.batch, e.units});
  const Activation fused = activation(s);
  const bool asymmetric = s.random.chance(0.5);
  s.finish(code, BuiltinOptions::SvdfOptions,
           import::tflite::CreateSvdfOptions(s.file.builder(), static_cast<int>(e.rank), fused, asymmetric),
           {x, features, time, bias, state});
}

// In integers, held to TFLite Micro.

/// Tensors of `type` from now on have a scale: of int8 within a factor of 4, of int16 256 times as fine.
float scaled(Sketch& s, DataType type, double scale) {
  const auto drawn = static_cast<float>(scale * s.random.between(0.5, 2.0));
  if (type == DataType::Int16)
    s.quantise16(drawn / 256);
  else
    s.quantise(false, drawn, s.random.between(std::int64_t{-128}, std::int64_t{127}));
  return type == DataType::Int16 ? drawn / 256 : drawn;
}

std::vector<double> whole_numbers(Sketch& s, std::int64_t count, std::int64_t most) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(static_cast<double>(s.random.between(-most, most)));
  return result;
}

void integer_lstm(Sketch& s, int code, DataType type) {
  s.drawn.runs = 2;
  const std::int64_t steps = few(s), batch = s.random.between(std::int64_t{1}, std::int64_t{2}),
                     width = few(s), cells = few(s);
  const bool steps_first = s.random.chance(0.5);
  const auto shape = [&](std::int64_t last) {
    return steps_first ? Shape{steps, batch, last} : Shape{batch, steps, last};
  };
  const DataType sums = type == DataType::Int8 ? DataType::Int32 : DataType::Int64;
  const std::int64_t most = type == DataType::Int8 ? 3000 : 800'000;
  float scale = 0;
  scaled(s, type, 0.03);
  Ints inputs = {s.input(type, shape(width))};
  for (int g = 0; g < 4; ++g) inputs.push_back(s.weights16({cells, width}, -1, scale));
  for (int g = 0; g < 4; ++g) inputs.push_back(s.weights16({cells, cells}, -1, scale));
  inputs.resize(12, -1);
  for (int g = 0; g < 4; ++g) inputs.push_back(s.constant(sums, {cells}, whole_numbers(s, cells, most)));
  inputs.resize(18, -1);
  scaled(s, type, 1.0 / 128);
  const int hidden = s.variable(type, {batch, cells});
  if (type == DataType::Int8) s.quantise16(1);
  const float fine = s.scale16();
  s.quantise16(std::ldexp(1.0F, -static_cast<int>(s.random.between(std::int64_t{9}, std::int64_t{15}))));
  inputs.insert(inputs.end(), {hidden, s.variable(DataType::Int16, {batch, cells})});
  inputs.resize(24, -1);
  s.quantise16(fine);
  s.output(type, shape(cells));
  s.finish(code, BuiltinOptions::SequenceLstmOptions,
           import::tflite::CreateSequenceLstmOptions(s.file.builder(), Activation::TANH,
                                                     s.random.one_of({0.0F, 0.0F, 0.3F}), 0, steps_first),
           inputs);
}
void lstm8(Sketch& s, int code) { integer_lstm(s, code, DataType::Int8); }
void lstm16(Sketch& s, int code) { integer_lstm(s, code, DataType::Int16); }

/// The state and the weights of time are of `kept`.
void integer_svdf(Sketch& s, int code, DataType kept) {
  const SvdfExtents e = svdf_extents(s);
  const bool wide = kept == DataType::Int16;
  float of_features = 0, of_time = 0;
  const float of_data = scaled(s, DataType::Int8, 0.03);
  const int x = s.input(DataType::Int8, {e.batch, e.width});
  const int features = s.weights16({e.filters, e.width}, -1, of_features);
  int time = 0;
  if (wide) {
    of_time = static_cast<float>(s.random.between(0.0001, 0.002));
    s.quantise16(of_time);
    time = s.constant(kept, {e.filters, e.steps}, whole_numbers(s, e.filters * e.steps, 4000));
  } else {
    time = s.weights16({e.filters, e.steps}, -1, of_time);
  }
  // The state's range is about that of the sums of features.
  const float of_state =
      scaled(s, kept, of_data * of_features * 60 * std::sqrt(static_cast<double>(e.width)));
  const int bias =
      s.with_scale(s.constant(DataType::Int32, {e.units}, whole_numbers(s, e.units, wide ? 100'000 : 3000)),
                   of_state * of_time);
  const int state = s.variable(kept, {e.batch, e.filters * e.steps});
  const double terms = std::sqrt(static_cast<double>(e.rank * e.steps));
  scaled(s, DataType::Int8, of_state * of_time * terms * (wide ? 300'000 : 60));
  s.output(DataType::Int8, {e.batch, e.units});
  s.finish(code, BuiltinOptions::SvdfOptions,
           import::tflite::CreateSvdfOptions(s.file.builder(), static_cast<int>(e.rank),
                                             s.random.one_of({Activation::NONE, Activation::RELU})),
           {x, features, time, bias, state});
}
void svdf8(Sketch& s, int code) { integer_svdf(s, code, DataType::Int8); }
void svdf16(Sketch& s, int code) { integer_svdf(s, code, DataType::Int16); }

}  // namespace

std::vector<Row> recurrent_rows() {
  return {{"BIDIRECTIONAL_SEQUENCE_LSTM", 52, bidirectional_lstm},
          {"BIDIRECTIONAL_SEQUENCE_RNN", 46, bidirectional_rnn},
          {"LSTM", 16, sequence_lstm},
          {"RNN", 24, recurrent},
          {"SVDF", 27, svdf},
          {"SVDF of int8", 27, svdf8},
          {"SVDF of int8 and int16", 27, svdf16},
          {"UNIDIRECTIONAL_SEQUENCE_LSTM", 44, sequence_lstm},
          {"UNIDIRECTIONAL_SEQUENCE_LSTM of int8", 44, lstm8},
          {"UNIDIRECTIONAL_SEQUENCE_LSTM of int16", 44, lstm16},
          {"UNIDIRECTIONAL_SEQUENCE_RNN", 35, recurrent}};
}

}  // namespace vdla::random_tflite
