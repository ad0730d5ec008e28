// SPDX-License-Identifier: Apache-2.0
// The table of the device's code generation: passes over the stream, in the order in which a compile runs
// them, and what may stand in it after each. encode() takes what the last one leaves.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/codegen/vdla/verify.h"

namespace vdla::codegen {

/// Whether units work at the same time.
enum class Latency : std::uint8_t {
  Hidden,           ///< an instruction waits for what it needs
  HiddenByThreads,  ///< as Hidden, and tiles lie where there is room first: only virtual threads have two
  Exposed,          ///< and for all before it on other units: one unit works at a time
};

struct StreamPass {
  std::string_view name;
  void (*run)(Stream&);
  Forms leaves;                      ///< forms that may stand in the stream from here on
  std::optional<Latency> only = {};  ///< way of hiding latency in comparisons that it is for
};

std::span<const StreamPass> stream_passes();
/// Passes that a compile runs.
std::vector<StreamPass> stream_passes(Latency latency);

/// Throws UserError that lists the names for one that is none of them.
const StreamPass& find_stream_pass(std::string_view name);

/// The pass after which `form` may stand no more; null for one that stays.
const StreamPass* remover_of(Form form);

/// Sees the stream after each pass.
using StreamObserver = std::function<void(const StreamPass&, const Stream&)>;

/// Runs one pass, and verifies the stream before and after it: what the pass cannot take is the caller's
/// mistake (UserError), what it breaks is the pass's (InternalError naming it).
void run_verified(const StreamPass& pass, Stream& stream);

}  // namespace vdla::codegen
