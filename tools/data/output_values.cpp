// SPDX-License-Identifier: Apache-2.0
#include "tools/data/output_values.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/module/run_extents.h"
#include "runtime/session/port.h"
#include "support/float16.h"

namespace vdla::tools {
namespace {

template <class T>
double value_at(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return static_cast<double>(value);
}

double value_at(runtime::DataType type, const std::byte* at) {
  switch (type) {
    case runtime::DataType::Int8:
      return value_at<std::int8_t>(at);
    case runtime::DataType::UInt8:
    case runtime::DataType::Bool:
      return value_at<std::uint8_t>(at);
    case runtime::DataType::Int16:
      return value_at<std::int16_t>(at);
    case runtime::DataType::UInt16:
      return value_at<std::uint16_t>(at);
    case runtime::DataType::Int32:
      return value_at<std::int32_t>(at);
    case runtime::DataType::UInt32:
      return value_at<std::uint32_t>(at);
    case runtime::DataType::Int64:
      return value_at<std::int64_t>(at);
    case runtime::DataType::UInt64:
      return value_at<std::uint64_t>(at);
    case runtime::DataType::Float32:
      return value_at<float>(at);
    case runtime::DataType::Float64:
      return value_at<double>(at);
    case runtime::DataType::Float16:
      return half_value(static_cast<std::uint16_t>(value_at<std::uint16_t>(at)));
    case runtime::DataType::BFloat16:
      return bfloat_value(static_cast<std::uint16_t>(value_at<std::uint16_t>(at)));
  }
  return 0;
}

/// The real number behind a value of the port, in the type of the model's file.
double real_value(const runtime::Module& module, const runtime::Port& port, double value) {
  const bool quantised = port.model_type == runtime::DataType::Int8 ||
                         port.model_type == runtime::DataType::UInt8 ||
                         port.model_type == runtime::DataType::Int16;
  const auto scale = quantised ? runtime::scale_of(module, port) : std::nullopt;
  return scale ? scale->scale * (value - scale->zero_point) : value;
}

}  // namespace

std::vector<double> output_values(const runtime::Port& port, const runtime::Bytes& bytes) {
  std::vector<double> values;
  const std::size_t size = runtime::bytes_of(port.model_type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    values.push_back(value_at(port.model_type, bytes.data() + at));
  return values;
}

std::size_t argmax(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::string npy_type(runtime::DataType type) {
  switch (type) {
    case runtime::DataType::Int8:
      return "|i1";
    case runtime::DataType::UInt8:
      return "|u1";
    case runtime::DataType::Bool:
      return "|b1";
    case runtime::DataType::Int16:
      return "<i2";
    case runtime::DataType::UInt16:
    case runtime::DataType::BFloat16:  // NumPy has no such type: the bits
      return "<u2";
    case runtime::DataType::Int32:
      return "<i4";
    case runtime::DataType::UInt32:
      return "<u4";
    case runtime::DataType::Int64:
      return "<i8";
    case runtime::DataType::UInt64:
      return "<u8";
    case runtime::DataType::Float32:
      return "<f4";
    case runtime::DataType::Float64:
      return "<f8";
    case runtime::DataType::Float16:
      return "<f2";
  }
  return "";
}

std::string class_text(const ClassNames& names, std::size_t index) {
  return index < names.size() ? fmt::format("{} '{}'", index, names[index]) : std::to_string(index);
}

bool is_vector(const runtime::Port& output) {
  return std::ranges::count_if(output.model_shape, [](auto extent) { return extent != 1; }) == 1;
}

std::vector<Scored> largest(const runtime::Module& module, const runtime::Port& output,
                            const std::vector<double>& values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t kept = std::min(count, order.size());
  // NaN is below every number, so that the order is one.
  const auto before = [&](std::size_t a, std::size_t b) {
    const bool a_nan = values[a] != values[a], b_nan = values[b] != values[b];
    if (a_nan || b_nan) return a_nan == b_nan ? a < b : b_nan;
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), before);
  std::vector<Scored> scores;
  for (std::size_t i = 0; i < kept; ++i)
    scores.push_back({order[i], values[order[i]], real_value(module, output, values[order[i]])});
  return scores;
}

void print_scores(const std::vector<Scored>& scores, const ClassNames& names) {
  std::size_t width = 5;
  for (const Scored& s : scores) width = std::max(width, class_text(names, s.index).size());
  fmt::print("  {:<{}} {:>12}\n", "class", width, "score");
  for (const Scored& s : scores)
    fmt::print("  {:<{}} {:>12.6g}{}\n", class_text(names, s.index), width, s.score,
               s.score == s.value ? "" : fmt::format("  ({})", s.value));
}

void print_outputs(const runtime::Module& module, const std::vector<runtime::Bytes>& outputs,
                   const ClassNames& names) {
  constexpr std::size_t kShown = 16;
  const auto [ports, bytes] = runtime::cut_to_extents(module.outputs, outputs);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const runtime::Port& port = ports[i];
    const auto values = output_values(port, bytes[i]);
    const bool real = port.model_type == runtime::DataType::Float32;
    std::vector<std::string> head;
    for (std::size_t k = 0; k < std::min(kShown, values.size()); ++k)
      head.push_back(real ? fmt::format("{:.6g}", values[k]) : fmt::format("{}", values[k]));
    fmt::print("output '{}' ({}): {}{}\n", port.name, runtime::to_string(port.model_shape),
               fmt::join(head, " "), values.size() > kShown ? " ..." : "");
    if (is_vector(port))
      print_scores(largest(module, port, values, kTopClasses), i == 0 ? names : ClassNames{});
  }
}

}  // namespace vdla::tools
