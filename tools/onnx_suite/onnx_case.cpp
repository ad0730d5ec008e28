// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx_suite/onnx_case.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "compiler/import/file.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "kit/data_type.h"
#include "kit/kernels/check_network.h"
#include "kit/module.h"
#include "kit/session.h"
#include "runtime/module/run_extents.h"
#include "support/float16.h"
#include "support/path.h"
#include "support/refused_as.h"

namespace vdla::tools {
namespace {

using graph::DataType;
using import::Array;

template <class T>
T element(const graph::Bytes& bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Element i of a float type; nothing for other types.
std::optional<double> real_at(DataType type, const graph::Bytes& bytes, std::size_t i) {
  switch (type) {
    case DataType::Float32:
      return element<float>(bytes, i);
    case DataType::Float64:
      return element<double>(bytes, i);
    case DataType::Float16:
      return half_value(element<std::uint16_t>(bytes, i));
    case DataType::BFloat16:
      return bfloat_value(element<std::uint16_t>(bytes, i));
    default:
      return std::nullopt;
  }
}

/// Bits of bfloat16: the recorded ones were cut off where we round, so the last place may differ by one.
bool near_bits(const graph::Bytes& have, const graph::Bytes& want, std::size_t i) {
  return std::abs(element<std::uint16_t>(have, i) - element<std::uint16_t>(want, i)) <= 1;
}

/// Names the first difference; empty if there is none.
std::string difference(DataType type, bool bfloat_bits, const graph::Bytes& have, const graph::Bytes& want,
                       const SuiteOptions& options) {
  const std::size_t size = graph::bytes_of(type);
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < want.size() / size; ++i) {
    const auto w = real_at(type, want, i), h = real_at(type, have, i);
    const bool same = bfloat_bits ? near_bits(have, want, i)
                      : w         ? (std::isnan(*w) && std::isnan(*h)) || *w == *h ||
                                std::fabs(*h - *w) <= options.atol + options.rtol * std::fabs(*w)
                          : std::memcmp(have.data() + i * size, want.data() + i * size, size) == 0;
    if (same) continue;
    if (wrong++ > 0) continue;
    if (w) {
      first = fmt::format("element {} is {}, recorded {}", i, *h, *w);
    } else {
      std::int64_t a = 0, b = 0;
      std::memcpy(&a, have.data() + i * size, size);
      std::memcpy(&b, want.data() + i * size, size);
      first = fmt::format("element {} is {:#x}, recorded {:#x}", i, a, b);
    }
  }
  return wrong == 0 ? "" : fmt::format("{} of {} elements differ: {}", wrong, want.size() / size, first);
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass:
      return "pass";
    case Verdict::Unsupported:
      return "unsupported";
    case Verdict::OutOfScope:
      return "out of scope";
    case Verdict::Fail:
      return "fail";
  }
  return "";
}

namespace {

/// The outputs of a run, those whose extents it found cut to them.
Ran cut(const graph::Graph& graph, const std::vector<graph::Bytes>& outputs, std::size_t steps) {
  std::vector<runtime::Port> ports;
  for (const graph::Port& p : graph.outputs)
    ports.push_back({0, graph.tensor(p.tensor).name, kit::to_runtime(p.model_type), p.model_shape, {}});
  runtime::RunOutputs of_run = runtime::cut_to_extents(ports, outputs);
  Ran result{std::move(of_run.bytes), {}, steps};
  for (const runtime::Port& p : of_run.ports) result.shapes.push_back(p.model_shape);
  return result;
}

}  // namespace

Ran run_case(const graph::Graph& graph, const std::vector<graph::Bytes>& inputs,
             const SuiteOptions& options) {
  if (options.device) {
    const graph::Graph simple = pipeline::run_passes(graph);
    return cut(graph, kit::run_on_grid(simple, inputs, *options.device, pipeline::gpu::profiles()[0]),
               simple.nodes.size());
  }
  pipeline::CompileOptions compile;
  compile.machine_code = !options.interpret;
  kit::SessionOptions session;
  session.interpret = options.interpret;
  kit::Session ready(kit::compile_for_cpu(graph, compile), "", session);
  return cut(graph, ready.run_model(inputs).outputs, ready.module().steps.size());
}

std::string compare_case(const graph::Graph& graph, const Ran& ran, const std::vector<Array>& want,
                         const SuiteOptions& options) {
  const std::vector<graph::Bytes>& have = ran.outputs;
  if (have.size() != want.size()) return fmt::format("has {} outputs, recorded {}", have.size(), want.size());
  for (std::size_t i = 0; i < have.size(); ++i) {
    const graph::Port& port = graph.outputs[i];
    // NumPy, which wrote the files, has no bfloat16: they hold its bits.
    const bool bits = port.model_type == DataType::BFloat16 && want[i].type == DataType::UInt16;
    if ((port.model_type != want[i].type && !bits) || ran.shapes[i] != want[i].shape)
      return fmt::format("output {} is {} {}, recorded {} {}", i, name_of(port.model_type),
                         graph::to_string(ran.shapes[i]), name_of(want[i].type),
                         graph::to_string(want[i].shape));
    if (const std::string d = difference(want[i].type, bits, have[i], *want[i].data, options); !d.empty())
      return fmt::format("output {}: {}", i, d);
  }
  return "";
}

std::vector<Array> read_tensors(const std::filesystem::path& folder, const char* kind) {
  std::vector<Array> result;
  for (int i = 0;; ++i) {
    const auto file = folder / fmt::format("{}_{}.pb", kind, i);
    if (!is_there(file)) return result;
    result.push_back(refused_as<BadCase>(
        [&] { return import::read_onnx_tensor(import::read_file(file), file.filename().string()); }));
  }
}

DataSet read_data_set(const graph::Bytes& model, const std::string& name,
                      const std::filesystem::path& folder) {
  DataSet data;
  const std::vector<std::string> names = import::summarise_onnx(model, name).inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto file = folder / fmt::format("input_{}.pb", i);
    try {
      data.inputs.emplace(names[i],
                          import::read_onnx_tensor(import::read_file(file), file.filename().string()));
    } catch (const UserError& e) {
      data.unread[names[i]] = e.what();
    }
  }
  return data;
}

graph::Graph import_case(const graph::Bytes& model, const std::string& name, const DataSet& data,
                         std::vector<std::string>& bound) {
  import::ImportOptions options;
  while (true) {
    try {
      return import::import_onnx(model, name, options);
    } catch (const import::NeedsConstant& needs) {
      const std::size_t before = options.bound.size();
      for (const std::string& input : needs.inputs) {
        if (data.unread.contains(input)) throw BadCase(data.unread.at(input));
        if (const auto found = data.inputs.find(input); found != data.inputs.end())
          if (options.bound.emplace(*found).second) bound.push_back(input);
      }
      if (options.bound.size() == before) throw;
    }
  }
}

std::vector<graph::Bytes> inputs_of(const graph::Graph& graph, const DataSet& data) {
  std::vector<graph::Bytes> bytes;
  const auto readers = graph::consumers(graph);
  for (const graph::Port& port : graph.inputs) {
    const graph::Tensor& t = graph.tensor(port.tensor);
    if (data.unread.contains(t.name)) throw BadCase(data.unread.at(t.name));
    bytes.push_back(*data.inputs.at(t.name).data);
    // CastLike asks only for a type: what is recorded there has another shape than its model says.
    if (readers[static_cast<std::size_t>(port.tensor)].empty())
      bytes.back().resize(static_cast<std::size_t>(graph::element_count(port.model_shape)) *
                          graph::bytes_of(port.model_type));
  }
  return bytes;
}

void judge_case(SuiteCase& result, const std::function<void()>& work) {
  result.verdict = Verdict::Pass;
  try {
    work();
  } catch (const import::OutOfScope& e) {
    result.verdict = Verdict::OutOfScope;
    result.message = e.reason;
  } catch (const BadCase& e) {
    result.verdict = Verdict::Fail;
    result.message = e.what();
  } catch (const kit::DeviceFault& e) {
    result.verdict = Verdict::Fail;
    result.message = e.what();
  } catch (const UserError& e) {
    result.verdict = Verdict::Unsupported;
    result.message = e.what();
  } catch (const std::exception& e) {
    result.verdict = Verdict::Fail;
    result.message = e.what();
  }
}

}  // namespace vdla::tools
