// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/tensor_flags.h"

#include <fmt/format.h>

#include "kit/data_type.h"
#include "kit/network.h"
#include "runtime/container/signature.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "tools/data/array_files.h"
#include "tools/data/npy.h"
#include "tools/data/output_values.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/run/tensor_values.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

NpyArray array_of(const kit::ModelTensor& t) { return {npy_type(kit::to_runtime(t.type)), t.shape, t.bytes}; }

NpyArray reals_array(const kit::ModelTensor& t) {
  NpyArray array{"<f4", t.shape, {}};
  for (const double real : reals_of(t)) {
    const auto value = static_cast<float>(real);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    array.bytes.insert(array.bytes.end(), bytes, bytes + sizeof value);
  }
  return array;
}

}  // namespace

void TensorFileFlags::add_to(CLI::App& command) {
  CLI::Option* tensors =
      command
          .add_option("--tensors", to,
                      "Write the values of all tensors of the model: a new folder of .npy files, or one "
                      "FILE.npz; NAME.real are the real numbers that integers stand for")
          ->excludes("--timing-only")
          ->excludes("--timeline")
          ->excludes("--record")
          ->excludes("--compare");
  command.add_option("--model", model, "Network that the module was compiled of, for --tensors")
      ->needs(tensors);
}

graph::Graph TensorFileFlags::network(const Net& net) const {
  const std::string file = net.network_file(model);
  kit::NetworkFile read = kit::read_network_file(file, net.import);
  const std::string& hash = net.module.provenance.model_sha256;
  VDLA_CHECK_USER(net.compiled || hash.empty() || hash == runtime::to_string(read.hash))
      << file << ": " << net.file << " was compiled of another file (" << net.module.provenance.model_file
      << ", SHA-256 " << hash << "); name that one";
  return std::move(read.graph);
}

void TensorFileFlags::require_place() const { require_place_of_arrays(to); }

ordered_json TensorFileFlags::write(const graph::Graph& network, const Net& net,
                                    const kit::ReadTensors& read) const {
  const StatusLine line;
  const auto progress = [&](std::size_t done, std::size_t total) {
    if (line.on_terminal())
      line.print(fmt::format("computing what the run keeps nowhere: {} of {}", done, total));
  };
  const std::vector<kit::ModelTensor> tensors = kit::model_tensors(network, net.module, read, progress);
  line.clear();
  ArrayFiles files(to);
  ordered_json rows = ordered_json::array();
  for (const kit::ModelTensor& t : tensors) {
    ordered_json row = json_of(t);
    const std::string name = files.free_name(t.name);
    row["file"] = files.add(name, array_of(t));
    if (!t.quantization.empty()) row["reals"] = files.add(files.free_name(name + ".real"), reals_array(t));
    rows.push_back(std::move(row));
  }
  files.add_text("tensors.json", json_dump(rows, 1));
  files.write();
  const auto recomputed = std::ranges::count_if(tensors, &kit::ModelTensor::recomputed);
  return {{"written", to}, {"count", tensors.size()}, {"recomputed", recomputed}, {"tensors", rows}};
}

void print_tensor_files(const ordered_json& report) {
  fmt::print("{}: {} tensors of the model, {} read from the run and {} computed from those\n",
             report["written"].get<std::string>(), report["count"].get<std::size_t>(),
             report["count"].get<std::size_t>() - report["recomputed"].get<std::size_t>(),
             report["recomputed"].get<std::size_t>());
}

}  // namespace vdla::tools
