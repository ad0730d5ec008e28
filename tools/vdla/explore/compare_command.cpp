// SPDX-License-Identifier: Apache-2.0
// vdla compare: two modules, two records of runs, or two variants on a network, layer by layer.
#include <fmt/core.h>

#include <algorithm>

#include "isa/variants/variants.h"
#include "kit/network.h"
#include "runtime/container/module_file.h"
#include "support/error.h"
#include "support/file_kind.h"
#include "support/path.h"
#include "support/whole_json.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/explore/comparison.h"
#include "tools/explore/measure.h"
#include "tools/explore/page.h"
#include "tools/explore/record.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct CompareFlags {
  std::string a, b, network, html;
};

struct Compared {
  std::string title;
  ordered_json record;
};

std::string title_of(const ordered_json& record, const std::string& from) {
  return fmt::format("{} on {} ({})", record.at("model").get<std::string>(),
                     record.at("variant").at("name").get<std::string>(), from);
}

ordered_json record_in(const ordered_json& point, const std::string& what) {
  VDLA_CHECK_USER(point.at("status") == "ok") << what << ": " << point.at("reason").get<std::string>();
  return point.at("record");
}

Compared side_of_variant(const std::string& name, const graph::Graph& graph) {
  VDLA_CHECK_USER(!kit::is_module(name))
      << name << ": is a compiled module, and --network compares variants; leave it out";
  Compared side;
  side.record = record_in(explore::measure(graph, named_variant(name), "systemc"), "variant '" + name + "'");
  side.title = title_of(side.record, "variant " + name);
  return side;
}

std::string side_share(const ordered_json& row) {
  if (row.at("a").is_null()) return "only B";
  if (row.at("b").is_null()) return "only A";
  const double before = row.at("a").at("cycles");
  return before == 0 ? "" : fmt::format("{:+.1f} %", 100 * row.at("difference").get<double>() / before);
}

std::string comparison_text(const ordered_json& comparison) {
  std::string text = fmt::format("A: {}\nB: {}\n", comparison.at("a").at("title").get<std::string>(),
                                 comparison.at("b").at("title").get<std::string>());
  ordered_json rows = comparison.at("layers");
  for (ordered_json& row : rows) row["share"] = side_share(row);
  const auto& total = comparison.at("total");
  rows.push_back({{"name", "total"},
                  {"a", {{"cycles", total.at("a")}}},
                  {"b", {{"cycles", total.at("b")}}},
                  {"difference", total.at("difference")},
                  {"share", fmt::format("{:+.1f} %", 100 * total.at("gain").get<double>())}});
  for (const std::string& line :
       table_lines(rows, "layer, most different first|cycles A|cycles B|B - A|of A|A bound by|B bound by",
                   "{name:<24+} {a.cycles:>11} {b.cycles:>11} {difference:>+11} {share:>10}  {a.bound:<12} "
                   "{b.bound}"))
    text += line + "\n";
  for (const char* side : {"a", "b"}) {
    const auto& s = comparison.at(side);
    text += fmt::format(
        "{}: {:.3f} ms at an assumed {} MHz, array {:.1f} % used, {} bytes of DRAM, {:.0f} uJ by the model\n",
        side[0] == 'a' ? "A" : "B", s.at("ms").get<double>(),
        s.at("variant").at("timing").at("clock_mhz").get<double>(), 100 * s.at("utilisation").get<double>(),
        s.at("dram").at("read").get<std::uint64_t>() + s.at("dram").at("write").get<std::uint64_t>(),
        s.at("energy").at("total").get<double>());
  }
  return text;
}

/// A record as it is, a module after a run.
Compared side_of_file(const std::string& file) {
  const bool variant =
      std::ranges::any_of(isa::builtin_variants(), [&](const auto& v) { return v.name == file; });
  VDLA_CHECK_USER(!variant || is_there(file))
      << "'" << file << "' is a variant, which needs a network to be compared on: --network FILE";
  const std::string text = read_text(file);
  const FileKind kind = file_kind(text);
  Compared side;
  if (kind == FileKind::Json) {
    side.record = explore::parse_record(text, file);
  } else {
    VDLA_CHECK_USER(kind == FileKind::Module)
        << file << ": " << wrong_kind(kind, "a compiled module (.vdla) or a record of vdla run --record");
    side.record = record_in(explore::measure_module(runtime::load(file), "systemc"), file);
  }
  // Compares the record with itself: this shows that all keys that a comparison reads are there.
  return whole_json("record " + file, explore::kRecordAgain, [&] {
    side.title = title_of(side.record, file);
    (void)comparison_text(explore::compare_records(side.title, side.record, side.title, side.record));
    return side;
  });
}

void compare(const CompareFlags& f, const Context& context) {
  Compared a, b;
  if (f.network.empty()) {
    a = side_of_file(f.a);
    b = side_of_file(f.b);
  } else {
    const graph::Graph graph = kit::read_network(f.network);
    a = side_of_variant(f.a, graph);
    b = side_of_variant(f.b, graph);
  }
  ordered_json comparison = explore::compare_records(a.title, a.record, b.title, b.record);
  if (!f.html.empty()) {
    write_file(f.html, explore::compare_page(comparison));
    comparison["output"] = f.html;
  }
  context.report(comparison, [&] {
    fmt::print("{}", comparison_text(comparison));
    if (!f.html.empty()) fmt::print("{}\n", f.html);
  });
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  auto f = std::make_shared<CompareFlags>();
  CLI::App* c = add_command(
      app, context, "compare", "Compare two modules, two runs, or two variants on a network, layer by layer",
      "Modules run on the SystemC engine without data; a record is taken as it is. With --network both are "
      "variants,\n"
      "for which the network is compiled, all that the device can compute on it. Layers are matched by "
      "name.\n"
      "example: vdla compare before.vdla after.vdla --html compare.html\n"
      "         vdla compare paper my_variant.json --network net.tflite",
      [f, &context] { compare(*f, context); });
  c->add_option("a", f->a, "Module (.vdla), record of vdla run --record, or variant")->required();
  c->add_option("b", f->b, "Module, record or variant to compare with")->required();
  c->add_option("--network", f->network,
                "Compare two variants on this network (.tflite, .onnx, or graph text)");
  c->add_option("--html", f->html, "Write the comparison as a page")
      ->check(ending({".html", ".htm"}, "an HTML page"));
}

}  // namespace vdla::tools
