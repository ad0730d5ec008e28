// SPDX-License-Identifier: Apache-2.0
// Modules with one fault each under a hash that fits: what somebody makes who means harm, or a compiler with
// a bug. The names are those of the files by which they were found; none may pass the door.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "runtime/container/module_file.h"
#include "runtime/container/sections.h"
#include "support/error.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

class CraftedModules : public ::testing::Test {
 protected:
  CraftedModules() {
    m.outputs[0].model_type = DataType::Float32;  // of an int8 tensor, as its input
  }

  /// The module as a file, unchecked, is refused with this sentence.
  void expect_refused(const std::string& sentence) {
    const Bytes file = pack(to_sections(m));
    EXPECT_THAT([&] { parse(file, "m"); },
                ThrowsMessage<UserError>(AllOf(StartsWith("'m' is corrupt: "), HasSubstr(sentence))));
  }
  HostStep& step(std::size_t i) { return std::get<HostStep>(m.steps[i]); }
  Quantization& quantization(std::size_t tensor) { return m.tensors[tensor].quantization; }

  Module m = two_host_steps();
};

TEST_F(CraftedModules, AGoodOneIsRead) { EXPECT_NO_THROW(parse(pack(to_sections(m)), "m")); }

TEST_F(CraftedModules, states) {
  const Tensor like = m.tensors[m.outputs[0].tensor];
  m.tensors.push_back(like);
  const auto begin = static_cast<TensorIndex>(m.tensors.size() - 1);
  const State good{begin, m.outputs[0].tensor, Bytes(like.bytes())};
  m.states = {good};
  EXPECT_EQ(parse(pack(to_sections(m)), "m").states, m.states);
  m.states[0].initial.pop_back();
  expect_refused("bytes, needs ");
  m.states[0] = {begin + 1, good.end, good.initial};
  expect_refused("a state names tensor ");
  m.states[0] = {begin, begin, good.initial};
  expect_refused("becomes what state ");
  m.states = {good, good};
  expect_refused("has a value already");
  m.states = {{m.inputs[0].tensor, good.end, Bytes(m.tensors[m.inputs[0].tensor].bytes())}};
  expect_refused("has a value already");
  m.states = {good};
  m.tensors[begin].shape = {1};
  m.states[0].initial.resize(m.tensors[begin].bytes());
  expect_refused("needs an equal type");
}

TEST_F(CraftedModules, t_dram_bytes_per_cycle) {
  for (const unsigned v : {0U, UINT32_MAX}) {
    m.variant.timing.dram_bytes_per_cycle = v;
    expect_refused("dram_bytes_per_cycle is " + std::to_string(v));
  }
}

TEST_F(CraftedModules, t_dram_burst_bytes) {
  for (const unsigned v : {0U, UINT32_MAX}) {
    m.variant.timing.dram_burst_bytes = v;
    expect_refused("dram_burst_bytes is " + std::to_string(v));
  }
}

TEST_F(CraftedModules, t_dram_latency) {
  for (const unsigned v : {0U, UINT32_MAX}) {
    m.variant.timing.dram_latency = v;
    expect_refused("dram_latency is " + std::to_string(v));
  }
}

TEST_F(CraftedModules, t_dram_outstanding) {
  for (const unsigned v : {0U, UINT32_MAX}) {
    m.variant.timing.dram_outstanding = v;
    expect_refused("dram_outstanding is " + std::to_string(v));
  }
}

TEST_F(CraftedModules, t_clock_mhz) {
  for (const double v : {0.0, -1.0, 1e308, 1e-320, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    m.variant.timing.clock_mhz = v;
    expect_refused("clock_mhz is ");
  }
}

TEST_F(CraftedModules, shape_of_a_port) {
  const std::int64_t huge = std::int64_t{1} << 62, wide = std::int64_t{1} << 32;
  for (const Shape& shape : {Shape{-1, 3, -2, 2}, Shape{1, -3, 2, -2}, Shape{-12, -1, 1, 1},
                             Shape{huge, 4, 3, 4}, Shape{wide, wide, 1, 12}}) {
    m.inputs[0].model_shape = shape;
    expect_refused("input 'image' has a bad shape: " + to_string(shape));
  }
}

TEST_F(CraftedModules, dimensions) {
  m.inputs[0].model_shape.resize(65, 1);
  expect_refused("input 'image' has 65 dimensions, needs at most 64");
  m.tensors[0].shape.resize(100'000, 1);
  expect_refused("tensor 'in' has 100000 dimensions, needs at most 64");
}

TEST_F(CraftedModules, bigtensor) {
  for (const std::int64_t extent :
       {std::int64_t{1} << 31, std::int64_t{1} << 33, std::int64_t{1} << 39, std::int64_t{1} << 62}) {
    m = two_host_steps();
    m.tensors[2].shape = {extent};
    m.outputs[0].model_shape = {extent};
    EXPECT_THROW(parse(pack(to_sections(m)), "m"), UserError) << extent;
  }
}

/// The same with a kernel that declares so much.
TEST_F(CraftedModules, bigtensor_of_a_kernel_that_asks_for_it) {
  for (const std::int64_t extent : {std::int64_t{1} << 37, std::int64_t{1} << 62, INT64_MAX}) {
    m.tensors[2].shape = {extent};
    step(1).parameters[1].bytes = static_cast<std::uint64_t>(extent);
    m.outputs[0].model_shape = {extent};
    expect_refused("tensor 'out' has a bad shape: " + std::to_string(extent));
  }
}

TEST_F(CraftedModules, kernel_tensors_too_small) {
  for (Tensor& t : m.tensors) t.shape = {1};
  m.inputs[0].model_shape = m.outputs[0].model_shape = {1};
  m.inputs[0].perm = {};
  expect_refused(
      "step 0 (kernel 'add_one'): its kernel takes 12 bytes of int8 as argument 0, tensor 'in' has 1 of "
      "int8");
}

/// A kernel that touches 12 bytes of a tensor that has none.
TEST_F(CraftedModules, kernel_tensors_without_elements) {
  m.tensors[1].shape = {1, 2, 0, 3};
  expect_refused(
      "step 0 (kernel 'add_one'): its kernel takes 12 bytes of int8 as argument 1, tensor 'middle' has 0 of "
      "int8");
}

TEST_F(CraftedModules, kernel_tensors_of_another_type) {
  m.tensors[1].type = DataType::UInt8;
  expect_refused("its kernel takes 12 bytes of int8 as argument 1, tensor 'middle' has 12 of uint8");
}

TEST_F(CraftedModules, too_few_args) {
  step(0).arguments = {0};
  step(0).results = {};
  expect_refused("step 0 (kernel 'add_one') has 1 arguments, its kernel takes 2");
}

TEST_F(CraftedModules, one_place_for_two_arguments) {
  step(1).arguments = {2, 2};
  step(1).results = {2};
  expect_refused("step 1 (kernel 'add_one') writes tensor 2, which is its argument twice");
}

TEST_F(CraftedModules, no_outputs) {
  m.outputs.clear();
  expect_refused("'two' has no outputs");
}

TEST_F(CraftedModules, scalar_out) {
  m.outputs[0].model_shape = {};
  expect_refused("output 'scores' has shape scalar, its tensor 'out' has 1x2x2x3");
}

TEST_F(CraftedModules, outtype) {
  for (unsigned code = 0; code < 256; ++code) {
    const auto type = static_cast<DataType>(code);
    m.outputs[0].model_type = type;
    if (type == DataType::Int8 || type == DataType::UInt8 || type == DataType::Float32)
      EXPECT_NO_THROW(parse(pack(to_sections(m)), "m"));
    else
      expect_refused(code > 12 ? "unknown element type " + std::to_string(code)
                               : "output 'scores' is " + std::string(name_of(type)) +
                                     ", its tensor 'out' int8: there is no conversion");
  }
}

TEST_F(CraftedModules, intype) {
  for (unsigned code = 0; code < 256; ++code) {
    const auto type = static_cast<DataType>(code);
    m.inputs[0].model_type = type;
    if (type == DataType::Int8 || type == DataType::UInt8 || type == DataType::Float32)
      EXPECT_NO_THROW(parse(pack(to_sections(m)), "m"));
    else
      expect_refused(code > 12 ? "unknown element type " : "there is no conversion");
  }
}

TEST_F(CraftedModules, unknown_type_of_a_tensor_or_parameter) {
  m.tensors[1].type = static_cast<DataType>(13);
  expect_refused("unknown element type 13");
  m = two_host_steps();
  step(0).parameters[0].type = static_cast<DataType>(255);
  expect_refused("unknown element type 255");
}

TEST_F(CraftedModules, zp_empty_in) {
  quantization(0).zero_point = {};
  expect_refused("tensor 'in' has 1 scales and 0 zero points");
}

TEST_F(CraftedModules, zp_empty_out) {
  quantization(2).zero_point = {};
  expect_refused("tensor 'out' has 1 scales and 0 zero points");
}

TEST_F(CraftedModules, empty_zero_point) {
  quantization(1).zero_point = {};
  expect_refused("tensor 'middle' has 1 scales and 0 zero points");
}

TEST_F(CraftedModules, sc_empty_out) {
  quantization(2).scale = {};
  expect_refused("tensor 'out' has 0 scales and 1 zero points");
  quantization(2).zero_point = {};
  expect_refused(
      "output 'scores' is float32 in the model, so its tensor 'out' needs one scale and one zero point, has "
      "0");
}

TEST_F(CraftedModules, sc_zero_in) {
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    quantization(0).scale = {scale};
    expect_refused("tensor 'in' has scale ");
  }
}

TEST_F(CraftedModules, zero_point_outside_of_int8) {
  quantization(2).zero_point = {128};
  expect_refused("the zero point of its tensor 'out' is 128, needs -128 to 127");
}

TEST_F(CraftedModules, two_inputs_in_one_place) {
  m.inputs.push_back(m.inputs[0]);
  expect_refused("input 'image' writes tensor 'in', which has a value already");
}

TEST_F(CraftedModules, an_input_that_is_a_constant) {
  m.tensors[0].data = Bytes(12);
  expect_refused("input 'image' writes tensor 'in', which has a value already");
}

}  // namespace
}  // namespace vdla::runtime
