// SPDX-License-Identifier: Apache-2.0
// Campaigns of random programs in lock step. A case is a program with what its windows hold, a memory timing
// and a disturbance, all drawn from one seed; engines are made once and go from case to case by soft reset,
// but for an eighth of the cases, which new machines of the RTL run from a random state.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/random/mix.h"
#include "isa/random/random.h"
#include "isa/spec/errors.h"
#include "isa/spec/legality.h"
#include "sim/lockstep/lockstep.h"
#include "sim/rtl/disturbance.h"

namespace vdla::sim {

/// An engine of a campaign.
struct CampaignEngine {
  std::unique_ptr<Engine> engine;
  std::function<void(const Disturbance&)> disturb;  ///< empty where nothing can be disturbed
  bool disturbs_inside = false;  ///< `disturb` holds back handshakes inside as well: no `checking` is needed
  /// Takes the place of `engine` where handshakes inside are held back or a new machine starts in a random
  /// state: a slower build that can do that and checks itself. Null where there is none: then neither
  /// happens.
  std::unique_ptr<Engine> checking;
  std::function<void(const Disturbance&)> disturb_checking;
  std::function<void(std::uint64_t)> power_up_checking;
};
/// Makes the engines of a campaign for one timing of the variant; the first is the one that others are
/// compared with.
using MakeEngines = std::function<std::vector<CampaignEngine>(const isa::Variant&)>;

struct CampaignOptions {
  std::optional<unsigned> insns;  ///< instead of the drawn number
  std::uint64_t cycle_limit = 20'000'000;
  bool errors = false;          ///< programs with a fault, each followed by a small good one
  bool disturb = true;          ///< a third of the cases; the others compare cycles
  bool compare_digests = true;  ///< as LockstepOptions say
};

/// How a case of the error campaign ends.
struct ExpectedError {
  isa::ErrorCode code = isa::ErrorCode::None;
  isa::Unit unit = isa::Unit::Fetch;
  std::uint32_t insn = 0;
  unsigned rule = 0;                    ///< rule of an illegal instruction
  std::optional<isa::InsnWords> words;  ///< words that stand in place of the instruction
  std::string what;                     ///< fault that was put in
};

struct Case {
  std::uint64_t seed = 0;
  Job job;
  isa::Timing timing;
  Disturbance disturbance;
  std::uint64_t state = 0;  ///< not 0: the seed of a new machine in a random state
  /// Whether cycles of engines with time count, where nothing disturbs them.
  bool compare_cycles = true;
  std::optional<ExpectedError> error;  ///< nothing: the program is good
};
/// Draws a case of the legal campaign.
Case draw_case(const isa::Variant& variant, std::uint64_t seed, const CampaignOptions& options = {});
/// Draws a case of the error campaign: a small program with one fault.
Case draw_error_case(const isa::Variant& variant, std::uint64_t seed, const CampaignOptions& options = {});

class Campaign {
 public:
  Campaign(isa::Variant variant, MakeEngines make, CampaignOptions options = {});

  const isa::Variant& variant() const { return variant_; }
  /// Runs one case on all engines; the first difference in words, empty when there is none. Engines must
  /// agree on an expected error and on where it is, not on memory. An engine that throws (a failed assertion
  /// of the hardware) differs; it is made anew.
  std::string run(const Case& c);

 private:
  struct Set {
    isa::Timing timing;
    std::vector<CampaignEngine> engines;
  };
  std::string check_error(Engine& engine, const ExpectedError& expected);
  std::string compare_error_address(Engine& first, Engine& engine);
  Set& engines_for(const isa::Timing& timing);

  isa::Variant variant_;
  MakeEngines make_;
  CampaignOptions options_;
  std::vector<Set> sets_;
};

/// The smallest case found, with at most max_runs, that is legal and makes engines of the campaign differ, in
/// more than cycles if the given one does. Disturbance and another timing go first if the difference stays.
Case shrink_case(Campaign& campaign, const Case& failing, std::size_t max_runs = 2000);

struct CampaignFailure {
  std::uint64_t seed = 0;
  std::string difference;
};

struct CampaignResult {
  std::uint64_t programs = 0;
  std::uint64_t random_states = 0;  ///< programs that a new machine in a random state ran
  isa::Mix mix;
  std::map<std::string, std::uint64_t> errors;  ///< numbers of errors by what was wrong
  std::optional<CampaignFailure> failure;
};

/// Runs the cases of `count` seeds, the first of which is `first`, and stops at the first that differs.
CampaignResult run_campaign(Campaign& campaign, std::uint64_t first, std::uint64_t count,
                            const CampaignOptions& options);

}  // namespace vdla::sim
