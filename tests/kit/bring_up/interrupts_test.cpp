// SPDX-License-Identifier: Apache-2.0
// The interrupt, a thousand times: what a board's line can have is counted and named.
#include "kit/bring_up/interrupts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "runtime/device/device.h"
#include "tests/kit/bring_up/faulty_board.h"

namespace vdla::kit {
namespace {

using ::testing::HasSubstr;

class InterruptOfABoard : public ::testing::Test {
 protected:
  InterruptOfABoard() { board.calls.first_wait = 64; }

  InterruptResult test(std::uint32_t programs) { return test_interrupts(board.calls, variant, programs); }
  /// Polling looks at the device and lets no time pass, so a simulated one runs when it is started.
  void run_at_start() {
    board.write32 = [this](std::uint32_t offset, std::uint32_t value) {
      const int failed = board.right.write32(board.right.context, offset, value);
      std::uint64_t spent = 0;
      if (offset == static_cast<std::uint32_t>(Register::CONTROL) && (value & isa::kControlStart) != 0)
        board.right.wait_interrupt(board.right.context, 1'000'000, &spent);
      return failed;
    };
  }
  /// The n-th wait for the line ends as `result` says, others with an interrupt.
  void line(std::function<vdla_wait_result(unsigned n)> result) {
    board.wait = [result = std::move(result), n = 0u](std::uint64_t timeout, std::uint64_t* spent) mutable {
      const vdla_wait_result r = result(n++);
      *spent = r == VDLA_WAIT_TIMEOUT ? timeout : 0;
      return r;
    };
  }

  isa::Variant variant = isa::load_variant("tiny");
  Board board{variant};
};

TEST_F(InterruptOfABoard, IsToldOfAThousandEnds) {
  run_at_start();
  line([](unsigned) { return VDLA_WAIT_INTERRUPT; });
  const InterruptResult r = test(1000);
  EXPECT_EQ(r.programs, 1000u);
  EXPECT_EQ(r.told, 1000u);
  EXPECT_TRUE(r.good());
  EXPECT_EQ(r.cause(), "");
  EXPECT_TRUE(r.can_get_lost && r.has_clock);
  EXPECT_GT(r.waited.median, 0);
  EXPECT_GE(r.waited.most, r.waited.most_of_100);
  EXPECT_EQ(board.allocated_bytes(), 0u);
}

TEST_F(InterruptOfABoard, ThatIsNotWiredIsNamedSoon) {
  run_at_start();
  line([](unsigned) { return VDLA_WAIT_TIMEOUT; });
  const InterruptResult r = test(1000);
  EXPECT_EQ(r.lost, 5u);
  EXPECT_EQ(r.told, 0u);
  EXPECT_THAT(r.cause(),
              HasSubstr("the interrupt is not wired, or its controller has it off: none of 5 came"));
}

TEST_F(InterruptOfABoard, ThatGetsLostNowAndThenIsCounted) {
  run_at_start();
  line([](unsigned n) { return n % 100 == 7 ? VDLA_WAIT_TIMEOUT : VDLA_WAIT_INTERRUPT; });
  const InterruptResult r = test(1000);
  EXPECT_EQ(r.programs, 1000u);
  EXPECT_EQ(r.lost, 10u);
  EXPECT_EQ(r.told, 990u);
  EXPECT_THAT(r.cause(), HasSubstr("10 of 1000 interrupts got lost"));
}

/// A line that a neighbour raises, while the program runs: it ends at the third wait.
TEST_F(InterruptOfABoard, ThatComesWithoutCauseIsCounted) {
  const auto wait = board.wait;
  unsigned n = 0;
  board.calls.first_wait = 0;  // programs are not polled
  board.wait = [&](std::uint64_t timeout, std::uint64_t* spent) {
    if (++n > 32 && n % 3 != 0) return VDLA_WAIT_INTERRUPT;
    return wait(timeout, spent);
  };
  const InterruptResult r = test(30);
  EXPECT_EQ(r.told, 30u);
  EXPECT_GT(r.unexplained, 30u);
  EXPECT_THAT(r.cause(), HasSubstr("came while the program still ran"));
}

TEST_F(InterruptOfABoard, AProgramThatDoesNotEndSaysWhy) {
  board.calls.first_wait = 0;
  board.wait = [](std::uint64_t, std::uint64_t*) { return VDLA_WAIT_STUCK; };
  EXPECT_THROW(test(3), runtime::DeviceError);
}

}  // namespace
}  // namespace vdla::kit
