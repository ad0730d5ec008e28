// SPDX-License-Identifier: Apache-2.0
// The .vdla file: round trip, and the message of everything that can be wrong with a file or a module.
#include "runtime/container/module_file.h"

#include <gmock/gmock.h>

#include <sys/mman.h>

#include <filesystem>
#include <fstream>

#include <flatbuffers/flatbuffers.h>

#include "runtime/container/module_payload.h"
#include "runtime/module/module_check.h"
#include "support/error.h"
#include "tests/isa/geometry_numbers.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

/// A folder of its own for each test.
class ModuleFile : public ::testing::Test {
 protected:
  ModuleFile() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~ModuleFile() override { std::filesystem::remove_all(folder); }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      (std::string("vdla_module_file_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const std::filesystem::path path = folder / "net.vdla";
};

void expect_equal(const Module& a, const Module& b) {
  EXPECT_EQ(a.model_name, b.model_name);
  EXPECT_EQ(a.provenance, b.provenance);
  EXPECT_EQ(a.other_sections, b.other_sections);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.variant.name, b.variant.name);
  EXPECT_EQ(a.variant.geometry, b.variant.geometry);
  EXPECT_EQ(a.variant.timing, b.variant.timing);
  EXPECT_EQ(a.tensors, b.tensors);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.objects, b.objects);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.outputs, b.outputs);
  EXPECT_EQ(a.nodes, b.nodes);
}

/// One that module.fbs, the encoder or the decoder forgot would come back as its default.
TEST_F(ModuleFile, KeepsEveryNumberOfTheGeometry) {
  std::size_t number = 0;
  for (const isa::Geometry& g : isa::geometries_with_one_changed([](unsigned n) { return 2 * n; })) {
    SCOPED_TRACE("number " + std::to_string(number++) + " of struct Geometry");
    Module m = two_host_steps();
    m.variant.geometry = g;
    save(m, path);
    EXPECT_EQ(load(path).variant.geometry, g);
  }
}

TEST_F(ModuleFile, RoundTrip) {
  Module m = two_host_steps();
  m.variant.geometry.block_in = 32;
  m.variant.timing.clock_mhz = 142.5;
  m.inputs[0].rounding = Rounding::HalfAwayFromZero;
  m.tensors.push_back({.name = "weights",
                       .type = DataType::Int32,
                       .shape = {2},
                       .quantization = {{1, 2}, {0, 0}, 0},
                       .data = Bytes(8, std::byte{7})});
  m.objects = {{.triple = "aarch64-unknown-linux-gnu",
                .cpu = "cortex-a53",
                .features = "+neon",
                .elf = int8s({1, 2, 3})}};
  m.provenance = {.producer = "vdla 1.2",
                  .command = "vdla compile m.onnx",
                  .model_file = "m.onnx",
                  .model_sha256 = "00ff",
                  .tuned_threads = 4,
                  .tuned_device = "a GPU"};
  m.other_sections = {{"x-notes", false, int8s({1, 2})}};
  save(m, path);
  expect_equal(load(path), m);
  EXPECT_EQ(files(), 1u);
}

TEST_F(ModuleFile, MissingFile) {
  EXPECT_THAT([&] { load(path); }, ThrowsMessage<UserError>(StrEq("cannot read '" + path.string() +
                                                                  "': No such file or directory")));
  EXPECT_THAT([&] { load(folder); },
              ThrowsMessage<UserError>(StrEq("cannot read '" + folder.string() + "': it is a folder")));
}

TEST_F(ModuleFile, NotAModule) {
  std::ofstream(path) << "hello";
  EXPECT_THAT([&] { load(path); }, ThrowsMessage<UserError>(StrEq("'" + path.string() +
                                                                  "' is text, needs a compiled module; make "
                                                                  "one with 'vdla compile'")));
}

TEST_F(ModuleFile, OutputThatCannotBeWritten) {
  const auto nowhere = folder / "missing" / "net.vdla";
  EXPECT_THAT(
      [&] { save(two_host_steps(), nowhere); },
      ThrowsMessage<UserError>(StrEq(nowhere.string() + ": cannot be written: No such file or directory")));
  std::filesystem::create_directories(path / "occupied");
  EXPECT_THAT([&] { save(two_host_steps(), path); },
              ThrowsMessage<UserError>(StrEq(path.string() + ": cannot be written: is a folder")));
  EXPECT_EQ(files(), 1u);  // no temporary file is left
}

TEST_F(ModuleFile, AFailedSaveKeepsTheOldFile) {
  save(two_host_steps(), path);
  Module broken = two_host_steps();
  broken.outputs[0].tensor = 99;
  EXPECT_THROW(save(broken, path), UserError);
  expect_equal(load(path), two_host_steps());
  EXPECT_EQ(files(), 1u);
}

TEST(ModuleBytes, EveryFlippedByteIsNoticed) {
  const Bytes bytes = serialize(two_host_steps());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Bytes corrupt = bytes;
    corrupt[at] ^= std::byte{0x10};
    EXPECT_THROW(parse(corrupt, "m"), UserError) << "byte " << at;
  }
}

/// What this kit's versions up to format 1 wrote: 32 bytes of header in front of the payload.
TEST(ModuleBytes, AModuleOfFormat1) {
  Bytes bytes = int8s({'V', 'D', 'L', 'A', '-', 'M', 'O', 'D', 1, 0, 0, 0});
  bytes.resize(1000);
  EXPECT_THAT([&] { parse(bytes, "m"); },
              ThrowsMessage<UserError>(StrEq("'m' has module format version 1, this kit reads version 2; "
                                             "compile the model again")));
}

class ModuleFaults : public ::testing::Test {
 protected:
  void expect_fault(const std::string& message) {
    EXPECT_THAT([&] { check(m); }, ThrowsMessage<UserError>(StrEq(message)));
  }
  HostStep& step(std::size_t i) { return std::get<HostStep>(m.steps[i]); }

  Module m = two_host_steps();
};

TEST_F(ModuleFaults, Tensors) {
  m.tensors[1].shape[2] = -2;
  expect_fault("tensor 'middle' has a bad shape: 1x2x-2x3");
  m.tensors[1].shape[2] = std::int64_t{1} << 60;
  expect_fault("tensor 'middle' has a bad shape: 1x2x1152921504606846976x3");
  m.tensors[1].shape[2] = 2;
  m.tensors[1].data = Bytes(3);
  expect_fault("constant 'middle' has 3 bytes, its shape 1x2x2x3 needs 12");
}

TEST_F(ModuleFaults, Geometry) {
  m.variant.geometry.block_in = 0;
  EXPECT_THAT([&] { check(m); }, ThrowsMessage<UserError>(HasSubstr("block_in")));
}

TEST_F(ModuleFaults, TensorIndices) {
  step(0).arguments[0] = 3;
  expect_fault("step 0 (kernel 'add_one') names tensor 3, the module has 3");
  m = two_host_steps();
  m.inputs[0].tensor = 7;
  expect_fault("input 'image' names tensor 7, the module has 3");
}

TEST_F(ModuleFaults, Order) {
  std::swap(m.steps[0], m.steps[1]);
  expect_fault("step 0 (kernel 'add_one') reads tensor 'middle' before anything writes it");
  m.steps.clear();
  m.nodes.clear();
  expect_fault("output 'scores' reads tensor 'out' before anything writes it");
}

TEST_F(ModuleFaults, Results) {
  step(0).results = {2};
  expect_fault("step 0 (kernel 'add_one') writes tensor 2, which is not among its arguments");
  step(0).results = {1};
  m.tensors[1].data = Bytes(12);
  expect_fault("step 0 (kernel 'add_one') writes tensor 'middle', which is a constant");
}

TEST_F(ModuleFaults, Ports) {
  m.inputs[0].perm = {0, 2, 2, 1};
  expect_fault("input 'image' has a permutation that does not fit its shape 1x3x2x2");
  m.inputs[0].perm = {0, 1};
  expect_fault("input 'image' has a permutation that does not fit its shape 1x3x2x2");
  m = two_host_steps();
  m.outputs[0].model_shape = {13};
  expect_fault("output 'scores' has shape 13, its tensor 'out' has 1x2x2x3");
}

TEST_F(ModuleFaults, Nodes) {
  m.nodes[0].step = 2;
  expect_fault("node 'first' names step 2, the module has 2");
}

TEST(Module, IdealCycles) {
  NodeInfo node;
  node.macs = 2560;
  EXPECT_EQ(ideal_gemm_cycles(node, isa::Geometry{}), 10.0);
  EXPECT_FALSE(needs_device(two_host_steps()));
}

/// FlatBuffers looks at its limit in builds with assertions alone: a larger module wrapped its offsets.
TEST_F(ModuleFile, WhatFlatBuffersHasNoRoomForIsRefusedWhenItIsWritten) {
  Module m = two_host_steps();
  m.tensors.push_back({.name = "weights", .shape = {100'000}, .quantization = {}, .data = Bytes(100'000)});
  const std::size_t bytes = encode_payload(m).size();
  EXPECT_NO_THROW(encode_payload(m, bytes + 1024));
  for (const std::size_t most : {bytes, bytes - 1, std::size_t{50'000}, std::size_t{2000}, std::size_t{10}})
    EXPECT_THAT([&] { encode_payload(m, most); },
                ThrowsMessage<UserError>(::testing::AllOf(
                    HasSubstr("bytes and more, its file has room for " + std::to_string(most)),
                    HasSubstr("split the network"))))
        << most;
  m = two_host_steps();
  DeviceStep device;
  device.program.constants = Bytes(100'000);
  m.steps.push_back(device);
  EXPECT_THROW(encode_payload(m, 100'000), UserError);
  EXPECT_EQ(kMaxPayloadBytes, FLATBUFFERS_MAX_BUFFER_SIZE);
}

TEST_F(ModuleFile, APayloadThatFlatBuffersCannotReadIsRefusedUnread) {
  constexpr std::size_t kBytes = kMaxPayloadBytes + 1;  // addresses without memory behind them
  void* nothing = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(nothing, MAP_FAILED);
  Module m;
  EXPECT_THAT([&] { decode_payload({static_cast<const std::byte*>(nothing), kBytes}, "big.vdla", m); },
              ThrowsMessage<UserError>(StrEq(
                  "'big.vdla' is corrupt: its section 'payload' has 2147483648 bytes, at most 2147483647 "
                  "can be read")));
  munmap(nothing, kBytes);
}

}  // namespace
}  // namespace vdla::runtime
