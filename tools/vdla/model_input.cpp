// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/model_input.h"

#include <algorithm>
#include <cstring>

#include "support/error.h"
#include "support/float16.h"

namespace vdla::tools {

namespace {

/// NCHW in the model, NHWC inside. With one channel the two have the same elements in the same order, and the
/// port needs no permutation: then the shapes tell. Networks of floats come from ONNX and keep its layout.
bool is_channels_first(const runtime::Port& port, const runtime::Tensor& tensor) {
  if (tensor.type == runtime::DataType::Float32) return port.model_shape.size() == 4;
  if (!port.perm.empty()) return port.perm == std::vector<std::int32_t>{0, 2, 3, 1};
  const auto& m = port.model_shape;
  return m.size() == 4 && tensor.shape != m && tensor.shape == runtime::Shape{m[0], m[2], m[3], m[1]};
}

}  // namespace

InputSpec input_spec(const runtime::Module& module) {
  VDLA_CHECK_USER(module.inputs.size() == 1)
      << "model '" << module.model_name << "' has " << module.inputs.size()
      << " inputs, this command takes models with one";
  const runtime::Port& port = module.inputs[0];
  const runtime::Tensor& tensor = module.tensors[port.tensor];
  InputSpec spec;
  spec.name = port.name;
  spec.shape = port.model_shape;
  spec.channels_first = is_channels_first(port, tensor);
  spec.rounding = port.rounding;
  if (!tensor.quantization.scale.empty()) {
    spec.scale = tensor.quantization.scale[0];
    spec.zero = tensor.quantization.zero_point[0];
  }
  switch (port.model_type) {
    case runtime::DataType::Int8:
      spec.type = InputType::Int8;
      break;
    case runtime::DataType::UInt8:
      spec.type = InputType::UInt8;
      spec.zero += tensor.type == runtime::DataType::Int8 ? 128 : 0;
      break;
    case runtime::DataType::Float32:
      spec.type = InputType::Float32;
      spec.quantised_inside = tensor.type == runtime::DataType::Int8;
      break;
    default:
      throw UserError("input '" + port.name + "' has type " + std::string(name_of(port.model_type)) +
                      ", this command takes int8, uint8 and float32");
  }
  return spec;
}

namespace {

template <class T>
double value_at(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return static_cast<double>(value);
}

double value_at(runtime::DataType type, const std::byte* at) {
  switch (type) {
    case runtime::DataType::Int8:
      return value_at<std::int8_t>(at);
    case runtime::DataType::UInt8:
    case runtime::DataType::Bool:
      return value_at<std::uint8_t>(at);
    case runtime::DataType::Int16:
      return value_at<std::int16_t>(at);
    case runtime::DataType::UInt16:
      return value_at<std::uint16_t>(at);
    case runtime::DataType::Int32:
      return value_at<std::int32_t>(at);
    case runtime::DataType::UInt32:
      return value_at<std::uint32_t>(at);
    case runtime::DataType::Int64:
      return value_at<std::int64_t>(at);
    case runtime::DataType::UInt64:
      return value_at<std::uint64_t>(at);
    case runtime::DataType::Float32:
      return value_at<float>(at);
    case runtime::DataType::Float64:
      return value_at<double>(at);
    case runtime::DataType::Float16:
      return half_value(static_cast<std::uint16_t>(value_at<std::uint16_t>(at)));
    case runtime::DataType::BFloat16:
      return bfloat_value(static_cast<std::uint16_t>(value_at<std::uint16_t>(at)));
  }
  return 0;
}

}  // namespace

std::vector<double> output_values(const runtime::Port& port, const runtime::Bytes& bytes) {
  std::vector<double> values;
  const std::size_t size = runtime::bytes_of(port.model_type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    values.push_back(value_at(port.model_type, bytes.data() + at));
  return values;
}

std::size_t argmax(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

void PixelFlags::add_to(CLI::App& command, const std::string& group) {
  command.add_option("--normalise", normalise, "scale=S,mean=M[:M:M],std=D[:D:D]: (pixel * S - M) / D")
      ->group(group);
  command.add_option("--resize", resize, "HxW, or one number for the shorter side; bilinear")->group(group);
  command.add_option("--crop", crop, "HxW or one number: central crop, after --resize")->group(group);
  command.add_flag("--bgr", bgr, "The model wants blue, green, red")->group(group);
}

Preprocessing PixelFlags::options() const {
  Preprocessing p;
  if (!resize.empty()) p.resize = parse_size(resize, "--resize", true);
  if (!crop.empty()) p.crop = parse_size(crop, "--crop");
  if (!normalise.empty()) p.normalise = parse_normalise(normalise);
  p.bgr = bgr;
  return p;
}

std::string npy_type(runtime::DataType type) {
  switch (type) {
    case runtime::DataType::Int8:
      return "|i1";
    case runtime::DataType::UInt8:
      return "|u1";
    case runtime::DataType::Bool:
      return "|b1";
    case runtime::DataType::Int16:
      return "<i2";
    case runtime::DataType::UInt16:
    case runtime::DataType::BFloat16:  // NumPy has no such type: the bits
      return "<u2";
    case runtime::DataType::Int32:
      return "<i4";
    case runtime::DataType::UInt32:
      return "<u4";
    case runtime::DataType::Int64:
      return "<i8";
    case runtime::DataType::UInt64:
      return "<u8";
    case runtime::DataType::Float32:
      return "<f4";
    case runtime::DataType::Float64:
      return "<f8";
    case runtime::DataType::Float16:
      return "<f2";
  }
  return "";
}

}  // namespace vdla::tools
