// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/shape.h"
#include "compiler/graph/sums.h"
#include "compiler/import/import.h"
#include "compiler/import/layer_macs.h"
#include "compiler/import/tensor/trips.h"
#include "compiler/import/tflite/sparsity.h"

namespace vdla::import::tflite {

Builder::Builder(const Model& model, const SubGraph& function, std::string file, const ImportOptions& options)
    : model_(model),
      subgraph_(&function),
      file_(std::move(file)),
      real_weights_(options.real_weights),
      cut_(cut_of(function, options, file_)),
      refusals_("TFLite model '" + file_ + "': "),
      variables_(network_) {
  graph().name = subgraph_->name() && subgraph_->name()->size() > 0 ? subgraph_->name()->str() : "main";
}

const Tensor& Builder::file_tensor(int index) const {
  return *subgraph_->tensors()->Get(static_cast<flatbuffers::uoffset_t>(index));
}

OperatorRef Builder::operator_ref(int index) const {
  OperatorRef ref;
  ref.op = subgraph_->operators()->Get(static_cast<flatbuffers::uoffset_t>(index));
  const OperatorCode& code = *model_.operator_codes()->Get(ref.op->opcode_index());
  ref.code = number_of(code);
  ref.op_name = code.custom_code() && code.custom_code()->size() > 0 ? code.custom_code()->str()
                                                                     : operator_name(ref.code);
  ref.node = ref.op_name + "_" + std::to_string(index);
  std::ranges::transform(ref.node, ref.node.begin(), [](unsigned char c) { return std::tolower(c); });
  ref.node = prefix_ + ref.node;
  return ref;
}

std::string Builder::where(const OperatorRef& op) const {
  return "TFLite model '" + file_ + "': " + op.op_name + " at node '" + op.node + "' ";
}

std::string Builder::where(int index) const {
  return "TFLite model '" + file_ + "': tensor '" + source(index) + "' ";
}

graph::Shape Builder::shape(int index) const {
  const Tensor& t = file_tensor(index);
  graph::Shape shape = t.shape() ? graph::Shape(t.shape()->begin(), t.shape()->end()) : graph::Shape{};
  graph::require_extents(shape, where(index));
  return shape;
}

graph::Shape Builder::shape_of_value(int index) const {
  const auto known = values_.find(index);
  return known == values_.end() ? shape(index) : known->second.shape;
}

std::span<const std::byte> Builder::stored(int index) const {
  const Tensor& t = file_tensor(index);
  if (!model_.buffers() || model_.buffers()->size() == 0) return {};
  const auto* bytes = model_.buffers()->Get(t.buffer())->data();
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const std::byte*>(bytes->data()), bytes->size()};
}

bool Builder::is_constant(int index) const {
  return !stored(index).empty() || file_tensor(index).sparsity() != nullptr;
}

std::span<const std::byte> Builder::data(int index) const {
  const Tensor& t = file_tensor(index);
  if (t.sparsity() == nullptr) return stored(index);
  auto dense = dense_.find(&t);
  if (dense == dense_.end())
    dense = dense_.emplace(&t, dense_bytes(t, shape(index), stored(index), where(index))).first;
  return dense->second;
}

bool Builder::has_scale(int index) const {
  const QuantizationParameters* q = file_tensor(index).quantization();
  const TensorType type = file_tensor(index).type();
  const bool is_float =
      type == TensorType::FLOAT32 || type == TensorType::FLOAT16 || type == TensorType::FLOAT64;
  return !is_float && q && q->scale() && q->scale()->size() > 0;
}

bool Builder::is_quantised(int index) const {
  const TensorType type = file_tensor(index).type();
  return (type == TensorType::INT8 || type == TensorType::UINT8 || type == TensorType::INT16 ||
          is_packed(index)) &&
         has_scale(index);
}

bool Builder::is_packed(int index) const {
  return file_tensor(index).type() == TensorType::INT4 && has_scale(index) && is_constant(index);
}

bool Builder::is_wide(int index) const {
  return file_tensor(index).type() == TensorType::INT16 && has_scale(index);
}

std::string Builder::type_text(int index) const {
  return type_name(file_tensor(index).type()) + (has_scale(index) ? " with a scale" : "");
}

graph::DataType Builder::data_type(int index) const {
  switch (file_tensor(index).type()) {
    case TensorType::INT8:
      return graph::DataType::Int8;
    case TensorType::UINT8:
      return has_scale(index) ? graph::DataType::Int8 : graph::DataType::UInt8;
    case TensorType::INT16:
      return graph::DataType::Int16;
    case TensorType::UINT16:
      return graph::DataType::UInt16;
    case TensorType::INT32:
      return graph::DataType::Int32;
    case TensorType::UINT32:
      return graph::DataType::UInt32;
    case TensorType::INT64:
      return graph::DataType::Int64;
    case TensorType::UINT64:
      return graph::DataType::UInt64;
    case TensorType::BOOL:
      return graph::DataType::Bool;
    case TensorType::FLOAT16:
      return graph::DataType::Float16;
    case TensorType::FLOAT32:
      return graph::DataType::Float32;
    case TensorType::FLOAT64:
      return graph::DataType::Float64;
    case TensorType::INT4:
      if (is_packed(index)) return graph::DataType::Int8;
      break;
    default:
      break;
  }
  VDLA_CHECK_USER(false)
      << where(index) << "is " << type_name(file_tensor(index).type())
      << (has_scale(index) ? " with a scale" : "")
      << ", which this kit does not read in TFLite models; needs integers of 8 or 16 bits with a scale, or "
         "floats, integers and bool without: convert the network with such integers or as float";
  return graph::DataType::Int8;
}

graph::Quantization Builder::quantization(int index) const {
  const Tensor& t = file_tensor(index);
  const QuantizationParameters* q = t.quantization();
  VDLA_CHECK_USER(has_scale(index)) << where(index) << "is " << type_name(t.type())
                                    << " without quantisation, needs integers with scale and zero point, as "
                                       "others of its operator have";
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
    if (points > 0)
      std::memcpy(&z, q->zero_point()->Data() + std::size_t{8} * std::min(i, points - 1), sizeof(z));
    const bool bytes = t.type() == TensorType::INT8 || t.type() == TensorType::UINT8;
    const std::int64_t offset = is_uint8(index) ? 128 : 0, most = is_packed(index)                ? 7
                                                                  : bytes                         ? 127
                                                                  : t.type() == TensorType::INT16 ? INT16_MAX
                                                                                                  : INT32_MAX;
    VDLA_CHECK_USER(z >= -most - 1 + offset && z <= most + offset)
        << where(index) << "has zero point " << z << ", needs one within its type";
    result.zero_point.push_back(static_cast<std::int32_t>(z - offset));
  }
  return result;
}

namespace {

/// Integers of 4 bits, two in a byte with the first one in its low half, as int8.
graph::Bytes unpacked(std::span<const std::byte> packed, std::int64_t count) {
  graph::Bytes result;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto both = std::to_integer<int>(packed[static_cast<std::size_t>(i / 2)]);
    const int half = i % 2 == 0 ? both & 15 : both >> 4;
    result.push_back(static_cast<std::byte>(half < 8 ? half : half - 16));
  }
  return result;
}

constexpr int kBlockwise = 2;  ///< kind of quantisation

}  // namespace

std::optional<Blocks> Builder::blocks(int index) {
  const Tensor& t = file_tensor(index);
  const QuantizationParameters* q = t.quantization();
  if (q == nullptr || q->details_type() != kBlockwise || q->details() == nullptr) return std::nullopt;
  const bool packed = t.type() == TensorType::INT4;
  const graph::Shape extents = shape(index);
  const std::int64_t size = q->details()->block_size(), count = graph::element_count(extents);
  VDLA_CHECK_USER((packed || t.type() == TensorType::INT8) && extents.size() == 2)
      << where(index) << "is " << type_name(t.type()) << " of " << graph::to_string(extents)
      << " with scales by block, needs INT4 or INT8 and two dimensions";
  VDLA_CHECK_USER(size > 0 && extents[1] % size == 0 && (!packed || extents[1] % 2 == 0))
      << where(index) << "has blocks of " << size << " in rows of " << extents[1]
      << ", needs blocks that fill each row, and whole bytes";
  const auto bytes = data(index);
  VDLA_CHECK_USER(static_cast<std::int64_t>(bytes.size()) == (packed ? count / 2 : count))
      << where(index) << "has " << bytes.size() << " bytes for " << graph::to_string(extents) << " elements";
  const auto constant_of = [&](int of, const char* what) {
    VDLA_CHECK_USER(of >= 0 && of < static_cast<int>(subgraph_->tensors()->size()) && !data(of).empty())
        << where(index) << "lacks its " << what << " by block (corrupt)";
    return tensor::reals_of(value(of));
  };
  const std::vector<double> scales = constant_of(q->details()->scales(), "scales");
  const graph::Shape by_block = {extents[0], extents[1] / size};
  VDLA_CHECK_USER(static_cast<std::int64_t>(scales.size()) == graph::element_count(by_block))
      << where(index) << "has " << scales.size() << " scales, needs " << graph::to_string(by_block);
  // Files without zero points name tensor -1, or none.
  if (const int zero = q->details()->zero_points(); zero > 0) {
    VDLA_CHECK_USER(std::ranges::all_of(constant_of(zero, "zero points"), [](double z) { return z == 0; }))
        << where(index) << "has zero points by block, needs 0";
  }
  graph::Bytes steps = packed ? unpacked(bytes, count) : graph::Bytes(bytes.begin(), bytes.end());
  tensor::Integers values;
  for (const std::byte b : steps) values.push_back(std::to_integer<std::int8_t>(b));
  Blocks result{tensor::make_constant(graph::DataType::Int32, extents, values),
                tensor::make_constant(graph::DataType::Float32, by_block, scales), size};
  network_.name(result.steps, source(index));
  return result;
}

/// Integers with a scale become a tensor of the graph, which carries it. A constant of a subgraph that is
/// called again is the same one.
Value Builder::constant(int index) {
  if (const auto known = constants_.find(&file_tensor(index)); known != constants_.end())
    return known->second;
  const auto bytes = data(index);
  VDLA_CHECK_USER(!bytes.empty()) << where(index) << "is read before any operator writes it (corrupt)";
  auto copy = std::make_shared<graph::Bytes>(bytes.begin(), bytes.end());
  if (is_packed(index)) *copy = unpacked(bytes, graph::element_count(shape(index)));
  Value value{data_type(index), shape(index), copy};
  if (has_scale(index)) {
    if (is_uint8(index))
      for (std::byte& b : *copy) b ^= std::byte{0x80};
    value = network_.value_of(
        graph().add_constant(source(index), value.type, value.shape, copy, quantization(index)));
  }
  network_.name(value, source(index));
  constants_.emplace(&file_tensor(index), value);
  return value;
}

std::string Builder::source(int index) const {
  const Tensor& t = file_tensor(index);
  return prefix_ + (t.name() && t.name()->size() > 0 ? t.name()->str() : "#" + std::to_string(index));
}

Value Builder::value(int index) {
  VDLA_CHECK_USER(!resources_.contains(index))
      << where(index) << "names a variable, and is read where this kit needs values; needs READ_VARIABLE "
      << "or ASSIGN_VARIABLE there";
  VDLA_CHECK_USER(!is_complex(index))
      << where(index) << "is complex, and is read where this kit computes with real numbers; needs one of "
      << "COMPLEX_ABS, REAL and IMAG before that, or RESHAPE, SQUEEZE and EXPAND_DIMS alone";
  const auto known = values_.find(index);
  if (known == values_.end()) return values_[index] = constant(index);
  if (known->second.refused) {
    static_cast<void>(data_type(index));  // the type may be why
    throw NotLookedAt();
  }
  return known->second;
}

graph::TensorId Builder::tensor(int index) {
  Value v = value(index);
  if (v.id == graph::kNone) {
    v.id = network_.tensor(v, source(index));
    values_[index] = v;
  }
  return v.id;
}

int Builder::input_index(const OperatorRef& op, unsigned i) {
  return i < op.op->inputs()->size() ? op.op->inputs()->Get(i) : -1;
}

int Builder::output_index(const OperatorRef& op) { return op.op->outputs()->Get(0); }

graph::TensorId Builder::input(const OperatorRef& op, unsigned i) {
  const int index = input_index(op, i);
  return index < 0 ? graph::kNone : tensor(index);
}

std::vector<std::int32_t> Builder::constant_ints(const OperatorRef& op, unsigned i) const {
  const int index = input_index(op, i);
  if (const auto known = values_.find(index); known != values_.end())
    network_.require_looked_at(known->second);
  const auto bytes = index < 0 ? std::span<const std::byte>{} : data(index);
  VDLA_CHECK_USER(!bytes.empty() && file_tensor(index).type() == TensorType::INT32)
      << "TFLite model '" << file_ << "': input " << i << " of " << op.op_name << " at node '" << op.node
      << "' must be a constant of INT32";
  std::vector<std::int32_t> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

void Builder::add(const OperatorRef& op, graph::Op node, std::vector<graph::TensorId> inputs) {
  const int index = output_index(op);
  bind(op, graph().add_node(op.node, std::move(node), std::move(inputs),
                            is_quantised(index) ? quantization(index) : graph::Quantization{}));
}

void Builder::stands_for(const OperatorRef& op, graph::TensorId made) {
  Value value = network_.value_of(made);
  network_.name(value, source(output_index(op)));
}

bool Builder::is_begun(int index) const {
  return callers_.empty() && cut_.begun.contains(index) && values_.contains(index);
}

bool Builder::fits(int index, const Value& value) const {
  const graph::Shape stated = shape(index);
  // A program that does not know a shape writes none: of results of a file's own operators, and of all that
  // read an input of free extents.
  if (stated.empty() && !file_tensor(index).has_rank()) return value.type == data_type(index);
  const auto* free = file_tensor(index).shape_signature();
  bool result = value.type == data_type(index) && value.rank() == stated.size();
  for (std::size_t d = 0; result && d < stated.size(); ++d)
    result = value.shape[d] == stated[d] ||
             (free && d < free->size() && free->Get(static_cast<flatbuffers::uoffset_t>(d)) < 0);
  return result;
}

void Builder::bind(const OperatorRef& op, Value made, unsigned i) {
  const int index = op.op->outputs()->Get(i);
  if (is_begun(index)) return;
  const graph::Shape stated = shape(index);
  const graph::DataType type = data_type(index);
  VDLA_CHECK_USER(fits(index, made)) << where(op) << "makes " << graph::name_of(made.type) << " "
                                     << graph::to_string(made.shape) << " of its inputs, the file states "
                                     << graph::name_of(type) << " " << graph::to_string(stated)
                                     << " for its output '" << tensor_name(file_tensor(index))
                                     << "'; needs equal ones: convert the network again with fixed shapes";
  if (prefix_.empty() && made.id != graph::kNone && named_.insert(made.id).second &&
      file_tensor(index).name())
    graph().tensor(made.id).name = tensor_name(file_tensor(index));
  network_.name(made, source(index));
  if (const graph::TensorId first = channels_first(made.id); first != graph::kNone)
    network_.name_reordered(first, source(index));
  values_[index] = std::move(made);
}

void Builder::bind_complex(const OperatorRef& op, Value made) {
  const int index = output_index(op);
  graph::Shape stated = shape(index);
  stated.push_back(2);
  VDLA_CHECK_USER(file_tensor(index).type() == TensorType::COMPLEX64 && made.shape == stated)
      << where(op) << "makes complex numbers of " << graph::to_string(made.shape)
      << " with their components, the file states " << type_name(file_tensor(index).type()) << " "
      << graph::to_string(shape(index)) << "; needs COMPLEX64 of the extents before the last";
  complex_[index] = std::move(made);
}

void Builder::add_operators() {
  constexpr std::int64_t kMost = tensor::kMostOfTrips;
  for (int i = 0; subgraph_->operators() && i < static_cast<int>(subgraph_->operators()->size()); ++i) {
    if (callers_.empty() && !cut_.needed.empty() && !cut_.needed[static_cast<std::size_t>(i)]) continue;
    const OperatorRef op = operator_ref(i);
    // Subgraphs that call each other twice each double the operators with every level.
    VDLA_CHECK_USER(++operators_ <= kMost || prefix_.empty())
        << where(op) << "is one of more than " << kMost << " operators within others, needs fewer";
    if (callers_.empty())
      attempt(op);
    else
      import_operator(*this, op);
  }
}

void Builder::attempt(const OperatorRef& op) {
  Attempted part{op.op_name, op.node, {}};
  std::vector<graph::Shape> shapes;
  const auto stated = [&](int index) {
    const auto* extents = index < 0 ? nullptr : file_tensor(index).shape();
    return extents ? graph::Shape(extents->begin(), extents->end()) : graph::Shape{};
  };
  for (const int index : *op.op->inputs()) {
    shapes.push_back(stated(index));
    if (index < 0) continue;
    part.types.push_back(type_text(index));
    if (!is_constant(index) && !file_tensor(index).is_variable()) part.reads.push_back(source(index));
  }
  for (const int index : *op.op->outputs()) part.gives.push_back(source(index));
  if (op.op->outputs()->size() > 0) part.macs = layer_macs(op.op_name, shapes, stated(output_index(op)));
  if (refusals_.attempt(part, [&] { import_operator(*this, op); })) return;
  while (!callers_.empty()) go_back();
  is_first_ = false;
  for (const int index : *op.op->outputs()) set_refused(index);
}

void Builder::set_refused(int index) {
  if (is_begun(index)) return;
  Value value;
  value.refused = true;
  try {
    value = network_.refused(source(index), data_type(index), shape(index),
                             is_quantised(index) ? quantization(index) : graph::Quantization{});
  } catch (const UserError&) {
    // Operators that read it meet the same error, or are not looked at.
  }
  values_[index] = std::move(value);
}

template <class Add>
void Builder::attempt_port(const char* kind, int index, const Add& add) {
  const Attempted port{.op = kind, .node = source(index), .types = {type_text(index)}, .is_operator = false};
  if (!refusals_.attempt(port, add)) set_refused(index);
}

void Builder::require_like(const OperatorRef& op, int index, const Value& input) {
  const graph::DataType type = data_type(index);
  const graph::Quantization have =
      input.id == graph::kNone ? graph::Quantization{} : network_.graph().tensor(input.id).quantization;
  VDLA_CHECK_USER(fits(index, input) &&
                  have == (has_scale(index) ? quantization(index) : graph::Quantization{}))
      << where(op) << "has an input of " << graph::name_of(input.type) << " " << graph::to_string(input.shape)
      << " for '" << source(index) << "', which is " << graph::name_of(type) << " "
      << graph::to_string(shape(index)) << "; needs one type, shape and scale";
}

VariableType Builder::type_of_variable(int index, std::string name) const {
  return {std::move(name), data_type(index), shape(index),
          has_scale(index) ? quantization(index) : graph::Quantization{}};
}

void Builder::bind_resource(const OperatorRef& op, VariableKey key) {
  resources_[output_index(op)] = std::move(key);
}

const VariableKey& Builder::resource(const OperatorRef& op, unsigned i) const {
  const auto known = resources_.find(input_index(op, i));
  VDLA_CHECK_USER(known != resources_.end())
      << where(op) << "has input " << i << " that names no variable, needs what VAR_HANDLE gives";
  return known->second;
}

Value Builder::read_resource(const OperatorRef& op) {
  const VariableKey& key = resource(op, 0);
  return variables_.read(key, type_of_variable(output_index(op), key.name), where(op));
}

void Builder::assign_resource(const OperatorRef& op, Value value) {
  const VariableKey& key = resource(op, 0);
  is_first_ ? variables_.begin_with(key, std::move(value), where(op))
            : variables_.assign(key, std::move(value), where(op));
}

Value Builder::state(const OperatorRef& op, unsigned i) {
  const int index = input_index(op, i);
  return variables_.read({subgraph_, index}, type_of_variable(index, source(index)), where(op));
}

void Builder::set_state(const OperatorRef& op, unsigned i, Value value) {
  variables_.assign({subgraph_, input_index(op, i)}, std::move(value), where(op));
}

void Builder::call_once(const OperatorRef& op, std::int64_t subgraph) {
  VDLA_CHECK_USER(!is_first_) << where(op) << "stands among operators that are called once already";
  is_first_ = true;
  call(op, subgraph, {});
  is_first_ = false;
}

const SubGraph& Builder::called(const OperatorRef& op, std::int64_t subgraph) {
  const SubGraph*& known = called_[subgraph];
  if (known == nullptr) known = &checked_subgraph(model_, subgraph, where(op), file_);
  return *known;
}

std::int64_t Builder::operators_of(const OperatorRef& op, std::int64_t subgraph) {
  const auto* operators = called(op, subgraph).operators();
  return operators == nullptr ? 0 : operators->size();
}

std::vector<Value> Builder::call(const OperatorRef& op, std::int64_t subgraph, std::vector<Value> inputs,
                                 const std::string& part) {
  const SubGraph& g = called(op, subgraph);
  constexpr std::size_t kDeepest = 64;
  VDLA_CHECK_USER(callers_.size() < kDeepest)
      << where(op) << "stands for a subgraph within " << kDeepest << " others, needs fewer";
  const auto calls = [&](const Caller& c) { return c.subgraph == &g; };
  VDLA_CHECK_USER(subgraph_ != &g && std::ranges::none_of(callers_, calls))
      << where(op) << "stands for subgraph " << subgraph << ", which contains it (corrupt)";
  const std::size_t arriving = g.inputs() ? g.inputs()->size() : 0;
  VDLA_CHECK_USER(arriving == inputs.size())
      << where(op) << "has " << inputs.size() << " inputs, its subgraph " << subgraph << " has " << arriving;
  callers_.push_back({subgraph_, std::exchange(values_, {}), std::exchange(complex_, {}),
                      std::exchange(resources_, {}),
                      std::exchange(prefix_, op.node + "/" + (part.empty() ? part : part + "/"))});
  subgraph_ = &g;
  for (std::size_t i = 0; i < arriving; ++i) {
    const int index = g.inputs()->Get(static_cast<flatbuffers::uoffset_t>(i));
    require_like(op, index, inputs[i]);
    values_[index] = std::move(inputs[i]);
  }
  add_operators();
  std::vector<Value> result;
  for (flatbuffers::uoffset_t i = 0; g.outputs() && i < g.outputs()->size(); ++i)
    result.push_back(value(g.outputs()->Get(i)));
  go_back();
  return result;
}

void Builder::go_back() {
  Caller& caller = callers_.back();
  subgraph_ = caller.subgraph;
  values_ = std::move(caller.values);
  complex_ = std::move(caller.complex);
  resources_ = std::move(caller.resources);
  prefix_ = std::move(caller.prefix);
  callers_.pop_back();
}

void Builder::add_inputs() {
  VDLA_CHECK_USER(!cut_.inputs.empty()) << "TFLite model '" << file_ << "': has no input";
  for (int index : cut_.inputs) attempt_port("input", index, [&] { add_input(index); });
}

void Builder::add_input(int index) {
  const graph::TensorId id =
      graph().add_tensor({tensor_name(file_tensor(index)), data_type(index), shape(index),
                          is_quantised(index) ? quantization(index) : graph::Quantization{}, nullptr});
  graph().add_input(id);
  named_.insert(id);
  values_[index] = network_.value_of(id);
  network_.name(values_[index], source(index));
  if (!is_quantised(index)) return;
  graph().inputs.back().rounding = Rounding::HalfAwayFromZero;
  if (is_uint8(index)) graph().inputs.back().model_type = graph::DataType::UInt8;
}

graph::TensorId Builder::port(int index) {
  graph::TensorId id = tensor(index);
  const std::string name = tensor_name(file_tensor(index));
  if (name.empty()) return id;
  const auto same = [&](const graph::Port& p) { return p.tensor == id; };
  const bool taken = std::ranges::any_of(graph().inputs, same) || std::ranges::any_of(graph().outputs, same);
  if (taken && graph().tensor(id).name != name) {
    const graph::Tensor& t = graph().tensor(id);
    id = network_.add(name, graph::Reshape{t.shape}, {id}, t.quantization);
  }
  graph().tensor(id).name = name;
  return id;
}

void Builder::add_outputs() {
  VDLA_CHECK_USER(!cut_.outputs.empty()) << "TFLite model '" << file_ << "': has no output";
  for (int index : cut_.outputs) {
    if (const auto known = values_.find(index); known != values_.end() && known->second.refused) continue;
    attempt_port("output", index, [&] {
      graph().add_output(port(index));
      if (is_quantised(index) && is_uint8(index)) graph().outputs.back().model_type = graph::DataType::UInt8;
    });
  }
}

graph::TensorId Builder::channels_first(graph::TensorId last) const {
  const auto known = first_.find(last);
  return known == first_.end() ? graph::kNone : known->second;
}

graph::Graph Builder::take() {
  refusals_.require_none();
  variables_.finish();
  graph::Graph graph = network_.take();
  if (first_.empty()) return graph;
  for (const auto& [last, first] : first_) {
    auto& sources = graph.tensor(first).sources;
    if (!sources) continue;
    for (SourceTensor& s : *sources)
      if (s.likeness == Likeness::Reordered) s.order = {0, 3, 1, 2};
  }
  return graph::drop_dead(std::move(graph));
}

}  // namespace vdla::import::tflite

namespace vdla::import {

graph::Graph import_tflite(std::span<const std::byte> bytes, const std::string& name,
                           const ImportOptions& options) {
  const tflite::Model& model = tflite::checked_model(bytes, name);
  tflite::Builder builder(model, tflite::function_of(model, options.signature, name), name, options);
  builder.add_inputs();
  builder.add_operators();
  builder.add_outputs();
  graph::Graph graph = builder.take();
  graph::limit_sums(graph, "TFLite model '" + name + "': ");
  verify(graph);
  return graph;
}

}  // namespace vdla::import
