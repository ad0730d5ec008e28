// SPDX-License-Identifier: Apache-2.0
// vdla build-rtl: the Verilated engine of a variant that the kit was not built with.
#include <fmt/core.h>

#include "isa/variants/variants.h"
#include "tools/vdla/command.h"
#include "tools/vdla/optional_engines.h"

namespace vdla::tools {
namespace {

void build(const std::string& name, const Context& context) {
  const isa::Variant variant = isa::load_variant(name);
  const std::string hash = fmt::format("{:016x}", isa::geometry_hash(variant.geometry));
  fmt::print(stderr, "building the RTL engine of geometry {}, about a minute\n", hash);
  const auto path = build_rtl_engine(variant, context.executable);
  context.report({{"variant", variant.name}, {"geometry_hash", hash}, {"library", path.string()}},
                 [&] { fmt::print("{}\n", path.string()); });
}

}  // namespace

void add_build_rtl(CLI::App& app, Context& context) {
  auto name = std::make_shared<std::string>();
  CLI::App* c = add_command(
      app, context, "build-rtl", "Build the Verilated RTL engine of a variant",
      "The kit comes with tiny and paper. Others are kept by geometry hash and found by every later run.\n"
      "example: vdla build-rtl --variant my_variant.json",
      [name, &context] { build(*name, context); });
  c->add_option("--variant", *name, "Name of a variant, or a file")->required();
}

}  // namespace vdla::tools
