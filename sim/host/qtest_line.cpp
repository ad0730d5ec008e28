// SPDX-License-Identifier: Apache-2.0
#include "sim/host/qtest_line.h"

#include <fmt/format.h>

#include "support/error.h"

namespace vdla::sim {
namespace {

constexpr std::chrono::milliseconds kAnswer{10'000};

}  // namespace

void QtestLine::set(bool high) {
  if (high == high_) return;
  connection_.send(fmt::format("set_irq_in {} unnamed-gpio-in {} {:d}\n", object_, input_, high));
  std::string answer;
  while (answer.find('\n') == std::string::npos)
    VDLA_CHECK_USER(connection_.receive(answer, kAnswer))
        << connection_.peer() << " does not answer within " << kAnswer.count() / 1000 << " s";
  VDLA_CHECK_USER(answer.starts_with("OK"))
      << connection_.peer() << " has no interrupt input " << input_ << " of " << object_ << ": "
      << answer.substr(0, answer.find('\n')) << "; qemu/interrupt_object of the board's board.json names it";
  high_ = high;
}

}  // namespace vdla::sim
