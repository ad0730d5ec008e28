// SPDX-License-Identifier: Apache-2.0
// A case as a text file: assembler text that `vdla asm` takes too, with what the windows hold and how the
// case is run in comments that begin with ";@".
//
//   ;@ variant tiny
//   ;@ seed 429
//   ;@ timing 48 8 8              latency, outstanding reads, bytes per cycle
//   ;@ skew 4
//   ;@ disturbance 77 64 0 16     seed, bus, latency, inside
//   ;@ state 77                  seed of the random state in which a new machine of the RTL starts
//   ;@ cut input 64             memory ends at byte 64 of the window
//   ;@ count 7                   instructions that the device is told of, if not all
//   ;@ error 1 4 3 45            code, unit, instruction, rule (0: none) that the device must report
//   ;@ size output 1024
//   ;@ bytes input 32 0001ff..    from byte 32 on; what is not listed is zero
#pragma once

#include <string>
#include <string_view>

#include "sim/lockstep/campaign.h"

namespace vdla::sim {

struct StoredCase {
  std::string variant;
  Case c;
};

/// `notes` stand at the top as comments, one line each.
std::string to_text(const StoredCase& stored, std::string_view notes = {});

/// Throws UserError with origin and line.
StoredCase parse_case(std::string_view text, std::string_view origin);

}  // namespace vdla::sim
