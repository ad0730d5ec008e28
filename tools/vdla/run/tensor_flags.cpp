// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/tensor_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "kit/data_type.h"
#include "kit/network.h"
#include "runtime/container/signature.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/output_file.h"
#include "support/output_folder.h"
#include "tools/data/files.h"
#include "tools/data/npy.h"
#include "tools/data/npz.h"
#include "tools/data/output_values.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/run/tensor_values.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_archive(const std::string& path) { return lower(fs::path(path).extension().string()) == ".npz"; }

/// Whether an archive can have a file of this name: text, and no way out of a folder.
bool is_key(const std::string& name) {
  return !name.empty() && !name.starts_with('/') && name.find("..") == std::string::npos &&
         std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Names that no other tensor has: "conv", "conv.2". Some file systems take capital letters for small ones.
class FreeFiles {
 public:
  explicit FreeFiles(bool of_folder) : of_folder_(of_folder) {}
  std::string operator()(const std::string& wanted) {
    std::string name = wanted;
    const auto key = [&] { return of_folder_ ? lower(name) : name; };
    for (int i = 2; !taken_.insert(key()).second; ++i) name = fmt::format("{}.{}", wanted, i);
    return name;
  }

 private:
  const bool of_folder_;
  std::set<std::string> taken_;
};

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

void TensorFileFlags::require_place() const {
  if (is_archive(to)) {
    VDLA_CHECK_USER(have_npz()) << to << ": this kit was built without archives; name a folder";
    const OutputFile can_be_written(to);
    return;
  }
  std::error_code none;
  VDLA_CHECK_USER(!fs::exists(to, none) || (fs::is_directory(to, none) && fs::is_empty(to, none)))
      << to << ": is no empty folder, and tensors are written over nothing; name a new folder, or FILE.npz";
}

ordered_json TensorFileFlags::write(const graph::Graph& network, const Net& net,
                                    const kit::ReadTensors& read) const {
  const StatusLine line;
  const auto progress = [&](std::size_t done, std::size_t total) {
    if (line.on_terminal())
      line.print(fmt::format("computing what the run keeps nowhere: {} of {}", done, total));
  };
  const std::vector<kit::ModelTensor> tensors = kit::model_tensors(network, net.module, read, progress);
  line.clear();
  const bool archive = is_archive(to);
  FreeFiles free(!archive);
  std::vector<std::pair<std::string, std::string>> files;
  ordered_json rows = ordered_json::array();
  for (const kit::ModelTensor& t : tensors) {
    ordered_json row = json_of(t);
    // NumPy's key in an archive is the file's name.
    const std::string name = free(archive && is_key(t.name) ? t.name : file_of_tensor(t.name));
    const auto add = [&](const char* key, const std::string& file, const NpyArray& array) {
      row[key] = file;
      files.emplace_back(file, npy_file(array));
    };
    add("file", name + ".npy", array_of(t));
    if (!t.quantization.empty()) add("reals", free(name + ".real") + ".npy", reals_array(t));
    rows.push_back(std::move(row));
  }
  files.emplace_back("tensors.json", json_dump(rows, 1));
  if (archive) {
    write_file(to, archive_of(files));
  } else {
    std::vector<FolderFile> contents;
    contents.reserve(files.size());
    for (const auto& [name, content] : files) contents.push_back({name, content});
    write_folder(to, contents, {});
  }
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
