// SPDX-License-Identifier: Apache-2.0
// Bandwidth by the device's counters: as the model says where the machine is that of the model, and what is
// found where its memory is slower.
#include "kit/bring_up/bandwidth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/sim/sim_transport.h"
#include "isa/variants/variants.h"
#include "kit/engine.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Measured on a machine with the memory of `real`, by whoever takes it for `believed`.
Bandwidth measured(const isa::Variant& real, const isa::Variant& believed) {
  const auto engine = make_engine("systemc", real);
  driver::SimTransport transport(*engine);
  Bandwidth result = measure_bandwidth(*transport.transport(), believed);
  EXPECT_EQ(transport.allocated_bytes(), 0u);
  return result;
}

class BandwidthOfAMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      make_engine("systemc", isa::load_variant("tiny"));
    } catch (const UserError& e) {
      GTEST_SKIP() << e.what();
    }
  }
};

TEST_F(BandwidthOfAMachine, IsThatOfTheModel) {
  for (const char* name : {"tiny", "paper"})
    for (const unsigned latency : {10u, 48u, 200u})
      for (const unsigned bus : {8u, 2u})
        for (const unsigned burst : {256u, 128u}) {
          isa::Variant variant = isa::load_variant(name);
          variant.timing = {.dram_latency = latency, .dram_burst_bytes = burst, .dram_bytes_per_cycle = bus};
          const Bandwidth b = measured(variant, variant);
          EXPECT_EQ(b.finding(), "");
          EXPECT_EQ(b.latency, latency);
          for (const BandwidthRow& row : b.rows)
            EXPECT_NEAR(row.share(), 1, 0.05)
                << name << ' ' << isa::to_string(row.unit) << ' ' << row.bytes << ' ' << latency;
        }
}

TEST_F(BandwidthOfAMachine, SaysWhatIsSlower) {
  const isa::Variant paper = isa::load_variant("paper");
  isa::Variant real = paper;
  real.timing.dram_bytes_per_cycle = 4;
  EXPECT_THAT(
      measured(real, paper).finding(),
      StartsWith("large transfers reach 50 % (load) and 52 % (store) of the model: look at the width"));
  real = paper;
  real.timing.dram_latency = 100;
  real.timing.dram_outstanding = 16;
  EXPECT_THAT(measured(real, paper).finding(),
              StartsWith("the first data comes 52 cycles later than the model says"));
  real = paper;
  real.timing.dram_outstanding = 2;
  EXPECT_THAT(measured(real, paper).finding(), HasSubstr("of the model"));
}

TEST(BandwidthWithoutTime, IsRefused) {
  const isa::Variant tiny = isa::load_variant("tiny");
  const auto engine = make_engine("functional", tiny);
  driver::SimTransport transport(*engine);
  EXPECT_THROW(measure_bandwidth(*transport.transport(), tiny), UserError);
}

}  // namespace
}  // namespace vdla::kit
