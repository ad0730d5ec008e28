// SPDX-License-Identifier: Apache-2.0
#include "kit/kernels/check_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/loop/interpret.h"
#include "support/float16.h"

namespace vdla::kit {
namespace {

using expr::DType;

using Bytes = std::vector<std::byte>;

std::size_t bytes_of(const expr::Buffer& buffer) {
  return static_cast<std::size_t>(expr::storage_size(buffer) * expr::bytes(buffer.dtype));
}

double number_at(const expr::Buffer& buffer, std::span<const std::byte> bytes, std::size_t i) {
  const auto get = [&]<class T>(T value) {
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return static_cast<double>(value);
  };
  switch (buffer.dtype) {
    case DType::F32:
      return get(float{});
    case DType::F64:
      return get(double{});
    case DType::I8:
      return get(std::int8_t{});
    case DType::I16:
      return get(std::int16_t{});
    case DType::U16:
      return get(std::uint16_t{});
    case DType::F16:
      return half_value(static_cast<std::uint16_t>(get(std::uint16_t{})));
    case DType::BF16:
      return bfloat_value(static_cast<std::uint16_t>(get(std::uint16_t{})));
    case DType::I32:
      return get(std::int32_t{});
    case DType::U32:
      return get(std::uint32_t{});
    case DType::I64:
      return get(std::int64_t{});
    case DType::U64:
      return get(std::uint64_t{});
    case DType::Bool:
    case DType::U8:
      break;
  }
  return get(std::uint8_t{});
}

}  // namespace

Bytes draw_values(const expr::Buffer& buffer, std::mt19937_64& random) {
  Bytes result(bytes_of(buffer));
  const auto count = static_cast<std::size_t>(expr::storage_size(buffer));
  const auto put = [&]<class T>(std::size_t i, T value) {
    std::memcpy(result.data() + i * sizeof value, &value, sizeof value);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::int64_t>(random() % 65) - 32;
    switch (buffer.dtype) {
      case DType::F32:
        put(i, static_cast<float>(number) / 8);
        break;
      case DType::F64:
        put(i, static_cast<double>(number) / 8);
        break;
      case DType::F16:
        put(i, half_bits(static_cast<float>(number) / 8));
        break;
      case DType::BF16:
        put(i, bfloat_bits(static_cast<float>(number) / 8));
        break;
      case DType::Bool:
        put(i, static_cast<std::uint8_t>(number & 1));
        break;
      case DType::I8:
      case DType::U8:
        put(i, static_cast<std::uint8_t>(random()));
        break;
      case DType::I16:
      case DType::U16:
        put(i, static_cast<std::int16_t>(number));
        break;
      case DType::I32:
      case DType::U32:
        put(i, static_cast<std::int32_t>(number));
        break;
      case DType::I64:
      case DType::U64:
        put(i, number);
        break;
    }
  }
  return result;
}

void compare_values(const expr::Buffer& buffer, std::span<const std::byte> expected,
                    std::span<const std::byte> seen, KernelCheck& check, double tolerance) {
  const auto width = static_cast<std::size_t>(expr::bytes(buffer.dtype));
  const std::size_t count = expected.size() / width;
  double largest = 0;
  const bool is_float = expr::is_float(buffer.dtype);
  for (std::size_t i = 0; is_float && i < count; ++i)
    if (const double v = number_at(buffer, expected, i); std::isfinite(v))
      largest = std::max(largest, std::abs(v));
  KernelDifference difference{buffer.name};
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(expected.data() + i * width, seen.data() + i * width, width) == 0) continue;
    const double want = number_at(buffer, expected, i), got = number_at(buffer, seen, i);
    if (is_float && (want == got || (std::isnan(want) && std::isnan(got)))) continue;
    const double part = is_float && largest > 0 ? std::abs(want - got) / largest : INFINITY;
    if (part <= tolerance) {
      check.largest = std::max(check.largest, part);
      continue;
    }
    if (difference.count++ != 0) continue;
    difference.element = i;
    difference.expected = want;
    difference.seen = got;
  }
  if (difference.count != 0 && !check.difference) check.difference = difference;
}

KernelCheck check_kernel(const loop::Func& func, gpu::Loaded& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Bytes> expected;
  for (const loop::Param& param : func.params)
    expected.push_back(param.direction == loop::Direction::Out
                           ? Bytes(bytes_of(*param.buffer), std::byte{0xa5})
                           : draw_values(*param.buffer, random));
  for (std::size_t i = 0; i < expected.size(); ++i) program.write(i, expected[i]);
  std::vector<std::span<std::byte>> arguments(expected.begin(), expected.end());
  loop::Interpreter(func).run(arguments);
  program.run();
  KernelCheck check;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Bytes seen(expected[i].size());
    program.read(i, seen);
    compare_values(*func.params[i].buffer, expected[i], seen, check);
  }
  return check;
}

}  // namespace vdla::kit
