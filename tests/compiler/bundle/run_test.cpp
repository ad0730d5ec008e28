// SPDX-License-Identifier: Apache-2.0
// The C code of a module, compiled for this machine and run over the simulators' transport: the outputs and
// cycles of a session.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "driver/model/model.h"
#include "driver/sim/sim_transport.h"
#include "isa/variants/variants.h"
#include "kit/network.h"
#include "runtime/device/device.h"
#include "runtime/module/module_check.h"
#include "runtime/session/arena.h"
#include "runtime/session/port.h"
#include "tests/compiler/bundle/folder.h"
#include "tests/e2e/kit.h"
#include "tests/e2e/random_layers.h"
#include "tests/e2e/stateful_network.h"

namespace vdla::bundle {
namespace {

using runtime::Bytes;

bool converts(const runtime::Module& module, const runtime::Port& port) {
  return port.model_type != module.tensors[port.tensor].type || !port.perm.empty();
}

/// What the program beside the bundle does: as the bundle's README shows it.
std::string program_of(const runtime::Module& module) {
  std::string arguments, converting;
  if (converts(module, module.inputs.at(0)))
    converting += "void from_model(const void* model, void* tensor) { net_" + c_name(module.inputs[0].name) +
                  "_from_model(model, tensor); }\n";
  if (converts(module, module.outputs.at(0)))
    converting += "void to_model(const void* tensor, void* model) { net_" + c_name(module.outputs[0].name) +
                  "_to_model(tensor, model); }\n";
  for (std::size_t i = 0; i < module.inputs.size(); ++i) arguments += ", inputs[" + std::to_string(i) + "]";
  for (std::size_t i = 0; i < module.outputs.size(); ++i) arguments += ", outputs[" + std::to_string(i) + "]";
  return "#include \"net.h\"\n"
         "static net model;\nvdla_device device;\n"
         "int load(const vdla_transport* transport) {\n"
         "  const vdla_driver_status probed = vdla_probe(&device, transport);\n"
         "  const vdla_driver_status reset = probed == VDLA_DRIVER_OK ? vdla_reset(&device) : probed;\n"
         "  return reset == VDLA_DRIVER_OK ? net_load(&model, &device) : reset;\n}\n"
         "int run(const void* const* inputs, void* const* outputs) { return net_run(&model" +
         arguments +
         "); }\n"
         "void unload(void) { net_unload(&model); }\n" +
         (module.states.empty() ? "" : "void reset_state(void) { net_reset_state(&model); }\n") +
         "vdla_model_state* state(void) { return &model.state; }\n"
         "uint64_t dma_bytes(void) { return NET_DMA_BYTES; }\n" +
         converting;
}

/// The bundle as a library of this process, over an engine of its own.
class Library {
 public:
  Library(const runtime::Module& module, const isa::Variant& machine, const std::string& engine,
          std::uint64_t memory_bytes = sim::kDefaultMemoryBytes)
      : folder_(module, {.name = "net", .cpu_target = "x86-64"}),
        engine_(kit::make_engine(engine, machine, {.memory_bytes = memory_bytes})),
        transport_(*engine_) {
    folder_.write("program.c", program_of(module));
    folder_.run(std::string(kCompiler) + " " + kFlags + " " + folder_.includes() +
                " -fPIC -shared -nostdlib -Wl,-Bsymbolic program.c" + folder_.sources() + " -o net.so");
    library_ = dlopen((folder_.path() / "net.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  ~Library() {
    if (library_) dlclose(library_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool there() const { return library_ != nullptr; }
  int load() { return function<int(const vdla_transport*)>("load")(transport_.transport()); }
  int run(const std::vector<Bytes>& inputs, std::vector<Bytes>& outputs) {
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const Bytes& bytes : inputs) in.push_back(bytes.data());
    for (Bytes& bytes : outputs) out.push_back(bytes.data());
    return function<int(const void* const*, void* const*)>("run")(in.data(), out.data());
  }
  /// The first input as the network has it, and a first output as the model's file has it.
  Bytes from_model(const Bytes& model, std::size_t bytes) {
    Bytes tensor(bytes);
    function<void(const void*, void*)>("from_model")(model.data(), tensor.data());
    return tensor;
  }
  Bytes to_model(const Bytes& tensor, std::size_t bytes) {
    Bytes model(bytes);
    function<void(const void*, void*)>("to_model")(tensor.data(), model.data());
    return model;
  }
  void reset_state() { function<void()>("reset_state")(); }
  void unload() { function<void()>("unload")(); }
  vdla_model_state& state() { return *function<vdla_model_state*()>("state")(); }
  std::uint64_t dma_bytes() { return function<std::uint64_t()>("dma_bytes")(); }
  std::string message() { return static_cast<vdla_device*>(dlsym(library_, "device"))->message; }
  const driver::SimTransport& transport() const { return transport_; }
  const Folder& folder() const { return folder_; }

 private:
  template <class F>
  F* function(const char* name) {
    return reinterpret_cast<F*>(dlsym(library_, name));
  }

  Folder folder_;
  std::unique_ptr<sim::Engine> engine_;
  driver::SimTransport transport_;
  void* library_ = nullptr;
};

std::vector<Bytes> room_for(const runtime::Module& module) {
  std::vector<Bytes> outputs;
  for (const runtime::Port& p : module.outputs) outputs.emplace_back(module.tensors[p.tensor].bytes());
  return outputs;
}

std::vector<Bytes> random_inputs(const runtime::Module& module, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Bytes> inputs;
  for (const runtime::Port& p : module.inputs) {
    inputs.emplace_back(module.tensors[p.tensor].bytes());
    for (std::byte& b : inputs.back()) b = std::byte(random());
  }
  return inputs;
}

/// Twice, so that what the first run left behind is seen.
void expect_as_session(const runtime::Module& module, const std::string& engine) {
  Library library(module, module.variant, engine);
  ASSERT_TRUE(library.there());
  kit::Session session(module, engine);
  ASSERT_EQ(library.load(), VDLA_DRIVER_OK) << library.message();
  for (unsigned seed : {1u, 2u}) {
    const std::vector<Bytes> inputs = random_inputs(module, seed);
    const runtime::Result expected = session.run(inputs);
    std::vector<Bytes> outputs = room_for(module);
    ASSERT_EQ(library.run(inputs, outputs), VDLA_DRIVER_OK) << library.message();
    EXPECT_EQ(outputs, expected.outputs);
    EXPECT_EQ(library.state().counters.cycles, expected.cycles);
    EXPECT_EQ(library.state().counters.read_bytes, expected.read_bytes);
    EXPECT_EQ(library.state().counters.write_bytes, expected.write_bytes);
  }
  EXPECT_LE(library.transport().allocated_bytes(), library.dma_bytes());
  EXPECT_GT(library.transport().allocated_bytes() + 8 * runtime::kDmaAlignment * module.steps.size(),
            library.dma_bytes());
  library.unload();
  EXPECT_EQ(library.transport().allocated_bytes(), 0u);
}

graph::Graph digits() {
  return kit::read_network(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
}

/// Odd extents, channels that fill no block, two inputs and two outputs, a convolution in the middle on the
/// CPU; names that C or the generated functions have for something else.
graph::Graph odd_network() {
  std::mt19937 random(5);
  graph::Graph g;
  g.name = "odd";
  const auto x = g.add_tensor({"inputs", graph::DataType::Int8, {1, 9, 7, 5}, {{0.1}, {3}, -1}, nullptr});
  const auto y =
      g.add_tensor({"serving/y:0", graph::DataType::Int8, {1, 9, 7, 19}, {{0.1}, {3}, -1}, nullptr});
  g.add_input(x);
  g.add_input(y);
  const auto a = e2e::add_convolution(g, "first", x, 19, 3, random);
  const auto b = e2e::add_convolution(g, "second", a, 13, 3, random);
  const auto c = e2e::add_convolution(g, "Double", b, 3, 1, random);
  const auto d = e2e::add_convolution(g, "/*outputs*", y, 6, 3, random);
  g.add_output(c);
  g.add_output(d);
  return g;
}

std::string engine_with_time() { return e2e::absent("systemc").empty() ? "systemc" : "functional"; }

TEST(Run, DigitsGivesOutputsAndCyclesOfASession) {
  VDLA_NEED_C_COMPILER();
  expect_as_session(e2e::compile(digits()), engine_with_time());
}

TEST(Run, ResNet8GivesOutputsAndCyclesOfASession) {
  VDLA_NEED_C_COMPILER();
  VDLA_NEED_DATA();
  expect_as_session(e2e::compile(e2e::import_data("mlperf_tiny/models/pretrainedResnet_quant.tflite")),
                    engine_with_time());
}

/// The convolution pads a copy of its input, which is no small buffer.
TEST(Run, AKernelWithLargeBuffersGivesOutputsAndCyclesOfASession) {
  VDLA_NEED_C_COMPILER();
  VDLA_NEED_DATA();
  const runtime::Module module = e2e::compile(
      e2e::import_data("mlperf_tiny/models/pretrainedResnet_quant.tflite"), "paper", {"conv_2d_4"});
  const Memory memory = bundle(module, {.name = "net", .cpu_target = "x86-64"}).memory;
  EXPECT_GT(memory.arena, plan_arena(module, runtime::Ports::Apart).bytes + 16 * 1024);
  EXPECT_LT(memory.kernel_stack, 1024u);
  expect_as_session(module, engine_with_time());
}

TEST(Run, OddShapesAndALayerOnTheCpuGiveOutputsAndCyclesOfASession) {
  VDLA_NEED_C_COMPILER();
  const runtime::Module module = e2e::compile(odd_network(), "paper", {"second"});
  ASSERT_GE(std::ranges::count_if(module.steps, [](const auto& s) { return s.index() == 0; }), 2);
  expect_as_session(module, engine_with_time());
}

TEST(Run, ABatchOfTwoAndBlocksOf32GiveOutputsAndCyclesOfASession) {
  VDLA_NEED_C_COMPILER();
  isa::Variant variant = isa::load_variant("tiny");
  variant.name = "two";
  variant.geometry.batch = 2;
  expect_as_session(e2e::compile(odd_network(), variant), engine_with_time());
  variant = isa::load_variant("paper");
  variant.name = "blocks";
  variant.geometry.block_out = 32;
  expect_as_session(e2e::compile(odd_network(), variant), engine_with_time());
}

/// Runs go on from each other; a reset and a second load begin anew.
TEST(Run, KeptValuesAreThoseOfASession) {
  VDLA_NEED_C_COMPILER();
  const runtime::Module module = e2e::compile(e2e::stateful_network());
  expect_as_session(module, engine_with_time());
  Library library(module, module.variant, "functional");
  ASSERT_TRUE(library.there());
  ASSERT_EQ(library.load(), VDLA_DRIVER_OK) << library.message();
  const std::vector<Bytes> inputs = random_inputs(module, 1);
  std::vector<Bytes> first = room_for(module), later = first;
  ASSERT_EQ(library.run(inputs, first), VDLA_DRIVER_OK) << library.message();
  ASSERT_EQ(library.run(inputs, later), VDLA_DRIVER_OK) << library.message();
  EXPECT_NE(later, first);
  library.reset_state();
  ASSERT_EQ(library.run(inputs, later), VDLA_DRIVER_OK) << library.message();
  EXPECT_EQ(later, first);
  library.unload();
  ASSERT_EQ(library.load(), VDLA_DRIVER_OK) << library.message();
  ASSERT_EQ(library.run(inputs, later), VDLA_DRIVER_OK) << library.message();
  EXPECT_EQ(later, first);
}

/// Two kernels store into one tensor.
TEST(Run, AConcatenationOfTheCpuGivesOutputsOfASession) {
  VDLA_NEED_C_COMPILER();
  std::mt19937 random(6);
  graph::Graph g;
  g.name = "joined";
  const auto x = g.add_tensor({"x", graph::DataType::Int8, {1, 9, 7, 5}, {{0.1}, {3}, -1}, nullptr});
  g.add_input(x);
  const auto a = e2e::add_convolution(g, "a", x, 19, 3, random),
             b = e2e::add_convolution(g, "b", x, 6, 1, random);
  g.add_output(e2e::add_convolution(g, "c", g.add_node("joined", graph::Concat{3}, {a, b}), 4, 1, random));
  const runtime::Module module = e2e::compile(g, "paper", {"a", "b", "joined"});
  EXPECT_EQ(module.steps.size(), 3u);
  expect_as_session(module, engine_with_time());
}

/// All bytes as a tensor, and numbers around each step of the scale with halves, infinities and NaN.
void expect_conversions_of_the_runtime(const runtime::Module& module) {
  Library library(module, module.variant, "functional");
  ASSERT_TRUE(library.there());
  const runtime::Port &in = module.inputs[0], &out = module.outputs[0];
  const double scale = module.tensors[in.tensor].quantization.scale[0];
  Bytes model(runtime::model_bytes(in));
  for (std::size_t i = 0; in.model_type == runtime::DataType::Float32 && i < model.size() / 4; ++i) {
    float value = static_cast<float>(scale * (static_cast<double>(i % 600) - 300) / 2);
    if (i == 7) value = std::numeric_limits<float>::quiet_NaN();
    if (i == 8) value = std::numeric_limits<float>::infinity();
    std::memcpy(&model[4 * i], &value, 4);
  }
  if (in.model_type != runtime::DataType::Float32)
    for (std::size_t i = 0; i < model.size(); ++i) model[i] = std::byte(i * 7);
  const Bytes expected = runtime::to_tensor(module, in, model);
  EXPECT_EQ(library.from_model(model, expected.size()), expected);
  Bytes tensor(module.tensors[out.tensor].bytes());
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = std::byte(i * 29);
  EXPECT_EQ(library.to_model(tensor, runtime::model_bytes(out)), runtime::to_model(module, out, tensor));
}

/// x[1, 13, 11, 5] -> y, of a model whose file says otherwise.
runtime::Module with_ports(runtime::DataType type, std::vector<std::int32_t> perm, Rounding rounding) {
  std::mt19937 random(5);
  graph::Graph g;
  g.name = "ports";
  const auto x = g.add_tensor({"x", graph::DataType::Int8, {1, 13, 11, 5}, {{0.1}, {3}, -1}, nullptr});
  g.add_input(x);
  g.add_output(e2e::add_convolution(g, "y", x, 7, 3, random));
  runtime::Module module = e2e::compile(g, "paper", {});
  for (runtime::Port* port : {&module.inputs[0], &module.outputs[0]}) {
    const runtime::Tensor& t = module.tensors[port->tensor];
    port->model_type = type;
    port->perm = perm;
    port->rounding = rounding;
    for (std::size_t d = 0; d < perm.size(); ++d)
      port->model_shape[static_cast<std::size_t>(perm[d])] = t.shape[d];
  }
  module.tensors[module.outputs[0].tensor].quantization = {{0.37}, {-5}, -1};
  runtime::check(module);
  return module;
}

TEST(Run, ConversionsGiveTheBytesOfTheRuntime) {
  VDLA_NEED_C_COMPILER();
  expect_conversions_of_the_runtime(
      with_ports(runtime::DataType::Float32, {0, 2, 3, 1}, Rounding::HalfAwayFromZero));
  expect_conversions_of_the_runtime(with_ports(runtime::DataType::UInt8, {3, 1, 0, 2}, Rounding::HalfToEven));
  expect_conversions_of_the_runtime(with_ports(runtime::DataType::Int8, {0, 2, 3, 1}, Rounding::HalfToEven));
}

TEST(Run, ADeviceOfAnotherGeometryIsRefusedBeforeAnythingIsAllocated) {
  VDLA_NEED_C_COMPILER();
  const runtime::Module module = e2e::compile(digits());
  Library library(module, isa::load_variant("tiny"), "functional");
  ASSERT_TRUE(library.there());
  EXPECT_EQ(library.load(), VDLA_DRIVER_GEOMETRY);
  EXPECT_NE(library.message().find("block_in is 4, needs 16; block_out is 4, needs 16; "), std::string::npos)
      << library.message();
  EXPECT_EQ(library.transport().allocated_bytes(), 0u);
  std::vector<Bytes> outputs = room_for(module);
  EXPECT_EQ(library.run(random_inputs(module, 1), outputs), VDLA_DRIVER_ARGUMENT) << "it is not loaded";
}

TEST(Run, AMemoryThatIsTooSmallIsNamedAndNothingStaysAllocated) {
  VDLA_NEED_C_COMPILER();
  Library library(e2e::compile(digits()), isa::load_variant("paper"), "functional", 8192);
  ASSERT_TRUE(library.there());
  EXPECT_EQ(library.load(), VDLA_DRIVER_TRANSPORT);
  EXPECT_NE(library.message().find("allocate device memory"), std::string::npos) << library.message();
  EXPECT_EQ(library.transport().allocated_bytes(), 0u);
}

TEST(Run, AfterARunThatFailedTheNextOneIsRight) {
  VDLA_NEED_C_COMPILER();
  VDLA_NEED_ENGINE("systemc");
  const runtime::Module module = e2e::compile(digits());
  Library library(module, module.variant, "systemc");
  ASSERT_TRUE(library.there());
  ASSERT_EQ(library.load(), VDLA_DRIVER_OK) << library.message();
  EXPECT_EQ(library.load(), VDLA_DRIVER_ARGUMENT) << "twice";
  const std::vector<Bytes> inputs = random_inputs(module, 1);
  std::vector<Bytes> outputs = room_for(module);
  const std::uint64_t timeout = std::exchange(library.state().timeout, 100);
  EXPECT_EQ(library.run(inputs, outputs), VDLA_DRIVER_TIMEOUT);
  EXPECT_NE(library.message().find("did not finish within 100 cycles"), std::string::npos)
      << library.message();
  library.state().timeout = timeout;
  kit::Session session(module, "systemc");
  ASSERT_EQ(library.run(inputs, outputs), VDLA_DRIVER_OK) << library.message();
  EXPECT_EQ(outputs, session.run(inputs).outputs);
}

}  // namespace
}  // namespace vdla::bundle
