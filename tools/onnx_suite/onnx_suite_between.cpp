// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx_suite/onnx_suite_between.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tools/onnx_suite/onnx_between.h"

namespace vdla::tools {
namespace {

using graph::DataType;
using import::Array;

std::vector<float> floats_of(const graph::Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Lowest and highest integer of a quantised type.
std::pair<float, float> ends(DataType type) {
  return type == DataType::Int8 ? std::pair{-128.0f, 127.0f} : std::pair{0.0f, 255.0f};
}

/// Scale and zero point by which the range of the values, zero included, fills the type.
Border border_of(const std::vector<float>& values, DataType type) {
  float low = 0, high = 0;
  for (const float v : values) {
    if (!std::isfinite(v)) throw import::OutOfScope("a value is not finite", "values that are not finite");
    low = std::min(low, v), high = std::max(high, v);
  }
  const float scale = (high - low) / 255;
  if (!(scale > std::numeric_limits<float>::min()) || !std::isfinite(scale)) return {1, 0};
  const auto [least, most] = ends(type);
  return {scale, static_cast<std::int64_t>(std::clamp(std::nearbyint(least - low / scale), least, most))};
}

float passed(float v, const Border& border, DataType type) {
  const auto [least, most] = ends(type);
  const auto zero = static_cast<float>(border.zero_point);
  return (std::clamp(std::nearbyint(v / border.scale) + zero, least, most) - zero) * border.scale;
}

graph::Bytes passed(const graph::Bytes& bytes, const Border& border, DataType type) {
  std::vector<float> values = floats_of(bytes);
  for (float& v : values) v = passed(v, border, type);
  return *graph::to_bytes(values);
}

/// Says what misses the float result, as it is quantised, by more than a step.
std::string beyond_a_step(const graph::Bytes& have, const graph::Bytes& want, const Border& border,
                          DataType type) {
  const std::vector<float> h = floats_of(have), w = floats_of(want);
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const float right = passed(w[i], border, type);
    if (std::fabs(h[i] - right) <= 1.001f * border.scale) continue;
    if (wrong++ == 0)
      first = fmt::format("element {} is {}, right is {} within a step of {}", i, h[i], right, border.scale);
  }
  return wrong == 0 ? "" : fmt::format("{} of {} elements differ: {}", wrong, w.size(), first);
}

/// The float network of a case, what it is fed with once that is quantised, and what it makes of it.
struct FloatRoad {
  graph::Graph graph;
  Borders borders;
  std::vector<graph::Bytes> want;
};

FloatRoad float_road(SuiteCase& result, const graph::Bytes& model, const std::filesystem::path& folder,
                     DataType type, const SuiteOptions& options) {
  DataSet data = read_data_set(model, result.name, folder);
  result.bound.clear();
  FloatRoad road{import_case(model, result.name, data, result.bound), {type, {}, {}, {}}, {}};
  for (const std::string& name : result.bound) road.borders.bound.emplace(name, data.inputs.at(name));
  inputs_of(road.graph, data);  // it throws where a file is missing
  for (const graph::Port& port : road.graph.inputs) {
    const std::string& name = road.graph.tensor(port.tensor).name;
    Array& array = data.inputs.at(name);
    if (array.type != DataType::Float32 || port.model_type != DataType::Float32 ||
        graph::element_count(port.model_shape) != graph::element_count(array.shape))
      continue;
    const Border border = border_of(floats_of(*array.data), type);
    road.borders.inputs.emplace(name, border);
    array.data = std::make_shared<const graph::Bytes>(passed(*array.data, border, type));
  }
  road.want = run_case(road.graph, inputs_of(road.graph, data), options).outputs;
  const std::vector<Array> recorded = read_tensors(folder, "output");
  for (std::size_t i = 0; i < road.graph.outputs.size(); ++i) {
    const bool real = road.graph.outputs[i].model_type == DataType::Float32 && i < recorded.size() &&
                      recorded[i].type == DataType::Float32;
    road.borders.outputs.emplace_back();
    if (real) road.borders.outputs.back() = border_of(floats_of(*recorded[i].data), type);
  }
  return road;
}

std::string compare_roads(const graph::Graph& graph, const std::vector<graph::Bytes>& have,
                          const FloatRoad& road) {
  if (have.size() != road.want.size())
    return fmt::format("has {} outputs, right are {}", have.size(), road.want.size());
  for (std::size_t i = 0; i < have.size(); ++i) {
    const graph::Port &port = graph.outputs[i], &right = road.graph.outputs[i];
    if (port.model_type != right.model_type || port.model_shape != right.model_shape)
      return fmt::format("output {} is {} {}, right is {} {}", i, name_of(port.model_type),
                         graph::to_string(port.model_shape), name_of(right.model_type),
                         graph::to_string(right.model_shape));
    const auto& border = road.borders.outputs[i];
    std::string wrong;
    if (border)
      wrong = beyond_a_step(have[i], road.want[i], *border, road.borders.type);
    else if (have[i] != road.want[i])
      wrong = "differs from that of the float network";
    if (!wrong.empty()) return fmt::format("output {}: {}", i, wrong);
  }
  return "";
}

}  // namespace

void run_between_qdq(SuiteCase& result, const graph::Bytes& model, const std::filesystem::path& folder,
                     DataType type, const SuiteOptions& options) {
  FloatRoad road;
  try {
    road = float_road(result, model, folder, type, options);
  } catch (const import::OutOfScope&) {
    throw;
  } catch (const BadCase&) {
    throw;
  } catch (const UserError& e) {
    throw import::OutOfScope(e.what(), "operators or types that the float network is refused for");
  }
  const bool borders = !road.borders.inputs.empty() ||
                       std::ranges::any_of(road.borders.outputs, [](const auto& b) { return b.has_value(); });
  if (!borders)
    throw import::OutOfScope("no input or output is float32", "no float32 tensors at the borders");
  const graph::Graph graph = import::import_onnx(between_qdq(model, road.borders), result.name, {});
  const Ran ran = run_case(graph, inputs_of(graph, read_data_set(model, result.name, folder)), options);
  result.steps = std::max(result.steps, ran.steps);
  const std::string wrong = compare_roads(graph, ran.outputs, road);
  if (wrong.empty()) return;
  result.verdict = Verdict::Fail;
  result.message = wrong;
}

}  // namespace vdla::tools
