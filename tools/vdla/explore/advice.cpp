// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explore/advice.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <thread>

#include "kit/network.h"
#include "kit/systemc.h"
#include "sim/trace/bound.h"
#include "support/error.h"
#include "tools/common/table.h"
#include "tools/explore/advice.h"
#include "tools/vdla/common/progress_line.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

std::string signed_percent(double gain) { return fmt::format("{:+.1f} %", 100 * gain); }

/// "array 2x16x16 -31.0 %, DRAM latency half -4.2 %": the best two.
std::string helps_text(const ordered_json& helps) {
  constexpr std::size_t kShown = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, helps.size()); ++i)
    text += (i == 0 ? "" : ", ") + helps[i].at("change").get<std::string>() + " " +
            signed_percent(helps[i].at("gain"));
  return text;
}

std::string helps_of(const ordered_json& record, const std::string& layer) {
  if (!record.contains("advice")) return "";
  for (const ordered_json& row : record.at("advice").at("layers"))
    if (row.at("name") == layer) return helps_text(row.at("helps"));
  return "";
}

/// Row of the table of bounds, for a layer of a record or all of it.
ordered_json bound_row(const std::string& name, const ordered_json& of, const std::string& helps) {
  const ordered_json& bound = of.at("bound");
  ordered_json row{{"name", name}, {"cycles", of.at("cycles")}, {"by", bound.at("by")}, {"helps", helps}};
  const double cycles = of.at("cycles");
  for (const auto& [resource, works] : bound.at("works").items())
    row[resource] = cycles == 0 ? 0 : works.get<double>() / cycles;
  return row;
}

/// Changes as one list of names.
void print_names(const char* head, const std::vector<std::string>& names) {
  if (names.empty()) return;
  fmt::print("{}", head);
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("{}{}", i == 0 ? " " : ", ", names[i]);
  fmt::print("\n");
}

}  // namespace

ordered_json advice_for(const ordered_json& record, const std::string& model, const std::string& part) {
  VDLA_CHECK_USER(kit::have_systemc()) << "advice is re-run on the SystemC engine, which this build lacks: "
                                          "install Debian's libsystemc-dev and build again";
  explore::AdviceOptions options;
  if (!part.empty()) options.part = explore::load_part(part);
  const graph::Graph graph = kit::read_network(model);
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  options.progress = ProgressLine("changes");
  return explore::advise(graph, record, options);
}

void print_bounds(const ordered_json& record) {
  if (!record.contains("bound")) return;  // a record of an older kit
  ordered_json rows = ordered_json::array();
  for (const ordered_json& layer : record.at("layers"))
    if (layer.contains("bound"))
      rows.push_back(bound_row(layer.at("name"), layer, helps_of(record, layer.at("name"))));
  rows.push_back(bound_row("total", record, ""));
  print_table(rows,
              std::string("layer|cycles|bound by|array|vector|bus|") +
                  (record.contains("advice") ? "confirmed to help" : ""),
              "{name:<5+} {cycles:>11}  {by:<12} {array*100:>6.1f}% {vector unit*100:>6.1f}% "
              "{bus*100:>6.1f}%  {helps}");
}

void print_advice(const ordered_json& advice) {
  std::vector<std::string> useless, impossible;
  std::set<std::string> notes;
  ordered_json proposed = ordered_json::array();
  for (const ordered_json& t : advice.at("tried")) {
    const std::string change = t.at("change");
    if (t.at("status") != "ok") {
      impossible.push_back(change + " (" + t.at("reason").get<std::string>() + ")");
      continue;
    }
    if (!t.at("proposed").get<bool>()) {
      const double gain = t.at("gain");
      constexpr double kShown = 0.0005;  // a tenth of a per cent when rounded
      useless.push_back(change + (std::abs(gain) < kShown ? "" : " " + signed_percent(gain)));
      continue;
    }
    if (t.contains("area_note")) notes.insert(t.at("area_note").get<std::string>());
    proposed.push_back(t);
    proposed.back()["gain"] = signed_percent(t.at("gain"));
  }
  if (!proposed.empty())
    print_table(
        proposed, "proposed, each re-run|cycles|gain|LUT|DSP|BRAM",
        "{change:<28} {cycles:>12} {gain:>9}   {area.lut:>+7.0f} {area.dsp:>+5.0f} {area.bram:>+6.1f}");
  else
    fmt::print("nothing to propose: no single change saves {:.0f} % of the cycles\n",
               100 * advice.at("worthwhile").get<double>());
  for (const std::string& note : notes) fmt::print("{}\n", note);
  print_names("no gain:", useless);
  print_names("cannot be tried:", impossible);
}

}  // namespace vdla::tools
