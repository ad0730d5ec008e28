// SPDX-License-Identifier: Apache-2.0
// vdla explain: where each node of a module runs, why, at what cost, and what is copied because of it.
#include <fmt/core.h>

#include <algorithm>

#include "isa/variants/variants.h"
#include "tools/vdla/command.h"
#include "tools/vdla/module_info.h"
#include "tools/vdla/trust.h"

namespace vdla::tools {
namespace {

struct Flags {
  std::string module;
  TrustFlag trust;
};

void explain(const Flags& f, const Context& context) {
  const runtime::Module m = f.trust.load(f.module);
  nlohmann::ordered_json out{{"model", m.model_name},
                             {"target", m.target},
                             {"variant", isa::label(m.variant)},
                             {"producer", m.provenance.producer}};
  std::uint64_t macs = 0, device_macs = 0;
  for (const auto& n : m.nodes) {
    macs += n.macs;
    if (n.place == "vdla") device_macs += n.macs;
    out["nodes"].push_back({{"name", n.name},
                            {"op", n.op},
                            {"place", n.place},
                            {"reason", n.reason},
                            {"step", n.step},
                            {"macs", n.macs},
                            {"estimated_cycles", n.estimated_cycles},
                            {"bytes_to_device", n.bytes_to_device},
                            {"bytes_from_device", n.bytes_from_device}});
  }
  if (!m.preprocessing.empty()) out["preprocessing"] = to_string(m.preprocessing);
  if (!m.class_names.empty()) out["class_names"] = m.class_names;
  for (const auto& s : m.other_sections) out["unknown_sections"].push_back(s.name);
  out["macs"] = macs;
  out["macs_on_device"] = device_macs;
  context.report(out, [&] {
    fmt::print("{} for {}, variant {}\n\n", m.model_name, m.target, isa::label(m.variant));
    std::size_t widest = std::string_view("node").size();
    for (const auto& n : m.nodes) widest = std::max(widest, n.name.size());
    fmt::print("{:<{}} {:<16} {:<6} {:>4} {:>11} {:>11} {:>10} {:>10}  {}\n", "node", widest, "operator",
               "place", "step", "MACs", "est. cycles", "to device", "from dev.", "reason");
    for (const auto& n : m.nodes)
      fmt::print("{:<{}} {:<16} {:<6} {:>4} {:>11} {:>11.0f} {:>10} {:>10}  {}\n", n.name, widest, n.op,
                 n.place, n.step < 0 ? "-" : std::to_string(n.step), n.macs, n.estimated_cycles,
                 n.bytes_to_device, n.bytes_from_device, n.reason);
    fmt::print("\n{:.2f} % of {} multiply-accumulates on the device\n",
               macs == 0 ? 0.0 : 100.0 * static_cast<double>(device_macs) / static_cast<double>(macs), macs);
    if (!m.preprocessing.empty()) fmt::print("images become the input by {}\n", to_string(m.preprocessing));
    if (!m.class_names.empty()) fmt::print("{} classes have names\n", m.class_names.size());
    if (!m.other_sections.empty())
      fmt::print("sections that this kit does not know, kept as they are: {}\n", names_of(m.other_sections));
  });
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  auto f = std::make_shared<Flags>();
  CLI::App* c = add_command(app, context, "explain",
                            "Where each node runs, why, its cost, and the copies that it causes",
                            "example: vdla explain net.vdla", [f, &context] { explain(*f, context); });
  c->add_option("module", f->module, "Compiled module (.vdla)")->required();
  f->trust.add_to(*c);
}

}  // namespace vdla::tools
