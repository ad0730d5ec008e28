// SPDX-License-Identifier: Apache-2.0
// Modules on a device that a transport reaches: outputs, cycles and names as on the engine itself.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "driver/sim/sim_transport.h"
#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "kit/device_variant.h"
#include "kit/engine.h"
#include "kit/session.h"
#include "runtime/device/device.h"
#include "support/error.h"
#include "tests/runtime/module/device_module.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::kit {
namespace {

using runtime::doubling_module;

const runtime::Bytes kSixNumbers = runtime::int8s({1, -2, 3, 40, 64, -64});

TEST(TransportSession, RunsAsOnTheEngineBehindIt) {
  const auto engine = make_engine("functional", doubling_module().variant);
  driver::SimTransport transport(*engine);
  Session device(doubling_module(), transport.transport(), "board of the test", {.costs = true});
  Session same(doubling_module(), "functional");
  const runtime::Result result = device.run_model({kSixNumbers});
  EXPECT_EQ(result.outputs, same.run_model({kSixNumbers}).outputs);
  EXPECT_TRUE(result.layers.empty()) << "nobody sees a board's layers";
  EXPECT_EQ(result.write_bytes, 8u);
  EXPECT_EQ(device.name(), "board of the test");
  EXPECT_TRUE(device.has_time());
  EXPECT_TRUE(device.end_waves()) << "there are none to end";
  EXPECT_EQ(same.name(), "functional");
  EXPECT_FALSE(same.has_time());
}

/// A device that differs in one number, for each of them; and one that the kit has a name for.
TEST(TransportSession, AMismatchNamesTheNumberAndTheCommandThatMakesAModuleThatFits) {
  const auto refusal = [](const isa::Variant& variant) {
    const auto engine = make_engine("functional", variant);
    driver::SimTransport transport(*engine);
    try {
      Session(doubling_module(), transport.transport(), "board", {.chosen = "--uio vdla"});
    } catch (const runtime::DeviceError& e) {
      EXPECT_EQ(e.status(), VDLA_DRIVER_GEOMETRY);
      return std::string(e.what());
    }
    return std::string("no refusal");
  };
  const std::string begin =
      "'doubling', compiled for variant 'tiny', cannot run on this device: the device has another geometry "
      "than "
      "the program was compiled for: ";
  for (const isa::GeometryField& field : isa::kGeometryFields) {
    isa::Variant other = doubling_module().variant;
    unsigned& number = other.geometry.*field.member;
    const unsigned needed = number;
    number = number * 2 <= field.most ? number * 2 : number / 2;
    EXPECT_EQ(
        refusal(other),
        fmt::format("{}{} is {}, needs {}; compile it again for the device's variant: vdla info --device "
                    "--uio vdla --output device.json && vdla compile NETWORK --variant device.json",
                    begin, field.name, number, needed));
  }
  EXPECT_THAT(refusal(isa::load_variant("wide")),
              ::testing::EndsWith(": vdla compile NETWORK --variant wide"));
}

/// What the registers say becomes the variant that one compiles for.
TEST(TransportSession, ADeviceSaysItsVariant) {
  isa::Variant odd = doubling_module().variant;
  odd.geometry.uop_depth *= 2;
  const auto engine = make_engine("functional", odd);
  driver::SimTransport transport(*engine);
  runtime::DeviceFacts facts = runtime::read_facts(*transport.transport());
  EXPECT_EQ(variant_of(facts).geometry, odd.geometry);
  EXPECT_EQ(variant_of(facts).name, "device");
  EXPECT_EQ(facts.build_id, isa::kSimulatedBuild);
  facts.clock_khz = 66'667;
  EXPECT_DOUBLE_EQ(variant_of(facts).timing.clock_mhz, 66.667);
  facts.geometry_hash ^= 1;
  EXPECT_THAT(
      [&] { variant_of(facts); },
      ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("with that as its parameter GeometryHash")));
  EXPECT_EQ(command_that_fits(facts, "--uio vdla"), "");
  EXPECT_EQ(
      runtime::describe_mismatch(facts, odd.geometry).find("register GEOMETRY_HASH of the device is 0x"), 0u);
  facts = {.isa_version = 2};
  EXPECT_THAT([&] { variant_of(facts); },
              ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("ISA version 2, this kit reads")));
  EXPECT_THAT(runtime::describe_mismatch(facts, odd.geometry), ::testing::HasSubstr("has ISA version 2"));
}

TEST(TransportSession, HasNoTimeline) {
  const auto engine = make_engine("functional", doubling_module().variant);
  driver::SimTransport transport(*engine);
  std::ostringstream timeline;
  EXPECT_THAT([&] { Session(doubling_module(), transport.transport(), "uio0", {.timeline = &timeline}); },
              ::testing::ThrowsMessage<UserError>("a timeline needs an engine: uio0 has no trace"));
}

}  // namespace
}  // namespace vdla::kit
