// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/network.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <set>
#include <string_view>

#include "compiler/import/onnx_importer.h"
#include "compiler/import/onnx_order.h"
#include "compiler/import/tensor/node.h"
#include "compiler/quantize/floats.h"
#include "compiler/quantize/lift.h"
#include "support/error.h"

namespace vdla::quantize {
namespace {

/// Version of the file format of the time of kQuantisedSet; initialisers need not be inputs any more.
constexpr std::int64_t kIrVersion = 7;
/// Most bytes of a message, whose sizes protobuf counts in int.
constexpr std::size_t kMostBytes = INT_MAX;
/// Elements of a constant that takes the place of its node; larger ones stay computed, for the file's size.
constexpr std::int64_t kMostFolded = 1 << 20;
/// Ends of names of the quantiser's own.
constexpr const char* kWords[] = {"alone",   "beta",  "bias",   "dequantized", "factor",     "first",
                                  "float",   "int32", "int8",   "product",     "quantized",  "reciprocal",
                                  "rounded", "scale", "second", "tensor",      "transposed", "zero_point"};

/// Puts nodes behind those whose results they read, as what is inserted between them needs it.
void sort_nodes(onnx::GraphProto& graph) {
  const std::vector<int> order = import::order_of_nodes(graph);
  if (std::ranges::is_sorted(order)) return;
  onnx::GraphProto sorted;
  for (const int i : order) sorted.add_node()->Swap(graph.mutable_node(i));
  graph.mutable_node()->Swap(sorted.mutable_node());
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
  compute_in_float32(model_, where_);
  sort_nodes(*model_.mutable_graph());
  Values values = import::values_of(model_, where_);
  lift(model_, values, where_);
  model_.set_ir_version(std::max<std::int64_t>(model_.ir_version(), kIrVersion));
  constants_to_initialisers(values);
  drop_identities();
  while (is_taken(mark_, graph())) mark_ += '/';
  find_activations(values);
}

/// The scale that DynamicQuantizeLinear makes is no value of the network.
void Network::find_activations(const Values& values) {
  for (const auto& [name, value] : values)
    if (value.type == graph::DataType::Float32 && value.data == nullptr)
      activations_.emplace(name, value.shape);
  for (const onnx::NodeProto& node : graph().node())
    if (node.op_type() == "DynamicQuantizeLinear")
      for (const std::string& output : node.output()) activations_.erase(output);
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

graph::Bytes Network::showing(const std::vector<std::string>& tensors) const {
  Network copy = *this;
  copy.graph().clear_output();
  for (const std::string& t : tensors) {
    onnx::ValueInfoProto& info = *copy.graph().add_output();
    info.set_name(t);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }
  return copy.bytes();
}

void Network::take_node(onnx::NodeProto node, const Network& from) {
  for (const std::string& input : node.input())
    if (const onnx::TensorProto* t = from.find(input); t != nullptr && find(input) == nullptr)
      *graph().add_initializer() = *t;
  *graph().add_node() = std::move(node);
}

void Network::keep_in_float(const std::vector<std::string>& outputs) {
  kept_.insert(outputs.begin(), outputs.end());
}

void Network::set_property(const std::string& key, const std::string& value) {
  auto* properties = model_.mutable_metadata_props();
  const auto found = std::ranges::find(*properties, key, [](const auto& p) { return p.key(); });
  auto& property = found == properties->end() ? *properties->Add() : *found;
  property.set_key(key);
  property.set_value(value);
}

std::vector<std::string> Network::inputs() const {
  std::vector<std::string> names;
  for (const auto& info : graph().input())
    if (!is_constant(info.name())) names.push_back(info.name());
  return names;
}

std::vector<std::string> Network::outputs() const {
  std::vector<std::string> names;
  for (const auto& info : graph().output()) names.push_back(info.name());
  return names;
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
  for (int n = 0; n < graph().node_size(); ++n) {
    std::vector<std::string_view> reads;
    import::add_reads(graph().node(n), reads);
    if (std::ranges::find(reads, tensor) != reads.end()) result.push_back(n);
  }
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

/// A node that reads constants alone is computed already.
void Network::constants_to_initialisers(const Values& values) {
  std::set<std::string> constants;
  for (const auto& t : graph().initializer()) constants.insert(t.name());
  std::vector<bool> gone(static_cast<std::size_t>(graph().node_size()));
  for (int n = 0; n < graph().node_size(); ++n) {
    const onnx::NodeProto& node = graph().node(n);
    const bool known = node.output_size() == 1 && std::ranges::all_of(node.input(), [&](const auto& t) {
                         return t.empty() || constants.contains(t);
                       });
    const auto made = known ? values.find(node.output(0)) : values.end();
    if (made == values.end() || made->second.data == nullptr) continue;
    if (node.op_type() != "Constant" && graph::element_count(made->second.shape) > kMostFolded) continue;
    constants.insert(node.output(0));
    add_constant(node.output(0), import::tensor::code_of(made->second.type), made->second.shape,
                 *made->second.data);
    gone[static_cast<std::size_t>(n)] = true;
  }
  remove_nodes(gone);
}

bool Network::is_needed(const std::string& tensor) const {
  return !tensor.empty() && (is_output(tensor) || !consumers(tensor).empty());
}

void Network::drop_identities() {
  std::vector<bool> gone(static_cast<std::size_t>(graph().node_size()));
  for (int n = 0; n < graph().node_size(); ++n) {
    const auto& node = graph().node(n);
    if ((node.op_type() != "Identity" && node.op_type() != "Dropout") || is_output(node.output(0))) continue;
    if (node.output_size() > 1 && is_needed(node.output(1))) continue;  // a mask
    const std::vector<int> readers = consumers(node.output(0));
    if (std::ranges::any_of(readers, [&](int reader) { return has_body(graph().node(reader)); })) continue;
    gone[static_cast<std::size_t>(n)] = true;
    for (int reader : readers)
      for (auto& input : *graph().mutable_node(reader)->mutable_input())
        if (input == node.output(0)) input = node.input(0);
  }
  remove_nodes(gone);
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

std::string attribute(const onnx::NodeProto& node, const std::string& name, const char* otherwise) {
  for (const auto& a : node.attribute())
    if (a.name() == name) return a.s();
  return otherwise;
}

}  // namespace vdla::quantize
