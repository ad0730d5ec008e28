// SPDX-License-Identifier: Apache-2.0
#undef KernelRunner
#include "micro_recorder.h"
#undef KernelRunner

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/micro/memory_helpers.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace tflite::micro {
namespace {

constexpr int kOperators = 200;
using Resolver = MicroMutableOpResolver<kOperators>;

Resolver make_resolver() {
  Resolver r;
#define VDLA_MICRO_OPERATOR(add) r.add();
#include "micro_operators.inc"  // a line for each operator of the resolver, made by CMake
#undef VDLA_MICRO_OPERATOR
  return r;
}

/// The operator whose kernel this is; CUSTOM where none has it.
BuiltinOperator operator_of(const TFLMRegistration& kernel) {
  static const Resolver resolver = make_resolver();
  for (const BuiltinOperator op : EnumValuesBuiltinOperator()) {
    const TFLMRegistration* known = resolver.FindOp(op);
    if (known && known->invoke == kernel.invoke && known->prepare == kernel.prepare &&
        known->init == kernel.init)
      return op;
  }
  return BuiltinOperator_CUSTOM;
}

/// Operands that a model gets with each run; the others are constants of it.
std::vector<int> operands_of(BuiltinOperator op, int count) {
  static const std::set<BuiltinOperator> kAll = {BuiltinOperator_ADD,
                                                 BuiltinOperator_ADD_N,
                                                 BuiltinOperator_BATCH_MATMUL,
                                                 BuiltinOperator_CONCATENATION,
                                                 BuiltinOperator_DIV,
                                                 BuiltinOperator_EQUAL,
                                                 BuiltinOperator_FLOOR_DIV,
                                                 BuiltinOperator_FLOOR_MOD,
                                                 BuiltinOperator_GATHER,
                                                 BuiltinOperator_GATHER_ND,
                                                 BuiltinOperator_GREATER,
                                                 BuiltinOperator_GREATER_EQUAL,
                                                 BuiltinOperator_LESS,
                                                 BuiltinOperator_LESS_EQUAL,
                                                 BuiltinOperator_LOGICAL_AND,
                                                 BuiltinOperator_LOGICAL_OR,
                                                 BuiltinOperator_MAXIMUM,
                                                 BuiltinOperator_MINIMUM,
                                                 BuiltinOperator_MUL,
                                                 BuiltinOperator_NOT_EQUAL,
                                                 BuiltinOperator_PACK,
                                                 BuiltinOperator_SELECT_V2,
                                                 BuiltinOperator_SQUARED_DIFFERENCE,
                                                 BuiltinOperator_SUB};
  static const std::map<BuiltinOperator, std::vector<int>> kSome = {
      {BuiltinOperator_SPLIT, {1}},
      {BuiltinOperator_FILL, {1}},
      {BuiltinOperator_TRANSPOSE_CONV, {2}},
      {BuiltinOperator_DYNAMIC_UPDATE_SLICE, {0, 1}}};
  if (const auto some = kSome.find(op); some != kSome.end()) return some->second;
  std::vector<int> result = {0};
  for (int i = 1; kAll.count(op) != 0 && i < count; ++i) result.push_back(i);
  return result;
}

TensorType type_of(TfLiteType type) {
  switch (type) {
    case kTfLiteFloat32:
      return TensorType_FLOAT32;
    case kTfLiteFloat16:
      return TensorType_FLOAT16;
    case kTfLiteFloat64:
      return TensorType_FLOAT64;
    case kTfLiteInt4:
      return TensorType_INT4;
    case kTfLiteInt8:
      return TensorType_INT8;
    case kTfLiteUInt8:
      return TensorType_UINT8;
    case kTfLiteInt16:
      return TensorType_INT16;
    case kTfLiteUInt16:
      return TensorType_UINT16;
    case kTfLiteInt32:
      return TensorType_INT32;
    case kTfLiteUInt32:
      return TensorType_UINT32;
    case kTfLiteInt64:
      return TensorType_INT64;
    case kTfLiteUInt64:
      return TensorType_UINT64;
    case kTfLiteBool:
      return TensorType_BOOL;
    case kTfLiteString:
      return TensorType_STRING;
    case kTfLiteResource:
      return TensorType_RESOURCE;
    default:
      return TensorType_FLOAT32;
  }
}

Padding padding_of(TfLitePadding padding) {
  return padding == kTfLitePaddingSame ? Padding_SAME : Padding_VALID;
}
ActivationFunctionType activation_of(TfLiteFusedActivation activation) {
  switch (activation) {
    case kTfLiteActRelu:
      return ActivationFunctionType_RELU;
    case kTfLiteActReluN1To1:
      return ActivationFunctionType_RELU_N1_TO_1;
    case kTfLiteActRelu6:
      return ActivationFunctionType_RELU6;
    case kTfLiteActTanh:
      return ActivationFunctionType_TANH;
    case kTfLiteActSignBit:
      return ActivationFunctionType_SIGN_BIT;
    default:
      return ActivationFunctionType_NONE;
  }
}

// Options of the file that say what the kernel's parameters do.
void say(Conv2DOptionsT& o, const TfLiteConvParams& p) {
  o.padding = padding_of(p.padding), o.stride_w = p.stride_width, o.stride_h = p.stride_height;
  o.dilation_w_factor = p.dilation_width_factor, o.dilation_h_factor = p.dilation_height_factor;
  o.fused_activation_function = activation_of(p.activation);
}
void say(DepthwiseConv2DOptionsT& o, const TfLiteDepthwiseConvParams& p) {
  o.padding = padding_of(p.padding), o.stride_w = p.stride_width, o.stride_h = p.stride_height;
  o.dilation_w_factor = p.dilation_width_factor, o.dilation_h_factor = p.dilation_height_factor;
  o.depth_multiplier = p.depth_multiplier, o.fused_activation_function = activation_of(p.activation);
}
void say(TransposeConvOptionsT& o, const TfLiteTransposeConvParams& p) {
  o.padding = padding_of(p.padding), o.stride_w = p.stride_width, o.stride_h = p.stride_height;
  o.fused_activation_function = activation_of(p.activation);
}
void say(Pool2DOptionsT& o, const TfLitePoolParams& p) {
  o.padding = padding_of(p.padding), o.stride_w = p.stride_width, o.stride_h = p.stride_height;
  o.filter_width = p.filter_width, o.filter_height = p.filter_height;
  o.fused_activation_function = activation_of(p.activation);
}
void say(FullyConnectedOptionsT& o, const TfLiteFullyConnectedParams& p) {
  o.fused_activation_function = activation_of(p.activation), o.keep_num_dims = p.keep_num_dims;
  o.asymmetric_quantize_inputs = p.asymmetric_quantize_inputs;
}
void say(SVDFOptionsT& o, const TfLiteSVDFParams& p) {
  o.rank = p.rank, o.fused_activation_function = activation_of(p.activation);
  o.asymmetric_quantize_inputs = p.asymmetric_quantize_inputs;
}
void say(UnidirectionalSequenceLSTMOptionsT& o, const TfLiteUnidirectionalSequenceLSTMParams& p) {
  o.fused_activation_function = activation_of(p.activation), o.cell_clip = p.cell_clip,
  o.proj_clip = p.proj_clip;
  o.time_major = p.time_major, o.asymmetric_quantize_inputs = p.asymmetric_quantize_inputs;
}
void say(SoftmaxOptionsT& o, const TfLiteSoftmaxParams& p) { o.beta = p.beta; }
void say(LeakyReluOptionsT& o, const TfLiteLeakyReluParams& p) { o.alpha = p.alpha; }
void say(AddOptionsT& o, const TfLiteAddParams& p) {
  o.fused_activation_function = activation_of(p.activation);
}
void say(SubOptionsT& o, const TfLiteSubParams& p) {
  o.fused_activation_function = activation_of(p.activation);
}
void say(MulOptionsT& o, const TfLiteMulParams& p) {
  o.fused_activation_function = activation_of(p.activation);
}
void say(DivOptionsT& o, const TfLiteDivParams& p) {
  o.fused_activation_function = activation_of(p.activation);
}
void say(L2NormOptionsT& o, const TfLiteL2NormParams& p) {
  o.fused_activation_function = activation_of(p.activation);
}
void say(ConcatenationOptionsT& o, const TfLiteConcatenationParams& p) {
  o.axis = p.axis, o.fused_activation_function = activation_of(p.activation);
}
void say(BatchMatMulOptionsT& o, const TfLiteBatchMatMulParams& p) {
  o.adj_x = p.adj_x, o.adj_y = p.adj_y, o.asymmetric_quantize_inputs = p.asymmetric_quantize_inputs;
}
void say(ReducerOptionsT& o, const TfLiteReducerParams& p) { o.keep_dims = p.keep_dims; }
void say(ResizeBilinearOptionsT& o, const TfLiteResizeBilinearParams& p) {
  o.align_corners = p.align_corners, o.half_pixel_centers = p.half_pixel_centers;
}
void say(ResizeNearestNeighborOptionsT& o, const TfLiteResizeNearestNeighborParams& p) {
  o.align_corners = p.align_corners, o.half_pixel_centers = p.half_pixel_centers;
}
void say(MirrorPadOptionsT& o, const TfLiteMirrorPaddingParams& p) {
  o.mode = p.mode == kTfLiteMirrorPaddingSymmetric ? MirrorPadMode_SYMMETRIC : MirrorPadMode_REFLECT;
}
void say(SpaceToDepthOptionsT& o, const TfLiteSpaceToDepthParams& p) { o.block_size = p.block_size; }
void say(DepthToSpaceOptionsT& o, const TfLiteDepthToSpaceParams& p) { o.block_size = p.block_size; }
void say(GatherOptionsT& o, const TfLiteGatherParams& p) { o.axis = p.axis, o.batch_dims = p.batch_dims; }
void say(SplitOptionsT& o, const TfLiteSplitParams& p) { o.num_splits = p.num_splits; }
void say(SplitVOptionsT& o, const TfLiteSplitVParams& p) { o.num_splits = p.num_splits; }
void say(SqueezeOptionsT& o, const TfLiteSqueezeParams& p) {
  o.squeeze_dims.assign(p.squeeze_dims, p.squeeze_dims + p.num_squeeze_dims);
}
void say(ReshapeOptionsT& o, const TfLiteReshapeParams& p) {
  o.new_shape.assign(p.shape, p.shape + p.num_dimensions);
}
void say(StridedSliceOptionsT& o, const TfLiteStridedSliceParams& p) {
  o.begin_mask = p.begin_mask, o.end_mask = p.end_mask, o.ellipsis_mask = p.ellipsis_mask;
  o.new_axis_mask = p.new_axis_mask, o.shrink_axis_mask = p.shrink_axis_mask, o.offset = p.offset;
}
void say(ArgMaxOptionsT& o, const TfLiteArgMaxParams& p) { o.output_type = type_of(p.output_type); }
void say(ArgMinOptionsT& o, const TfLiteArgMinParams& p) { o.output_type = type_of(p.output_type); }
void say(PackOptionsT& o, const TfLitePackParams& p) { o.values_count = p.values_count, o.axis = p.axis; }
void say(UnpackOptionsT& o, const TfLiteUnpackParams& p) { o.num = p.num, o.axis = p.axis; }
void say(CumsumOptionsT& o, const TfLiteCumsumParams& p) { o.exclusive = p.exclusive, o.reverse = p.reverse; }

template <class Options, class Parameters>
void options_of(BuiltinOptionsUnion& result, const void* parameters) {
  Options options;
  if (parameters) say(options, *static_cast<const Parameters*>(parameters));
  result.Set(std::move(options));
}

void options_of(BuiltinOperator op, BuiltinOptionsUnion& o, const void* p) {
  switch (op) {
    case BuiltinOperator_CONV_2D:
      return options_of<Conv2DOptionsT, TfLiteConvParams>(o, p);
    case BuiltinOperator_DEPTHWISE_CONV_2D:
      return options_of<DepthwiseConv2DOptionsT, TfLiteDepthwiseConvParams>(o, p);
    case BuiltinOperator_TRANSPOSE_CONV:
      return options_of<TransposeConvOptionsT, TfLiteTransposeConvParams>(o, p);
    case BuiltinOperator_AVERAGE_POOL_2D:
    case BuiltinOperator_MAX_POOL_2D:
    case BuiltinOperator_L2_POOL_2D:
      return options_of<Pool2DOptionsT, TfLitePoolParams>(o, p);
    case BuiltinOperator_FULLY_CONNECTED:
      return options_of<FullyConnectedOptionsT, TfLiteFullyConnectedParams>(o, p);
    case BuiltinOperator_SVDF:
      return options_of<SVDFOptionsT, TfLiteSVDFParams>(o, p);
    case BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM:
      return options_of<UnidirectionalSequenceLSTMOptionsT, TfLiteUnidirectionalSequenceLSTMParams>(o, p);
    case BuiltinOperator_SOFTMAX:
      return options_of<SoftmaxOptionsT, TfLiteSoftmaxParams>(o, p);
    case BuiltinOperator_LEAKY_RELU:
      return options_of<LeakyReluOptionsT, TfLiteLeakyReluParams>(o, p);
    case BuiltinOperator_ADD:
      return options_of<AddOptionsT, TfLiteAddParams>(o, p);
    case BuiltinOperator_SUB:
      return options_of<SubOptionsT, TfLiteSubParams>(o, p);
    case BuiltinOperator_MUL:
      return options_of<MulOptionsT, TfLiteMulParams>(o, p);
    case BuiltinOperator_DIV:
      return options_of<DivOptionsT, TfLiteDivParams>(o, p);
    case BuiltinOperator_L2_NORMALIZATION:
      return options_of<L2NormOptionsT, TfLiteL2NormParams>(o, p);
    case BuiltinOperator_CONCATENATION:
      return options_of<ConcatenationOptionsT, TfLiteConcatenationParams>(o, p);
    case BuiltinOperator_BATCH_MATMUL:
      return options_of<BatchMatMulOptionsT, TfLiteBatchMatMulParams>(o, p);
    case BuiltinOperator_MEAN:
    case BuiltinOperator_SUM:
    case BuiltinOperator_REDUCE_ALL:
    case BuiltinOperator_REDUCE_MIN:
    case BuiltinOperator_REDUCE_MAX:
      return options_of<ReducerOptionsT, TfLiteReducerParams>(o, p);
    case BuiltinOperator_RESIZE_BILINEAR:
      return options_of<ResizeBilinearOptionsT, TfLiteResizeBilinearParams>(o, p);
    case BuiltinOperator_RESIZE_NEAREST_NEIGHBOR:
      return options_of<ResizeNearestNeighborOptionsT, TfLiteResizeNearestNeighborParams>(o, p);
    case BuiltinOperator_MIRROR_PAD:
      return options_of<MirrorPadOptionsT, TfLiteMirrorPaddingParams>(o, p);
    case BuiltinOperator_SPACE_TO_DEPTH:
      return options_of<SpaceToDepthOptionsT, TfLiteSpaceToDepthParams>(o, p);
    case BuiltinOperator_DEPTH_TO_SPACE:
      return options_of<DepthToSpaceOptionsT, TfLiteDepthToSpaceParams>(o, p);
    case BuiltinOperator_GATHER:
      return options_of<GatherOptionsT, TfLiteGatherParams>(o, p);
    case BuiltinOperator_SPLIT:
      return options_of<SplitOptionsT, TfLiteSplitParams>(o, p);
    case BuiltinOperator_SPLIT_V:
      return options_of<SplitVOptionsT, TfLiteSplitVParams>(o, p);
    case BuiltinOperator_SQUEEZE:
      return options_of<SqueezeOptionsT, TfLiteSqueezeParams>(o, p);
    case BuiltinOperator_RESHAPE:
      return options_of<ReshapeOptionsT, TfLiteReshapeParams>(o, p);
    case BuiltinOperator_STRIDED_SLICE:
      return options_of<StridedSliceOptionsT, TfLiteStridedSliceParams>(o, p);
    case BuiltinOperator_ARG_MAX:
      return options_of<ArgMaxOptionsT, TfLiteArgMaxParams>(o, p);
    case BuiltinOperator_ARG_MIN:
      return options_of<ArgMinOptionsT, TfLiteArgMinParams>(o, p);
    case BuiltinOperator_PACK:
      return options_of<PackOptionsT, TfLitePackParams>(o, p);
    case BuiltinOperator_UNPACK:
      return options_of<UnpackOptionsT, TfLiteUnpackParams>(o, p);
    case BuiltinOperator_CUMSUM:
      return options_of<CumsumOptionsT, TfLiteCumsumParams>(o, p);
    default:
      return;  // has no options that a kernel reads
  }
}

/// Scales and zero points of a tensor; none where it has no scale.
std::unique_ptr<QuantizationParametersT> quantization_of(const TfLiteTensor& tensor) {
  auto result = std::make_unique<QuantizationParametersT>();
  const auto* by_channel = tensor.quantization.type == kTfLiteAffineQuantization
                               ? static_cast<const TfLiteAffineQuantization*>(tensor.quantization.params)
                               : nullptr;
  if (by_channel && by_channel->scale) {
    for (int i = 0; i < by_channel->scale->size; ++i) {
      result->scale.push_back(by_channel->scale->data[i]);
      const bool has = by_channel->zero_point && i < by_channel->zero_point->size;
      result->zero_point.push_back(has ? by_channel->zero_point->data[i] : 0);
    }
    result->quantized_dimension = by_channel->scale->size > 1 ? by_channel->quantized_dimension : 0;
  } else if (tensor.params.scale != 0) {
    result->scale = {tensor.params.scale};
    result->zero_point = {tensor.params.zero_point};
  } else {
    return nullptr;
  }
  return result;
}

std::vector<int> numbers(const TfLiteIntArray* array) {
  return array ? std::vector<int>(array->data, array->data + array->size) : std::vector<int>();
}

/// A folder that no other test of this process has.
std::filesystem::path next_folder() {
  static int made = 0;
  const char* records = std::getenv("MICRO_RECORDS");
  if (!records) return {};
  const std::filesystem::path folder = std::filesystem::path(records) / std::to_string(made++);
  std::filesystem::create_directories(folder);
  return folder;
}

std::string name_of(int tensor) { return "t" + std::to_string(tensor); }

std::string npy_header(const TfLiteTensor& tensor) {
  static const std::map<TfLiteType, std::string> kTypes = {
      {kTfLiteFloat32, "<f4"}, {kTfLiteFloat64, "<f8"}, {kTfLiteInt8, "|i1"},  {kTfLiteUInt8, "|u1"},
      {kTfLiteInt16, "<i2"},   {kTfLiteUInt16, "<u2"},  {kTfLiteInt32, "<i4"}, {kTfLiteUInt32, "<u4"},
      {kTfLiteInt64, "<i8"},   {kTfLiteUInt64, "<u8"},  {kTfLiteBool, "|b1"}};
  const auto type = kTypes.find(tensor.type);
  std::string text =
      "{'descr': '" + (type == kTypes.end() ? "|V1" : type->second) + "', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < tensor.dims->size; ++i) text += std::to_string(tensor.dims->data[i]) + ",";
  text += "), }";
  text.resize((text.size() + 11 + 63) / 64 * 64 - 11, ' ');
  text += '\n';
  const std::string magic("\x93NUMPY\x01\x00", 8);
  return magic + static_cast<char>(text.size() & 255) + static_cast<char>(text.size() >> 8) + text;
}

/// Size of the data; preparing an operator may have changed its result's dimensions, but not `bytes`.
std::size_t bytes_of(const TfLiteTensor& tensor) {
  std::size_t element = 0;
  if (TfLiteTypeSizeOf(tensor.type, &element) != kTfLiteOk) return tensor.bytes;
  for (int i = 0; i < tensor.dims->size; ++i) element *= static_cast<std::size_t>(tensor.dims->data[i]);
  return element;
}

void write(const std::filesystem::path& file, const std::string& head, const void* data, std::size_t size) {
  std::ofstream out(file, std::ios::binary);
  out << head;
  out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

}  // namespace

RecordingRunner::RecordingRunner(const TFLMRegistration& registration, TfLiteTensor* tensors,
                                 int tensors_size, TfLiteIntArray* inputs, TfLiteIntArray* outputs,
                                 const void* builtin_data, TfLiteIntArray* intermediates)
    : KernelRunner(registration, tensors, tensors_size, inputs, outputs, builtin_data, intermediates),
      registration_(registration),
      tensors_(tensors),
      inputs_(numbers(inputs)),
      outputs_(numbers(outputs)),
      intermediates_(numbers(intermediates)),
      options_(builtin_data) {}

TfLiteStatus RecordingRunner::InitAndPrepare(const char* init_data, size_t length) {
  if (init_data) custom_options_.assign(init_data, length);
  return KernelRunner::InitAndPrepare(init_data, length);
}

TfLiteStatus RecordingRunner::Invoke() {
  if (runs_ == 0 && folder_.empty()) folder_ = next_folder();
  if (folder_.empty()) return KernelRunner::Invoke();
  if (runs_ == 0) write_model();
  write_values("in", fed());
  const TfLiteStatus status = KernelRunner::Invoke();
  if (status == kTfLiteOk) write_values("out", outputs_);
  ++runs_;
  return status;
}

std::vector<int> RecordingRunner::fed() const {
  std::vector<int> result;
  for (const int operand : operands_of(operator_of(registration_), static_cast<int>(inputs_.size())))
    if (operand < static_cast<int>(inputs_.size()) && inputs_[operand] >= 0)
      result.push_back(inputs_[operand]);
  return result;
}

void RecordingRunner::write_values(const std::string& name, const std::vector<int>& which) const {
  const std::filesystem::path folder = folder_ / std::to_string(runs_) / name;
  std::filesystem::create_directories(folder);
  for (const int i : which) {
    const TfLiteTensor& tensor = tensors_[i];
    write(folder / (name_of(i) + ".npy"), npy_header(tensor), tensor.data.data, bytes_of(tensor));
  }
}

void RecordingRunner::write_model() const {
  const BuiltinOperator op = operator_of(registration_);
  write(folder_ / "operator", EnumNameBuiltinOperator(op), nullptr, 0);
  for (const int which : inputs_) {
    if (which < 0 || !is_state(which)) continue;
    const auto* data = static_cast<const std::uint8_t*>(tensors_[which].data.data);
    if (std::any_of(data, data + tensors_[which].bytes, [](std::uint8_t b) { return b != 0; }))
      write(folder_ / "no_file", "has a state that begins with other numbers than zeros", nullptr, 0);
  }
  const std::vector<int> given = fed();
  ModelT model;
  model.version = 3;
  model.buffers.push_back(std::make_unique<BufferT>());
  auto graph = std::make_unique<SubGraphT>();
  std::map<int, int> places;  // from a tensor to its index in the file
  const auto place = [&](int which) {
    if (which < 0) return -1;
    if (const auto found = places.find(which); found != places.end()) return found->second;
    const TfLiteTensor& from = tensors_[which];
    const auto is_in = [&](const std::vector<int>& list) {
      return std::find(list.begin(), list.end(), which) != list.end();
    };
    // Operands that a test leaves out have no elements, where a file has none; the shape of a transposed
    // convolution's result is in each file.
    const bool is_shape = op == BuiltinOperator_TRANSPOSE_CONV && which == inputs_[0];
    if (bytes_of(from) == 0 && !is_shape && is_in(inputs_)) return -1;
    auto tensor = std::make_unique<TensorT>();
    tensor->name = name_of(which);
    tensor->shape.assign(from.dims->data, from.dims->data + from.dims->size);
    tensor->type = type_of(from.type);
    tensor->is_variable = is_state(which);
    tensor->quantization = quantization_of(from);
    if (is_in(inputs_) && !is_in(given) && !is_state(which)) {
      tensor->buffer = static_cast<std::uint32_t>(model.buffers.size());
      model.buffers.push_back(std::make_unique<BufferT>());
      const bool stated = bytes_of(from) == 0;
      const std::vector<int> extents = numbers(tensors_[outputs_[0]].dims);
      const auto* data = static_cast<const std::uint8_t*>(stated ? extents.data() : from.data.data);
      model.buffers.back()->data.assign(data, data + (stated ? extents.size() * sizeof(int) : from.bytes));
      if (stated) tensor->shape = {static_cast<int>(extents.size())};
    }
    graph->tensors.push_back(std::move(tensor));
    return places[which] = static_cast<int>(graph->tensors.size()) - 1;
  };
  auto node = std::make_unique<OperatorT>();
  for (const int which : inputs_) node->inputs.push_back(place(which));
  for (const int which : outputs_) node->outputs.push_back(place(which));
  for (const int which : intermediates_) node->intermediates.push_back(place(which));
  for (const int which : given) graph->inputs.push_back(place(which));
  graph->outputs = node->outputs;
  options_of(op, node->builtin_options, options_);
  node->custom_options.assign(custom_options_.begin(), custom_options_.end());
  graph->operators.push_back(std::move(node));
  model.subgraphs.push_back(std::move(graph));
  auto code = std::make_unique<OperatorCodeT>();
  code->builtin_code = op;
  code->deprecated_builtin_code = static_cast<std::int8_t>(std::min<int>(op, 127));
  code->version = 1;
  model.operator_codes.push_back(std::move(code));
  ::flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Model::Pack(builder, &model), "TFL3");
  write(folder_ / "model.tflite", "", builder.GetBufferPointer(), builder.GetSize());
}

}  // namespace tflite::micro
