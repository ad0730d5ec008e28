// SPDX-License-Identifier: Apache-2.0
// Measures the static verifier against the dynamic checker on mutants of good programs, and on random
// programs.
//
//   bench_mutants --seed 1 --count 10                       10 mutants of each kind of each built-in subject
//   bench_mutants --module net.vdla --count 5 --only drop_push
//   bench_mutants --check --count 1                         exit status 1 unless the shares hold
//
// The dynamic checker runs each mutant in several orders that its tokens allow. A mutant is faulty when any
// of them shows an access that no token orders, a read of what nothing has written, a token left, a result
// that is not written, an error status, or a deadlock. The verifier must flag it, or the device itself must
// stop.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <map>

#include "bench/mutants/subjects.h"
#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/random/faulty.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "tests/isa/mutate.h"

namespace vdla::bench {
namespace {

using nlohmann::ordered_json;

struct Flags {
  std::uint64_t seed = 1;
  unsigned count = 4, orders = 3, programs = 100;
  std::vector<std::string> modules, only;
  bool builtin = true, networks = false, json = false, check = false, verbose = false;
};

/// Fate of the mutants of one kind.
struct Row {
  unsigned mutants = 0;
  unsigned faulty = 0;    ///< for the dynamic checker
  unsigned flagged = 0;   ///< mutants of these that the verifier flagged
  unsigned stopped = 0;   ///< not flagged, but error status or deadlock
  unsigned missed = 0;    ///< neither
  unsigned deadlock = 0;  ///< faulty ones that the functional engine ended so on its own
  unsigned error = 0;
  unsigned wrong = 0;    ///< finished with other results
  unsigned lucky = 0;    ///< finished with the right results
  unsigned legal = 0;    ///< not faulty
  unsigned other = 0;    ///< other results among these: output comparison tells
  unsigned careful = 0;  ///< ones of these that are flagged all the same

  Row& operator+=(const Row& r) {
    for (unsigned Row::* m :
         {&Row::mutants, &Row::faulty, &Row::flagged, &Row::stopped, &Row::missed, &Row::deadlock,
          &Row::error, &Row::wrong, &Row::lucky, &Row::legal, &Row::other, &Row::careful})
      this->*m += r.*m;
    return *this;
  }
  double share() const { return faulty == 0 ? 1 : static_cast<double>(flagged) / faulty; }
};

/// Random programs, legal and faulty ones, as they are.
struct Programs {
  unsigned programs = 0;
  unsigned alarms = 0;      ///< legal, but flagged
  unsigned complaints = 0;  ///< legal, but the dynamic checker complains
  unsigned faulty = 0;      ///< planted
  unsigned unflagged = 0;   ///< planted, not flagged
  unsigned unstopped = 0;   ///< planted, the device finished
};

sim::ExploreOptions orders_of(const Flags& f, std::uint64_t seed) {
  sim::ExploreOptions options;
  options.seed = seed;
  options.random_orders = f.orders;
  options.stop_at_fault = true;
  return options;
}

class Score {
 public:
  explicit Score(const Flags& f) : f_(f) {}

  void add(const Subject& subject, std::uint64_t seed) {
    const sim::Exploration good = sim::explore(subject.experiment, orders_of(f_, seed));
    const isa::Report report = isa::verify(subject.experiment.program, subject.options);
    ++subjects_;
    if (!good.clean() || !report.clean()) {
      ++alarms_;
      fmt::print(stderr, "{}: {}", subject.name,
                 report.clean() ? "the dynamic checker complains about a good program\n" : report.text());
      for (const sim::CheckFinding& finding : good.findings) print(subject.experiment.program, finding);
      return;
    }
    isa::Draw draw(seed);
    for (const isa::MutationKind kind : isa::kMutationKinds) {
      if (!f_.only.empty() && std::ranges::find(f_.only, isa::to_string(kind)) == f_.only.end()) continue;
      for (unsigned i = 0; i < f_.count; ++i)
        if (auto mutant = isa::mutate(subject.experiment.program, kind, draw)) {
          const Row row = judge(subject, good, *mutant, draw.bits());
          by_kind_[kind] += row;
          by_subject_[subject.name] += row;
        }
    }
  }

  Row total() const {
    Row sum;
    for (const auto& [kind, row] : by_kind_) sum += row;
    return sum;
  }
  const std::map<isa::MutationKind, Row>& by_kind() const { return by_kind_; }
  const std::map<std::string, Row>& by_subject() const { return by_subject_; }
  unsigned subjects() const { return subjects_; }
  unsigned alarms() const { return alarms_; }

 private:
  static void print(const isa::Program& program, const sim::CheckFinding& finding) {
    fmt::print(stderr, "  {} at {}: {}: {}\n", sim::to_string(finding.kind), finding.resource, finding.insn,
               isa::to_text(program.insns.at(finding.insn)));
    if (finding.other)
      fmt::print(stderr, "    against {}: {}\n", *finding.other,
                 isa::to_text(program.insns.at(*finding.other)));
  }

  Row judge(const Subject& subject, const sim::Exploration& good, const isa::Mutation& mutant,
            std::uint64_t seed) const {
    const isa::Report report = isa::verify(mutant.program, subject.options);
    sim::Experiment experiment = subject.experiment;
    experiment.program = mutant.program;
    const sim::Exploration seen = sim::explore(experiment, orders_of(f_, seed));
    const bool same = seen.outputs == good.outputs;
    Row row;
    row.mutants = 1;
    if (seen.clean()) {
      row.legal = 1;
      row.other = same ? 0 : 1;
      row.careful = report.clean() ? 0 : 1;
    } else {
      const bool stops = seen.ending != sim::Ending::Finished;
      row.faulty = 1;
      row.flagged = report.clean() ? 0 : 1;
      row.stopped = report.clean() && stops ? 1 : 0;
      row.missed = report.clean() && !stops ? 1 : 0;
      row.deadlock = seen.ending == sim::Ending::Deadlock ? 1 : 0;
      row.error = seen.ending == sim::Ending::Error ? 1 : 0;
      row.wrong = !stops && !same ? 1 : 0;
      row.lucky = !stops && same ? 1 : 0;
    }
    if (row.missed != 0 || row.stopped != 0 || (f_.verbose && row.careful != 0)) {
      fmt::print(stderr, "{}: {} {} at instruction {} ({}): ends as {} {}\n{}", subject.name,
                 row.careful != 0 ? "careful about" : "not flagged:", isa::to_string(mutant.kind),
                 mutant.insn, mutant.what, sim::to_string(seen.ending), seen.why, report.text());
      for (const sim::CheckFinding& finding : seen.findings) print(mutant.program, finding);
    }
    return row;
  }

  const Flags& f_;
  std::map<isa::MutationKind, Row> by_kind_;
  std::map<std::string, Row> by_subject_;
  unsigned subjects_ = 0, alarms_ = 0;
};

/// Program with a fault that random_faulty_program() plants, where it is one of the program: not of the
/// memory behind a window, and not a word that no instruction encodes to.
std::optional<Subject> faulty_subject(const std::string& variant, const isa::RandomOptions& options) {
  const isa::FaultyProgram faulty = isa::random_faulty_program(isa::load_variant(variant).geometry, options);
  Subject subject = random_subject(variant, faulty.random);
  std::vector<isa::Insn>& insns = subject.experiment.program.insns;
  switch (faulty.kind) {
    case isa::FaultKind::Illegal:
    case isa::FaultKind::Window:
    case isa::FaultKind::Sram: {
      const auto insn = isa::try_decode(faulty.words.value());
      if (!insn || isa::encode(*insn) != *faulty.words) return std::nullopt;
      insns.at(faulty.insn) = *insn;
      return subject;
    }
    case isa::FaultKind::NoFinish:
      if (faulty.insn_count == 0 || faulty.insn_count > insns.size()) return std::nullopt;
      insns.resize(faulty.insn_count);
      return subject;
    case isa::FaultKind::Bus:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Everything random_program() makes must be clean for both; what random_faulty_program() plants must be
/// seen.
Programs try_programs(const Flags& f) {
  Programs result;
  for (const char* variant : {"tiny", "paper"}) {
    for (unsigned i = 0; i < f.programs; ++i) {
      const std::uint64_t seed = f.seed * 1'000'003 + i;
      isa::RandomOptions options;
      options.seed = seed;
      options.insns = 10 + i % 50;
      if (i % 4 == 0) options = isa::campaign_options(seed);
      const Subject good =
          random_subject(variant, isa::random_program(isa::load_variant(variant).geometry, options));
      ++result.programs;
      result.alarms += isa::verify(good.experiment.program, good.options).clean() ? 0 : 1;
      result.complaints += sim::explore(good.experiment, orders_of(f, seed)).clean() ? 0 : 1;
      options = {};
      options.seed = seed;
      const auto faulty = faulty_subject(variant, options);
      if (!faulty) continue;
      ++result.faulty;
      result.unflagged += isa::verify(faulty->experiment.program, faulty->options).clean() ? 1 : 0;
      result.unstopped +=
          sim::explore(faulty->experiment, orders_of(f, seed)).ending == sim::Ending::Error ? 0 : 1;
    }
  }
  return result;
}

ordered_json to_json(const Row& r) {
  return {{"mutants", r.mutants},          {"faulty", r.faulty}, {"flagged", r.flagged},
          {"stopped", r.stopped},          {"missed", r.missed}, {"flagged_share", r.share()},
          {"deadlock", r.deadlock},        {"error", r.error},   {"wrong_result", r.wrong},
          {"same_result", r.lucky},        {"legal", r.legal},   {"legal_other_result", r.other},
          {"legal_but_flagged", r.careful}};
}

void print(std::string_view name, const Row& r) {
  fmt::print("| {} | {} | {} | {} | {:.1f} % | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, r.mutants,
             r.faulty, r.flagged, 100 * r.share(), r.stopped, r.missed, r.deadlock, r.error, r.wrong, r.lucky,
             r.other, r.careful);
}

void print_table(std::string_view first, const auto& rows, const Row& total, auto name_of) {
  fmt::print(
      "| {} | mutants | faulty | flagged | share | stopped | missed | deadlock | error | wrong | unharmed | "
      "legal, "
      "other result | legal, flagged |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
      first);
  for (const auto& [key, row] : rows) print(name_of(key), row);
  print("all", total);
}

void add_builtin(const Flags& f, Score& score) {
  std::uint64_t seed = f.seed * 7919;
  const auto add = [&](const std::vector<Subject>& subjects) {
    for (const Subject& s : subjects) score.add(s, seed++);
  };
  for (const char* variant : {"tiny", "paper"}) {
    add(model_subjects(VDLA_DIGITS, variant));
    add(random_subjects(variant, f.seed, 4, 40));
    add(zoo_subjects("resnet8", variant, 1, 4));
  }
  if (!f.networks) return;
  for (const char* variant : {"tiny", "paper"}) {
    add(zoo_subjects("resnet8", variant, 5, 4));
    add(zoo_subjects("mobilenet_v1", variant, 1, 2));
    add(random_subjects(variant, f.seed + 100, 16, 60));
  }
  for (std::size_t layer : {0u, 1u, 6u, 18u}) add(zoo_subjects("resnet18", "paper", layer, 1));
}

int run(const Flags& f) {
  const auto begin = std::chrono::steady_clock::now();
  Score score(f);
  std::uint64_t seed = f.seed;
  for (const std::string& path : f.modules)
    for (const Subject& subject : module_subjects(path)) score.add(subject, seed++);
  if (f.builtin) add_builtin(f, score);
  const Programs programs = try_programs(f);
  const Row total = score.total();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const bool holds = total.share() >= 0.99 && total.missed == 0 && score.alarms() == 0 &&
                     programs.alarms + programs.complaints + programs.unflagged + programs.unstopped == 0;
  if (f.json) {
    ordered_json out{{"seed", f.seed}, {"subjects", score.subjects()}, {"false_alarms", score.alarms()},
                     {"holds", holds}, {"seconds", seconds},           {"all", to_json(total)}};
    for (const auto& [kind, row] : score.by_kind())
      out["by_kind"][std::string(isa::to_string(kind))] = to_json(row);
    for (const auto& [name, row] : score.by_subject()) out["by_subject"][name] = to_json(row);
    out["programs"] = {{"legal", programs.programs},        {"flagged", programs.alarms},
                       {"complaints", programs.complaints}, {"faulty", programs.faulty},
                       {"not_flagged", programs.unflagged}, {"not_stopped", programs.unstopped}};
    fmt::print("{}\n", json_dump(out, 2));
  } else {
    print_table("kind", score.by_kind(), total, [](isa::MutationKind k) { return isa::to_string(k); });
    fmt::print("\n");
    print_table("program", score.by_subject(), total, [](const std::string& name) { return name; });
    fmt::print(
        "\n{} good programs, {} false alarms; {} random legal programs, {} flagged, {} that the dynamic "
        "checker complains about; {} random faulty ones, {} not flagged, {} not stopped; seed {}, {:.0f} s\n",
        score.subjects(), score.alarms(), programs.programs, programs.alarms, programs.complaints,
        programs.faulty, programs.unflagged, programs.unstopped, f.seed, seconds);
  }
  if (f.check && !holds)
    fmt::print(stderr,
               "bench_mutants: the verifier flags {} of {} faulty mutants, {} missed; needs 99 % and none\n",
               total.flagged, total.faulty, total.missed);
  return f.check && !holds ? 1 : 0;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  vdla::bench::Flags f;
  CLI::App app("Mutants of good programs: what the verifier, the dynamic checker and the device say",
               "bench_mutants");
  app.add_option("--seed", f.seed, "Of mutants, orders and random programs")->capture_default_str();
  app.add_option("--count", f.count, "Mutants of each kind of each program")->capture_default_str();
  app.add_option("--orders", f.orders, "Random orders of execution of each, besides the engine's own")
      ->capture_default_str();
  app.add_option("--programs", f.programs, "Random programs, legal and faulty, of tiny and of paper")
      ->capture_default_str();
  app.add_option("--only", f.only, "Only mutations of these kinds");
  app.add_option("--module", f.modules, "Compiled modules (.vdla) to mutate too");
  app.add_flag("!--no-builtin", f.builtin, "Only the modules that are named");
  app.add_flag("--networks", f.networks, "More parts of zoo networks and more random programs");
  app.add_flag("--verbose", f.verbose, "Also print legal mutants that are flagged");
  app.add_flag("--check", f.check,
               "Exit status 1 unless at least 99 % of faulty mutants are flagged and none is missed");
  app.add_flag("--json", f.json, "Print one JSON object for machines");
  CLI11_PARSE(app, argc, argv);
  try {
    return vdla::bench::run(f);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_mutants: {}\n", e.what());
    return 2;
  }
}
