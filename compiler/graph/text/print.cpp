// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/graph/text/attributes.h"
#include "compiler/graph/text/elements.h"
#include "compiler/graph/text/text.h"

namespace vdla::graph {
namespace {

constexpr std::size_t kListed = 64;  ///< elements that are written as numbers
constexpr std::size_t kShort = 8;    ///< elements of a list that people read

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (byte < ' ' || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// Long lists have no more than their first element for people.
std::string list_text(const std::vector<std::string>& parts, Data data) {
  if (data == Data::LeftOut && parts.size() > kShort)
    return fmt::format("[{}, ... {} in all]", parts[0], parts.size());
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

template <class T>
std::string list_text(const std::vector<T>& values, Data data) {
  std::vector<std::string> parts;
  for (const T& value : values) parts.push_back(fmt::format("{}", value));
  return list_text(parts, data);
}

std::string value_text(const Json& value, Data data) {
  std::vector<std::string> parts;
  if (value.is_object()) {
    for (const auto& [name, one] : value.items()) parts.push_back(name + " = " + value_text(one, data));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  if (value.is_array()) {
    for (const Json& one : value) parts.push_back(value_text(one, data));
    return list_text(parts, data);
  }
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

std::string type_text(DataType type, const Shape& shape) {
  return fmt::format("{}[{}]", name_of(type), fmt::join(shape, ", "));
}

std::string quantization_text(const Quantization& q, Data data) {
  if (q.empty()) return "";
  const auto zero = [&](std::int32_t z) { return z == q.zero_point[0]; };
  const std::string zeros = std::ranges::all_of(q.zero_point, zero) ? fmt::format("{}", q.zero_point.at(0))
                                                                    : list_text(q.zero_point, data);
  if (q.scale.size() == 1 && q.axis == -1) return fmt::format(" scale {} zero {}", q.scale[0], zeros);
  return fmt::format(" scale {} zero {} axis {}", list_text(q.scale, data), zeros, q.axis);
}

/// Text of the sources of one likeness.
std::string sources_text(const Sources& sources, Likeness likeness) {
  std::vector<std::string> names;
  for (const SourceTensor& s : sources)
    if (s.likeness == likeness) names.push_back(in_quotes(s.name));
  return names.empty() ? "" : fmt::format(" {} {}", name_of(likeness), fmt::join(names, ", "));
}

std::string sources_text(const Tensor& t) {
  if (!t.sources || *t.sources == Sources{{t.name, Likeness::Same}}) return "";
  if (t.sources->empty()) return " own";
  std::string text;
#define VDLA_WORD(id, code, word, doc) text += sources_text(*t.sources, Likeness::id);
  VDLA_LIKENESSES(VDLA_WORD)
#undef VDLA_WORD
  return text;
}

/// A list of numbers, or "splat" and the one that all elements are; nothing where that does not say all bits,
/// or is too long. `splats` is the number of elements that may still be filled so.
template <class T>
std::string numbers_text(std::span<const T> values, std::size_t most, std::int64_t& splats) {
  using Number = std::conditional_t<(sizeof(T) == 1), int, T>;
  const auto count = static_cast<std::int64_t>(values.size());
  const auto same = [&](const T& v) { return std::memcmp(&v, values.data(), sizeof v) == 0; };
  const bool splat = count > 1 && count <= splats && std::ranges::all_of(values, same);
  if (!splat && values.size() > most) return "";
  if constexpr (std::is_floating_point_v<T>)
    if (std::ranges::any_of(values, [](T v) { return !std::isfinite(v); })) return "";
  std::vector<std::string> parts;
  for (const T& v : splat ? values.first(1) : values) parts.push_back(fmt::format("{}", Number(v)));
  if (!splat) return fmt::format("[{}]", fmt::join(parts, ", "));
  splats -= count;
  return "splat " + parts[0];
}

std::string data_text(const Tensor& t, Data data, std::int64_t& splats) {
  const std::size_t most = data == Data::All ? kListed : kShort;
  std::string text;
  with_element(t.type, [&]<class T>(T) { text = numbers_text(t.values<T>(), most, splats); });
  if (!text.empty()) return text;
  if (data == Data::LeftOut && t.data->size() > kShort) return "...";
  static constexpr std::string_view kDigits = "0123456789abcdef";
  text = "0x";
  text.reserve(2 + 2 * t.data->size());
  for (const std::byte b : *t.data) {
    text += kDigits[std::to_integer<std::size_t>(b) >> 4];
    text += kDigits[std::to_integer<std::size_t>(b) & 15];
  }
  return text;
}

class Printer {
 public:
  Printer(const Graph& graph, Data data) : g_(graph), data_(data), number_(graph.tensors.size(), kNone) {}

  std::string run() {
    text_ = "graph " + in_quotes(g_.name) + "\n";
    for (const Port& port : g_.inputs)
      text_ += fmt::format("input {}{}\n", head(port.tensor, true), port_text(port));
    for (const State& state : g_.states) {
      Tensor first = g_.tensor(state.begin);
      first.data = state.initial;
      text_ += fmt::format("state {} = {}\n", head(state.begin, true), data_text(first, data_, splats_));
    }
    for (const Node& node : g_.nodes) add(node);
    for (const Port& port : g_.outputs) {
      add_constant(port.tensor);
      text_ += fmt::format("output {}{}\n", id(port.tensor), port_text(port));
    }
    for (const State& state : g_.states) {
      add_constant(state.end);
      text_ += fmt::format("next {} = {}\n", id(state.begin), id(state.end));
    }
    return std::move(text_);
  }

 private:
  TensorId& number(TensorId tensor) { return number_[static_cast<std::size_t>(tensor)]; }

  std::string id(TensorId tensor) {
    if (tensor == kNone) return "-";
    return fmt::format("%{}", number(tensor));
  }

  /// Head of a tensor that appears for the first time.
  std::string head(TensorId tensor, bool named) {
    number(tensor) = next_++;
    const Tensor& t = g_.tensor(tensor);
    return fmt::format("{}{}: {}{}{}", id(tensor), named ? " " + in_quotes(t.name) : "",
                       type_text(t.type, t.shape), quantization_text(t.quantization, data_), sources_text(t));
  }

  void add_constant(TensorId tensor) {
    if (tensor == kNone || number(tensor) != kNone || !g_.tensor(tensor).constant()) return;
    text_ += "const " + head(tensor, true);
    text_ += " = " + data_text(g_.tensor(tensor), data_, splats_) + "\n";
  }

  void add(const Node& node) {
    for (TensorId tensor : node.inputs) add_constant(tensor);
    std::vector<std::string> inputs;
    for (TensorId tensor : node.inputs) inputs.push_back(id(tensor));
    const Json attributes = attribute_values(node.op);
    text_ += head(node.output, g_.tensor(node.output).name != node.name);
    text_ += fmt::format(" = {} {}({}){}\n", name_of(node.op), in_quotes(node.name), fmt::join(inputs, ", "),
                         attributes.empty() ? "" : " " + value_text(attributes, data_));
  }

  std::string port_text(const Port& port) const {
    const Tensor& t = g_.tensor(port.tensor);
    std::string text;
    if (port.model_type != t.type || port.model_shape != t.shape)
      text += " model " + type_text(port.model_type, port.model_shape);
    if (!port.perm.empty()) text += fmt::format(" perm [{}]", fmt::join(port.perm, ", "));
    if (port.rounding == Rounding::HalfAwayFromZero) text += " halves_away";
    return text;
  }

  const Graph& g_;
  const Data data_;
  std::vector<TensorId> number_;
  TensorId next_ = 0;
  std::int64_t splats_ = kMostSplat;
  std::string text_;
};

}  // namespace

std::string print(const Graph& graph, Data data) { return Printer(graph, data).run(); }

}  // namespace vdla::graph
