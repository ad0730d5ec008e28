// SPDX-License-Identifier: Apache-2.0
// vdla fuzz: random programs on several engines in lock step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>

#include "isa/variants/variants.h"
#include "kit/campaign.h"
#include "sim/lockstep/stored_case.h"
#include "support/error.h"
#include "support/interrupt.h"
#include "support/output_folder.h"
#include "support/shell_word.h"
#include "support/workers.h"
#include "tools/data/files.h"
#include "tools/data/text_input.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct FuzzFlags {
  std::uint64_t seed = 1, count = 1000;
  std::vector<std::string> engines{"functional", "systemc", "rtl"};
  std::string variant = "tiny";
  std::optional<unsigned> insns;
  unsigned jobs = 1;
  bool plain = false, errors = false;
  std::string keep;
  std::size_t shrink_runs = 3000;
  std::vector<std::string> cases;
};

sim::CampaignOptions options_of(const FuzzFlags& flags) {
  sim::CampaignOptions options;
  options.insns = flags.insns;
  options.disturb = !flags.plain;
  options.errors = flags.errors;
  return options;
}

sim::MakeEngines maker_of(const FuzzFlags& flags) {
  return [engines = flags.engines](const isa::Variant& variant) {
    std::vector<sim::CampaignEngine> made;
    for (const std::string& name : engines) made.push_back(kit::make_campaign_engine(name, variant));
    return made;
  };
}

ordered_json json_of(const sim::CampaignResult& result) {
  ordered_json out = {{"programs", result.programs}, {"insns", result.mix.insns()},
                      {"steps", result.mix.steps()}, {"counts", result.mix.counts()},
                      {"errors", result.errors},     {"random_states", result.random_states}};
  if (result.failure)
    out["failure"] = {{"seed", result.failure->seed}, {"difference", result.failure->difference}};
  return out;
}

sim::CampaignResult from_json(const ordered_json& json) {
  sim::CampaignResult result;
  result.programs = json["programs"];
  result.mix = isa::Mix::from(json["insns"], json["steps"], json["counts"]);
  result.errors = json["errors"].get<std::map<std::string, std::uint64_t>>();
  result.random_states = json["random_states"];
  if (json.contains("failure"))
    result.failure = sim::CampaignFailure{json["failure"]["seed"], json["failure"]["difference"]};
  return result;
}

/// Runs a part of the campaign in a worker, which keeps its engines from part to part.
ordered_json run_part(const FuzzFlags& flags, const ordered_json& part,
                      std::optional<sim::Campaign>& campaign) {
  try {
    if (!campaign) campaign.emplace(isa::load_variant(flags.variant), maker_of(flags), options_of(flags));
    return json_of(sim::run_campaign(*campaign, part["first"], part["count"], options_of(flags)));
  } catch (const UserError& e) {
    return {{"error", e.what()}};
  }
}

/// Returns parts of equal size, small enough that progress is seen and that all workers end at about one
/// time.
std::vector<ordered_json> parts_of(const FuzzFlags& flags) {
  const std::uint64_t size = std::max<std::uint64_t>(1, flags.count / (std::uint64_t{flags.jobs} * 64));
  std::vector<ordered_json> parts;
  for (std::uint64_t begin = 0; begin < flags.count; begin += size)
    parts.push_back({{"first", flags.seed + begin}, {"count", std::min(size, flags.count - begin)}});
  return parts;
}

void show_progress(const FuzzFlags& flags, std::uint64_t done, Clock::time_point begin) {
  const StatusLine line;
  if (!line.on_terminal()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double left = seconds / static_cast<double>(done) * static_cast<double>(flags.count - done);
  line.print(fmt::format("{} of {} programs, {:.0f} a second, {:.0f} s left", done, flags.count,
                         static_cast<double>(done) / seconds, left));
}

sim::CampaignResult join(const std::vector<ordered_json>& answers) {
  sim::CampaignResult all;
  for (const ordered_json& answer : answers) {
    if (answer.contains("error")) throw UserError(answer["error"].get<std::string>());
    VDLA_CHECK(!answer.contains("reason"))
        << "a part of the campaign: " << answer["reason"].get<std::string>();
    const sim::CampaignResult part = from_json(answer);
    all.programs += part.programs;
    all.random_states += part.random_states;
    all.mix.add(part.mix);
    for (const auto& [what, count] : part.errors) all.errors[what] += count;
    if (part.failure && (!all.failure || part.failure->seed < all.failure->seed)) all.failure = part.failure;
  }
  return all;
}

sim::CampaignResult run_parts(const FuzzFlags& flags) {
  const auto begin = Clock::now();
  std::uint64_t programs = 0;
  const OnInterrupt say_how_far(Uninterrupted(), [&](const Uninterrupted&) {
    return fmt::format("{} of {} programs had run", programs, flags.count);
  });
  std::optional<sim::Campaign> campaign;
  Workers workers(flags.jobs, Workers::kNoLimit,
                  [&](const ordered_json& part, unsigned) { return run_part(flags, part, campaign); });
  const auto answers = workers.run(parts_of(flags), [&](std::size_t, const ordered_json& answer) {
    programs += answer.value("programs", std::uint64_t{0});
    if (programs > 0) show_progress(flags, programs, begin);
  });
  StatusLine().clear();
  return join(answers);
}

std::string repeat_command(const FuzzFlags& flags, std::uint64_t seed) {
  std::string command = fmt::format("vdla fuzz --variant {} --engines {} --seed {} --count 1",
                                    shell_word(flags.variant), fmt::join(flags.engines, ","), seed);
  if (flags.insns) command += fmt::format(" --insns {}", *flags.insns);
  if (flags.plain) command += " --no-disturbance";
  if (flags.errors) command += " --errors";
  return command;
}

/// Shrinks the failing case and writes it; empty when it does not fail alone.
std::string keep_smallest(const FuzzFlags& flags, const sim::CampaignFailure& failure) {
  const sim::CampaignOptions options = options_of(flags);
  sim::Campaign campaign(isa::load_variant(flags.variant), maker_of(flags), options);
  sim::Case c = flags.errors ? sim::draw_error_case(campaign.variant(), failure.seed, options)
                             : sim::draw_case(campaign.variant(), failure.seed, options);
  if (campaign.run(c).empty()) {
    fmt::print(stderr, "seed {} does not differ on fresh engines; nothing is stored\n", failure.seed);
    return {};
  }
  fmt::print(stderr, "shrinking seed {}\n", failure.seed);
  const sim::StoredCase small{flags.variant, sim::shrink_case(campaign, c, flags.shrink_runs)};
  const std::string path =
      fmt::format("{}/{}-{}{}.s", flags.keep, std::filesystem::path(flags.variant).stem().string(),
                  flags.errors ? "error-" : "", failure.seed);
  write_file(path, sim::to_text(small, repeat_command(flags, failure.seed) + "\n" + campaign.run(small.c)));
  return path;
}

void run_stored(const FuzzFlags& flags, const Context& context) {
  std::map<std::string, std::unique_ptr<sim::Campaign>> campaigns;
  ordered_json out = ordered_json::array();
  bool differs = false;
  for (const std::string& file : flags.cases) {
    const sim::StoredCase stored = sim::parse_case(read_text_of(file, "a stored case"), file);
    auto& campaign = campaigns[stored.variant];
    if (campaign == nullptr)
      campaign = std::make_unique<sim::Campaign>(isa::load_variant(stored.variant), maker_of(flags),
                                                 options_of(flags));
    const std::string difference = campaign->run(stored.c);
    differs = differs || !difference.empty();
    out.push_back({{"case", file}, {"difference", difference}});
  }
  context.report(out, [&] {
    for (const auto& row : out)
      fmt::print("{}: {}\n", row["case"].get<std::string>(),
                 row["difference"] == "" ? "no difference" : row["difference"].get<std::string>());
  });
  if (differs) throw Difference();
}

/// Refuses flags that can find nothing, and a folder that cannot be written, before the first program runs.
void check_flags(const FuzzFlags& flags) {
  const std::set<std::string> different(flags.engines.begin(), flags.engines.end());
  VDLA_CHECK_USER(different.size() == flags.engines.size() && different.size() > 1)
      << "--engines is " << fmt::format("{}", fmt::join(flags.engines, ","))
      << ", needs at least two different ones: the others are compared with the first";
  VDLA_CHECK_USER(flags.count > 0) << "--count is 0, needs at least one program";
}

void run_fuzz(const FuzzFlags& given, const Context& context) {
  FuzzFlags flags = given;
  flags.variant = without_data_names(given.variant);
  check_flags(flags);
  // A folder that cannot be made is refused before the first program runs.
  std::optional<NewFolder> kept;
  if (!flags.keep.empty()) kept.emplace(flags.keep);
  if (!flags.cases.empty()) return run_stored(flags, context);
  const auto begin = Clock::now();
  const sim::CampaignResult result = run_parts(flags);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const isa::Mix& mix = result.mix;
  const double long_share = static_cast<double>(mix.programs_with_steps(5000)) /
                            static_cast<double>(std::max<std::uint64_t>(1, mix.programs()));
  ordered_json out = {{"variant", flags.variant},
                      {"engines", flags.engines},
                      {"seed", flags.seed},
                      {"programs", result.programs},
                      {"random_states", result.random_states},
                      {"seconds", seconds},
                      {"median_insns", mix.median_insns()},
                      {"insns", mix.total_insns()},
                      {"gemm_steps", mix.total_steps()},
                      {"share_with_5000_gemm_steps", long_share},
                      {"mix", mix.counts()}};
  if (flags.errors) out["errors"] = result.errors;
  std::string stored;
  if (result.failure && !flags.keep.empty()) stored = keep_smallest(flags, *result.failure);
  if (!stored.empty()) out["stored"] = stored;
  if (result.failure)
    out["failure"] = {{"seed", result.failure->seed},
                      {"difference", result.failure->difference},
                      {"repeat", repeat_command(flags, result.failure->seed)}};
  context.report(out, [&] {
    fmt::print("{} programs of variant {} on {} in {:.1f} s: {}\n", result.programs, flags.variant,
               fmt::join(flags.engines, ", "), seconds, result.failure ? "a difference" : "no difference");
    fmt::print("median {} instructions, {:.1f} % with at least 5000 gemm steps\n", mix.median_insns(),
               100 * long_share);
    if (result.failure)
      fmt::print("seed {}: {}\nrepeat: {}\n", result.failure->seed, result.failure->difference,
                 repeat_command(flags, result.failure->seed));
    if (!stored.empty()) fmt::print("shrunk and stored: {}\n", stored);
  });
  if (result.failure) throw Difference();
}

}  // namespace

void add_fuzz(CLI::App& app, Context& context) {
  auto flags = std::make_shared<FuzzFlags>();
  CLI::App* c =
      add_command(app, context, "fuzz", "Run random programs on several engines in lock step",
                  "Each program is legal and free of hazards; retires of each unit, what each "
                  "instruction wrote, the final\n"
                  "status and memory must agree. A third of the programs run on an irregular bus, some of "
                  "them with\n"
                  "handshakes inside the RTL held back; in the others SystemC and RTL must agree in every "
                  "cycle.\n"
                  "An eighth starts on a new RTL machine in a random state.\n"
                  "Exit status 1 and the command to repeat it for the first difference.\n"
                  "example: vdla fuzz --seed 1 --count 10000 --variant paper --jobs 2",
                  [flags, &context] { run_fuzz(*flags, context); });
  auto* cases =
      c->add_option("--case", flags->cases, "Stored cases to run instead")->check(CLI::ExistingFile);
  c->add_option("--seed", flags->seed, "First seed")
      ->check(not_negative())
      ->capture_default_str()
      ->excludes(cases);
  c->add_option("--count", flags->count, "Number of programs, with seeds that follow each other")
      ->check(not_negative())
      ->capture_default_str()
      ->excludes(cases);
  c->add_option("--engines", flags->engines, "Engines; the others are compared with the first")
      ->delimiter(',')
      ->capture_default_str();
  c->add_option("--variant", flags->variant, "Name of a variant (vdla info lists them), or a file")
      ->capture_default_str()
      ->excludes(cases);
  c->add_option("--insns", flags->insns, "Number of instructions of each program; default: random")
      ->check(CLI::Range(0u, 100'000u))
      ->excludes(cases);
  c->add_option("--jobs", flags->jobs, "Processes that share the programs")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str()
      ->excludes(cases);
  c->add_flag(
       "--errors", flags->errors,
       "Programs with one fault (illegal words, bounds, windows, bus errors), each followed by a good one")
      ->excludes(cases);
  auto* keep =
      c->add_option("--keep", flags->keep, "Folder for the shrunk case of a difference")->excludes(cases);
  c->add_option("--shrink-runs", flags->shrink_runs, "Programs to try while shrinking, at most")
      ->capture_default_str()
      ->needs(keep);
  c->add_flag("--no-disturbance", flags->plain, "No irregular bus, no handshakes held back");
}

}  // namespace vdla::tools
