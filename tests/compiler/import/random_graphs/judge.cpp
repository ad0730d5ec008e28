// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/import/random_graphs/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kit/kit.h"
#include "support/error.h"

namespace vdla::random_graphs {
namespace {

DataType graph_type(runtime::DataType type) {
  for (int t = 0;; ++t)
    if (graph::name_of(static_cast<DataType>(t)) == runtime::name_of(type)) return static_cast<DataType>(t);
}

graph::Graph imported(const Drawn& drawn) {
  const std::string text = drawn.model.SerializeAsString();
  const auto bytes = std::as_bytes(std::span(text));
  import::ImportOptions options;
  while (true) {
    try {
      return import::import_onnx(bytes, "drawn", options);
    } catch (const import::NeedsConstant& needs) {
      const std::size_t before = options.bound.size();
      for (const std::string& input : needs.inputs) options.bound.emplace(input, drawn.inputs.at(input));
      if (options.bound.size() == before) throw;
    }
  }
}

runtime::Module compiled(const graph::Graph& graph, Place place) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.use_device = place == Place::Functional;
  options.machine_code = place != Place::Interpreter;
  return kit::compile_module(graph, options);
}

std::vector<import::Array> results(const graph::Graph& graph, const InputOf& input, Place place, int runs) {
  const runtime::Module module = compiled(graph, place);
  std::vector<runtime::Bytes> inputs;
  for (const runtime::Port& port : module.inputs) inputs.push_back(*input(port, inputs.size()).data);
  kit::SessionOptions options;
  options.interpret = place == Place::Interpreter;
  kit::Session session(module, place == Place::Functional ? "functional" : "", options);
  for (int run = 1; run < runs; ++run) session.run_model(inputs);
  std::vector<import::Array> outputs;
  for (runtime::Bytes& bytes : session.run_model(inputs).outputs) {
    const runtime::Port& port = module.outputs[outputs.size()];
    outputs.push_back({graph_type(port.model_type), port.model_shape,
                       std::make_shared<const graph::Bytes>(std::move(bytes))});
  }
  return outputs;
}

template <class T>
double element(const import::Array& array, std::size_t i) {
  T value;
  std::memcpy(&value, array.data->data() + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

}  // namespace

double element_of(const import::Array& array, std::size_t i) {
  switch (array.type) {
    case DataType::Float32:
      return element<float>(array, i);
    case DataType::Int8:
      return element<std::int8_t>(array, i);
    case DataType::UInt8:
    case DataType::Bool:
      return element<std::uint8_t>(array, i);
    case DataType::Int16:
      return element<std::int16_t>(array, i);
    case DataType::UInt16:
      return element<std::uint16_t>(array, i);
    case DataType::Int32:
      return element<std::int32_t>(array, i);
    case DataType::UInt32:
      return element<std::uint32_t>(array, i);
    case DataType::Int64:
      return element<std::int64_t>(array, i);
    case DataType::UInt64:
      return element<std::uint64_t>(array, i);
    default:
      VDLA_CHECK(false) << "an output of type " << graph::name_of(array.type);
      return 0;
  }
}

std::size_t elements_of(const import::Array& array) {
  return array.data->size() / graph::bytes_of(array.type);
}

double largest_of(const import::Array& array) {
  double largest = 0;
  for (std::size_t i = 0; i < elements_of(array); ++i)
    if (const double v = std::fabs(element_of(array, i)); std::isfinite(v)) largest = std::max(largest, v);
  return largest;
}

double near_of(const import::Array& want) {
  constexpr double kOfLargest = 1e-5;
  return want.type == DataType::Float32 ? kOfLargest * largest_of(want) + 1e-12 : 0;
}

Ran run_here(const std::function<graph::Graph()>& import, const InputOf& input, Place place, int runs) {
  try {
    return {results(import(), input, place, runs), "", ""};
  } catch (const UserError& e) {
    return {{}, e.what(), ""};
  } catch (const std::exception& e) {
    return {{}, "", e.what()};
  }
}

Ran run_here(const Drawn& drawn, Place place) {
  return run_here([&] { return imported(drawn); },
                  [&](const runtime::Port& port, std::size_t) { return drawn.inputs.at(port.name); }, place);
}

namespace {

std::string difference(const import::Array& have, const import::Array& want, const Allowed& allowed) {
  if (have.type != want.type || have.shape != want.shape)
    return fmt::format("is {} {}, right is {} {}", graph::name_of(have.type), graph::to_string(have.shape),
                       graph::name_of(want.type), graph::to_string(want.shape));
  const double near = allowed.amount + near_of(want);
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < elements_of(want); ++i) {
    const double h = element_of(have, i), w = element_of(want, i);
    if (h == w || (std::isnan(h) && std::isnan(w)) || std::fabs(h - w) <= near) continue;
    if (wrong++ == 0) first = fmt::format("element {} is {}, right is {}", i, h, w);
  }
  if (wrong == 0 || wrong <= allowed.flipped) return "";
  return fmt::format("{} of {} elements differ by more than {:.3g}: {}", wrong, elements_of(want), near,
                     first);
}

}  // namespace

std::optional<Difference> compare(const std::vector<import::Array>& have,
                                  const std::vector<std::pair<std::string, import::Array>>& want,
                                  const std::vector<Allowed>& allowed) {
  if (have.size() != want.size())
    return Difference{0, fmt::format("{} outputs, right are {}", have.size(), want.size())};
  for (std::size_t i = 0; i < have.size(); ++i) {
    const std::string text = difference(have[i], want[i].second, allowed.empty() ? Allowed{} : allowed[i]);
    if (!text.empty()) return Difference{i, fmt::format("output {} '{}': {}", i, want[i].first, text)};
  }
  return std::nullopt;
}

namespace {

bool has_nan(const Answer& answer) {
  return std::ranges::any_of(answer.outputs, [](const auto& output) {
    const import::Array& array = output.second;
    for (std::size_t i = 0; i < elements_of(array); ++i)
      if (std::isnan(element_of(array, i))) return true;
    return false;
  });
}

}  // namespace

Verdict judge(Oracle& oracle, const Drawn& drawn, const Answer& answer, Place place) {
  using enum Verdict::Kind;
  if (!answer.refused.empty()) return {NoAnswer, answer.refused};
  const Ran ran = run_here(drawn, place);
  if (!ran.broken.empty()) return {Broken, ran.broken};
  if (!ran.refused.empty()) return {Refused, ran.refused};
  const auto exact = compare(ran.outputs, answer.outputs);
  if (!exact) return {Equal, ""};
  const auto different = compare(ran.outputs, answer.outputs, allowance(oracle, drawn, answer));
  if (!different) return {WithinSteps, exact->text};
  if (has_nan(reveal(oracle, drawn)))
    return {NoAnswer, "a value on the way is NaN, and ONNX has no rule for it"};
  return {Differs, different->text, different->output};
}

Verdict judge(Oracle& oracle, const Drawn& drawn, Place place) {
  return judge(oracle, drawn, oracle.ask(drawn), place);
}

}  // namespace vdla::random_graphs
