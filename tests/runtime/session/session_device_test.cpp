// SPDX-License-Identifier: Apache-2.0
// Sessions with device steps, on the functional engine, down to the message of each fault.
#include <gmock/gmock.h>

#include "driver/sim/sim_transport.h"
#include "isa/timing/estimate.h"
#include "isa/variants/variants.h"
#include "runtime/container/module_file.h"
#include "runtime/container/module_payload.h"
#include "runtime/container/sections.h"
#include "runtime/device/device.h"
#include "runtime/device/device_memory.h"
#include "runtime/device/device_program.h"
#include "runtime/module/module_check.h"
#include "runtime/session/session.h"
#include "runtime/vdla.h"
#include "sim/functional/engine.h"
#include "support/error.h"
#include "tests/runtime/device/adding_device.h"
#include "tests/runtime/module/device_module.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

constexpr unsigned kVectorBit = 1u << static_cast<unsigned>(isa::Unit::Vector);

const Bytes kIn = int8s({1, -2, 3, 40, 64, -64});
const Bytes kOut = int8s({2, -4, 6, 80, 127, -128});

class DeviceSession : public ::testing::Test {
 protected:
  void expect_fault(const Module& m, vdla_driver_status status,
                    const ::testing::Matcher<std::string>& message) {
    Session session(m, transport.transport(), {});
    try {
      session.run({kIn});
      FAIL() << "no fault";
    } catch (const DeviceError& e) {
      EXPECT_EQ(e.status(), status);
      EXPECT_THAT(e.what(), message);
    }
    // The device is usable again.
    EXPECT_EQ(Session(doubling_module(), transport.transport(), {}).run({kIn}).outputs[0], kOut);
  }

  std::unique_ptr<sim::Engine> engine = sim::make_functional_engine(isa::load_variant("tiny"), 1 << 20);
  driver::SimTransport transport{*engine};
};

TEST_F(DeviceSession, RunsADeviceStep) {
  Session session(doubling_module(), transport.transport(), {});
  for (int i = 0; i < 2; ++i) {
    const Result result = session.run({kIn});
    EXPECT_EQ(result.outputs, std::vector<Bytes>{kOut});
    ASSERT_EQ(result.steps.size(), 1u);
    EXPECT_TRUE(result.steps[0].on_device);
    EXPECT_EQ(result.cycles, 0u) << "the functional engine has no time";
    EXPECT_EQ(result.write_bytes, 8u);
  }
}

TEST_F(DeviceSession, GivesItsMemoryBack) {
  {
    Session session(doubling_module(), transport.transport(), {});
  }
  EXPECT_EQ(transport.allocated_bytes(), 0u);
}

TEST_F(DeviceSession, AllocatesWhatDeviceMemorySays) {
  const Module module = doubling_module();
  std::uint64_t bytes = 0;
  for (const WindowNeed& need : device_memory(module).windows) bytes += need.bytes;
  Session session(module, transport.transport(), {});
  EXPECT_EQ(transport.allocated_bytes(), bytes);
}

/// A transport whose device saw no write.
TEST_F(DeviceSession, RefusesTooLittleMemoryBeforeTheDeviceIsWrittenTo) {
  vdla_transport small = *transport.transport();
  small.dma_bytes = 4096;
  small.write32 = [](void*, std::uint32_t, std::uint32_t) {
    ADD_FAILURE() << "a register was written";
    return 1;
  };
  const Module module = doubling_module();
  const std::string needed = std::to_string(device_memory(module).bytes);
  EXPECT_THAT([&] { Session(module, &small, {}); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("needs " + needed + " bytes of the device's memory"),
                                             HasSubstr("there are 4096; reserve more"))));
}

TEST_F(DeviceSession, AModuleKeepsWhereItsWindowsMayLie) {
  Module m = doubling_module();
  auto& places = std::get<DeviceStep>(m.steps.front()).places;
  for (std::size_t w = 0; w < places.size(); ++w)
    places[w] = {.alignment = std::uint64_t{64} << w, .address_bits = 40 + static_cast<unsigned>(w)};
  EXPECT_EQ(parse(serialize(m), "m").steps, m.steps);
  const auto expect_refusal = [&](WindowPlace place, const std::string& text) {
    places[0] = place;
    EXPECT_THAT([&] { parse(serialize(m), "m"); }, ThrowsMessage<UserError>(HasSubstr(text)));
  };
  expect_refusal({.alignment = 48}, "window insn is aligned to 48, needs a power of two");
  expect_refusal({.alignment = 0}, "window insn is aligned to 0, needs a power of two");
  expect_refusal({.address_bits = 65}, "at addresses of 65 bits, needs 1 to 64 that hold it");
  expect_refusal({.address_bits = 1}, "at addresses of 1 bits, needs 1 to 64 that hold it");
}

TEST_F(DeviceSession, RunsWhatWasSavedAndLoaded) {
  Session session(parse(serialize(doubling_module()), "m"), transport.transport(), {});
  EXPECT_EQ(session.run({kIn}).outputs[0], kOut);
}

TEST_F(DeviceSession, RefusesAProgramThatIsNotProvenRightOnRequest) {
  SessionOptions verified;
  verified.verify = true;
  EXPECT_EQ(Session(doubling_module(), transport.transport(), verified).run({kIn}).outputs[0], kOut);
  const auto message_of = [&](const Module& m) -> std::string {
    try {
      Session session(m, transport.transport(), verified);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  Module racing = doubling_module();
  isa::set_tokens(program_of(racing).insns[2], 0, 0);
  isa::set_tokens(program_of(racing).insns[3], 0, kVectorBit);
  EXPECT_THAT(
      message_of(racing),
      AllOf(StartsWith("'doubling' is refused, the program of step 0 cannot be proven right:\n"),
            HasSubstr("instruction 3 (gemm) of layer 'double' (conv2d), loop pixel=0 reads inp[0..1] that "
                      "instruction 0 (load) of layer 'double' (conv2d) writes, and no token orders them")));
  Module silent = doubling_module();
  program_of(silent).insns.erase(program_of(silent).insns.begin() + 5);
  program_of(silent).source_map.insns.clear();
  EXPECT_THAT(message_of(silent), HasSubstr("nothing has written its result in output bytes 0 to 7"));
}

TEST_F(DeviceSession, RunsEntriesOneAfterTheOther) {
  Module m = doubling_module();
  isa::Program& p = program_of(m);
  isa::FinishInsn between;
  between.sequence = 7;
  p.insns.insert(p.insns.begin() + 2, between);
  p.source_map.insns.clear();
  p.entries = {{"loads", 0, 3}, {"rest", 3, 5}};
  EXPECT_EQ(Session(m, transport.transport(), {}).run({kIn}).outputs[0], kOut);
}

class CountingObserver : public DeviceObserver {
 public:
  void before(std::size_t, const DeviceStep&, const WindowAddresses&) override { ++befores; }
  std::vector<LayerCost> after(const DeviceStep&) override {
    return {{.cycles = 10, .read_bytes = 20, .write_bytes = 30}};
  }
  int befores = 0;
};

TEST_F(DeviceSession, ReportsLayersThroughAnObserver) {
  CountingObserver observer;
  Session session(doubling_module(), transport.transport(), {.interpreter = {}, .observer = &observer});
  const Result result = session.run({kIn});
  EXPECT_EQ(observer.befores, 1);
  ASSERT_EQ(result.layers.size(), 1u);
  EXPECT_EQ(result.layers[0].name, "double");
  EXPECT_EQ(result.layers[0].op, "conv2d");
  EXPECT_EQ(result.layers[0].macs, 32u);
  EXPECT_EQ(result.layers[0].ideal_gemm_cycles, 2.0);  // 16 multipliers
  EXPECT_EQ(result.layers[0].cost.cycles, 10u);
}

TEST_F(DeviceSession, NeedsADevice) {
  EXPECT_THAT([] { Session(doubling_module(), nullptr, {}); },
              ThrowsMessage<UserError>(StrEq("'doubling' needs a device, and none was given")));
}

TEST_F(DeviceSession, RefusesAnotherGeometryInOneSentence) {
  auto other = sim::make_functional_engine(isa::load_variant("paper"), 1 << 20);
  driver::SimTransport to_other(*other);
  EXPECT_THAT([&] { Session(doubling_module(), to_other.transport(), {}); },
              ThrowsMessage<DeviceError>(
                  AllOf(StartsWith("'doubling', compiled for variant 'tiny', cannot "
                                   "run on this device: the device has another geometry than the "
                                   "program was compiled for: block_in is 16, needs 4; "),
                        EndsWith("; compile it again for the device's variant"))));
}

TEST_F(DeviceSession, DeviceMemoryThatIsTooSmall) {
  auto small = sim::make_functional_engine(isa::load_variant("tiny"), 8192);
  driver::SimTransport to_small(*small);
  EXPECT_THAT([&] { Session(doubling_module(), to_small.transport(), {}); },
              ThrowsMessage<DeviceError>(
                  AllOf(StartsWith("cannot allocate "), HasSubstr("the device's memory is full"))));
}

TEST_F(DeviceSession, AnAccessOutsideItsWindowNamesTheLayer) {
  Module m = doubling_module();
  std::get<isa::MemoryInsn>(program_of(m).insns[5]).dram_offset = 4;
  expect_fault(m, VDLA_DRIVER_DEVICE,
               AllOf(StartsWith("the device stopped with an error: store at instruction 5: error 2, a DRAM "
                                "access leaves its window"),
                     EndsWith("; instruction 5 is of layer 'double' (conv2d)")));
}

/// x -> the GPU -> left; x -> the device -> y; left + y -> sum, on the CPU.
Module doubling_beside_a_gpu() {
  Module m = doubling_module();
  m.target = "vdla,cuda,cpu";
  for (const char* name : {"left", "sum"}) {
    m.tensors.push_back(m.tensors[0]);
    m.tensors.back().name = name;
  }
  m.tensors.push_back(
      {.name = "one", .type = DataType::Int8, .shape = {1}, .quantization = {}, .data = int8s({1})});
  const auto host = [](const char* kernel, std::vector<TensorIndex> arguments) {
    return HostStep{.kernel = kernel,
                    .loop_ir = "func f",
                    .parameters = std::vector<KernelParameter>(arguments.size(), {DataType::Int8, 6}),
                    .arguments = arguments,
                    .results = {arguments.back()}};
  };
  m.steps.insert(m.steps.begin(), host("add_one", {0, 2}));
  m.steps.emplace_back(host("sum", {2, 1, 3}));
  m.outputs[0].tensor = 3;
  m.nodes.clear();
  GpuSegment s;
  s.kind = "cuda";
  s.layers = {{1, "elementwise", ""}};
  s.program.parts = {{"text", ""}};
  s.program.buffer_bytes = {6, 6, 1};
  s.program.launches = {{"kernel", {1, 1, 1}, {6, 1, 1}, {0, 2, 1}, 0, 0}};
  s.inputs = {{0, 0}};
  s.outputs = {{2, 1}};
  s.constants = {{4, 2}};
  m.gpu = {s};
  return m;
}

/// Writes the steps of the device into the diary of the GPU.
class DiaryOfBoth final : public DeviceObserver {
 public:
  explicit DiaryOfBoth(AddingDevice& gpu) : gpu_(gpu) {}
  void before(std::size_t, const DeviceStep&, const WindowAddresses&) override { gpu_.note("device begins"); }
  std::vector<LayerCost> after(const DeviceStep&) override {
    gpu_.note("device ends");
    return {{}};
  }
  void before_gpu(const GpuSegment&) override { gpu_.note("segment begins"); }
  void after_gpu(const GpuSegment&, const GpuResult&) override { gpu_.note("segment ends"); }

 private:
  AddingDevice& gpu_;
};

SessionOptions with_gpu(AddingDevice& gpu, DeviceObserver* observer = nullptr) {
  const auto sum = [](const HostStep&) -> HostKernel {
    return [](std::span<void* const> arguments) {
      for (int i = 0; i < 6; ++i)
        static_cast<std::int8_t*>(arguments[2])[i] = static_cast<std::int8_t>(
            static_cast<std::int8_t*>(arguments[0])[i] + static_cast<std::int8_t*>(arguments[1])[i]);
    };
  };
  return {.interpreter = sum, .interpret = true, .gpu = &gpu, .observer = observer};
}

/// The GPU of this test computes when somebody waits: who reads too early reads nothing.
TEST_F(DeviceSession, TheDeviceRunsBesideAGpu) {
  AddingDevice gpu;
  DiaryOfBoth diary(gpu);
  Session session(doubling_beside_a_gpu(), transport.transport(), with_gpu(gpu, &diary));
  gpu.diary.clear();
  EXPECT_EQ(session.run({int8s({1, -2, 3, 40, 5, -64})}).outputs.at(0), int8s({4, -5, 10, 121, 16, 65}));
  EXPECT_THAT(gpu.diary, ElementsAre("segment begins", "write 0", "start", "device begins", "device ends",
                                     "wait", "read 1", "segment ends"));
}

TEST_F(DeviceSession, AFaultOfTheDeviceLeavesNoGpuRunning) {
  Module m = doubling_beside_a_gpu();
  std::get<isa::MemoryInsn>(std::get<DeviceStep>(m.steps[1]).program.insns[5]).dram_offset = 4;
  AddingDevice gpu;
  {
    Session session(m, transport.transport(), with_gpu(gpu));
    EXPECT_THROW(session.run({kIn}), DeviceError);
    EXPECT_EQ(gpu.running, 0);
    EXPECT_EQ(gpu.diary.back(), "wait");  // nothing is copied from it
  }
  Session session(doubling_beside_a_gpu(), transport.transport(), with_gpu(gpu));
  EXPECT_EQ(session.run({int8s({1, 1, 1, 1, 1, 1})}).outputs.at(0), int8s({4, 4, 4, 4, 4, 4}));
}

TEST_F(DeviceSession, ADeadlockNamesUnitsTokensAndLayer) {
  Module m = doubling_module();
  std::get<isa::MemoryInsn>(program_of(m).insns[2]).push = 0;  // the gemm's token never comes
  expect_fault(
      m, VDLA_DRIVER_DEADLOCK,
      AllOf(
          StartsWith("the program hangs, the device found no unit making progress: "),
          ContainsRegex(
              "gemm waits at instruction 3( since cycle [0-9]+)? for a token from load; vector waits at "
              "instruction 4( since cycle [0-9]+)? for a token from gemm; store waits at instruction 5 "
              "(since cycle [0-9]+ )?for a token from vector"),
          HasSubstr("; instruction 3 is of layer 'double' (conv2d), loop pixel=0; instruction 4 is of layer "
                    "'double' (conv2d)")));
}

TEST_F(DeviceSession, AProgramThatTakesTooLong) {
  Session session(doubling_module(), transport.transport(), {.interpreter = {}, .timeout = 2});
  EXPECT_THAT([&] { session.run({kIn}); },
              ThrowsMessage<DeviceError>(StartsWith("the program did not finish within 2 cycles: ")));
}

/// Nothing that a program can do keeps a session for days: 10 million cycles are a second at 10 MHz.
TEST_F(DeviceSession, TimeoutsComeFromThePredictedCycles) {
  const Module module = doubling_module();
  const auto& step = std::get<DeviceStep>(module.steps[0]);
  const isa::Variant tiny = isa::load_variant("tiny");
  const std::uint64_t cycles = predicted_cycles(step.program.insns, tiny.geometry, tiny.timing);
  EXPECT_GT(cycles, 7 * isa::start_latency(tiny.timing));
  EXPECT_LT(cycles, 5'000u);
  Device device(transport.transport());
  EXPECT_EQ(device.timeout_of(cycles), 10'000'000u);
  EXPECT_EQ(device.timeout_of(10'000'000), 200'000'000u);
  isa::Program endless = step.program;
  auto& gemm = std::get<isa::GemmInsn>(endless.insns[3]);
  for (auto& level : gemm.levels) level.count = 4000;
  EXPECT_GT(predicted_cycles(endless.insns, tiny.geometry, tiny.timing), 1'000'000'000u);
}

TEST_F(DeviceSession, IllegalPrograms) {
  Module m = doubling_module();
  std::get<isa::GemmInsn>(program_of(m).insns[3]).levels[0].count = 0;
  EXPECT_THAT([&] { check(m); },
              ThrowsMessage<UserError>(
                  StartsWith("step 0: instruction 3 of layer 'double' (conv2d), loop pixel=0 is illegal: ")));
  m = doubling_module();
  program_of(m).geometry.inp_depth += 1;
  EXPECT_THAT([&] { check(m); },
              ThrowsMessage<UserError>(StrEq("step 0 has a program for another geometry than the "
                                             "module's variant 'tiny'")));
  m = doubling_module();
  std::get<DeviceStep>(m.steps[0]).outputs[0].offset = 1;
  EXPECT_THAT(
      [&] { check(m); },
      ThrowsMessage<UserError>(StrEq("step 0: tensor 'y' ends at byte 9 of window output, which has 8")));
  for (const std::size_t t : {std::size_t{0}, m.tensors.size() - 1}) {
    Module empty = m;
    empty.tensors[t].shape[0] = 0;
    for (auto* ports : {&empty.inputs, &empty.outputs})
      for (Port& p : *ports)
        if (p.tensor == t) p.model_shape = {0};
    EXPECT_THAT(
        [&] { check(empty); },
        ThrowsMessage<UserError>(::testing::HasSubstr(", no element at all, and programs of the device")));
  }
  std::get<DeviceStep>(m.steps[0]).outputs[0].layout.bytes = 3;
  EXPECT_THAT([&] { check(m); },
              ThrowsMessage<UserError>(StrEq("step 0: the layout of tensor 'y' covers 7 bytes, has 3")));
}

/// It would write over the program that --verify has just proven right.
TEST_F(DeviceSession, ATensorInAWindowOfTheProgram) {
  for (const isa::Window window : {isa::Window::Insn, isa::Window::Uop, isa::Window::Const}) {
    Module m = doubling_module();
    std::get<DeviceStep>(m.steps[0]).inputs[0].window = window;
    EXPECT_THAT([&] { check(m); }, ThrowsMessage<UserError>(StrEq("step 0: tensor 'x' lies in window " +
                                                                  std::string(isa::to_string(window)) +
                                                                  ", which is the program's own")));
  }
}

/// win_8589934592.vdla and its like.
TEST_F(DeviceSession, WindowsThatNoDeviceHas) {
  for (const std::uint64_t bytes :
       {std::uint64_t{1} << 33, std::uint64_t{1} << 40, std::uint64_t{1} << 63, UINT64_MAX}) {
    Module m = doubling_module();
    program_of(m).data_window_sizes[static_cast<std::size_t>(isa::Window::Act)] = bytes;
    EXPECT_THROW(Session(parse(pack(to_sections(m)), "m"), transport.transport(), {}), UserError) << bytes;
    EXPECT_EQ(transport.allocated_bytes(), 0u);
  }
}

TEST_F(DeviceSession, LayoutsAtTheEndsOfNumbers) {
  const std::int64_t most = INT64_MAX, least = INT64_MIN;
  const auto try_layout = [&](auto change) {
    Module m = doubling_module();
    change(std::get<DeviceStep>(m.steps[0]).inputs[0].layout);
    EXPECT_THROW(parse(pack(to_sections(m)), "m"), UserError);
  };
  for (const std::int64_t v : {most, least, most - 1, std::int64_t{-1}}) {
    try_layout([&](DeviceLayout& l) { l.strides[2] = v; });
    try_layout([&](DeviceLayout& l) { l.bytes = v; });
    try_layout([&](DeviceLayout& l) { l.block = 1, l.block_stride = v; });
    try_layout([&](DeviceLayout& l) { l.strides.assign(5, v); });
  }
  for (const std::int64_t block : {least, std::int64_t{-1}, std::int64_t{0}})
    try_layout([&](DeviceLayout& l) { l.block = block; });
}

TEST_F(DeviceSession, TheCInterfaceTellsDeviceFaultsApart) {
  const Bytes bytes = serialize(doubling_module());
  vdla_rt_module* module = nullptr;
  vdla_rt_session* session = nullptr;
  char message[300];
  ASSERT_EQ(vdla_rt_module_parse(bytes.data(), bytes.size(), &module, message, sizeof message), VDLA_RT_OK);
  auto other = sim::make_functional_engine(isa::load_variant("paper"), 1 << 20);
  driver::SimTransport to_other(*other);
  EXPECT_EQ(vdla_rt_session_open(module, to_other.transport(), &session, message, sizeof message),
            VDLA_RT_DEVICE);
  EXPECT_THAT(message, HasSubstr("cannot run on this device"));
  ASSERT_EQ(vdla_rt_session_open(module, transport.transport(), &session, message, sizeof message),
            VDLA_RT_OK)
      << message;
  const void* inputs[] = {kIn.data()};
  Bytes out(6);
  void* outputs[] = {out.data()};
  vdla_rt_result result;
  EXPECT_EQ(vdla_rt_run(session, inputs, outputs, &result, message, sizeof message), VDLA_RT_OK) << message;
  EXPECT_EQ(out, kOut);
  EXPECT_EQ(result.cycles, 0u) << "the functional engine has no time";
  EXPECT_STREQ(vdla_rt_warning(session), "");
  vdla_rt_session_close(session);
  vdla_rt_module_free(module);
}

TEST(DeviceModule, KeepsWhichTensorsOfTheModelValuesStandFor) {
  Module m = doubling_module();
  const Sources sources{{"y of the model", Likeness::Reordered}, {"w", Likeness::From}};
  m.tensors[0].sources = {{"x", Likeness::Same}};
  m.nodes[0].sources = sources;
  m.nodes[0].constants = {{"w", Likeness::Within}};
  program_of(m).source_map.layers[0].sources = sources;
  Module read;
  decode_payload(encode_payload(m), "m", read);
  EXPECT_EQ(read.tensors, m.tensors);
  EXPECT_EQ(read.nodes, m.nodes);
  EXPECT_EQ(read.steps, m.steps);
  EXPECT_EQ(std::get<DeviceStep>(read.steps[0]).program.source_map.describe(3),
            "layer 'double' (conv2d), tensor 'y of the model' of the model, loop pixel=0");
}

}  // namespace
}  // namespace vdla::runtime
