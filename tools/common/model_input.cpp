// SPDX-License-Identifier: Apache-2.0
#include "tools/common/model_input.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/session/port.h"
#include "support/error.h"

namespace vdla::tools {

namespace {

/// Rates an extent as the number of channels of an image.
int fits_channels(std::int64_t extent) { return extent == 1 || extent == 3 ? 2 : extent <= 4 ? 1 : 0; }

/// Whether the model turns its input before anything but elementwise operators: networks of channels last do
/// so in formats whose convolutions want them first.
bool begins_with_transpose(const runtime::Module& module) {
  constexpr std::array<std::string_view, 7> kElementwise{"add", "dequantize", "lut",       "map",
                                                         "mul", "quantize",   "requantize"};
  const auto node = std::ranges::find_if(module.nodes, [&](const runtime::NodeInfo& n) {
    return std::ranges::count(kElementwise, std::string_view(n.op)) == 0;
  });
  return node != module.nodes.end() && node->op == "transpose";
}

/// Whether the model's own layout is NCHW. Extents tell it: 1x3x224x224 is NCHW, 1x224x224x3 is NHWC. Where
/// both places could hold channels, the network does: one that begins with a transpose has channels last.
/// Else NCHW in the model is NHWC inside, and with one channel the two have the same elements in the same
/// order, so that the port needs no permutation. Networks of floats keep the layout of ONNX there.
bool is_channels_first(const runtime::Module& module, const runtime::Port& port,
                       const runtime::Tensor& tensor) {
  const auto& m = port.model_shape;
  if (m.size() != 4) return false;
  const int first = fits_channels(m[1]), last = fits_channels(m[3]);
  if (first != last) return first > last;
  if (begins_with_transpose(module)) return false;
  if (tensor.type == runtime::DataType::Float32) return true;
  if (!port.perm.empty()) return port.perm == std::vector<std::int32_t>{0, 2, 3, 1};
  return tensor.shape != m && tensor.shape == runtime::Shape{m[0], m[2], m[3], m[1]};
}

}  // namespace

InputSpec input_spec(const runtime::Module& module) {
  VDLA_CHECK_USER(module.inputs.size() == 1)
      << "model '" << module.model_name << "' has " << module.inputs.size()
      << " inputs, this command takes models with one";
  return input_spec(module, module.inputs[0]);
}

InputSpec input_spec(const runtime::Module& module, const runtime::Port& port) {
  const runtime::Tensor& tensor = module.tensors[port.tensor];
  InputSpec spec;
  spec.name = port.name;
  spec.shape = port.model_shape;
  spec.channels_first = is_channels_first(module, port, tensor);
  spec.rounding = port.rounding;
  if (const auto scale = runtime::scale_of(module, port)) {
    spec.scale = scale->scale;
    spec.zero = scale->zero_point;
    spec.has_scale = true;
  }
  VDLA_CHECK_USER(port.model_type != runtime::DataType::BFloat16)
      << "input '" << port.name
      << "' has type bfloat16, which NumPy's arrays and images do not; cast it in the "
      << "model";
  spec.type = port.model_type;
  spec.place = static_cast<std::size_t>(std::ranges::find(module.inputs, port.name, &runtime::Port::name) -
                                        module.inputs.begin());
  spec.sole = module.inputs.size() == 1;
  spec.quantised_inside = spec.type == runtime::DataType::Float32 && tensor.type == runtime::DataType::Int8;
  return spec;
}

void PixelFlags::add_to(CLI::App& command, const std::string& group) {
  command
      .add_option("--normalise,--normalize", normalise,
                  "scale=S,mean=M[:M:M],std=D[:D:D]: (pixel * S - M) / D")
      ->group(group);
  command.add_option("--resize", resize, "HxW, or one number for the shorter side; bilinear")->group(group);
  command.add_option("--crop", crop, "HxW or one number: central crop, after --resize")->group(group);
  command.add_flag("--bgr", bgr, "Channel order blue, green, red")->group(group);
}

Preprocessing PixelFlags::options() const {
  Preprocessing p;
  if (!resize.empty()) p.resize = parse_size(resize, "--resize", true);
  if (!crop.empty()) p.crop = parse_size(crop, "--crop");
  if (!normalise.empty()) p.normalise = parse_normalise(normalise);
  p.bgr = bgr;
  return p;
}

}  // namespace vdla::tools
