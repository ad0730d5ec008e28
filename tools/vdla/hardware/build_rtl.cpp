// SPDX-License-Identifier: Apache-2.0
// vdla build-rtl: the Verilated engine of a variant that the kit was not built with, or the hardware's
// sources with its parameters.
#include <fmt/core.h>

#include "isa/variants/variants.h"
#include "kit/rtl.h"
#include "tools/common/engine_flags.h"
#include "tools/common/validators.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {
namespace {

struct BuildRtlFlags {
  std::string variant, build = "fast", source, out, folder;
};

void export_sources(const isa::Variant& variant, const BuildRtlFlags& f, const Context& context) {
  const std::vector<std::string> written = kit::export_rtl(variant, f.folder);
  context.report({{"variant", isa::label(variant)},
                  {"geometry_hash", fmt::format("{:016x}", isa::geometry_hash(variant.geometry))},
                  {"top", "vdla_axi"},
                  {"folder", f.folder},
                  {"files", written}},
                 [&] {
                   fmt::print("{} files in {}: files.f lists the sources, vdla_axi is the top\n",
                              written.size(), f.folder);
                 });
}

void build(const BuildRtlFlags& f, const Context& context) {
  const isa::Variant variant = named_variant(f.variant);
  if (!f.folder.empty()) return export_sources(variant, f, context);
  const std::string hash = fmt::format("{:016x}", isa::geometry_hash(variant.geometry));
  const auto kind = rtl_build(f.build);
  fmt::print(stderr, "building the RTL engine of geometry {} ({}), {}\n", hash, f.build,
             kind == sim::RtlBuild::Gates ? "some minutes for tiny, more for larger ones" : "about a minute");
  const auto path = kit::build_rtl_engine(variant, kind, f.source, f.out);
  context.report({{"variant", isa::label(variant)},
                  {"geometry_hash", hash},
                  {"build", f.build},
                  {"library", path.string()}},
                 [&] { fmt::print("{}\n", path.string()); });
}

}  // namespace

void add_build_rtl(CLI::App& app, Context& context) {
  auto f = std::make_shared<BuildRtlFlags>();
  CLI::App* c = add_command(
      app, context, "build-rtl", "Build the Verilated RTL engine of a variant, or give its hardware away",
      "The kit comes with tiny, paper and vta. Others are kept by geometry hash and build, and found "
      "by every later "
      "run.\n" +
          rtl_build_help() +
          "example: vdla build-rtl --variant my_variant.json --build check\n"
          "         vdla build-rtl --variant my_variant.json --export rtl   # for an FPGA's tools: "
          "docs/integration.md",
      [f, &context] { build(*f, context); });
  c->add_option("--variant", f->variant, kVariantHelp)->required();
  auto* kind = c->add_option("--build", f->build, "Kind of build, see below")
                   ->check(one_of(rtl_build_names()))
                   ->capture_default_str();
  auto* out = c->add_option(
      "--out", f->out, "Folder for the library; default: the cache in which all commands look for engines");
  c->add_option(
       "--source", f->source,
       "Root of other sources of the hardware than the kit's own; needs --out, the cache is for the kit's")
      ->check(CLI::ExistingDirectory)
      ->needs(out);
  c->add_option("--export", f->folder,
                "Write the hardware's sources to this folder in place of building a library; vdla_axi has "
                "the variant's parameters as defaults")
      ->excludes(out)
      ->excludes(kind);
}

}  // namespace vdla::tools
