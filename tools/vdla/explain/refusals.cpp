// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain/refusals.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "support/inert.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::size_t refused_operators(const import::ModelReport& report) {
  return report.operators - report.taken - report.not_looked_at;
}

ordered_json json_of(const import::Refusal& r) {
  return {{r.is_operator ? "operator" : "port", r.op},
          {"count", r.nodes.size()},
          {"first_node", r.nodes.front()},
          {"nodes", r.nodes},
          {"element_types", r.types},
          {"reads", r.reads},
          {"gives", r.gives},
          {"reason", r.reason},
          {"remedy", r.remedy},
          {"macs", r.macs}};
}

/// Words of a model, in one line each.
void print_line(const char* what, const std::string& text) {
  if (!text.empty()) fmt::print("  {:<14} {}\n", what, visible(text));
}

void print(const import::Refusal& r) {
  const std::size_t count = r.nodes.size();
  fmt::print("\n{}: {} {}{}, {}'{}'\n", visible(r.op), count, r.is_operator ? "node" : "tensor",
             count == 1 ? "" : "s", count == 1 ? "" : "first ", visible(r.nodes.front()));
  print_line("element types", fmt::format("{}", fmt::join(r.types, "; ")));
  print_line("reads", fmt::format("{}", fmt::join(r.reads, ", ")));
  print_line("gives", fmt::format("{}", fmt::join(r.gives, ", ")));
  print_line("reason", r.reason);
  print_line("remedy", r.remedy);
}

}  // namespace

void report_refusals(const std::string& file, const std::string& error, const import::ModelReport& report,
                     const Context& context) {
  const std::size_t refused = refused_operators(report);
  ordered_json out{{"error", error},
                   {"kind", "user"},
                   {"model", file},
                   {"operators", report.operators},
                   {"taken", report.taken},
                   {"refused", refused},
                   {"not_looked_at", report.not_looked_at},
                   {"macs", report.macs},
                   {"macs_taken", report.macs_taken}};
  for (const import::Refusal& r : report.refusals) out["refusals"].push_back(json_of(r));
  context.report(out, [&] {
    fmt::print("{} does not compile: {} of {} operators {} refused\n", file, refused, report.operators,
               refused == 1 ? "is" : "are");
    for (const import::Refusal& r : report.refusals) print(r);
    fmt::print("\n{} of {} operators ({:.2f} %) would compile", report.taken, report.operators,
               percent(report.taken, report.operators));
    if (report.macs > 0)
      fmt::print(", with {:.2f} % of {} multiply-accumulates of layers whose shapes are known",
                 percent(report.macs_taken, report.macs), report.macs);
    fmt::print("\n");
    if (report.not_looked_at > 0)
      fmt::print("not looked at: {}, which read what a refused operator would give\n", report.not_looked_at);
  });
}

}  // namespace vdla::tools
