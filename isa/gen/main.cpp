// SPDX-License-Identifier: Apache-2.0
// vdla-isagen: writes the committed files that derive from isa/spec; with --check it only says which ones are
// stale.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>

#include "isa/gen/emit.h"
#include "support/output_file.h"

int main(int argc, char** argv) {
  CLI::App app("writes the files that derive from the definition of the instruction set", "vdla-isagen");
  std::filesystem::path root = ".";
  bool check = false;
  app.add_option("--root", root, "root of the source tree")->capture_default_str();
  app.add_flag("--check", check, "write nothing, fail when a file is stale");
  CLI11_PARSE(app, argc, argv);
  try {
    int stale = 0;
    for (const auto& [path, text] : vdla::isa::gen::all(root)) {
      std::ifstream stream(root / path, std::ios::binary);
      const std::string old{std::istreambuf_iterator<char>(stream), {}};
      if (old == text) continue;
      fmt::print("{} {}\n", check ? "stale:" : "wrote", path.string());
      ++stale;
      if (!check) vdla::write_output((root / path).string(), text);
    }
    return check && stale != 0 ? 1 : 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "vdla-isagen: {}\n", e.what());
    return 1;
  }
}
