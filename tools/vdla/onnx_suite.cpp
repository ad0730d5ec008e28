// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/onnx_suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "compiler/pipeline/host/reference.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "kit/check_network.h"
#include "kit/module.h"
#include "runtime/session.h"
#include "support/error.h"
#include "support/float16.h"
#include "support/path.h"
#include "support/refused_as.h"

namespace vdla::tools {
namespace {

using graph::DataType;
using import::Array;

/// A file of a case is missing or corrupt, which says nothing of this kit.
struct BadCase : UserError {
  using UserError::UserError;
};

struct Ran {
  std::vector<graph::Bytes> outputs;
  std::size_t steps = 0;
};

Ran run(const graph::Graph& graph, const std::vector<graph::Bytes>& inputs, const SuiteOptions& options) {
  if (options.interpret) {
    const graph::Graph simple = pipeline::run_passes(graph);
    return {pipeline::Reference(simple).run(inputs), simple.nodes.size()};
  }
  if (options.device) {
    const graph::Graph simple = pipeline::run_passes(graph);
    return {kit::run_on_grid(simple, inputs, *options.device, pipeline::gpu::profiles()[0]),
            simple.nodes.size()};
  }
  const runtime::Module module = kit::compile_for_cpu(graph);
  runtime::Session session(module, nullptr, {});
  return {session.run_model(inputs).outputs, module.steps.size()};
}

template <class T>
T element(const graph::Bytes& bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Of a float type.
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

/// What differs; empty where nothing does.
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

/// Results of a graph against what was recorded.
std::string compare(const graph::Graph& graph, const std::vector<graph::Bytes>& have,
                    const std::vector<Array>& want, const SuiteOptions& options) {
  if (have.size() != want.size()) return fmt::format("has {} outputs, recorded {}", have.size(), want.size());
  for (std::size_t i = 0; i < have.size(); ++i) {
    const graph::Port& port = graph.outputs[i];
    // NumPy, which wrote the files, has no bfloat16: they hold its bits.
    const bool bits = port.model_type == DataType::BFloat16 && want[i].type == DataType::UInt16;
    if ((port.model_type != want[i].type && !bits) || port.model_shape != want[i].shape)
      return fmt::format("output {} is {} {}, recorded {} {}", i, name_of(port.model_type),
                         graph::to_string(port.model_shape), name_of(want[i].type),
                         graph::to_string(want[i].shape));
    if (const std::string d = difference(want[i].type, bits, have[i], *want[i].data, options); !d.empty())
      return fmt::format("output {}: {}", i, d);
  }
  return "";
}

std::vector<Array> read_all(const std::filesystem::path& folder, const char* kind) {
  std::vector<Array> result;
  for (int i = 0;; ++i) {
    const auto file = folder / fmt::format("{}_{}.pb", kind, i);
    if (!is_there(file)) return result;
    result.push_back(refused_as<BadCase>(
        [&] { return import::read_onnx_tensor(import::read_file(file), file.filename().string()); }));
  }
}

/// Imports; inputs that an operator needs to know are bound to this data set's.
graph::Graph import_bound(const graph::Bytes& model, const std::string& name,
                          const std::map<std::string, Array>& inputs, std::vector<std::string>& bound) {
  import::OnnxOptions options;
  while (true) {
    try {
      return import::import_onnx(model, name, options);
    } catch (const import::NeedsConstant& needs) {
      const std::size_t before = options.bound.size();
      for (const std::string& input : needs.inputs)
        if (const auto found = inputs.find(input); found != inputs.end())
          if (options.bound.emplace(*found).second) bound.push_back(input);
      if (options.bound.size() == before) throw;
    }
  }
}

void run_data_set(SuiteCase& result, const graph::Bytes& model, const std::filesystem::path& folder,
                  const SuiteOptions& options) {
  const import::OnnxSummary summary = import::summarise_onnx(model, result.name);
  // The import comes first: it says of values that are no tensors that they are out of scope.
  std::map<std::string, Array> inputs;
  std::map<std::string, std::string> unread;  // what is wrong with the files of the others
  std::vector<std::string> names = summary.inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto file = folder / fmt::format("input_{}.pb", i);
    try {
      inputs.emplace(names[i], import::read_onnx_tensor(import::read_file(file), file.filename().string()));
    } catch (const UserError& e) {
      unread[names[i]] = e.what();
    }
  }
  result.bound.clear();
  const auto imported = [&] {
    try {
      return import_bound(model, result.name, inputs, result.bound);
    } catch (const import::NeedsConstant& needs) {
      for (const std::string& input : needs.inputs)
        if (unread.contains(input)) throw BadCase(unread.at(input));
      throw;
    }
  };
  const graph::Graph graph = imported();
  std::vector<graph::Bytes> bytes;
  const auto readers = graph::consumers(graph);
  for (const graph::Port& port : graph.inputs) {
    const graph::Tensor& t = graph.tensor(port.tensor);
    if (unread.contains(t.name)) throw BadCase(unread.at(t.name));
    bytes.push_back(*inputs.at(t.name).data);
    // CastLike asks only for a type: what is recorded there has another shape than its model says.
    if (readers[static_cast<std::size_t>(port.tensor)].empty()) bytes.back().resize(t.bytes());
  }
  const Ran ran = run(graph, bytes, options);
  result.steps = std::max(result.steps, ran.steps);
  const std::string wrong = compare(graph, ran.outputs, read_all(folder, "output"), options);
  if (wrong.empty()) return;
  result.verdict = Verdict::Fail;
  result.message = wrong;
}

/// Calls `work` and turns what it throws into a verdict.
template <class Work>
void judge(SuiteCase& result, const Work& work) {
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

std::string operator_of(const std::filesystem::path& folder) {
  const auto summary = refused_as<BadCase>(
      [&] { return import::summarise_onnx(import::read_file(folder / "model.onnx"), folder.string()); });
  if (summary.operators.size() == 1) return summary.operators[0];
  constexpr std::string_view kExpanded = "_expanded";
  std::string plain = folder.string();
  if (plain.ends_with(kExpanded)) {
    plain.resize(plain.size() - kExpanded.size());
    if (is_there(plain)) return operator_of(plain) + " (expanded)";
  }
  return fmt::format("{}", fmt::join(summary.operators, ", "));
}

}  // namespace

namespace {

/// Some of the cases, in order.
std::vector<std::filesystem::path> drawn(std::vector<std::filesystem::path> all,
                                         const SuiteOptions& options) {
  std::mt19937_64 random(options.seed);
  while (all.size() > options.draw)
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(random() % all.size()));
  return all;
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

std::vector<SuiteCase> run_onnx_suite(const std::filesystem::path& folder, const SuiteOptions& options,
                                      const std::function<void(const SuiteCase&)>& progress) {
  VDLA_CHECK_USER(is_folder(folder)) << "'" << folder.string()
                                     << "' is no folder, needs one with cases as ONNX has them";
  std::vector<std::filesystem::path> folders;
  if (is_there(folder / "model.onnx")) folders.push_back(folder);
  for (const std::filesystem::path& entry : entries_of(folder))
    if (is_folder(entry) && is_there(entry / "model.onnx")) folders.push_back(entry);
  VDLA_CHECK_USER(!folders.empty()) << "'" << folder.string()
                                    << "' has no case, needs folders with a model.onnx each";
  std::sort(folders.begin(), folders.end());
  if (options.draw > 0) folders = drawn(std::move(folders), options);
  std::vector<SuiteCase> results;
  for (const auto& one : folders) {
    SuiteCase result;
    result.name = one.filename().string();
    if (result.name.starts_with("test_")) result.name.erase(0, 5);
    if (result.name.find(options.only) == std::string::npos) continue;
    judge(result, [&] {
      result.op = operator_of(one);
      const graph::Bytes model = import::read_file(one / "model.onnx");
      if (!is_there(one / "test_data_set_0")) throw BadCase("has no test_data_set_0, needs at least one");
      for (int set = 0; is_there(one / fmt::format("test_data_set_{}", set)); ++set)
        if (result.verdict == Verdict::Pass)
          run_data_set(result, model, one / fmt::format("test_data_set_{}", set), options);
    });
    if (progress) progress(result);
    results.push_back(std::move(result));
  }
  VDLA_CHECK_USER(!results.empty()) << "none of the " << folders.size() << " cases of '" << folder.string()
                                    << "' holds '" << options.only << "' in its name";
  return results;
}

namespace {

std::vector<graph::Bytes> ramp_inputs(const graph::Graph& graph) {
  std::vector<graph::Bytes> inputs;
  for (const graph::Port& port : graph.inputs) {
    VDLA_CHECK_USER(port.model_type == DataType::Float32)
        << "input '" << graph.tensor(port.tensor).name << "' is " << name_of(port.model_type)
        << ", needs float32";
    std::vector<float> values(static_cast<std::size_t>(graph::element_count(port.model_shape)));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(values.size()));
    inputs.push_back(*graph::to_bytes(values));
  }
  return inputs;
}

}  // namespace

std::vector<std::vector<float>> run_on_ramp(const std::filesystem::path& model, const SuiteOptions& options) {
  const graph::Graph graph = import::import_model(model);
  std::vector<std::vector<float>> result;
  for (const graph::Bytes& bytes : run(graph, ramp_inputs(graph), options).outputs) {
    result.emplace_back(bytes.size() / sizeof(float));
    std::memcpy(result.back().data(), bytes.data(), bytes.size());
  }
  return result;
}

SuiteCase run_light_network(const std::filesystem::path& model, const SuiteOptions& options) {
  SuiteCase result;
  result.name = result.op = model.stem().string();
  judge(result, [&] {
    const graph::Graph graph = import::import_model(model);
    const auto file = model.parent_path() / (result.name + "_output_0.pb");
    const Array want = import::read_onnx_tensor(import::read_file(file), file.filename().string());
    result.message = compare(graph, run(graph, ramp_inputs(graph), options).outputs, {want}, options);
    if (!result.message.empty()) result.verdict = Verdict::Fail;
  });
  return result;
}

}  // namespace vdla::tools
