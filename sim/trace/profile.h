// SPDX-License-Identifier: Apache-2.0
// Accounts of the cycles of one run: per unit and reason, per layer, along time, and DRAM bytes by window.
// Every account adds up to the cycles that it is about.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/trace/bound.h"
#include "sim/trace/event.h"
#include "sim/trace/profile_options.h"

namespace vdla::trace {

/// Activity of a unit in a cycle, and the units that it waits on.
struct Reason {
  Activity activity = Activity::Idle;
  std::uint8_t peers = 0;  ///< bit per unit, as in Event
  auto operator<=>(const Reason&) const = default;
};

/// "busy", "pop load", "push vector,store".
std::string to_string(const Reason& reason);

/// Units by name: "load,gemm"; bit per unit.
std::string peer_list(unsigned peers);

using Account = std::map<Reason, Cycle>;
using Accounts = std::array<Account, isa::kUnits.size()>;  ///< accounts by unit

Cycle total(const Account& account);

struct Traffic {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};

/// A layer's cycles run from the previous layer's last retire to its own; `units` accounts for exactly these,
/// whichever layer uses them. Bytes and busy cycles are those of the layer's own instructions, whenever they
/// ran.
struct LayerProfile {
  Cycle cycles = 0;
  Cycle end = 0;  ///< end of these cycles, from the start of the run; 0: the layer has no instruction
  Accounts units;
  std::array<Cycle, isa::kUnits.size()> own_busy{};
  Traffic traffic;
  Bound bound;  ///< bound of these cycles
};

/// A stretch of the run, for pictures.
struct Bin {
  std::array<Cycle, isa::kUnits.size()> busy{};
  Traffic traffic;
};

struct Profile {
  Cycle cycles = 0;  ///< from start to done
  Accounts units;
  std::vector<LayerProfile> layers;
  LayerProfile rest;  ///< after the last layer's last retire
  std::array<Traffic, isa::kWindowCount> windows{};
  Cycle bin_cycles = 0;
  std::vector<Bin> bins;
};

/// Profile of one run: events from its Start to its Done. Throws UserError when the spans of a unit overlap,
/// or a burst is in no window.
Profile profile(std::span<const Event> run, const ProfileOptions& options);

/// The runs that the events tell of, each from its Start on.
std::vector<std::span<const Event>> runs_of(std::span<const Event> events);

}  // namespace vdla::trace
