// SPDX-License-Identifier: Apache-2.0
// vdla doctor: what the kit finds on this machine, whether it works, and what to do where it does not.
#include <fmt/format.h>

#include "tools/vdla/common/command.h"
#include "tools/vdla/common/version.h"
#include "tools/vdla/doctor/doctor_findings.h"
#include "tools/vdla/doctor/self_test.h"

namespace vdla::tools {
namespace {

const char* word_for(Health health) {
  switch (health) {
    case Health::Good:
      return "ok";
    case Health::Lacking:
      return "lacks";
    case Health::Broken:
      return "broken";
  }
  return "";
}

std::vector<Finding> self_test_findings() {
  std::vector<Finding> findings;
  for (const SelfTest& test : self_test())
    findings.push_back({"self test: " + test.engine, test.text, test.passed ? "" : test.remedy,
                        test.passed  ? Health::Good
                        : test.there ? Health::Broken
                                     : Health::Lacking});
  return findings;
}

void examine(const Context& context) {
  std::vector<Finding> all{{"kit", version_text(), "", Health::Good}};
  for (const auto& part : {cpu_findings(), package_findings(), tool_findings(), rtl_findings(),
                           cache_findings(), self_test_findings()})
    all.insert(all.end(), part.begin(), part.end());
  nlohmann::ordered_json out{{"version", version_text()}, {"healthy", true}};
  for (const Finding& f : all) {
    if (f.health == Health::Broken) out["healthy"] = false;
    nlohmann::ordered_json row{{"part", f.part}, {"health", word_for(f.health)}, {"text", f.text}};
    if (!f.remedy.empty()) row["remedy"] = f.remedy;
    out["findings"].push_back(row);
  }
  context.report(out, [&] {
    for (const Finding& f : all) {
      fmt::print("{:<7} {}: {}\n", word_for(f.health), f.part, f.text);
      if (!f.remedy.empty()) fmt::print("        remedy: {}\n", f.remedy);
    }
    fmt::print("{}\n", out["healthy"].get<bool>() ? "Everything that is needed works."
                                                  : "Something that is needed is broken, see above.");
  });
  if (!out["healthy"].get<bool>()) throw Difference{};
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  add_command(
      app, context, "doctor",
      "Check packages, engines, caches and the CPU, run a self test, and list remedies",
      "ok: there and right. lacks: something optional cannot be done without it. broken: needed and wrong.\n"
      "Exit status 1 when something is broken.\n"
      "example: vdla doctor --json",
      [&context] { examine(context); });
}

}  // namespace vdla::tools
