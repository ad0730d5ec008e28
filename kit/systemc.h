// SPDX-License-Identifier: Apache-2.0
// The engine that needs a package which may be absent. CMake links the real file or the one that says what is
// missing.
#pragma once

#include <memory>

#include "sim/memory.h"

namespace vdla::sim {
struct CampaignEngine;
}

namespace vdla::kit {

/// Whether this kit was built with SystemC.
bool have_systemc();

/// `timing_only`: the right cycles, without the data.
std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant& variant, sim::Memory memory,
                                                 bool timing_only);
/// For sim/lockstep/campaign.h: with links between units that can be held back.
sim::CampaignEngine make_systemc_campaign_engine(const isa::Variant& variant, std::uint64_t memory_bytes);

}  // namespace vdla::kit
