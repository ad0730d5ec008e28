// SPDX-License-Identifier: Apache-2.0
// Networks of images.
#include <array>
#include <utility>

#include "compiler/graph/shape.h"
#include "compiler/zoo/network.h"

namespace vdla::zoo {
namespace {

/// Centred: half a kernel on all sides. Same: as little as gives input / stride outputs, the odd one at the
/// end.
enum class Padding : std::uint8_t { Centred, Same };

/// Sizes of a layer's windows.
struct WindowSize {
  std::int64_t kernel = 1, stride = 1;
  Padding padding = Padding::Same;
};

/// Adds layers; a layer's number is its value's.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(Network network) : network_(std::move(network)) {}

  int conv(const std::string& name, int x, std::int64_t channels, WindowSize window, bool relu = true) {
    return windowed({name, Kind::Conv, {x}, {}, {}, {}, {}, {}, relu}, channels, window);
  }
  int depthwise(const std::string& name, int x, WindowSize window) {
    return windowed({name, Kind::Depthwise, {x}, {}, {}, {}, {}, {}, true}, shape(x).c, window);
  }
  int max_pool(const std::string& name, int x, WindowSize window) {
    return windowed({name, Kind::MaxPool, {x}, {}, {}, {}, {}, {}, false}, shape(x).c, window);
  }
  int add(const std::string& name, int a, int b, bool relu = true) {
    return push({name, Kind::Add, {a, b}, shape(a), shape(a), {}, {}, {}, relu});
  }
  /// Mean of each channel, then a dense layer.
  int classify(int x, std::int64_t classes) {
    const Image pooled{1, 1, shape(x).c};
    x = push({"pool", Kind::GlobalAveragePool, {x}, shape(x), pooled, {shape(x).h, shape(x).w}, {}, {}});
    return push({"fc", Kind::Dense, {x}, pooled, {1, 1, classes}, {}, {}, {}});
  }
  Image shape(int value) const {
    return value == 0 ? network_.input : network_.layers[static_cast<std::size_t>(value) - 1].out;
  }
  Network take() { return std::move(network_); }

 private:
  int push(Layer layer) {
    network_.layers.push_back(std::move(layer));
    return static_cast<int>(network_.layers.size());
  }

  int windowed(Layer layer, std::int64_t channels, WindowSize window) {
    layer.in = shape(layer.inputs[0]);
    layer.kernel = {window.kernel, window.kernel};
    layer.stride = {window.stride, window.stride};
    const auto around = [&](std::int64_t size) {
      if (window.padding == Padding::Same) return graph::same_padding(size, window.kernel, window.stride, 1);
      return std::pair{window.kernel / 2, window.kernel / 2};
    };
    std::tie(layer.pads.top, layer.pads.bottom) = around(layer.in.h);
    std::tie(layer.pads.left, layer.pads.right) = around(layer.in.w);
    const auto count = [&](std::int64_t size, std::int64_t pads) {
      return graph::window_count(size, pads, window.kernel, window.stride, 1);
    };
    layer.out = {count(layer.in.h, layer.pads.top + layer.pads.bottom),
                 count(layer.in.w, layer.pads.left + layer.pads.right), channels};
    return push(std::move(layer));
  }

  Network network_;
};

/// Two 3x3 convolutions beside the input, or beside its 1x1 convolution where the shape changes.
int basic_block(NetworkBuilder& b, const std::string& name, int x, std::int64_t channels, std::int64_t stride,
                Padding padding) {
  const bool changes = stride != 1 || b.shape(x).c != channels;
  int y = b.conv(name + "_conv1", x, channels, {3, stride, padding});
  y = b.conv(name + "_conv2", y, channels, {3, 1, padding}, false);
  if (changes) x = b.conv(name + "_downsample", x, channels, {1, stride, padding}, false);
  return b.add(name + "_add", y, x);
}

/// Channels become fewer, go through a 3x3 convolution, which has the stride, and become four times as many.
int bottleneck(NetworkBuilder& b, const std::string& name, int x, std::int64_t channels,
               std::int64_t stride) {
  const bool changes = stride != 1 || b.shape(x).c != 4 * channels;
  int y = b.conv(name + "_conv1", x, channels, {1, 1});
  y = b.conv(name + "_conv2", y, channels, {3, stride, Padding::Centred});
  y = b.conv(name + "_conv3", y, 4 * channels, {1, 1}, false);
  if (changes) x = b.conv(name + "_downsample", x, 4 * channels, {1, stride}, false);
  return b.add(name + "_add", y, x);
}

/// An input of ImageNet: pixels 0..1 less its means over its deviations.
Network of_imagenet(const std::string& name, const std::string& summary) {
  return {name, summary + ", 224x224x3, 1000 classes", {224, 224, 3}, -2.1179, 2.64, 2, {}};
}

/// Version 1.5, whose 3x3 convolutions have the strides.
Network resnet50() {
  NetworkBuilder b(of_imagenet("resnet50", "ResNet-50 v1.5"));
  int x = b.conv("conv1", 0, 64, {7, 2, Padding::Centred});
  x = b.max_pool("maxpool", x, {3, 2, Padding::Centred});
  constexpr std::array<int, 4> kBlocks = {3, 4, 6, 3};
  for (std::size_t stage = 0; stage < kBlocks.size(); ++stage)
    for (int block = 0; block < kBlocks[stage]; ++block)
      x = bottleneck(b, "layer" + std::to_string(stage + 1) + "_" + std::to_string(block), x,
                     std::int64_t{64} << stage, stage > 0 && block == 0 ? 2 : 1);
  b.classify(x, 1000);
  return b.take();
}

/// Blocks that widen, go through a depthwise convolution, narrow without a function, and are added to their
/// input where the shape stays (Sandler et al., 2018, table 2); ReLU in the place of ReLU6.
Network mobilenet_v2() {
  NetworkBuilder b(of_imagenet("mobilenet_v2", "MobileNetV2 1.0"));
  int x = b.conv("conv", 0, 32, {3, 2});
  struct Row {
    std::int64_t factor, channels;
    int blocks;
    std::int64_t stride;
  };
  constexpr std::array<Row, 7> kRows = {{{1, 16, 1, 1},
                                         {6, 24, 2, 2},
                                         {6, 32, 3, 2},
                                         {6, 64, 4, 2},
                                         {6, 96, 3, 1},
                                         {6, 160, 3, 2},
                                         {6, 320, 1, 1}}};
  int number = 0;
  for (const Row& row : kRows)
    for (int block = 0; block < row.blocks; ++block) {
      const std::string name = "block" + std::to_string(++number);
      const std::int64_t stride = block == 0 ? row.stride : 1, in = b.shape(x).c;
      int y = row.factor == 1 ? x : b.conv(name + "_expand", x, row.factor * in, {1, 1});
      y = b.depthwise(name + "_depthwise", y, {3, stride});
      y = b.conv(name + "_project", y, row.channels, {1, 1}, false);
      x = stride == 1 && in == row.channels ? b.add(name + "_add", y, x, false) : y;
    }
  b.classify(b.conv("last", x, 1280, {1, 1}), 1000);
  return b.take();
}

Network resnet18() {
  NetworkBuilder b(of_imagenet("resnet18", "ResNet-18"));
  int x = b.conv("conv1", 0, 64, {7, 2, Padding::Centred});
  x = b.max_pool("maxpool", x, {3, 2, Padding::Centred});
  for (int stage = 0; stage < 4; ++stage)
    for (int block = 0; block < 2; ++block)
      x = basic_block(b, "layer" + std::to_string(stage + 1) + "_" + std::to_string(block), x,
                      std::int64_t{64} << stage, stage > 0 && block == 0 ? 2 : 1, Padding::Centred);
  b.classify(x, 1000);
  return b.take();
}

/// Input: pixels 0..255.
Network resnet8() {
  NetworkBuilder b({"resnet8", "ResNet-8 of MLPerf Tiny, 32x32x3, 10 classes", {32, 32, 3}, 0, 255, 64, {}});
  int x = b.conv("conv", 0, 16, {3, 1});
  for (int stage = 0; stage < 3; ++stage)
    x = basic_block(b, "block" + std::to_string(stage + 1), x, std::int64_t{16} << stage, stage > 0 ? 2 : 1,
                    Padding::Same);
  b.classify(x, 10);
  return b.take();
}

/// Input: pixels 0..1.
Network mobilenet_v1() {
  NetworkBuilder b({"mobilenet_v1",
                    "MobileNetV1 of MLPerf Tiny, width 0.25, 96x96x3, 2 classes",
                    {96, 96, 3},
                    0,
                    1,
                    128,
                    {}});
  int x = b.conv("conv", 0, 8, {3, 2});
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 13> kBlocks = {// channels, stride
                                                                             {{16, 1},
                                                                              {32, 2},
                                                                              {32, 1},
                                                                              {64, 2},
                                                                              {64, 1},
                                                                              {128, 2},
                                                                              {128, 1},
                                                                              {128, 1},
                                                                              {128, 1},
                                                                              {128, 1},
                                                                              {128, 1},
                                                                              {256, 2},
                                                                              {256, 1}}};
  int number = 0;
  for (const auto& [channels, stride] : kBlocks) {
    const std::string name = "block" + std::to_string(++number);
    x = b.depthwise(name + "_depthwise", x, {3, stride});
    x = b.conv(name + "_pointwise", x, channels, {1, 1});
  }
  b.classify(x, 2);
  return b.take();
}

}  // namespace

std::vector<Network> image_networks() {
  return {mobilenet_v1(), mobilenet_v2(), resnet18(), resnet50(), resnet8()};
}

}  // namespace vdla::zoo
