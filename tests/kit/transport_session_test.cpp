// SPDX-License-Identifier: Apache-2.0
// Modules on a device that a transport reaches: outputs, cycles and names as on the engine itself.
#include <gmock/gmock.h>

#include <sstream>

#include "driver/sim/sim_transport.h"
#include "kit/engine.h"
#include "kit/session.h"
#include "support/error.h"
#include "tests/runtime/device_module.h"
#include "tests/runtime/small_modules.h"

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

TEST(TransportSession, HasNoTimeline) {
  const auto engine = make_engine("functional", doubling_module().variant);
  driver::SimTransport transport(*engine);
  std::ostringstream timeline;
  EXPECT_THAT([&] { Session(doubling_module(), transport.transport(), "uio0", {.timeline = &timeline}); },
              ::testing::ThrowsMessage<UserError>("a timeline needs an engine: uio0 has no trace"));
}

}  // namespace
}  // namespace vdla::kit
