// SPDX-License-Identifier: Apache-2.0
// Words of firmware without texts (boards/firmware/without_texts.c): numbers in place of a failed run's
// sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/module/module.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

struct FailureWords {
  std::optional<vdla_driver_status> status;  ///< status that the firmware printed in front of the words
  std::vector<std::uint64_t> numbers;
};

/// Reads "186a0 e3 30b3 21 ..", hexadecimal, or a whole line "status 9 of run: 186a0 ..". UserError names the
/// word that is no number.
FailureWords parse_failure(const std::string& text);

/// Outcome of the run that the words are of, as the driver with texts says it. UserError where no message of
/// the driver has this many numbers.
runtime::Device::Outcome outcome_of(const FailureWords& words);

/// Prints the failure in terms of the module whose program the firmware ran.
void explain_failure(const std::string& text, const runtime::Module& module, const Context& context);

}  // namespace vdla::tools
