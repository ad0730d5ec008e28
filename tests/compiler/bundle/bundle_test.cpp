// SPDX-License-Identifier: Apache-2.0
// What a bundle says and refuses.
#include "compiler/bundle/bundle.h"

#include <gmock/gmock.h>

#include <regex>

#include "compiler/bundle/cpu_targets.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/network.h"
#include "support/error.h"
#include "tests/compiler/bundle/folder.h"
#include "tests/e2e/kit.h"
#include "tests/e2e/random_layers.h"
#include "tests/readers/hostile.h"

namespace vdla::bundle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string refusal(const runtime::Module& module, const Options& options) {
  try {
    (void)bundle(module, options);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

std::string file(const Bundle& made, const std::string& path) {
  for (const File& f : made.files)
    if (f.path == path) return f.content;
  ADD_FAILURE() << "no " << path;
  return "";
}

/// x[1, 8, 8, 16] -> one convolution; everything on the device.
runtime::Module on_the_device() {
  std::mt19937 random(3);
  graph::Graph g;
  g.name = "2 layers/net";
  const auto x = g.add_tensor({"image:0", graph::DataType::Int8, {1, 8, 8, 16}, {{0.5}, {-3}, -1}, nullptr});
  g.add_input(x);
  g.add_output(e2e::add_convolution(g, "int", x, 16, 3, random));
  return e2e::compile(g);
}

runtime::Module on_the_cpu(const std::string& graph) {
  return kit::compile_for_cpu(kit::parse_graph(graph, "test"));
}

TEST(Bundle, NamesAreThoseOfTheModelAsCHasThem) {
  EXPECT_EQ(c_name("pretrainedResnet_quant"), "pretrainedresnet_quant");
  EXPECT_EQ(c_name("2 layers/net"), "model_2_layers_net");
  EXPECT_EQ(c_name("int"), "int_");
  EXPECT_EQ(c_name("Int"), "int_");
  EXPECT_EQ(c_name("xor"), "xor_") << "a word of C++";
  EXPECT_EQ(c_name("/"), "model");
}

TEST(Bundle, TheHeaderSaysWhatTheIntegersMean) {
  const std::string header = file(bundle(on_the_device(), {.name = "net"}), "net.h");
  EXPECT_THAT(
      header,
      AllOf(HasSubstr("/* Input 'image:0': int8 1x8x8x16; real = SCALE * (q - ZERO_POINT) */"),
            HasSubstr("#define NET_IMAGE_0_ELEMENTS 1024"), HasSubstr("#define NET_IMAGE_0_SCALE 0.5"),
            HasSubstr("#define NET_IMAGE_0_ZERO_POINT (-3)"),
            HasSubstr("vdla_driver_status net_run(net* self, const int8_t* image_0, int8_t* int_);"),
            HasSubstr("for variant paper")));
}

/// C without its comments and without what stands in strings.
std::string code_alone(const std::string& text) {
  static const std::regex kOther(R"re(/\*[^*]*\*+([^/*][^*]*\*+)*/|//[^\n]*|"([^"\\\n]|\\.)*")re");
  return std::regex_replace(text, kOther, " ");
}

/// A module with this name in each place for one.
runtime::Module with_names(const std::string& name) {
  runtime::Module module = on_the_device();
  module.model_name = module.variant.name = name;
  module.provenance.producer = module.provenance.command = module.provenance.model_file = name;
  for (runtime::Tensor& tensor : module.tensors) tensor.name = name;
  for (runtime::Port& port : module.inputs) port.name = name;
  for (runtime::NodeInfo& node : module.nodes) node.name = name;
  return module;
}
KnownAnswer answer_of(const std::string& name) {
  return {name, {runtime::Bytes(1024)}, {runtime::Bytes(1024)}};
}

/// A variant's name ended the comment at the top of each file.
TEST(Bundle, NamesOfStrangersAreNoCode) {
  const std::string hostile = "a*/\n=PWN\r\n\"=PWN\\\n`=PWN`\?\?/\n*";
  const Bundle made = bundle(with_names(hostile), {.name = "net", .answers = {answer_of(hostile)}});
  for (const File& f : made.files)
    if (f.path.ends_with(".c") || f.path.ends_with(".h"))
      EXPECT_THAT(code_alone(f.content), Not(HasSubstr("=PWN"))) << f.path;
  for (const char* path : {"CMakeLists.txt", "net.mk"}) EXPECT_THAT(file(made, path), Not(HasSubstr("=PWN")));
  EXPECT_THAT(file(made, "README.md"), Not(HasSubstr("\n=PWN")));
}

TEST(Bundle, NamesOfStrangersAreTextToACompiler) {
  VDLA_NEED_C_COMPILER();
  std::string plain;
  for (const std::string& name : readers::hostile_names()) {
    SCOPED_TRACE(name.substr(0, 40));
    const Folder folder(with_names(name), {.name = "net", .answers = {answer_of(name)}});
    folder.run(std::string(kCompiler) + " " + kFlags + " -trigraphs -fsyntax-only " + folder.includes() +
               " net*.c");
    // CMake and make see no name at all; target_test has both read these files.
    const std::string made = file(folder.bundle(), "CMakeLists.txt") + file(folder.bundle(), "net.mk");
    EXPECT_EQ(made, plain.empty() ? plain = made : plain);
  }
}

TEST(Bundle, WhatRunsOnTheDeviceAloneNeedsNoCpuTargetAndHasNoKernels) {
  const Bundle made = bundle(on_the_device(), {.name = "net"});
  for (const File& f : made.files) EXPECT_THAT(f.path, Not(HasSubstr(".a")));
  EXPECT_THAT(file(made, "CMakeLists.txt"), Not(HasSubstr("kernels")));
  EXPECT_EQ(made.memory.kernel_stack, 0u);
  EXPECT_EQ(made.memory.arena, 0u) << "inputs and outputs are the caller's";
}

TEST(Bundle, TheReadmeHasTheWindowsThatTheProgramNeeds) {
  const runtime::Module module = on_the_device();
  const Bundle made = bundle(module, {.name = "net"});
  const auto& program = std::get<runtime::DeviceStep>(module.steps.at(0)).program;
  std::uint64_t pages = 0;
  for (std::size_t w = 0; w < isa::kWindowCount; ++w)
    pages += (program.window_size(static_cast<isa::Window>(w)) + 4095) / 4096 * 4096;
  EXPECT_EQ(made.memory.device, pages);
  EXPECT_THAT(
      file(made, "README.md"),
      AllOf(HasSubstr("| DMA memory | " + std::to_string(pages)),
            HasSubstr("| 0 | insn | " + std::to_string(program.window_size(isa::Window::Insn)) + " |")));
}

TEST(Bundle, ALayerOnTheCpuWithoutATargetIsNamed) {
  const graph::Graph graph = kit::read_network(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
  EXPECT_THAT(
      refusal(e2e::compile(graph), {.name = "digits"}),
      AllOf(HasSubstr("'conv1.conv/taps' runs on the CPU"), HasSubstr("--cpu-target armv7, aarch64")));
}

TEST(Bundle, AKernelThatCallsMathematicsOfTheCLibraryIsRefusedByItsNode) {
  const runtime::Module module = on_the_cpu(R"(graph "curve"
input %0 "x": float32[1, 8]
%1: float32[1, 8] = softmax_float "probabilities"(%0)
output %1
)");
  EXPECT_THAT(
      refusal(module, {.name = "net", .cpu_target = "armv7"}),
      AllOf(HasSubstr("node 'probabilities'"), HasSubstr("'expf'"), HasSubstr("firmware does not have")));
}

TEST(Bundle, NodesThatComputeInFloatingPointOnTheCpuAreNamed) {
  const auto float_nodes = [](const runtime::Module& module) {
    return bundle(module, {.name = "net", .cpu_target = "armv7"}).float_nodes;
  };
  EXPECT_THAT(float_nodes(on_the_cpu("graph \"real\" input %x: int8[1, 8] scale 0.5 zero 3 "
                                     "%real = dequantize \"real numbers\"(%x) output %real")),
              ElementsAre("real numbers"));
  EXPECT_THAT(float_nodes(on_the_cpu("graph \"moved\" input %x: float32[2, 8] "
                                     "%moved = transpose \"turn\"(%x) {perm = [1, 0]} output %moved")),
              IsEmpty())
      << "moves are no arithmetic";
  EXPECT_THAT(float_nodes(e2e::compile(
                  kit::read_network(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx"))),
              IsEmpty());
}

TEST(Bundle, NamesThatCannotBeAreRefused) {
  const runtime::Module module = on_the_device();
  EXPECT_THAT(refusal(module, {.name = "my-net"}), HasSubstr("'my-net' begins symbols of C"));
  EXPECT_THAT(refusal(module, {.name = "2net"}), HasSubstr("a letter first"));
  EXPECT_THAT(refusal(module, {.name = "vdla_model"}), HasSubstr("the driver has already"));
  EXPECT_THAT(refusal(module, {.name = "int"}), HasSubstr("the driver has already"));
  EXPECT_THAT(refusal(module, {.name = "size_t"}), HasSubstr("the driver has already"));
  EXPECT_THAT(refusal(module, {.name = "kModel"}), HasSubstr("begins as constants of the generated files"));
  EXPECT_THAT(refusal(module, {.name = "net", .cpu_target = "z80"}),
              HasSubstr("CPU target 'z80' is not known; there are armv7, aarch64"));
}

TEST(Bundle, TheModuleLiesBesideTheCode) {
  const runtime::Module module = on_the_device();
  const std::string bytes = file(bundle(module, {.name = "net"}), "net.vdla");
  const runtime::Module again =
      runtime::parse({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, "net.vdla");
  EXPECT_EQ(again.steps, module.steps);
}

}  // namespace
}  // namespace vdla::bundle
