// SPDX-License-Identifier: Apache-2.0
// Modules with programs of a GPU: what the file keeps, what a session does with a device that it is handed,
// and one fault each that no driver may see.
#include <gmock/gmock.h>

#include <functional>

#include "runtime/container/module_file.h"
#include "runtime/container/sections.h"
#include "runtime/module/module_check.h"
#include "runtime/session/session.h"
#include "support/error.h"
#include "tests/runtime/device/adding_device.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// two_host_steps() with a constant, on a GPU: in -> buffer 0, middle -> 1, out -> 2, constant -> 3.
Module on_gpu() {
  Module m = two_host_steps();
  m.target = "cuda";
  m.tensors.push_back(
      {.name = "one", .type = DataType::Int8, .shape = {1}, .quantization = {}, .data = int8s({1})});
  GpuSegment s;
  s.kind = "cuda";
  s.layers = {{1, "elementwise", "threads=12"}, {1, "elementwise", ""}};
  s.program.parts = {{"text of first", "func one"}, {std::string("text\0second", 11), ""}};
  s.program.buffer_bytes = {12, 12, 12, 1};
  s.program.launches = {{"first", {1, 1, 1}, {12, 1, 1}, {0, 3, 1}, 64, 0},
                        {"second", {3, 1, 1}, {4, 1, 1}, {1, 3, 2}, 0, 1}};
  s.inputs = {{0, 0}};
  s.outputs = {{2, 2}};
  s.constants = {{3, 3}};
  m.gpu = {s};
  return m;
}

const Bytes kInput = int8s({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
const Bytes kOutput = int8s({2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});

TEST(GpuSegments, AreKeptInTheFile) {
  const Module m = on_gpu();
  const Module read = parse(pack(to_sections(m)), "m");
  EXPECT_EQ(read.gpu, m.gpu);
  ASSERT_NE(segment_of(read, 1), nullptr);
  EXPECT_EQ(segment_of(read, 2), nullptr);
}

TEST(GpuSegments, AreASectionThatReadersNeed) {
  EXPECT_EQ(to_sections(two_host_steps()).size() + 1, to_sections(on_gpu()).size());
  EXPECT_TRUE(find_section_kind("gpu")->required);
}

TEST(GpuSegments, RunOnTheDeviceThatASessionIsHanded) {
  AddingDevice device;
  Session session(on_gpu(), nullptr, {.interpreter = {}, .gpu = &device});
  for (int i = 0; i < 2; ++i) {
    const Result result = session.run({kInput});
    EXPECT_EQ(result.outputs.at(0), kOutput);
    EXPECT_TRUE(result.steps.empty());
    ASSERT_EQ(result.gpu.size(), 1u);
    EXPECT_EQ(result.gpu[0].bytes_to, 12u);
    EXPECT_EQ(result.gpu[0].bytes_from, 12u);
  }
  // The constant once; only what crosses the border is copied.
  EXPECT_THAT(device.diary, ElementsAre("load", "write 3", "write 0", "start", "wait", "read 2", "write 0",
                                        "start", "wait", "read 2"));
}

TEST(GpuSegments, HaveATimeForEachStep) {
  AddingDevice device;
  Session session(on_gpu(), nullptr, {.interpreter = {}, .gpu = &device, .gpu_times = true});
  EXPECT_THAT(session.run({kInput}).gpu.at(0).layer_seconds, ElementsAre(1, 2));  // the ends of its launches
}

TEST(GpuSegments, BetweenOtherStepsCopyAtTheirBordersAlone) {
  Module m = on_gpu();
  m.gpu[0].first_step = 1;
  m.gpu[0].layers = {{1, "", ""}};
  m.gpu[0].program.launches.erase(m.gpu[0].program.launches.begin());
  m.gpu[0].inputs = {{1, 1}};
  AddingDevice device;
  Session session(m, nullptr, {.interpreter = add_one_factory(), .interpret = true, .gpu = &device});
  const Result result = session.run({kInput});
  EXPECT_EQ(result.outputs.at(0), kOutput);
  EXPECT_EQ(result.steps.size(), 1u);
  EXPECT_THAT(device.diary, ElementsAre("load", "write 3", "write 1", "start", "wait", "read 2"));
}

TEST(GpuSegments, RunOnTheCpuOnRequest) {
  Session session(on_gpu(), nullptr,
                  {.interpreter = add_one_factory(), .interpret = true, .cpu_for_gpu = true});
  const Result result = session.run({kInput});
  EXPECT_EQ(result.outputs.at(0), kOutput);
  EXPECT_EQ(result.steps.size(), 2u);
}

/// Runners and servers of boards have none.
TEST(GpuSegments, WithoutADeviceAreRefusedInASentence) {
  EXPECT_THAT(
      [] { Session(on_gpu(), nullptr, {.interpreter = add_one_factory()}); },
      ThrowsMessage<UserError>("'two' was compiled for 'cuda': its steps from 0 on need a GPU, and this "
                               "program has none; vdla run opens one, or compile the model with --target "
                               "cpu"));
}

TEST(GpuSegments, ThatTheDeviceRefusesAreAnErrorOfTheGpu) {
  AddingDevice device;
  device.fails = "load";
  EXPECT_THAT([&] { Session(on_gpu(), nullptr, {.interpreter = {}, .gpu = &device}); },
              ThrowsMessage<GpuError>("no room for it"));
  device.fails = "";
  Session session(on_gpu(), nullptr, {.interpreter = {}, .gpu = &device});
  for (const char* where : {"write 0", "start", "wait", "read 2"}) {
    device.fails = where;
    EXPECT_THAT([&] { session.run({kInput}); }, ThrowsMessage<GpuError>("no room for it")) << where;
    EXPECT_EQ(device.running, 0) << where;
    device.fails = "";
    EXPECT_EQ(session.run({kInput}).outputs.at(0), kOutput) << where;
  }
}

/// in -> A, on the GPU -> left; in -> three steps of the CPU -> right; in -> B, on the GPU -> far; left +
/// right
/// -> near; near + far -> out. A and B stand in front of the CPU's steps.
Module branches() {
  Module m = on_gpu();
  const Tensor like = m.tensors[0];
  m.tensors.resize(1);
  for (const char* name : {"left", "far", "one more", "two more", "right", "near", "out"}) {
    m.tensors.push_back(like);
    m.tensors.back().name = name;
  }
  m.tensors.push_back(
      {.name = "one", .type = DataType::Int8, .shape = {1}, .quantization = {}, .data = int8s({1})});
  const auto step = [&](const char* kernel, std::vector<TensorIndex> arguments) {
    const std::vector<KernelParameter> parameters(arguments.size(), {DataType::Int8, 12});
    m.steps.push_back(HostStep{.kernel = kernel,
                               .loop_ir = "func f",
                               .parameters = parameters,
                               .arguments = arguments,
                               .results = {arguments.back()}});
  };
  m.steps.clear();
  step("add_one", {0, 1});
  step("add_one", {0, 2});
  step("add_one", {0, 3});
  step("add_one", {3, 4});
  step("add_one", {4, 5});
  step("sum", {1, 5, 6});
  step("sum", {6, 2, 7});
  m.outputs[0].tensor = 7;
  m.nodes.clear();
  const auto segment = [&](std::size_t at, TensorIndex made) {
    GpuSegment s;
    s.kind = "cuda";
    s.first_step = at;
    s.layers = {{1, "elementwise", ""}};
    s.program.parts = {{"text", ""}};
    s.program.buffer_bytes = {12, 12, 1};
    s.program.launches = {{"kernel", {1, 1, 1}, {12, 1, 1}, {0, 2, 1}, 0, 0}};
    s.inputs = {{0, 0}};
    s.outputs = {{made, 1}};
    s.constants = {{8, 2}};
    return s;
  };
  m.gpu = {segment(0, 1), segment(1, 2)};
  check(m);
  return m;
}

/// Of kernels "add_one" and "sum", each run of which is in the diary.
HostKernelFactory kernels_in(AddingDevice& device) {
  return [&device, add_one = add_one_factory()](const HostStep& step) -> HostKernel {
    const bool sums = step.kernel == "sum";
    HostKernel one = sums ? HostKernel() : add_one(step);
    return [&device, sums, one](std::span<void* const> arguments) {
      device.note(sums ? "sum" : "add");
      if (!sums) return one(arguments);
      for (int i = 0; i < 12; ++i)
        static_cast<std::int8_t*>(arguments[2])[i] = static_cast<std::int8_t>(
            static_cast<std::int8_t*>(arguments[0])[i] + static_cast<std::int8_t*>(arguments[1])[i]);
    };
  };
}

class GpuBranches : public ::testing::Test {
 protected:
  Session session(const Module& module, bool timed = false) {
    Session made(
        module, nullptr,
        {.interpreter = kernels_in(device_), .interpret = true, .gpu = &device_, .gpu_times = timed});
    device_.diary.clear();
    return made;
  }
  /// in + 1 twice and in + 3.
  const Bytes expected_ = int8s({5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38});
  AddingDevice device_;
};

/// Neither before anything else can be done nor later than the first reader: the device of this test computes
/// when somebody waits.
TEST_F(GpuBranches, RunBesideTheStepsBehindThemThatNeedNothingOfTheirs) {
  Session session = this->session(branches());
  for (int i = 0; i < 2; ++i) {
    device_.diary.clear();
    const Result result = session.run({kInput});
    EXPECT_EQ(result.outputs.at(0), expected_);
    EXPECT_THAT(device_.diary,
                ElementsAre("write 0", "start", "second: write 0", "second: start", "add", "add", "add",
                            "wait", "read 1", "sum", "second: wait", "second: read 1", "sum"));
    ASSERT_EQ(result.gpu.size(), 2u);
    EXPECT_EQ(result.gpu[1].segment, 1u);
    EXPECT_EQ(result.gpu[1].bytes_from, 12u);
  }
}

TEST_F(GpuBranches, AreTimedWhileNoOtherOneRuns) {
  Session session = this->session(branches(), true);
  const Result result = session.run({kInput});
  EXPECT_EQ(result.outputs.at(0), expected_);
  EXPECT_THAT(device_.diary, ElementsAre("write 0", "start", "second: write 0", "second: start", "add", "add",
                                         "add", "wait", "read 1", "second: wait", "run timed", "sum",
                                         "second: read 1", "second: run timed", "sum"));
  EXPECT_THAT(result.gpu.at(1).layer_seconds, ElementsAre(1));
}

TEST_F(GpuBranches, ThatTheCallerAloneReadsAreWaitedForAtTheEnd) {
  Module m = branches();
  m.steps.pop_back();
  m.outputs[0].tensor = 6;
  m.outputs.push_back(m.outputs[0]);
  m.outputs[1].tensor = 2;
  EXPECT_THAT(segments_needed_at(m), ElementsAre(5, 6));
  Session session = this->session(m);
  EXPECT_EQ(session.run({kInput}).outputs.at(1), int8s({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_THAT(device_.diary, ElementsAre("write 0", "start", "second: write 0", "second: start", "add", "add",
                                         "add", "wait", "read 1", "sum", "second: wait", "second: read 1"));
}

/// What nobody reads has a place in the arena for as long as the segment's own steps: it is copied there
/// before another tensor lies in it.
TEST_F(GpuBranches, WithAnOutputThatNobodyReadsAreWaitedForAtTheirEnd) {
  Module m = branches();
  m.steps.pop_back();
  m.outputs[0].tensor = 6;
  EXPECT_THAT(segments_needed_at(m), ElementsAre(5, 2));
  Session session = this->session(m);
  EXPECT_EQ(session.run({kInput}).outputs.at(0), int8s({4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26}));
  EXPECT_THAT(device_.diary,
              ElementsAre("write 0", "start", "second: write 0", "second: start", "second: wait",
                          "second: read 1", "add", "add", "add", "wait", "read 1", "sum"));
}

/// It reads them when it begins.
TEST_F(GpuBranches, ThatAnotherSegmentReadsAreWaitedForInFrontOfIt) {
  Module m = branches();
  std::get<HostStep>(m.steps[1]).arguments[0] = 1;
  m.gpu[1].inputs = {{1, 0}};
  EXPECT_THAT(segments_needed_at(m), ElementsAre(1, 6));
  Session session = this->session(m);
  EXPECT_EQ(session.run({kInput}).outputs.at(0), int8s({6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39}));
  EXPECT_THAT(device_.diary,
              ElementsAre("write 0", "start", "wait", "read 1", "second: write 0", "second: start", "add",
                          "add", "add", "sum", "second: wait", "second: read 1", "sum"));
}

/// Whatever fails, nothing of the GPU runs on into memory that may go, and the session can be used again.
TEST_F(GpuBranches, ComeToTheirEndsWhereSomethingElseFails) {
  Session session = this->session(branches());
  for (const char* where : {"start", "second: write 0", "second: start", "add", "wait", "read 1", "sum",
                            "second: wait", "second: read 1"}) {
    device_.fails = where;
    EXPECT_THROW(session.run({kInput}), UserError) << where;
    EXPECT_EQ(device_.running, 0) << where;
    device_.fails = "";
    EXPECT_EQ(session.run({kInput}).outputs.at(0), expected_) << where;
  }
}

TEST_F(GpuBranches, AKernelThatFailsIsToldWhereItIsWaitedFor) {
  Session session = this->session(branches());
  device_.fails = "second: wait";
  EXPECT_THAT([&] { session.run({kInput}); }, ThrowsMessage<GpuError>("no room for it"));
  EXPECT_THAT(device_.diary, ElementsAre("write 0", "start", "second: write 0", "second: start", "add", "add",
                                         "add", "wait", "read 1", "sum", "second: wait"));
}

class CraftedGpuSegments : public ::testing::Test {
 protected:
  void expect_refused(const std::string& sentence, const std::function<void(GpuSegment&)>& change) {
    Module m = on_gpu();
    change(m.gpu[0]);
    expect_refused(sentence, m);
  }
  static void expect_refused(const std::string& sentence, const Module& m) {
    const Bytes file = pack(to_sections(m));
    EXPECT_THAT([&] { parse(file, "m"); },
                ThrowsMessage<UserError>(AllOf(StartsWith("'m' is corrupt: "), HasSubstr(sentence))));
  }
};

TEST_F(CraftedGpuSegments, AGoodOneIsRead) { EXPECT_NO_THROW(check(on_gpu())); }

TEST_F(CraftedGpuSegments, AnotherKind) {
  expect_refused("segment 0 of the GPU is for 'metal', needs one of cuda, opencl, emulator",
                 [](GpuSegment& s) { s.kind = "metal"; });
}

TEST_F(CraftedGpuSegments, StepsThatAreNotThere) {
  expect_refused("has 2 steps from step 1 on", [](GpuSegment& s) { s.first_step = 1; });
  expect_refused("has 2 steps from step 4294967295 on", [](GpuSegment& s) { s.first_step = UINT32_MAX; });
  expect_refused("has 0 steps from step 0 on", [](GpuSegment& s) {
    s.layers.clear();
    s.program.launches.clear();
  });
}

TEST_F(CraftedGpuSegments, StepsOfAnotherSegment) {
  Module m = on_gpu();
  m.gpu.push_back(m.gpu[0]);
  expect_refused("segment 1 of the GPU has 2 steps from step 0 on", m);
}

TEST_F(CraftedGpuSegments, LaunchesThatNoStepHas) {
  expect_refused("has 2 launches, its steps 5", [](GpuSegment& s) { s.layers[1].launches = 4; });
}

TEST_F(CraftedGpuSegments, PartsAndBuffersThatAreNotThere) {
  expect_refused("kernel 'second' is in part 2 of 2", [](GpuSegment& s) { s.program.launches[1].part = 2; });
  expect_refused("kernel 'first' names buffer 4, the program has 4",
                 [](GpuSegment& s) { s.program.launches[0].arguments[1] = 4; });
  expect_refused("tensor 'in' names buffer 9", [](GpuSegment& s) { s.inputs[0].buffer = 9; });
  expect_refused("names tensor 7, the module has 4", [](GpuSegment& s) { s.outputs[0].tensor = 7; });
}

TEST_F(CraftedGpuSegments, GridsThatNoDriverTakes) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1} << 31, std::size_t{SIZE_MAX}}) {
    expect_refused("kernel 'first' has " + std::to_string(n) + " blocks in an axis",
                   [&](GpuSegment& s) { s.program.launches[0].blocks[2] = n; });
    expect_refused("kernel 'first' has " + std::to_string(n) + " threads in an axis",
                   [&](GpuSegment& s) { s.program.launches[0].threads[1] = n; });
  }
  expect_refused("kernel 'first' has 70000 blocks in an axis, needs 1 to 65535",
                 [&](GpuSegment& s) { s.program.launches[0].blocks[1] = 70000; });
  // Their product is 2^64, of which nothing is left.
  expect_refused("kernel 'first' has more than 16777216 blocks", [&](GpuSegment& s) {
    s.kind = "emulator";
    s.program.launches[0].blocks = {std::size_t{1} << 22, std::size_t{1} << 21, std::size_t{1} << 21};
  });
  expect_refused("kernel 'second' has 4096 threads in a block, needs at most 1024",
                 [](GpuSegment& s) { s.program.launches[1].threads = {4, 1024, 1}; });
  expect_refused("bytes of shared memory",
                 [](GpuSegment& s) { s.program.launches[1].shared_bytes = 1u << 30; });
}

TEST_F(CraftedGpuSegments, BuffersOfMoreThanAnyTensor) {
  expect_refused("has buffers of more than 68719476736 bytes together", [](GpuSegment& s) {
    s.program.buffer_bytes.insert(s.program.buffer_bytes.end(), 2, SIZE_MAX / 2 + 1);
  });
}

TEST_F(CraftedGpuSegments, BuffersOfAnotherSizeThanTheirTensors) {
  expect_refused("tensor 'in' has 12 bytes, its buffer 11",
                 [](GpuSegment& s) { s.program.buffer_bytes[0] = 11; });
  expect_refused("tensor 'one' has 1 bytes, its buffer 2",
                 [](GpuSegment& s) { s.program.buffer_bytes[3] = 2; });
}

TEST_F(CraftedGpuSegments, OneBufferForTwoTensors) {
  expect_refused("tensor 'out' shares buffer 0 with another tensor",
                 [](GpuSegment& s) { s.outputs[0].buffer = 0; });
}

TEST_F(CraftedGpuSegments, ConstantsThatAreNone) {
  expect_refused("tensor 'middle' is no constant", [](GpuSegment& s) { s.constants.push_back({1, 1}); });
  expect_refused("tensor 'one' is a constant and no input or output", [](GpuSegment& s) {
    s.inputs.push_back({3, 3});
    s.constants.clear();
  });
}

TEST_F(CraftedGpuSegments, OutputsThatItsStepsDoNotMake) {
  expect_refused("writes tensor 'in', which is no result of its steps", [](GpuSegment& s) {
    s.inputs.clear();
    s.outputs.push_back({0, 0});
  });
}

TEST_F(CraftedGpuSegments, PlacesInAnArena) {
  expect_refused("has places for 3 buffers of 4", [](GpuSegment& s) { s.program.offsets = {0, 512, 1024}; });
  expect_refused("has buffer 1 at byte 100, needs a multiple of 512",
                 [](GpuSegment& s) { s.program.offsets = {0, 100, 1024, 1536}; });
  for (const std::size_t offset : {std::size_t{1} << 36, SIZE_MAX - 511})
    expect_refused("has buffer 2 at byte " + std::to_string(offset),
                   [&](GpuSegment& s) { s.program.offsets = {0, 512, offset, 1536}; });
}

/// `middle` is no tensor of the segment: it may lie where nothing is that a launch still needs.
TEST_F(CraftedGpuSegments, BuffersInTheSameBytes) {
  Module m = on_gpu();
  m.gpu[0].program.offsets = {0, 512, 1024, 1536};
  EXPECT_NO_THROW(check(m));
  EXPECT_EQ(parse(pack(to_sections(m)), "m").gpu, m.gpu);
  expect_refused("has buffers 1 and 0 in use at once and in the same bytes",
                 [](GpuSegment& s) { s.program.offsets = {0, 0, 1024, 1536}; });
  expect_refused("in use at once and in the same bytes", [](GpuSegment& s) {
    s.program.buffer_bytes[1] = 600;
    s.program.offsets = {1024, 512, 1536, 0};
  });
  // Buffers of one launch each, one after the other.
  m.gpu[0].program.buffer_bytes.insert(m.gpu[0].program.buffer_bytes.end(), {512, 512});
  m.gpu[0].program.launches[0].arguments.push_back(4);
  m.gpu[0].program.launches[1].arguments.push_back(5);
  m.gpu[0].program.offsets = {0, 512, 1024, 1536, 2048, 2048};
  EXPECT_NO_THROW(check(m));
}

/// The arena has no value there: it would be whatever lay there before.
TEST_F(CraftedGpuSegments, ResultsThatNobodyCopiesBack) {
  expect_refused("output 'scores' reads tensor 'out' before anything writes it",
                 [](GpuSegment& s) { s.outputs.clear(); });
}

TEST_F(CraftedGpuSegments, InputsWithoutAValue) {
  expect_refused("the GPU's segment at step 0 reads tensor 'middle' before anything writes it",
                 [](GpuSegment& s) { s.inputs.push_back({1, 1}); });
}

}  // namespace
}  // namespace vdla::runtime
