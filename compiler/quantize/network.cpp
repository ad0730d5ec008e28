// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/network.h"

#include <onnx/version_converter/convert.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "support/error.h"

namespace vdla::quantize {
namespace {

/// DequantizeLinear has scales per channel from here on.
constexpr int kOpset = 13;
/// Version of the format at that time; initialisers need not be inputs any more.
constexpr std::int64_t kIrVersion = 7;
/// Most bytes of a message, whose sizes protobuf counts in int.
constexpr std::size_t kMostBytes = INT_MAX;
/// Ends of names of the quantiser's own.
constexpr const char* kWords[] = {"bias",      "dequantized", "float",  "int32",      "int8",
                                  "quantized", "scale",       "tensor", "transposed", "zero_point"};

std::int64_t opset_of(const onnx::ModelProto& model) {
  for (const auto& set : model.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx") return set.version();
  return 1;
}

/// Whether the mark and one of the words end the name of one of the model's tensors.
bool is_taken(const std::string& mark, const onnx::GraphProto& graph) {
  const auto taken = [&](const std::string& name) {
    return std::ranges::any_of(kWords, [&](const char* word) { return name.ends_with(mark + word); });
  };
  return std::ranges::any_of(graph.initializer(), [&](const auto& t) { return taken(t.name()); }) ||
         std::ranges::any_of(graph.input(), [&](const auto& info) { return taken(info.name()); }) ||
         std::ranges::any_of(graph.node(),
                             [&](const auto& n) { return std::ranges::any_of(n.output(), taken); });
}

}  // namespace

Network::Network(std::span<const std::byte> bytes, const std::string& name)
    : where_("ONNX model '" + name + "': ") {
  VDLA_CHECK_USER(bytes.size() <= kMostBytes)
      << where_ << "has " << bytes.size() << " bytes, protobuf reads at most " << kMostBytes;
  VDLA_CHECK_USER(model_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
                  model_.graph().node_size() > 0)
      << where_ << "its " << bytes.size()
      << " bytes do not parse as a model with nodes: truncated, corrupt, or no ONNX model";
  for (const auto& node : model_.graph().node())
    VDLA_CHECK_USER(node.op_type() != "QuantizeLinear" && node.op_type() != "DequantizeLinear")
        << where_ << what(node) << ": the model is quantised already, needs a float one";
  constants_to_initialisers();
  drop_identities();
  while (is_taken(mark_, graph())) mark_ += '/';
  model_.set_ir_version(std::max<std::int64_t>(model_.ir_version(), kIrVersion));
  if (opset_of(model_) < kOpset) {
    try {
      model_ = onnx::version_conversion::ConvertVersion(model_, kOpset);
    } catch (const std::exception& e) {
      VDLA_CHECK_USER(false) << where_ << "has operators of version " << opset_of(model_)
                             << ", which cannot be converted to version " << kOpset << ": " << e.what();
    }
    constants_to_initialisers();
  }
  find_activations();
}

namespace {

/// Operators whose result does not depend on the elements that they read, or is no float32.
bool makes_no_activation(const onnx::NodeProto& node) {
  static const std::set<std::string> kOthers = {
      "And",  "ArgMax",      "ArgMin",  "Equal", "Greater", "GreaterOrEqual", "IsInf", "IsNaN",
      "Less", "LessOrEqual", "NonZero", "Not",   "Or",      "Shape",          "Size",  "Xor"};
  if (node.op_type() == "Cast") return attribute(node, "to", std::int64_t{1}) != onnx::TensorProto::FLOAT;
  return kOthers.contains(node.op_type()) || node.op_type().ends_with("QuantizeLinear");
}

/// End of the outputs that are values: those after it are places or masks.
auto end_of_values(const onnx::NodeProto& node) {
  static const std::set<std::string> kOneValue = {"Dropout", "MaxPool", "TopK"};
  return kOneValue.contains(node.op_type()) && node.output_size() > 1 ? node.output().begin() + 1
                                                                      : node.output().end();
}

}  // namespace

void Network::find_activations() {
  for (const auto& info : graph().input())
    if (!is_constant(info.name()) && info.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT)
      activations_.insert(info.name());
  for (const onnx::NodeProto& node : graph().node()) {
    const bool reads = std::ranges::any_of(node.input(), [&](const auto& t) { return is_activation(t); });
    if (reads && !makes_no_activation(node)) activations_.insert(node.output().begin(), end_of_values(node));
  }
}

bool Network::is_float_constant(const std::string& tensor) const {
  const onnx::TensorProto* t = find(tensor);
  return t != nullptr && t->data_type() == onnx::TensorProto::FLOAT;
}

const std::string& own_word(const std::string& word) {
  VDLA_CHECK(std::ranges::count(kWords, word) == 1)
      << "'" << word << "' is no end of a name of the quantiser's";
  return word;
}

graph::Bytes Network::bytes() const {
  VDLA_CHECK_USER(model_.ByteSizeLong() <= kMostBytes)
      << where_ << "as int8 would have " << model_.ByteSizeLong() << " bytes, protobuf writes at most "
      << kMostBytes;
  graph::Bytes result(model_.ByteSizeLong());
  VDLA_CHECK(model_.SerializeToArray(result.data(), static_cast<int>(result.size()))) << "protobuf refuses";
  return result;
}

void Network::set_property(const std::string& key, const std::string& value) {
  auto* properties = model_.mutable_metadata_props();
  const auto found = std::ranges::find(*properties, key, [](const auto& p) { return p.key(); });
  auto& property = found == properties->end() ? *properties->Add() : *found;
  property.set_key(key);
  property.set_value(value);
}

const std::string& Network::input() const {
  const std::string* found = nullptr;
  for (const auto& info : graph().input()) {
    if (is_constant(info.name())) continue;
    VDLA_CHECK_USER(found == nullptr) << where_ << "has inputs '" << *found << "' and '" << info.name()
                                      << "', the quantiser takes models with one";
    found = &info.name();
  }
  VDLA_CHECK_USER(found != nullptr) << where_ << "has no input";
  return *found;
}

void Network::freeze() { index_ = std::make_shared<const NameIndex>(model_.graph()); }

bool Network::is_output(const std::string& tensor) const {
  if (index_) return index_->is_output(tensor);
  return std::ranges::any_of(graph().output(), [&](const auto& o) { return o.name() == tensor; });
}

const onnx::TensorProto* Network::find(const std::string& tensor) const {
  if (index_) {
    const int number = index_->constant(tensor);
    return number < 0 ? nullptr : &graph().initializer(number);
  }
  for (const auto& t : graph().initializer())
    if (t.name() == tensor) return &t;
  return nullptr;
}

std::vector<std::int64_t> Network::constant_shape(const std::string& tensor) const {
  const onnx::TensorProto* t = find(tensor);
  VDLA_CHECK(t != nullptr) << "'" << tensor << "' is no constant";
  return {t->dims().begin(), t->dims().end()};
}

Weights Network::weights(const std::string& tensor) const {
  const onnx::TensorProto* t = find(tensor);
  VDLA_CHECK(t != nullptr) << "'" << tensor << "' is no constant";
  VDLA_CHECK_USER(t->data_type() == onnx::TensorProto::FLOAT)
      << where_ << "constant '" << tensor << "' has element type " << t->data_type() << ", needs float32";
  VDLA_CHECK_USER(t->data_location() != onnx::TensorProto::EXTERNAL)
      << where_ << "constant '" << tensor << "' lies in another file, needs a model in one file";
  Weights w{{t->dims().begin(), t->dims().end()}, {}};
  const std::size_t count = static_cast<std::size_t>(graph::element_count(w.shape));
  if (t->has_raw_data()) {
    w.values.resize(t->raw_data().size() / sizeof(float));
    std::memcpy(w.values.data(), t->raw_data().data(), w.values.size() * sizeof(float));
  } else {
    w.values.assign(t->float_data().begin(), t->float_data().end());
  }
  VDLA_CHECK_USER(w.values.size() == count)
      << where_ << "constant '" << tensor << "' has " << w.values.size() << " values, its shape needs "
      << count << " (truncated or corrupt)";
  return w;
}

void Network::set_weights(const std::string& tensor, const Weights& weights) {
  auto& all = *graph().mutable_initializer();
  auto found = std::ranges::find_if(all, [&](const auto& t) { return t.name() == tensor; });
  VDLA_CHECK(found != all.end()) << "'" << tensor << "' is no constant";
  found->clear_float_data();
  found->set_raw_data(weights.values.data(), weights.values.size() * sizeof(float));
}

int Network::producer(const std::string& tensor) const {
  if (index_) return index_->producer(tensor);
  for (int n = 0; n < graph().node_size(); ++n)
    if (std::ranges::find(graph().node(n).output(), tensor) != graph().node(n).output().end()) return n;
  return -1;
}

std::vector<int> Network::consumers(const std::string& tensor) const {
  if (index_) return index_->consumers(tensor);
  std::vector<int> result;
  for (int n = 0; n < graph().node_size(); ++n)
    if (std::ranges::find(graph().node(n).input(), tensor) != graph().node(n).input().end())
      result.push_back(n);
  return result;
}

int Network::sole_consumer(const std::string& tensor) const {
  const auto readers = consumers(tensor);
  return readers.size() == 1 && !is_output(tensor) ? readers[0] : -1;
}

void Network::remove_nodes(const std::vector<bool>& gone) {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (int n = 0; n < graph().node_size(); ++n)
    if (!gone[static_cast<std::size_t>(n)]) *kept.Add() = graph().node(n);
  graph().mutable_node()->Swap(&kept);
}

void Network::drop_unused_constants() {
  google::protobuf::RepeatedPtrField<onnx::TensorProto> kept;
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> inputs;
  const NameIndex index(model_.graph());
  const auto used = [&](const std::string& name) { return index.is_read(name) || index.is_output(name); };
  for (const auto& info : model_.graph().input())
    if (used(info.name()) || !is_constant(info.name())) *inputs.Add() = info;
  for (const auto& t : model_.graph().initializer())
    if (used(t.name())) *kept.Add() = t;
  graph().mutable_initializer()->Swap(&kept);
  graph().mutable_input()->Swap(&inputs);
}

void Network::constants_to_initialisers() {
  std::vector<bool> gone(static_cast<std::size_t>(graph().node_size()));
  for (int n = 0; n < graph().node_size(); ++n) {
    const auto& node = graph().node(n);
    if (node.op_type() != "Constant" || node.attribute_size() != 1 || !node.attribute(0).has_t()) continue;
    *graph().add_initializer() = node.attribute(0).t();
    graph().mutable_initializer()->rbegin()->set_name(node.output(0));
    gone[static_cast<std::size_t>(n)] = true;
  }
  remove_nodes(gone);
}

void Network::drop_identities() {
  std::vector<bool> gone(static_cast<std::size_t>(graph().node_size()));
  for (int n = 0; n < graph().node_size(); ++n) {
    const auto& node = graph().node(n);
    if ((node.op_type() != "Identity" && node.op_type() != "Dropout") || is_output(node.output(0))) continue;
    gone[static_cast<std::size_t>(n)] = true;
    for (int reader : consumers(node.output(0)))
      for (auto& input : *graph().mutable_node(reader)->mutable_input())
        if (input == node.output(0)) input = node.input(0);
  }
  remove_nodes(gone);
}

std::string Network::what(const onnx::NodeProto& node) const {
  return node.op_type() + " at node '" +
         (node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name()) + "'";
}

std::int64_t attribute(const onnx::NodeProto& node, const std::string& name, std::int64_t otherwise) {
  for (const auto& a : node.attribute())
    if (a.name() == name) return a.i();
  return otherwise;
}

float attribute(const onnx::NodeProto& node, const std::string& name, float otherwise) {
  for (const auto& a : node.attribute())
    if (a.name() == name) return a.f();
  return otherwise;
}

}  // namespace vdla::quantize
