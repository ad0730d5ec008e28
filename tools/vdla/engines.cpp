// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/functional/engine.h"
#include "support/error.h"
#include "tools/vdla/optional_engines.h"

namespace vdla::tools {

std::vector<std::string> engine_names() { return {"functional", "systemc", "rtl"}; }

std::unique_ptr<sim::Engine> make_engine(const std::string& name, const isa::Variant& variant,
                                         const std::filesystem::path& executable) {
  if (name == "functional") return sim::make_functional_engine(variant);
  if (name == "systemc") return make_systemc_engine(variant);
  if (name == "rtl") return make_rtl_engine(variant, executable);
  throw UserError(fmt::format("--engine '{}' is not known, needs {}", name, fmt::join(engine_names(), ", ")));
}

}  // namespace vdla::tools
