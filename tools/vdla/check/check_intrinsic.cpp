// SPDX-License-Identifier: Apache-2.0
// vdla check-intrinsic: generated tests of what an intrinsic declares against what it is lowered to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/check/check.h"
#include "compiler/intrinsics/table.h"
#include "compiler/tensorize/host_table.h"
#include "compiler/tensorize/parse.h"
#include "kit/campaign.h"
#include "kit/engine.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/path.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/data/text_input.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {
namespace {

using intrinsics::Intrinsic;
using nlohmann::ordered_json;

struct CheckFlags {
  std::string what, engine = "all", variant = "tiny";
  bool list = false;
  check::CheckOptions options;
};

/// The declarations of a file, or of the kit: all of a name, one form, or "kit" for each.
std::vector<Intrinsic> chosen(const std::string& what, const isa::Geometry& geometry) {
  if (is_file(what))
    return {
        tensorize::parse_intrinsic(read_text_of(what, "the declaration of an intrinsic"), what, geometry)};
  std::vector<Intrinsic> table = intrinsics::device_intrinsics(geometry);
  if (what == "kit") return table;
  std::vector<std::string> names;
  for (const Intrinsic& intrinsic : table) {
    if (std::ranges::find(names, intrinsic.name) == names.end()) names.push_back(intrinsic.name);
  }
  std::erase_if(table, [&](const Intrinsic& i) { return i.name != what && i.variant != what; });
  VDLA_CHECK_USER(!tensorize::is_host_intrinsic(what))
      << "'" << what << "' is an intrinsic of CPUs; only those of the device are checked on engines: "
      << fmt::format("{}", fmt::join(names, ", "));
  VDLA_CHECK_USER(!table.empty()) << "'" << what << "' is no file and no intrinsic of the kit, needs a file, "
                                  << fmt::format("{}", fmt::join(names, ", "))
                                  << ", kit for all of them, or a form as --list shows them"
                                  << did_you_mean(what, names);
  return table;
}

void list(const isa::Geometry& geometry, const Context& context) {
  ordered_json out = ordered_json::array();
  for (const Intrinsic& intrinsic : intrinsics::device_intrinsics(geometry))
    out.push_back({{"name", intrinsic.name}, {"form", intrinsic.variant}});
  context.report(out, [&] {
    for (const auto& row : out) fmt::print("{}\n", row["form"].get<std::string>());
  });
}

ordered_json json_of(const check::Mismatch& mismatch) {
  ordered_json elements = ordered_json::array();
  for (const std::size_t i : mismatch.differing())
    elements.push_back({{"element", i}, {"expected", mismatch.expected[i]}, {"seen", mismatch.seen[i]}});
  return {{"engine", mismatch.engine}, {"case", mismatch.number}, {"shrinks", mismatch.shrinks},
          {"fault", mismatch.fault},   {"elements", elements},    {"operands", mismatch.smallest.values},
          {"text", mismatch.text()}};
}

void run_check(const CheckFlags& flags, const Context& context) {
  const isa::Variant variant = named_variant(flags.variant);
  if (flags.list) return list(variant.geometry, context);
  VDLA_CHECK_USER(!flags.what.empty())
      << "which intrinsic? Needs a file, the name of one of the kit's, or kit";
  const std::vector<Intrinsic> intrinsics = chosen(flags.what, variant.geometry);
  const std::vector<std::string> names =
      flags.engine == "all" ? kit::engine_names() : std::vector<std::string>{flags.engine};
  std::vector<std::unique_ptr<sim::Engine>> made;
  std::vector<sim::Engine*> engines;
  for (const std::string& name : names) {
    made.push_back(kit::make_campaign_engine(name, variant).engine);
    engines.push_back(made.back().get());
  }
  bool differs = false;
  ordered_json rows = ordered_json::array();
  for (const Intrinsic& intrinsic : intrinsics) {
    const check::CheckReport report =
        check::check_intrinsic(intrinsic, variant.geometry, engines, flags.options);
    ordered_json row = {{"name", intrinsic.name}, {"form", intrinsic.variant}, {"cases", report.cases}};
    if (report.mismatch) row["mismatch"] = json_of(*report.mismatch);
    differs = differs || report.mismatch;
    rows.push_back(std::move(row));
  }
  const ordered_json out = {
      {"variant", flags.variant}, {"engines", names}, {"seed", flags.options.seed}, {"intrinsics", rows}};
  context.report(out, [&] {
    for (const auto& row : rows) {
      if (row.contains("mismatch")) {
        fmt::print("{}", row["mismatch"]["text"].get<std::string>());
      } else {
        fmt::print("{}: {} cases agree on {}\n", row["form"].get<std::string>(),
                   row["cases"].get<std::uint64_t>(), fmt::join(names, ", "));
      }
    }
  });
  if (differs) throw Difference();
}

}  // namespace

void add_check_intrinsic(CLI::App& app, Context& context) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* c = add_command(
      app, context, "check-intrinsic", "Compare an intrinsic's lowering with its declaration on engines",
      "Cases are generated: loops and strides around the call, boundary values in entries "
      "and attributes. What the\n"
      "declaration means is interpreted; what it is lowered to runs on each engine. The first "
      "difference is shrunk\n"
      "and shown side by side. Exit status 1 when there is one.\n"
      "example: vdla check-intrinsic examples/own_intrinsic/amplify.intrinsic --engine rtl\n"
      "         vdla check-intrinsic kit --count 5",
      [flags, &context] { run_check(*flags, context); });
  std::vector<std::string> engines = kit::engine_names();
  engines.emplace_back("all");
  auto* list = c->add_flag("--list", flags->list, "List the forms of the kit's intrinsics");
  c->add_option("intrinsic", flags->what,
                "File of a declaration; or of the kit: a name, a form, or kit for all")
      ->excludes(list);
  c->add_option("--engine", flags->engine, fmt::format("{}", fmt::join(engines, ", ")))
      ->check(one_of(engines))
      ->capture_default_str()
      ->excludes(list);
  c->add_option("--variant", flags->variant, kVariantHelp)->capture_default_str();
  c->add_option("--seed", flags->options.seed, "Seed of the cases")
      ->check(not_negative())
      ->capture_default_str()
      ->excludes(list);
  c->add_option("--count", flags->options.count, "Number of cases of each intrinsic")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str()
      ->excludes(list);
}

}  // namespace vdla::tools
