// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_external.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "support/error.h"
#include "support/input_file.h"

namespace vdla::import {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 31) - 1;  // limit of protobuf for a model in memory

class Loader {
 public:
  explicit Loader(const fs::path& model)
      : where_("ONNX model '" + model.string() + "': "), folder_(model.parent_path()) {
    if (folder_.empty()) folder_ = ".";
  }

  bool loaded() const { return loaded_; }
  void load(onnx::GraphProto& graph) {
    for (onnx::TensorProto& t : *graph.mutable_initializer()) load(t);
    for (onnx::NodeProto& node : *graph.mutable_node()) load(node);
  }
  void load(onnx::NodeProto& node) {
    for (onnx::AttributeProto& a : *node.mutable_attribute()) {
      if (a.has_t()) load(*a.mutable_t());
      if (a.has_g()) load(*a.mutable_g());
    }
  }

 private:
  void load(onnx::TensorProto& t) {
    if (t.data_location() != onnx::TensorProto::EXTERNAL) return;
    const std::string what = where_ + "constant '" + t.name() + "' ";
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
    for (const auto& entry : t.external_data()) {
      if (entry.key() == "location") location = entry.value();
      if (entry.key() == "offset") offset = number(what, entry);
      if (entry.key() == "length") length = number(what, entry);
    }
    const graph::Bytes& file = contents(what, location);
    VDLA_CHECK_USER(offset <= file.size() && (!length || *length <= file.size() - offset))
        << what << "lies in '" << location << "' from byte " << offset << " on"
        << (length ? fmt::format(", {} bytes", *length) : "") << ", which has " << file.size()
        << " bytes: it is another file, or truncated";
    const std::uint64_t count = length.value_or(file.size() - offset);
    total_ += count;
    VDLA_CHECK_USER(total_ <= kMostBytes)
        << what << "makes " << total_ << " bytes of constants, needs at most " << kMostBytes << " in a model";
    loaded_ = true;
    t.set_raw_data(file.data() + offset, count);
    t.clear_external_data();
    t.set_data_location(onnx::TensorProto::DEFAULT);
  }

  static std::uint64_t number(const std::string& what, const onnx::StringStringEntryProto& entry) {
    std::uint64_t value = 0;
    const std::string& text = entry.value();
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    VDLA_CHECK_USER(error == std::errc() && rest == text.data() + text.size())
        << what << "lies in another file at " << entry.key() << " '" << text << "', needs a number";
    return value;
  }

  /// A file below the model's folder, also by links; read once.
  const graph::Bytes& contents(const std::string& what, const std::string& location) {
    const auto known = files_.find(location);
    if (known != files_.end()) return known->second;
    const fs::path relative(location);
    std::error_code failed;
    const fs::path folder = fs::canonical(folder_, failed);
    const fs::path file = fs::weakly_canonical(folder / relative, failed);
    const auto [end, rest] = std::ranges::mismatch(folder, file);
    VDLA_CHECK_USER(!location.empty() && relative.is_relative() && !failed && end == folder.end() &&
                    rest != file.end())
        << what << "lies in '" << location << "', needs a file in the model's folder";
    return files_.emplace(location, read_input(file)).first->second;
  }

  std::string where_;
  fs::path folder_;
  std::map<std::string, graph::Bytes> files_;
  std::uint64_t total_ = 0;
  bool loaded_ = false;
};

}  // namespace

graph::Bytes with_external_data(graph::Bytes model, const fs::path& path) {
  // The key of such a constant's file stands in the model as it is.
  const std::string_view text(reinterpret_cast<const char*>(model.data()), model.size());
  onnx::ModelProto proto;
  if (text.find("location") == std::string_view::npos || model.size() > kMostBytes ||
      !proto.ParseFromArray(model.data(), static_cast<int>(model.size())))
    return model;
  Loader loader(path);
  loader.load(*proto.mutable_graph());
  for (onnx::FunctionProto& f : *proto.mutable_functions())
    for (onnx::NodeProto& node : *f.mutable_node()) loader.load(node);
  VDLA_CHECK_USER(!loader.loaded() || proto.ByteSizeLong() <= kMostBytes)
      << "ONNX model '" << path.string() << "': has " << proto.ByteSizeLong()
      << " bytes with what lies in other files, protobuf reads at most " << kMostBytes;
  if (!loader.loaded()) return model;
  const std::string whole = proto.SerializeAsString();
  const auto* data = reinterpret_cast<const std::byte*>(whole.data());
  return {data, data + whole.size()};
}

}  // namespace vdla::import
