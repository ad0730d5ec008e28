// SPDX-License-Identifier: Apache-2.0
#include "kit/systemc.h"
#include "sim/lockstep/campaign.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

[[noreturn]] void refuse_systemc() {
  throw UserError("this build has no SystemC engine: install libsystemc-dev and build again");
}

}  // namespace

bool have_systemc() { return false; }

std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant&, sim::Memory, bool) { refuse_systemc(); }

sim::CampaignEngine make_systemc_campaign_engine(const isa::Variant&, std::uint64_t) { refuse_systemc(); }

}  // namespace vdla::kit
