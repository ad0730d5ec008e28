// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"
#include "tools/vdla/optional_engines.h"

namespace vdla::tools {

bool have_systemc() { return false; }

std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant&, std::uint64_t, bool) {
  throw UserError("this build has no SystemC engine: install libsystemc-dev and build again");
}

}  // namespace vdla::tools
