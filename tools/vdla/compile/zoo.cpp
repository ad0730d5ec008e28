// SPDX-License-Identifier: Apache-2.0
// vdla zoo: well-known networks with seeded random weights as ONNX files.
#include <fmt/core.h>

#include "compiler/zoo/zoo.h"
#include "support/error.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct ZooFlags {
  std::string network, output;
  std::uint64_t seed = 1;
  bool floating = false, list = false;
};

ordered_json json_of(const zoo::Entry& e) {
  return {{"network", e.name},
          {"summary", e.summary},
          {"layers", e.layers},
          {"macs", e.macs},
          {"parameters", e.parameters}};
}

void list_networks(const Context& context) {
  ordered_json out = ordered_json::array();
  for (const zoo::Entry& e : zoo::entries()) out.push_back(json_of(e));
  context.report(out, [&] {
    print_table(out, "network|M MACs|K params|",
                "{network:<14} {macs*1e-6:>10.1f} {parameters*1e-3:>10.1f}  {summary}");
  });
}

void write_network(const ZooFlags& flags, const Context& context) {
  const zoo::Entry entry = zoo::entry(flags.network);
  VDLA_CHECK_USER(!flags.output.empty()) << "network '" << entry.name << "' needs -o FILE to be written to";
  const auto form = flags.floating ? zoo::Form::Float : zoo::Form::Qdq;
  const std::string bytes = zoo::make_onnx(entry.name, flags.seed, form);
  write_file(flags.output, bytes);
  ordered_json out = json_of(entry);
  out["form"] = flags.floating ? "float" : "qdq";
  out["seed"] = flags.seed;
  out["bytes"] = bytes.size();
  out["output"] = flags.output;
  context.report(out, [&] {
    fmt::print("{}: {} layers, {:.1f} M MACs, {}, seed {}: {:.1f} KiB to {}\n", entry.name, entry.layers,
               static_cast<double>(entry.macs) / 1e6, flags.floating ? "float32" : "int8 QDQ", flags.seed,
               static_cast<double>(bytes.size()) / 1024, flags.output);
  });
}

void run_zoo(const ZooFlags& flags, const Context& context) {
  if (flags.list) return list_networks(context);
  VDLA_CHECK_USER(!flags.network.empty()) << "needs a network's name, or --list for those there are";
  write_network(flags, context);
}

}  // namespace

void add_zoo(CLI::App& app, Context& context) {
  auto flags = std::make_shared<ZooFlags>();
  CLI::App* c =
      add_command(app, context, "zoo", "Write a well-known network with seeded random weights as ONNX",
                  "Scales are calibrated so that each layer's int8 output is well used. The same\n"
                  "seed gives the same bytes everywhere.\n"
                  "example: vdla zoo resnet18 -o resnet18.onnx && vdla compile resnet18.onnx -o r.vdla",
                  [flags, &context] { run_zoo(*flags, context); });
  auto* list = c->add_flag("--list", flags->list, "Print the networks that there are");
  c->add_option("network", flags->network, "Name, see --list")->excludes(list);
  c->add_option("-o,--output", flags->output, "ONNX file to write")
      ->check(ending({".onnx"}, "an ONNX model"))
      ->excludes(list);
  c->add_option("--seed", flags->seed, "Seed of the weights")->check(not_negative())->capture_default_str();
  c->add_flag("--float", flags->floating, "float32 instead of int8 with QuantizeLinear/DequantizeLinear");
}

}  // namespace vdla::tools
