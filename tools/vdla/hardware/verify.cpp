// SPDX-License-Identifier: Apache-2.0
// vdla verify: proves the programs of a module, or an assembler text, or says what is wrong with them.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/random/draw.h"
#include "isa/verify/footprint.h"
#include "isa/verify/verify.h"
#include "kit/network.h"
#include "runtime/device/device_program.h"
#include "support/error.h"
#include "tools/common/experiment.h"
#include "tools/data/files.h"
#include "tools/data/text_input.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/trust.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

constexpr isa::Window kDataWindows[] = {isa::Window::Act, isa::Window::Input, isa::Window::Output,
                                        isa::Window::Spare0, isa::Window::Spare1};

struct VerifyFlags {
  std::string program, variant = "paper";
  std::vector<std::string> windows;
  std::size_t max_findings = 20;
  bool dynamic = false;
  unsigned orders = 8, all_orders = 0;
  std::uint64_t seed = 1;
  TrustFlag trust;
  const CLI::App* command = nullptr;
};

/// A program with what is known of its windows.
struct Subject {
  std::string name;  ///< "step 0"; empty: the whole file
  sim::Experiment experiment;
  isa::VerifyOptions options;

  const isa::Program& program() const { return experiment.program; }
};

/// "act=4096"
std::pair<isa::Window, std::uint64_t> parse_window(const std::string& text) {
  const auto equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto row = std::ranges::find(isa::kWindows, name, &isa::NamedCode::text);
  const std::string size = equals == std::string::npos ? "" : text.substr(equals + 1);
  VDLA_CHECK_USER(row != isa::kWindows.end() && !size.empty() && size.size() < 16 &&
                  std::ranges::all_of(size, [](char c) { return c >= '0' && c <= '9'; }))
      << "--window: '" << text
      << "' is not NAME=BYTES with a name of const, act, input, output, spare0, spare1";
  const auto window = static_cast<isa::Window>(row->code);
  VDLA_CHECK_USER(window != isa::Window::Insn && window != isa::Window::Uop)
      << "--window: the size of " << name << " follows from the program";
  return {window, std::stoull(size)};
}

/// Bytes up to the last one that the program touches in a window.
std::uint64_t reach(const isa::Program& program, isa::Window window) {
  std::int64_t end = 0;
  for (const isa::Insn& insn : program.insns)
    if (const auto access = isa::dram_access(insn, program.geometry); access && access->window == window)
      end = std::max(end, access->box.highest() + 1);
  return static_cast<std::uint64_t>(end);
}

Subject from_text(const VerifyFlags& f) {
  Subject subject;
  isa::Program& program = subject.experiment.program;
  program.geometry = named_variant(f.variant).geometry;
  const isa::Assembly assembly =
      isa::assemble(read_text_of(f.program, "a compiled module (.vdla) or assembler text"), f.program);
  VDLA_CHECK_USER(!assembly.insns.empty()) << f.program << ": has no instruction, needs at least finish";
  for (std::size_t i = 0; i < assembly.insns.size(); ++i) {
    const auto insn = isa::try_decode(assembly.insns[i]);
    VDLA_CHECK_USER(insn) << f.program << ":" << assembly.lines[i] << ": the word is no instruction";
    program.insns.push_back(*insn);
    program.source_map.loops.push_back(fmt::format("line {}", assembly.lines[i]));
    program.source_map.insns.push_back({0, static_cast<std::uint32_t>(i)});
  }
  program.source_map.layers = {{f.program, "assembler text", ""}};
  for (const isa::Uop& uop : assembly.uops) program.kernels.push_back({uop, {}});
  for (isa::Window w : kDataWindows)
    program.data_window_sizes[static_cast<std::size_t>(w)] = reach(program, w);
  std::uint64_t constants = reach(program, isa::Window::Const);
  for (const std::string& text : f.windows) {
    const auto [window, bytes] = parse_window(text);
    (window == isa::Window::Const ? constants : program.data_window_sizes[static_cast<std::size_t>(window)]) =
        bytes;
  }
  const auto require_few = [&](isa::Window window, std::uint64_t bytes) {
    constexpr std::uint64_t kMost = 1ull << 30;
    VDLA_CHECK_USER(bytes <= kMost) << f.program << ": window " << isa::to_string(window) << " has " << bytes
                                    << " bytes, at most " << kMost << " are looked at";
  };
  for (isa::Window w : kDataWindows) require_few(w, program.data_window_sizes[static_cast<std::size_t>(w)]);
  require_few(isa::Window::Const, constants);
  program.constants.resize(constants);
  isa::Draw draw(f.seed);
  for (isa::Window w : kDataWindows) {
    std::vector<std::byte> bytes(program.window_size(w));
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(draw.bits()); });
    subject.experiment.inputs.push_back({w, 0, bytes});
    subject.experiment.outputs.push_back({w, 0, std::move(bytes)});
  }
  return subject;
}

std::vector<Subject> subjects_of(const VerifyFlags& f) {
  if (!kit::is_module(f.program)) {
    f.trust.refuse_for(f.program);
    return {from_text(f)};
  }
  for (const char* option : {"--variant", "--window"})
    VDLA_CHECK_USER(f.command->count(option) == 0)
        << f.program << ": " << option << " is for assembler text, a module knows its own; leave it out";
  const runtime::Module module = f.trust.load(f.program);
  std::vector<Subject> list;
  for (std::size_t i = 0; i < module.steps.size(); ++i)
    if (const auto* step = std::get_if<runtime::DeviceStep>(&module.steps[i]))
      list.push_back(
          {fmt::format("step {}", i), experiment_of(*step, f.seed), runtime::verify_options(*step)});
  return list;
}

ordered_json insn_json(const isa::Program& program, std::uint32_t insn) {
  ordered_json out{{"index", insn}, {"text", isa::to_text(program.insns[insn])}};
  const isa::SourceMap& map = program.source_map;
  if (const isa::SourceLayer* layer = map.layer_of(insn)) {
    out["layer"] = layer->name;
    out["op"] = layer->op;
    out["schedule"] = layer->schedule;
  }
  if (insn < map.insns.size() && map.insns[insn].loop < map.loops.size())
    out["loop"] = map.loops[map.insns[insn].loop];
  return out;
}

ordered_json finding_json(const isa::Program& program, const isa::Finding& finding) {
  ordered_json out{{"kind", isa::to_string(finding.kind)}, {"insn", insn_json(program, finding.insn)}};
  if (finding.other) out["other"] = insn_json(program, *finding.other);
  out["resource"] = finding.resource;
  out["message"] = finding.message;
  return out;
}

void print_insn(const isa::Program& program, std::uint32_t insn) {
  fmt::print("    {:>6}: {}\n", insn, isa::to_text(program.insns[insn]));
}

void print_report(const Subject& subject, const isa::Report& report, double seconds) {
  fmt::print("{} instructions, {} ({:.0f} ms)\n", subject.program().insns.size(),
             report.clean() ? "proven right" : fmt::format("{} findings", report.total), 1000 * seconds);
  for (const isa::Finding& finding : report.findings) {
    fmt::print("  {}: {}\n", isa::to_string(finding.kind), finding.message);
    print_insn(subject.program(), finding.insn);
    if (finding.other) print_insn(subject.program(), *finding.other);
  }
  if (report.total > report.findings.size())
    fmt::print("  and {} more, see --max-findings\n", report.total - report.findings.size());
}

/// One line of what the dynamic checker saw.
std::string verdict(const sim::Exploration& seen) {
  std::string text = fmt::format("{} orders{}: {}", seen.orders,
                                 seen.all_orders ? ", all that there are" : "", sim::to_string(seen.ending));
  if (!seen.why.empty()) text += " (" + seen.why + ")";
  text += fmt::format(", {} findings", seen.findings.size());
  if (!seen.outputs_written) text += ", results that nothing has written";
  text += seen.outputs_agree ? ", the same results" : ", results that differ from order to order";
  return text;
}

void print_exploration(const Subject& subject, const sim::Exploration& seen, std::size_t most) {
  const isa::Program& program = subject.program();
  fmt::print("  dynamic checker, {}\n", verdict(seen));
  for (std::size_t i = 0; i < std::min(most, seen.findings.size()); ++i) {
    const sim::CheckFinding& f = seen.findings[i];
    fmt::print("  {}: {} at {}\n", sim::to_string(f.kind), isa::name_of(program, f.insn), f.resource);
    print_insn(program, f.insn);
    if (f.other) print_insn(program, *f.other);
  }
}

ordered_json exploration_json(const Subject& subject, const sim::Exploration& seen, std::size_t most) {
  ordered_json out{{"clean", seen.clean()},
                   {"orders", seen.orders},
                   {"all_orders", seen.all_orders},
                   {"ending", sim::to_string(seen.ending)},
                   {"why", seen.why},
                   {"results_written", seen.outputs_written},
                   {"results_agree", seen.outputs_agree},
                   {"findings_total", seen.findings.size()},
                   {"findings", ordered_json::array()}};
  for (std::size_t i = 0; i < std::min(most, seen.findings.size()); ++i) {
    const sim::CheckFinding& f = seen.findings[i];
    ordered_json finding{{"kind", sim::to_string(f.kind)}, {"insn", insn_json(subject.program(), f.insn)}};
    if (f.other) finding["other"] = insn_json(subject.program(), *f.other);
    finding["resource"] = f.resource;
    out["findings"].push_back(std::move(finding));
  }
  return out;
}

/// Looks at one program; prints unless JSON is wanted.
ordered_json verify_one(const VerifyFlags& f, const Subject& subject, Context& context) {
  isa::VerifyOptions options = subject.options;
  options.max_findings = f.max_findings;
  const auto begin = std::chrono::steady_clock::now();
  const isa::Report report = isa::verify(subject.program(), options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!report.clean()) context.status = 1;
  ordered_json part{{"name", subject.name},
                    {"instructions", subject.program().insns.size()},
                    {"seconds", seconds},
                    {"findings_total", report.total},
                    {"findings", ordered_json::array()}};
  for (const isa::Finding& finding : report.findings)
    part["findings"].push_back(finding_json(subject.program(), finding));
  if (!context.json) {
    fmt::print("{}{}: ", f.program, subject.name.empty() ? "" : ", " + subject.name);
    print_report(subject, report, seconds);
  }
  if (!f.dynamic) return part;
  sim::ExploreOptions orders;
  orders.seed = f.seed;
  orders.random_orders = f.orders;
  orders.systematic_orders = f.all_orders;
  const sim::Exploration seen = sim::explore(subject.experiment, orders);
  if (!seen.clean()) context.status = 1;
  part["dynamic"] = exploration_json(subject, seen, f.max_findings);
  if (!context.json) print_exploration(subject, seen, f.max_findings);
  return part;
}

void verify(const VerifyFlags& f, Context& context) {
  ordered_json out{{"program", f.program}, {"clean", true}, {"parts", ordered_json::array()}};
  const std::vector<Subject> subjects = subjects_of(f);
  for (const Subject& subject : subjects) out["parts"].push_back(verify_one(f, subject, context));
  out["clean"] = context.status == 0;
  context.report(out, [&] {
    if (subjects.empty()) fmt::print("{}: nothing runs on the device\n", f.program);
  });
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  auto f = std::make_shared<VerifyFlags>();
  CLI::App* c = add_command(
      app, context, "verify",
      "Prove a program free of deadlock, stray addresses and races, or say where it is not",
      "Looks at every instruction: tokens under the variant's queue and token depths, bounds of buffers and\n"
      "windows, reads of what nothing has written, accesses of two units that no token orders. A finding\n"
      "names both instructions, the resource, and the layer and loop that they came from.\n"
      "--dynamic also runs the program on the functional engine, in several orders that its tokens allow,\n"
      "and follows every access: the ground truth that the verifier is measured by, for one input.\n"
      "exit status: 0 proven right, 1 findings, 2 bad input\n"
      "example: vdla verify net.vdla --max-findings 5\n"
      "example: vdla verify net.vdla --dynamic --orders 20 --seed 7\n"
      "example: vdla verify program.s --variant tiny --window act=4096",
      [f, &context] { verify(*f, context); });
  c->preparse_callback([&context](std::size_t) { context.bad_input_status = 2; });
  c->add_option("program", f->program, "Compiled module (.vdla) or assembler text")->required();
  c->add_option("--max-findings", f->max_findings, "Findings to print for each program, at most")
      ->check(not_negative())
      ->capture_default_str();
  f->command = c;
  auto* dynamic = c->add_flag("--dynamic", f->dynamic, "Run it under the dynamic checker too");
  c->add_option("--orders", f->orders,
                "Number of random orders of execution for --dynamic, besides the engine's own")
      ->check(not_negative())
      ->needs(dynamic)
      ->capture_default_str();
  c->add_option("--all-orders", f->all_orders,
                "Run all orders under --dynamic if there are at most this many")
      ->check(not_negative())
      ->needs(dynamic)
      ->capture_default_str();
  c->add_option("--seed", f->seed, "Seed of the input and the orders of --dynamic")
      ->check(not_negative())
      ->needs(dynamic)
      ->capture_default_str();
  c->add_option("--variant", f->variant, "Variant of an assembler program: a name, board:BOARD, or a file")
      ->capture_default_str();
  c->add_option("--window", f->windows,
                "NAME=BYTES: size of a window of an assembler program; may be repeated. Default: the highest "
                "address that the program uses");
  f->trust.add_to(*c);
}

}  // namespace vdla::tools
