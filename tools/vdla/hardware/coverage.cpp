// SPDX-License-Identifier: Apache-2.0
// vdla coverage: which cover points of the instruction set and of a run programs hit.
#include <fmt/core.h>

#include <algorithm>

#include "isa/coverage/directed.h"
#include "isa/random/random.h"
#include "kit/engine.h"
#include "runtime/container/module_file.h"
#include "sim/lockstep/job.h"
#include "sim/trace/coverage.h"
#include "sim/trace/recorder.h"
#include "support/error.h"
#include "tools/common/table.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct CoverageFlags {
  std::vector<std::string> modules;
  std::string variant = "tiny", engine = "systemc";
  std::uint64_t random = 0, seed = 1;
  bool directed = false, require_all = false;
};

class Collector {
 public:
  explicit Collector(const CoverageFlags& flags)
      : variant_(named_variant(flags.variant)),
        engine_(kit::make_engine(flags.engine, variant_)),
        programs_(variant_.geometry) {}

  void run(sim::Job job, const std::string& what) {
    trace::Recorder recorder;
    const isa::Windows windows = sim::place_windows(*engine_, job);
    engine_->set_trace(&recorder);
    sim::start_job(*engine_, job, windows);
    const sim::Stop stop = engine_->run(kCycleLimit);
    engine_->set_trace(nullptr);
    VDLA_CHECK_USER(stop == sim::Stop::Interrupt)
        << what << " does not end on engine " << engine_->name() << ": " << describe(engine_->unit_states());
    programs_.note(job.program);
    runs_.note(job.program, recorder.events());
    ++count_;
  }

  void directed() {
    for (isa::DirectedProgram& d : isa::directed_programs(programs_)) {
      sim::Job job;
      job.program = std::move(d.program);
      job.contents = std::move(d.contents);
      job.origins = d.origins;
      run(std::move(job), "directed program '" + d.name + "'");
    }
  }
  void random(std::uint64_t seed, std::uint64_t count) {
    const StatusLine line;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (line.on_terminal() && i % 16 == 0) line.print(fmt::format("{} of {} programs", i, count));
      isa::RandomProgram r = isa::random_program(variant_.geometry, isa::campaign_options(seed + i));
      sim::Job job;
      job.program = std::move(r.program);
      job.contents = std::move(r.contents);
      run(std::move(job), "the program of seed " + std::to_string(seed + i));
    }
    line.clear();
  }
  /// The device programs of a compiled module: what they are, not a run.
  void module(const std::string& path) {
    const runtime::Module module = runtime::load(path);
    for (const auto& step : module.steps) {
      const auto* device = std::get_if<runtime::DeviceStep>(&step);
      if (device == nullptr) continue;
      VDLA_CHECK_USER(device->program.geometry == variant_.geometry)
          << path << " is compiled for another geometry than that of variant '" << variant_.name
          << "'; give --variant";
      programs_.note(device->program);
      ++count_;
    }
  }

  /// Rules and errors are left out: a legal program cannot hit them.
  std::vector<isa::CoverTable> tables() const {
    std::vector<isa::CoverTable> all;
    for (std::size_t t = 0; t < programs_.tables().size(); ++t) {
      const auto kind = static_cast<isa::CoverKind>(t);
      if (kind != isa::CoverKind::Rule && kind != isa::CoverKind::Error) all.push_back(programs_[kind]);
    }
    if (ran_) all.insert(all.end(), runs_.tables().begin(), runs_.tables().end());
    return all;
  }
  void ran() { ran_ = true; }
  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::uint64_t kCycleLimit = 50'000'000;
  isa::Variant variant_;
  std::unique_ptr<sim::Engine> engine_;
  isa::ProgramCoverage programs_;
  trace::RunCoverage runs_;
  std::uint64_t count_ = 0;
  bool ran_ = false;
};

double share_of(const ordered_json& row) {
  return row["points"] == 0 ? 1 : row["covered"].get<double>() / row["points"].get<double>();
}

void coverage(const CoverageFlags& flags, const Context& context) {
  VDLA_CHECK_USER(!flags.modules.empty() || flags.random != 0 || flags.directed)
      << "nothing to look at, needs modules, --random N or --directed";
  Collector collector(flags);
  for (const std::string& path : flags.modules) collector.module(path);
  if (flags.directed || flags.random != 0) collector.ran();
  if (flags.directed) collector.directed();
  collector.random(flags.seed, flags.random);
  ordered_json rows = ordered_json::array();
  std::size_t points = 0, covered = 0, unexpected = 0;
  std::string names;
  for (const isa::CoverTable& table : collector.tables()) {
    const isa::CoverSummary s = isa::summarize(table);
    points += s.points;
    covered += s.covered;
    unexpected += s.unexpected.size();
    rows.push_back({{"table", table.name()},
                    {"doc", table.doc()},
                    {"points", s.points},
                    {"covered", s.covered},
                    {"uncovered", s.uncovered},
                    {"unexpected", s.unexpected}});
    for (const std::string& point : s.uncovered) names += "not covered: " + point + "\n";
    for (const std::string& point : s.unexpected) names += "hit against the rules: " + point + "\n";
  }
  context.report(
      {{"programs", collector.count()}, {"points", points}, {"covered", covered}, {"tables", rows}}, [&] {
        rows.push_back({{"table", "total"}, {"points", points}, {"covered", covered}});
        print_table(with_column(rows, "share", share_of), "table|points|covered|%",
                    "{table:<14} {points:>8} {covered:>8} {share*100:>7.1f}");
        fmt::print("{}{} programs\n", names, collector.count());
      });
  VDLA_CHECK_USER(!flags.require_all || (covered == points && unexpected == 0))
      << covered << " of " << points
      << " points are covered, --require-all needs all; run more programs, or --directed";
}

}  // namespace

void add_coverage(CLI::App& app, Context& context) {
  auto flags = std::make_shared<CoverageFlags>();
  CLI::App* c = add_command(app, context, "coverage",
                            "Which cover points of the instruction set and of runs programs hit",
                            "Points come from the tables of the instruction set (fields at their bounds, "
                            "buffers, windows, padding, strides,\n"
                            "operations, tokens ...) and from the events of a run (channels full and empty, "
                            "stall reasons, bursts). What no legal\n"
                            "program can reach is left out. Uncovered points are listed by name.\n"
                            "examples: vdla coverage --directed --random 200\n"
                            "          vdla coverage model.vdla --variant paper",
                            [flags, &context] { coverage(*flags, context); });
  c->add_option("modules", flags->modules, "Compiled modules whose programs are looked at, not run");
  c->add_option("--variant", flags->variant, kVariantHelp)->capture_default_str();
  c->add_option("--engine", flags->engine, "Engine that runs programs")->capture_default_str();
  auto* random = c->add_option("--random", flags->random, "Run so many random programs")
                     ->check(not_negative())
                     ->capture_default_str();
  c->add_option("--seed", flags->seed, "Seed of the first")
      ->check(not_negative())
      ->capture_default_str()
      ->needs(random);
  c->add_flag("--directed", flags->directed, "Run the directed programs, which hit every point");
  c->add_flag("--require-all", flags->require_all, "Exit status 1 unless every point is covered");
}

}  // namespace vdla::tools
