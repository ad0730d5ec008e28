// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "compiler/graph/sums.h"
#include "compiler/import/import.h"
#include "support/error.h"

namespace vdla::import::tflite {

namespace {

/// 0 where the format packs elements or gives no size.
std::size_t element_bytes(TensorType type) {
  switch (type) {
    case TensorType::INT8:
    case TensorType::UINT8:
    case TensorType::BOOL:
    case TensorType::FLOAT8_E4M3FN:
    case TensorType::FLOAT8_E5M2:
      return 1;
    case TensorType::INT16:
    case TensorType::UINT16:
    case TensorType::FLOAT16:
    case TensorType::BFLOAT16:
      return 2;
    case TensorType::FLOAT32:
    case TensorType::INT32:
    case TensorType::UINT32:
      return 4;
    case TensorType::INT64:
    case TensorType::UINT64:
    case TensorType::FLOAT64:
    case TensorType::COMPLEX64:
      return 8;
    case TensorType::COMPLEX128:
      return 16;
    case TensorType::STRING:
    case TensorType::RESOURCE:
    case TensorType::VARIANT:
    case TensorType::INT4:
    case TensorType::INT2:
    case TensorType::UINT4:
      return 0;
  }
  return 0;
}

std::string name_of(TensorType type) {
  const char* known = EnumNameTensorType(type);
  return *known != '\0' ? known : "of type " + std::to_string(static_cast<int>(type));
}

std::string name_of(const Tensor& t) { return t.name() ? t.name()->str() : ""; }

void check_indices(const flatbuffers::Vector<std::int32_t>* list, std::size_t limit, int lowest,
                   const std::string& what) {
  if (list == nullptr) return;
  for (std::int32_t i : *list)
    VDLA_CHECK_USER(i >= lowest && i < static_cast<std::int64_t>(limit))
        << what << " names tensor " << i << " of " << limit << " (corrupt)";
}

/// Refuses the places of constants that newer files have beside the bytes of a buffer.
void check_storage(const Tensor& t, const Buffer* buffer, const std::string& where) {
  VDLA_CHECK_USER(t.sparsity() == nullptr)
      << where << "is sparse; this kit reads dense tensors: convert the network without sparsity";
  VDLA_CHECK_USER(t.external_buffer() == 0)
      << where << "has its data in another file (external buffer " << t.external_buffer()
      << "); this kit reads data within the model's tables: convert the network without external buffers";
  // 0 and 1: there is none.
  VDLA_CHECK_USER(buffer == nullptr || buffer->offset() <= 1)
      << where << "has its data behind the model's tables (" << buffer->size() << " bytes from byte "
      << buffer->offset()
      << " on); this kit reads data within them: convert the network without buffer offsets";
}

void check_tensor(const Model& model, const Tensor& t, const std::string& where) {
  const auto buffers = model.buffers() ? model.buffers()->size() : 0u;
  VDLA_CHECK_USER(t.buffer() < buffers || (t.buffer() == 0 && buffers == 0))
      << where << "names buffer " << t.buffer() << " of " << buffers << " (corrupt)";
  std::size_t bytes = element_bytes(t.type());
  if (t.shape())
    for (std::int32_t extent : *t.shape()) {
      VDLA_CHECK_USER(extent >= 0 && extent < (1 << 28))
          << where << "has extent " << extent << ", needs a fixed shape";
      bytes *= static_cast<std::size_t>(extent);
      VDLA_CHECK_USER(bytes < (std::size_t{1} << 32)) << where << "is larger than 4 GiB (corrupt)";
    }
  const Buffer* buffer = buffers > 0 ? model.buffers()->Get(t.buffer()) : nullptr;
  check_storage(t, buffer, where);
  const std::size_t size = buffer && buffer->data() ? buffer->data()->size() : 0;
  VDLA_CHECK_USER(size == 0 || size == bytes || element_bytes(t.type()) == 0)
      << where << "has " << size << " bytes of data, its shape needs " << bytes << " (corrupt)";
}

void check_subgraph(const Model& model, const SubGraph& g, const std::string& prefix) {
  const std::size_t tensors = g.tensors() ? g.tensors()->size() : 0;
  for (std::size_t i = 0; i < tensors; ++i) {
    const Tensor& t = *g.tensors()->Get(static_cast<flatbuffers::uoffset_t>(i));
    check_tensor(model, t, prefix + "tensor " + std::to_string(i) + " '" + name_of(t) + "' ");
  }
  check_indices(g.inputs(), tensors, 0, prefix + "the list of inputs");
  check_indices(g.outputs(), tensors, 0, prefix + "the list of outputs");
  const std::size_t codes = model.operator_codes() ? model.operator_codes()->size() : 0;
  for (std::size_t i = 0; g.operators() && i < g.operators()->size(); ++i) {
    const Operator& op = *g.operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const std::string where = prefix + "operator " + std::to_string(i);
    VDLA_CHECK_USER(op.opcode_index() < codes)
        << where << " names operator code " << op.opcode_index() << " of " << codes << " (corrupt)";
    VDLA_CHECK_USER(op.inputs() && op.outputs() && op.outputs()->size() > 0)
        << where << " has no inputs or outputs (corrupt)";
    check_indices(op.inputs(), tensors, -1, where);
    check_indices(op.outputs(), tensors, 0, where);
  }
}

}  // namespace

const Model& checked_model(std::span<const std::byte> bytes, const std::string& file) {
  const std::string prefix = "TFLite model '" + file + "': ";
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  VDLA_CHECK_USER(bytes.size() >= 8 && std::memcmp(data + 4, ModelIdentifier(), 4) == 0)
      << prefix << "does not begin with the identifier TFL3 (" << bytes.size() << " bytes)";
  flatbuffers::Verifier verifier(data, bytes.size(), 64, 1'000'000);
  VDLA_CHECK_USER(VerifyModelBuffer(verifier)) << prefix << "its tables point outside of its " << bytes.size()
                                               << " bytes: the file is truncated or corrupt";
  const Model& model = *GetModel(data);
  VDLA_CHECK_USER(model.version() == 3) << prefix << "has format version " << model.version() << ", needs 3";
  VDLA_CHECK_USER(model.subgraphs() && model.subgraphs()->size() == 1)
      << prefix << "has " << (model.subgraphs() ? model.subgraphs()->size() : 0) << " subgraphs, needs 1";
  check_subgraph(model, *model.subgraphs()->Get(0), prefix);
  return model;
}

TfliteBuilder::TfliteBuilder(const Model& model, std::string file)
    : model_(model), subgraph_(model.subgraphs()->Get(0)), file_(std::move(file)) {
  graph_.name = subgraph_->name() && subgraph_->name()->size() > 0 ? subgraph_->name()->str() : "main";
}

const Tensor& TfliteBuilder::file_tensor(int index) const {
  return *subgraph_->tensors()->Get(static_cast<flatbuffers::uoffset_t>(index));
}

OperatorRef TfliteBuilder::operator_ref(int index) const {
  OperatorRef ref;
  ref.op = subgraph_->operators()->Get(static_cast<flatbuffers::uoffset_t>(index));
  const OperatorCode& code = *model_.operator_codes()->Get(ref.op->opcode_index());
  ref.code = std::max<int>(code.deprecated_builtin_code(), code.builtin_code());
  ref.op_name = code.custom_code() && code.custom_code()->size() > 0 ? code.custom_code()->str()
                                                                     : operator_name(ref.code);
  ref.node = ref.op_name + "_" + std::to_string(index);
  std::transform(ref.node.begin(), ref.node.end(), ref.node.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ref;
}

std::string TfliteBuilder::where(int index) const {
  return "TFLite model '" + file_ + "': tensor '" + source(index)[0].name + "' ";
}

graph::Shape TfliteBuilder::shape(int index) const {
  const Tensor& t = file_tensor(index);
  graph::Shape shape = t.shape() ? graph::Shape(t.shape()->begin(), t.shape()->end()) : graph::Shape{};
  graph::require_extents(shape, where(index));
  return shape;
}

std::span<const std::byte> TfliteBuilder::data(int index) const {
  const Tensor& t = file_tensor(index);
  if (!model_.buffers() || model_.buffers()->size() == 0) return {};
  const auto* bytes = model_.buffers()->Get(t.buffer())->data();
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const std::byte*>(bytes->data()), bytes->size()};
}

graph::DataType TfliteBuilder::data_type(int index) const {
  const Tensor& t = file_tensor(index);
  switch (t.type()) {
    case TensorType::INT8:
    case TensorType::UINT8:
      return graph::DataType::Int8;
    case TensorType::INT32:
      return graph::DataType::Int32;
    case TensorType::FLOAT32:
      return graph::DataType::Float32;
    default:
      VDLA_CHECK_USER(false)
          << where(index) << "is " << name_of(t.type())
          << ", which this kit does not read in TFLite models; needs INT8, UINT8, INT32 or "
             "FLOAT32: convert the network with 8-bit integers";
  }
  return graph::DataType::Int8;
}

graph::Quantization TfliteBuilder::quantization(int index) const {
  const Tensor& t = file_tensor(index);
  const QuantizationParameters* q = t.quantization();
  VDLA_CHECK_USER(data_type(index) != graph::DataType::Float32)
      << where(index)
      << "is FLOAT32; this kit reads TFLite networks of 8-bit integers and float networks as ONNX: quantise "
         "the network with TFLite's converter, or export it as ONNX";
  VDLA_CHECK_USER(q && q->scale() && q->scale()->size() > 0)
      << where(index) << "is " << name_of(t.type()) << " without quantisation, needs scale and zero point";
  VDLA_CHECK_USER(q->details_type() == 0)
      << where(index) << "has quantisation of another kind (blockwise or custom, kind "
      << static_cast<int>(q->details_type())
      << "), which this kit does not read; needs a scale and zero point for a tensor or for each channel";
  graph::Quantization result;
  result.axis = q->scale()->size() > 1 ? q->quantized_dimension() : -1;
  for (flatbuffers::uoffset_t i = 0; i < q->scale()->size(); ++i) {
    const float scale = q->scale()->Get(i);
    VDLA_CHECK_USER(scale > 0 && std::isfinite(scale))
        << where(index) << "has scale " << scale << ", needs a positive one";
    result.scale.push_back(scale);
    const auto points = q->zero_point() ? q->zero_point()->size() : 0u;
    std::int64_t z = 0;  // copied: a damaged file may have it off its alignment
    if (points > 0) std::memcpy(&z, q->zero_point()->Data() + 8 * std::min(i, points - 1), sizeof(z));
    const std::int64_t offset = is_uint8(index) ? 128 : 0,
                       most = t.type() == TensorType::INT32 ? INT32_MAX : 127;
    VDLA_CHECK_USER(z >= -most - 1 + offset && z <= most + offset)
        << where(index) << "has zero point " << z << ", needs one within its type";
    result.zero_point.push_back(static_cast<std::int32_t>(z - offset));
  }
  return result;
}

graph::TensorId TfliteBuilder::add_constant(int index) {
  const auto bytes = data(index);
  auto copy = std::make_shared<graph::Bytes>(bytes.begin(), bytes.end());
  if (is_uint8(index))
    for (std::byte& b : *copy) b ^= std::byte{0x80};
  const Tensor& t = file_tensor(index);
  const bool quantised =
      t.quantization() && t.quantization()->scale() && t.quantization()->scale()->size() > 0;
  return graph_.add_constant(name_of(t), data_type(index), shape(index), std::move(copy),
                             quantised ? quantization(index) : graph::Quantization{}, source(index));
}

Sources TfliteBuilder::source(int index) const {
  const Tensor& t = file_tensor(index);
  const bool named = t.name() && t.name()->size() > 0;
  return {{named ? t.name()->str() : "#" + std::to_string(index), Likeness::Same}};
}

graph::TensorId TfliteBuilder::tensor(int index) {
  const auto known = tensors_.find(index);
  if (known != tensors_.end()) return known->second;
  VDLA_CHECK_USER(!data(index).empty()) << where(index) << "is read before any operator writes it (corrupt)";
  return tensors_[index] = add_constant(index);
}

int TfliteBuilder::input_index(const OperatorRef& op, unsigned i) const {
  return i < op.op->inputs()->size() ? op.op->inputs()->Get(i) : -1;
}

int TfliteBuilder::output_index(const OperatorRef& op) const { return op.op->outputs()->Get(0); }

graph::TensorId TfliteBuilder::input(const OperatorRef& op, unsigned i) {
  const int index = input_index(op, i);
  return index < 0 ? graph::kNone : tensor(index);
}

std::vector<std::int32_t> TfliteBuilder::constant_ints(const OperatorRef& op, unsigned i) const {
  const int index = input_index(op, i);
  const auto bytes = index < 0 ? std::span<const std::byte>{} : data(index);
  VDLA_CHECK_USER(!bytes.empty() && file_tensor(index).type() == TensorType::INT32)
      << "TFLite model '" << file_ << "': input " << i << " of " << op.op_name << " at node '" << op.node
      << "' must be a constant of INT32";
  std::vector<std::int32_t> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

void TfliteBuilder::add(const OperatorRef& op, graph::Op node, std::vector<graph::TensorId> inputs) {
  const int index = output_index(op);
  const bool quantised = data_type(index) == graph::DataType::Int8;
  bind(op, graph_.add_node(op.node, std::move(node), std::move(inputs),
                           quantised ? quantization(index) : graph::Quantization{}));
}

void TfliteBuilder::stands_for(const OperatorRef& op, graph::TensorId made) {
  graph::Tensor& out = graph_.tensor(made);
  if (!out.sources) out.sources.emplace();
  graph::add_sources(*out.sources, source(output_index(op)));
}

void TfliteBuilder::bind(const OperatorRef& op, graph::TensorId made) {
  const int index = output_index(op);
  graph::Tensor& out = graph_.tensor(made);
  const graph::Shape stated = shape(index);
  const graph::DataType type = data_type(index);
  VDLA_CHECK_USER(out.type == type && out.shape == stated)
      << "TFLite model '" << file_ << "': " << op.op_name << " at node '" << op.node << "' makes "
      << graph::name_of(out.type) << " " << graph::to_string(out.shape) << " of its inputs, the file states "
      << graph::name_of(type) << " " << graph::to_string(stated) << " for its output '"
      << name_of(file_tensor(index)) << "'; needs equal ones: convert the network again with fixed shapes";
  if (file_tensor(index).name()) out.name = name_of(file_tensor(index));
  stands_for(op, made);
  tensors_[index] = made;
}

void TfliteBuilder::add_inputs() {
  VDLA_CHECK_USER(subgraph_->inputs() && subgraph_->inputs()->size() > 0)
      << "TFLite model '" << file_ << "': has no input";
  for (int index : *subgraph_->inputs()) {
    const Tensor& t = file_tensor(index);
    const bool quantised = data_type(index) == graph::DataType::Int8;
    tensors_[index] =
        graph_.add_tensor({name_of(t), data_type(index), shape(index),
                           quantised ? quantization(index) : graph::Quantization{}, nullptr, source(index)});
    graph_.add_input(tensors_[index]);
    graph_.inputs.back().rounding = Rounding::HalfAwayFromZero;
    if (is_uint8(index)) graph_.inputs.back().model_type = graph::DataType::UInt8;
  }
}

void TfliteBuilder::add_outputs() {
  VDLA_CHECK_USER(subgraph_->outputs() && subgraph_->outputs()->size() > 0)
      << "TFLite model '" << file_ << "': has no output";
  for (int index : *subgraph_->outputs()) {
    graph_.add_output(tensor(index));
    if (is_uint8(index)) graph_.outputs.back().model_type = graph::DataType::UInt8;
  }
}

}  // namespace vdla::import::tflite

namespace vdla::import {

graph::Graph import_tflite(std::span<const std::byte> bytes, const std::string& name) {
  tflite::TfliteBuilder builder(tflite::checked_model(bytes, name), name);
  builder.add_inputs();
  const auto* operators = builder.subgraph().operators();
  for (int i = 0; operators && i < static_cast<int>(operators->size()); ++i)
    tflite::import_operator(builder, builder.operator_ref(i));
  builder.add_outputs();
  complete_sources(builder.graph());
  graph::limit_sums(builder.graph(), "TFLite model '" + name + "': ");
  verify(builder.graph());
  return std::move(builder.graph());
}

}  // namespace vdla::import
