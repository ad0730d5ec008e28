// SPDX-License-Identifier: Apache-2.0
// vdla-rtl-build: what the kit's own build uses to make the Verilated machines that come with it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "isa/variants/variants.h"
#include "sim/rtl/library.h"

int main(int argc, char** argv) {
  const std::vector<std::string> names(vdla::sim::kRtlBuildTexts.begin(), vdla::sim::kRtlBuildTexts.end());
  CLI::App app{"Builds the Verilated machine of one variant"};
  std::string variant, build = "fast";
  vdla::sim::RtlBuildOptions options;
  app.add_option("--variant", variant, "name or file")->required();
  app.add_option("--source", options.source, "root of the kit's sources")->required();
  app.add_option("--out", options.out_dir, "folder for the library")->required();
  app.add_option("--build", build, "which build")->check(CLI::IsMember(names))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    options.build = vdla::sim::find_rtl_build(build).value();
    vdla::sim::build_rtl(vdla::isa::load_variant(variant), options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
  return 0;
}
