// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/port.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "support/error.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::StrEq;
using ::testing::ThrowsMessage;

Bytes floats(std::initializer_list<float> values) {
  Bytes bytes(values.size() * 4);
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

Module one_port(DataType model, DataType inside, Shape model_shape, std::vector<std::int32_t> perm,
                Shape shape) {
  Module m;
  m.tensors = {{.name = "t",
                .type = inside,
                .shape = std::move(shape),
                .quantization = {{0.5}, {-1}, -1},
                .data = {}}};
  m.inputs = {{.tensor = 0,
               .name = "x",
               .model_type = model,
               .model_shape = std::move(model_shape),
               .perm = std::move(perm)}};
  return m;
}

TEST(Port, QuantisesFloats) {
  const Module m = one_port(DataType::Float32, DataType::Int8, {7}, {}, {7});
  const Bytes in = floats({0, 0.5, 0.25, 0.75, -1000, 1000, NAN});
  // 0.25 / 0.5 = 0.5 and 0.75 / 0.5 = 1.5 go to the even neighbour.
  EXPECT_EQ(to_tensor(m, m.inputs[0], in), int8s({-1, 0, -1, 1, -128, 127, -1}));
  const Bytes out = to_model(m, m.inputs[0], int8s({-1, 0, 1, 127, -128, 3, -2}));
  EXPECT_EQ(out, floats({0, 0.5, 1, 64, -63.5, 2, -0.5}));
}

/// The largest numbers below a half and a step above: away from zero is not x + 0.5 cut off.
TEST(Port, FloatsOfTfliteRoundHalvesAwayFromZero) {
  Module m = one_port(DataType::Float32, DataType::Int8, {10}, {}, {10});
  m.tensors[0].quantization = {{1}, {0}, -1};
  m.inputs[0].rounding = Rounding::HalfAwayFromZero;
  const Bytes in = floats({0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997F, -0.49999997F, 0.50000006F, 126.5});
  EXPECT_EQ(to_tensor(m, m.inputs[0], in), int8s({1, -1, 2, -2, 3, -3, 0, 0, 1, 127}));
}

TEST(Port, MovesUnsignedBytes) {
  const Module m = one_port(DataType::UInt8, DataType::Int8, {3}, {}, {3});
  EXPECT_EQ(to_tensor(m, m.inputs[0], int8s({0, 128, 255})), int8s({-128, 0, 127}));
  EXPECT_EQ(to_model(m, m.inputs[0], int8s({-128, 0, 127})), int8s({0, 128, 255}));
}

TEST(Port, Permutes) {
  const Module m = one_port(DataType::Int8, DataType::Int8, {1, 3, 2, 2}, {0, 2, 3, 1}, {1, 2, 2, 3});
  const Bytes nchw = int8s({1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24});
  const Bytes nhwc = int8s({1, 11, 21, 2, 12, 22, 3, 13, 23, 4, 14, 24});
  EXPECT_EQ(to_tensor(m, m.inputs[0], nchw), nhwc);
  EXPECT_EQ(to_model(m, m.inputs[0], nhwc), nchw);
}

/// Against the definition, one number at a time, in an order where dimensions move and one where they merge.
TEST(Port, QuantisesAndPermutesManyNumbers) {
  for (const Rounding rounding : {Rounding::HalfToEven, Rounding::HalfAwayFromZero})
    for (const std::vector<std::int32_t>& perm :
         {std::vector<std::int32_t>{0, 2, 3, 1}, {0, 3, 1, 2}, {3, 1, 0, 2}, {0, 1, 2, 3}}) {
      const Shape model{2, 3, 5, 7};
      Shape inside;
      for (const std::int32_t d : perm) inside.push_back(model[static_cast<std::size_t>(d)]);
      Module m = one_port(DataType::Float32, DataType::Int8, model, perm, inside);
      m.inputs[0].rounding = rounding;
      std::vector<float> values(210);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(static_cast<int>(i * 7919 % 1000) - 500) / 8;  // many halves
      values[3] = INFINITY;
      values[5] = -INFINITY;
      const auto bytes = std::as_bytes(std::span(values));
      Bytes want(210), back(840);
      std::size_t at = 0;
      std::array<std::int64_t, 4> i{};
      for (i[0] = 0; i[0] < inside[0]; ++i[0])
        for (i[1] = 0; i[1] < inside[1]; ++i[1])
          for (i[2] = 0; i[2] < inside[2]; ++i[2])
            for (i[3] = 0; i[3] < inside[3]; ++i[3], ++at) {
              std::array<std::int64_t, 4> own{};
              for (std::size_t d = 0; d < 4; ++d) own[static_cast<std::size_t>(perm[d])] = i[d];
              const auto from = static_cast<std::size_t>(((own[0] * 3 + own[1]) * 5 + own[2]) * 7 + own[3]);
              const double scaled = std::clamp(rounded(values[from] / 0.5F, rounding), -1000.0, 1000.0);
              const int q = std::clamp(static_cast<int>(scaled) - 1, -128, 127);
              want[at] = static_cast<std::byte>(q);
              const float real = 0.5F * static_cast<float>(q + 1);
              std::memcpy(back.data() + from * 4, &real, 4);
            }
      const Bytes have = to_tensor(m, m.inputs[0], bytes);
      EXPECT_EQ(have, want);
      EXPECT_EQ(to_model(m, m.inputs[0], have), back);
    }
}

TEST(Port, RefusesWhatDoesNotConvert) {
  Module m = one_port(DataType::Float32, DataType::Int8, {2}, {}, {2});
  EXPECT_THAT([&] { to_tensor(m, m.inputs[0], int8s({1, 2})); },
              ThrowsMessage<UserError>(StrEq("input 'x' has 2 bytes, needs 8: float32 2")));
  EXPECT_THAT([&] { to_model(m, m.inputs[0], int8s({1})); },
              ThrowsMessage<UserError>(StrEq("output 'x' has 1 bytes, needs 2")));
  m.tensors[0].quantization.scale = {1, 2};
  EXPECT_THAT([&] { to_tensor(m, m.inputs[0], Bytes(8)); },
              ThrowsMessage<UserError>(
                  StrEq("'x' is float32 in the model, so its tensor 't' needs one scale and one zero "
                        "point, has 2 and 1")));
  m.tensors[0].type = DataType::Int32;
  EXPECT_THAT([&] { to_tensor(m, m.inputs[0], Bytes(8)); },
              ThrowsMessage<UserError>(StrEq("'x' cannot be converted from float32 to int32")));
  EXPECT_THAT([&] { to_model(m, m.inputs[0], Bytes(8)); },
              ThrowsMessage<UserError>(StrEq("'x' cannot be converted from int32 to float32")));
}

}  // namespace
}  // namespace vdla::runtime
