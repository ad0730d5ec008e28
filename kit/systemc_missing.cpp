// SPDX-License-Identifier: Apache-2.0
#include "kit/systemc.h"
#include "support/error.h"

namespace vdla::kit {

bool have_systemc() { return false; }

std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant&, std::uint64_t, bool) {
  throw UserError("this build has no SystemC engine: install libsystemc-dev and build again");
}

}  // namespace vdla::kit
