// SPDX-License-Identifier: Apache-2.0
// Writes the convolutions of ResNet-18 as ONNX models (int8 QDQ or float, seeded weights) that any runtime
// reads, for bench/onnxruntime/layers.mjs. Each layer has two models: a 1x1 convolution with the layer behind
// it, and without. The difference of their times is the layer's, without reading the input and changes of
// layout at the borders: of the result one pixel goes on.
#include <fmt/format.h>

#include <cstdlib>
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
};

constexpr Case kCases[] = {
    {"conv1", 224, 3, 64, 7, 2},         {"conv2", 56, 64, 64, 3, 1},   {"conv3.down", 56, 64, 128, 1, 2},
    {"conv3.first", 56, 64, 128, 3, 2},  {"conv3", 28, 128, 128, 3, 1}, {"conv4.down", 28, 128, 256, 1, 2},
    {"conv4.first", 28, 128, 256, 3, 2}, {"conv4", 14, 256, 256, 3, 1}, {"conv5.down", 14, 256, 512, 1, 2},
    {"conv5.first", 14, 256, 512, 3, 2}, {"conv5", 7, 512, 512, 3, 1},
};

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
                                   Kind::Conv,
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
  const std::string_view form = argc == 3 ? argv[2] : "";
  if (form != "int8" && form != "float") {
    fmt::print(stderr, "usage: bench_compiler_onnx_layers FOLDER int8|float\n");
    return EXIT_FAILURE;
  }
  for (const bench::Case& c : bench::kCases) {
    for (const bool with_layer : {false, true}) {
      const std::string path = fmt::format("{}/{}{}.onnx", argv[1], c.name, with_layer ? "" : "_without");
      write_output(path, zoo::write_onnx(zoo::calibrate(bench::network_of(c, with_layer), 1),
                                         form == "int8" ? zoo::Form::Qdq : zoo::Form::Float));
      fmt::print("{},{}x{}x{}\n", path, c.in, c.size, c.size);
    }
  }
  return EXIT_SUCCESS;
}
