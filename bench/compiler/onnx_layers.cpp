// SPDX-License-Identifier: Apache-2.0
// Writes the convolutions of ResNet-18 or MobileNetV2 as ONNX models (int8 QDQ or float, seeded weights) that
// any runtime reads, for bench/onnxruntime/layers.mjs. Each layer has two models: a 1x1 convolution with the
// layer behind it, and without. The difference of their times is the layer's, without reading the input and
// changes of layout at the borders: of the result one pixel goes on.
#include <fmt/format.h>

#include <cstdlib>
#include <span>
#include <string_view>

#include "compiler/zoo/calibrate.h"
#include "compiler/zoo/onnx_writer.h"
#include "support/output_file.h"

namespace vdla::bench {
namespace {

using zoo::Image;
using zoo::Kind;

struct Case {
  const char* name;
  std::int64_t size, in, out, kernel, stride;
  bool depthwise = false;
};

constexpr Case kResNet18[] = {
    {"conv1", 224, 3, 64, 7, 2},         {"conv2", 56, 64, 64, 3, 1},   {"conv3.down", 56, 64, 128, 1, 2},
    {"conv3.first", 56, 64, 128, 3, 2},  {"conv3", 28, 128, 128, 3, 1}, {"conv4.down", 28, 128, 256, 1, 2},
    {"conv4.first", 28, 128, 256, 3, 2}, {"conv4", 14, 256, 256, 3, 1}, {"conv5.down", 14, 256, 512, 1, 2},
    {"conv5.first", 14, 256, 512, 3, 2}, {"conv5", 7, 512, 512, 3, 1},
};

/// The layers of its blocks that differ, by the number of the first block that has them.
constexpr Case kMobileNetV2[] = {
    {"first", 224, 3, 32, 3, 2},
    {"1.depthwise", 112, 32, 32, 3, 1, true},
    {"1.project", 112, 32, 16, 1, 1},
    {"2.expand", 112, 16, 96, 1, 1},
    {"2.depthwise", 112, 96, 96, 3, 2, true},
    {"2.project", 56, 96, 24, 1, 1},
    {"3.expand", 56, 24, 144, 1, 1},
    {"3.depthwise", 56, 144, 144, 3, 1, true},
    {"3.project", 56, 144, 24, 1, 1},
    {"4.depthwise", 56, 144, 144, 3, 2, true},
    {"4.project", 28, 144, 32, 1, 1},
    {"5.expand", 28, 32, 192, 1, 1},
    {"5.depthwise", 28, 192, 192, 3, 1, true},
    {"5.project", 28, 192, 32, 1, 1},
    {"7.depthwise", 28, 192, 192, 3, 2, true},
    {"7.project", 14, 192, 64, 1, 1},
    {"8.expand", 14, 64, 384, 1, 1},
    {"8.depthwise", 14, 384, 384, 3, 1, true},
    {"8.project", 14, 384, 64, 1, 1},
    {"11.project", 14, 384, 96, 1, 1},
    {"12.expand", 14, 96, 576, 1, 1},
    {"12.depthwise", 14, 576, 576, 3, 1, true},
    {"12.project", 14, 576, 96, 1, 1},
    {"14.depthwise", 14, 576, 576, 3, 2, true},
    {"14.project", 7, 576, 160, 1, 1},
    {"15.expand", 7, 160, 960, 1, 1},
    {"15.depthwise", 7, 960, 960, 3, 1, true},
    {"15.project", 7, 960, 160, 1, 1},
    {"17.project", 7, 960, 320, 1, 1},
    {"last", 7, 320, 1280, 1, 1},
};

std::span<const Case> cases_of(std::string_view network) {
  if (network == "resnet18") return kResNet18;
  if (network == "mobilenet_v2") return kMobileNetV2;
  return {};
}

/// A network's own first layer has no convolution in front.
zoo::Network network_of(const Case& c, bool with_layer) {
  zoo::Network n{c.name, "", {c.size, c.size, c.in}, -1, 1, 1, {}};
  const auto push = [&](zoo::Layer layer) {
    n.layers.push_back(std::move(layer));
    return static_cast<int>(n.layers.size());
  };
  const Image in = n.input, out{c.size / c.stride, c.size / c.stride, c.out};
  const std::int64_t pad = c.kernel / 2, far = c.stride == 1 ? pad : std::max<std::int64_t>(0, pad - 1);
  const int x = c.in < 16 ? 0 : push({"first", Kind::Conv, {0}, in, in, {1, 1}, {1, 1}, {}, true});
  const int y = with_layer ? push({"layer",
                                   c.depthwise ? Kind::Depthwise : Kind::Conv,
                                   {x},
                                   in,
                                   out,
                                   {c.kernel, c.kernel},
                                   {c.stride, c.stride},
                                   {pad, far, pad, far},
                                   true})
                           : x;
  const Image last = with_layer ? out : in;
  push({"pixel", Kind::MaxPool, {y}, last, {1, 1, last.c}, {1, 1}, {last.h, last.w}, {}, false});
  return n;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  using namespace vdla;
  const std::string_view form = argc == 4 ? argv[2] : "";
  const auto cases = bench::cases_of(argc == 4 ? argv[3] : "");
  if ((form != "int8" && form != "float") || cases.empty()) {
    fmt::print(stderr, "usage: bench_compiler_onnx_layers FOLDER int8|float resnet18|mobilenet_v2\n");
    return EXIT_FAILURE;
  }
  for (const bench::Case& c : cases) {
    for (const bool with_layer : {false, true}) {
      const std::string path = fmt::format("{}/{}{}.onnx", argv[1], c.name, with_layer ? "" : "_without");
      write_output(path, zoo::write_onnx(zoo::calibrate(bench::network_of(c, with_layer), 1),
                                         form == "int8" ? zoo::Form::Qdq : zoo::Form::Float));
      fmt::print("{},{}x{}x{}\n", path, c.in, c.size, c.size);
    }
  }
  return EXIT_SUCCESS;
}
