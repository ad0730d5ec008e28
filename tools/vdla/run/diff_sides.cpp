// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/diff_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "kit/data_type.h"
#include "kit/module.h"
#include "kit/session.h"
#include "runtime/session/port.h"
#include "support/error.h"
#include "support/whole_json.h"
#include "tools/common/model_input.h"
#include "tools/data/array_files.h"
#include "tools/data/files.h"
#include "tools/data/npy.h"
#include "tools/data/npz.h"
#include "tools/data/output_values.h"
#include "tools/vdla/run/tensor_values.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;
using kit::ModelTensor;

constexpr const char* kIndex = "tensors.json";

/// Bytes of an input that stand for the same real numbers as those of another network's input.
runtime::Bytes same_reals(const runtime::Module& from, const runtime::Port& a, const runtime::Module& to,
                          const runtime::Port& b, const runtime::Bytes& bytes) {
  VDLA_CHECK_USER(runtime::element_count(a.model_shape) == runtime::element_count(b.model_shape))
      << "network '" << to.model_name << "' does not take the input '" << a.name << "' of '"
      << from.model_name << "', " << runtime::to_string(a.model_shape) << ", as '" << b.name << "', "
      << runtime::to_string(b.model_shape);
  if (a.model_type == b.model_type) return bytes;
  VDLA_CHECK_USER(b.model_type == runtime::DataType::Float32)
      << "network '" << to.model_name << "' takes " << runtime::name_of(b.model_type) << " and '"
      << from.model_name << "' " << runtime::name_of(a.model_type) << " as '" << b.name
      << "': needs the same type, or float32";
  const InputSpec spec = input_spec(from, a);
  runtime::Bytes reals;
  for (const double value : to_real(npy_type(a.model_type), bytes)) {
    const auto real = static_cast<float>(spec.scale * (value - spec.zero));
    const auto* begin = reinterpret_cast<const std::byte*>(&real);
    reals.insert(reals.end(), begin, begin + sizeof real);
  }
  return reals;
}

/// The inputs of one network for another, which calls them alike, or has as many in the same order.
std::vector<runtime::Bytes> same_reals(const runtime::Module& from, const runtime::Module& to,
                                       const std::vector<runtime::Bytes>& inputs) {
  VDLA_CHECK_USER(from.inputs.size() == to.inputs.size())
      << "network '" << to.model_name << "' takes " << to.inputs.size() << " inputs, '" << from.model_name
      << "' has " << from.inputs.size();
  std::vector<runtime::Bytes> result;
  for (std::size_t i = 0; i < to.inputs.size(); ++i) {
    const auto called = std::ranges::find(from.inputs, to.inputs[i].name, &runtime::Port::name);
    const auto k = called == from.inputs.end() ? i : static_cast<std::size_t>(called - from.inputs.begin());
    result.push_back(same_reals(from, from.inputs[k], to, to.inputs[i], inputs[k]));
  }
  return result;
}

std::map<std::string, std::string> contents_of(const std::string& path) {
  std::map<std::string, std::string> contents;
  std::error_code none;
  if (!fs::is_directory(path, none)) {
    for (auto& [name, content] : files_of_archive(path)) contents[name] = std::move(content);
    return contents;
  }
  for (const std::string& file : files_of(path)) {
    const std::vector<std::byte> bytes = read_file(file);
    contents[fs::path(file).filename().string()] = {reinterpret_cast<const char*>(bytes.data()),
                                                    bytes.size()};
  }
  return contents;
}

graph::DataType type_of(const NpyArray& array, const std::string& where) {
  for (unsigned code = 0; code <= static_cast<unsigned>(graph::DataType::Float16); ++code) {
    const auto type = static_cast<graph::DataType>(code);
    if (npy_type(kit::to_runtime(type)) == array.type) return type;
  }
  throw UserError(where + ": has elements of type " + array.type + ", which no tensor of a network has");
}

ModelTensor tensor_of(const std::string& name, const std::string& content, const std::string& where) {
  const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
  NpyArray array = parse_npy({bytes, bytes + content.size()}, where);
  ModelTensor t;
  t.name = name;
  t.type = type_of(array, where);
  t.shape = array.shape;
  t.bytes = std::move(array.bytes);
  return t;
}

/// Integers of a quantised tensor of which nothing is said are its steps, whatever their type; other numbers
/// are real ones.
ModelTensor of_kind(const ModelTensor& wanted, ModelTensor recorded) {
  const bool reals = recorded.type == graph::DataType::Float32 || recorded.type == graph::DataType::Float64 ||
                     recorded.type == graph::DataType::Float16 || recorded.type == graph::DataType::Bool;
  if (wanted.quantization.empty() || reals) return recorded;
  recorded.quantization = wanted.quantization;
  // The kit has a uint8 model's tensors as int8, 128 less.
  if (recorded.type == graph::DataType::UInt8 && wanted.type == graph::DataType::Int8)
    for (std::int32_t& zero : recorded.quantization.zero_point) zero += 128;
  return recorded;
}

/// Scales as a row of the index has them, which a person may have changed.
graph::Quantization quantization_of(const nlohmann::json& row, const graph::Shape& shape,
                                    const std::string& where) {
  graph::Quantization q{row.at("scale").get<std::vector<double>>(),
                        row.at("zero_point").get<std::vector<std::int32_t>>(), row.value("axis", -1)};
  const auto rank = static_cast<std::int32_t>(shape.size());
  VDLA_CHECK_USER(q.axis >= -1 && q.axis < rank) << where << ": axis " << q.axis << ", needs one of " << rank;
  const std::size_t along =
      q.axis < 0 ? 1 : static_cast<std::size_t>(shape[static_cast<std::size_t>(q.axis)]);
  for (const std::size_t count : {q.scale.size(), std::max(q.zero_point.size(), std::size_t{1})})
    VDLA_CHECK_USER(count == 1 || count == along)
        << where << ": has " << count << " scales or zero points, needs 1 or " << along;
  return q;
}

}  // namespace

Side side_of_run(std::string name, const kit::ProbedRun& run) {
  Side side{std::move(name), {}, {}, run};
  run(side.read);
  return side;
}

Side side_of_interpreter(const graph::Graph& network, const runtime::Module& module,
                         const kit::ReadTensors& read) {
  return {"the interpreter",
          kit::interpreted_tensors(network, kit::network_inputs(network, module, read)),
          {},
          {}};
}

Side side_of_network(std::string name, const graph::Graph& network, const runtime::Module& other,
                     const NetworkSample& sample) {
  pipeline::CompileOptions options;
  options.fuse = false;
  const runtime::Module module = kit::compile_for_cpu(network, options);
  const std::vector<runtime::Bytes> inputs = same_reals(other, module, sample.inputs);
  Side side{std::move(name), {}, {}, {}};
  kit::SessionOptions session;
  session.probe = &side.read;
  kit::Session(module, "", session).run_model(inputs);
  side.tensors = kit::model_tensors(network, module, side.read);
  return side;
}

Side side_of_files(const std::string& path, const std::vector<ModelTensor>& tensors) {
  const std::map<std::string, std::string> contents = contents_of(path);
  Side side{path, {}, {}, {}};
  if (const auto index = contents.find(kIndex); index != contents.end()) {
    whole_json(path + ": " + kIndex, "write the tensors again (vdla run --tensors)", [&] {
      for (const auto& row : nlohmann::json::parse(index->second)) {
        const auto file = contents.find(row.at("file").get<std::string>());
        VDLA_CHECK_USER(file != contents.end())
            << path << ": has no file " << row.at("file") << ", which " << kIndex << " names";
        ModelTensor& t = side.tensors.emplace_back(
            tensor_of(row.at("name").get<std::string>(), file->second, path + ": " + file->first));
        if (row.contains("scale")) t.quantization = quantization_of(row, t.shape, path + ": " + t.name);
        t.in_model_order = !row.contains("order");
      }
    });
  } else {
    for (const ModelTensor& wanted : tensors)
      for (const std::string& name : std::set{wanted.name, file_of_tensor(wanted.name)})
        if (const auto file = contents.find(name + ".npy"); file != contents.end())
          side.tensors.push_back(
              of_kind(wanted, tensor_of(wanted.name, file->second, path + ": " + file->first)));
  }
  const auto is_named = [&](const ModelTensor& t) {
    return std::ranges::find(tensors, t.name, &ModelTensor::name) != tensors.end();
  };
  VDLA_CHECK_USER(std::ranges::any_of(side.tensors, is_named))
      << path << ": no array is called as a tensor of the network, '" << tensors.at(0).name << "' for one";
  return side;
}

}  // namespace vdla::tools
