// SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "isa/codec/codec.h"
#include "isa/random/draw.h"
#include "isa/random/faulty.h"
#include "isa/random/shrink.h"
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "isa/verify/verify.h"

namespace vdla::sim {
namespace {

/// Memory timings that cases are run with besides the variant's own.
isa::Timing draw_timing(isa::Draw& draw, isa::Timing timing) {
  switch (draw.between(0, 5)) {
    case 0:
      timing.dram_latency = 1;
      return timing;
    case 1:
      timing.dram_latency = 160;
      timing.dram_outstanding = 2;
      return timing;
    case 2:
      timing.dram_latency = 20;
      timing.dram_bytes_per_cycle = 2;
      return timing;
    default:
      return timing;
  }
}

Disturbance draw_disturbance(isa::Draw& draw) {
  constexpr unsigned kBus[] = {0, 8, 64, 128}, kLatency[] = {0, 0, 30, 200}, kInside[] = {16, 64, 100};
  Disturbance d;
  d.seed = draw.bits();
  do {
    d.bus = draw.pick(kBus);
    d.latency = draw.pick(kLatency);
    d.inside = draw.one_in(4) ? draw.pick(kInside) : 0;
  } while (!d.any());
  return d;
}

}  // namespace

namespace {

Case frame_case(const isa::Variant& variant, std::uint64_t seed, isa::RandomProgram random,
                const CampaignOptions& options) {
  isa::Draw draw(seed ^ 0x1057'e95e'ed5e'ed00ull);
  Case c;
  c.seed = seed;
  c.job.program = std::move(random.program);
  c.job.contents = std::move(random.contents);
  c.job.skew = static_cast<unsigned>(draw.between(0, 7));
  c.timing = draw_timing(draw, variant.timing);
  if (draw.one_in(3) && options.disturb) c.disturbance = draw_disturbance(draw);
  if (draw.one_in(8)) c.state = draw.bits() | 1;
  return c;
}

/// Puts the words at fault into the image of the stream.
void put_words(Case& c) {
  if (!c.error || !c.error->words) return;
  std::vector<std::byte>& image = c.job.contents[static_cast<std::size_t>(isa::Window::Insn)];
  image = isa::insn_image(c.job.program);
  for (std::size_t i = 0; i < isa::kInsnBytes; ++i)
    image[c.error->insn * isa::kInsnBytes + i] =
        static_cast<std::byte>((*c.error->words)[i / 8] >> (8 * (i % 8)));
}

/// A smaller good program takes the place of a case's; the fault moves with its instruction.
Case with_program(const Case& c, const isa::FailingProgram& p) {
  Case made = c;
  made.job.program = p.random.program;
  made.job.contents = p.random.contents;
  if (!made.error) return made;
  if (made.job.insn_count) {
    made.job.insn_count = made.error->insn = static_cast<std::uint32_t>(p.random.program.insns.size() - 1);
    return made;
  }
  made.error->insn = static_cast<std::uint32_t>(p.pinned);
  if (made.job.cut && made.job.cut->first == isa::Window::Insn)
    made.job.cut->second = std::uint64_t{made.error->insn} * isa::kInsnBytes;
  if (made.error->words && made.error->rule == 0) {
    isa::Insn insn = *isa::try_decode(*made.error->words);
    const isa::Insn& good = p.random.program.insns[p.pinned];
    isa::set_tokens(insn, isa::pops_of(good), isa::pushes_of(good));
    made.error->words = isa::encode(insn);
  }
  put_words(made);
  return made;
}

/// For programs whose end alone matters.
isa::RandomOptions small_options(std::uint64_t seed) {
  isa::RandomOptions options = isa::campaign_options(seed);
  options.insns = 4 + static_cast<unsigned>(seed % 20);
  options.region = std::min(options.region, 24u);
  options.max_steps = std::min(options.max_steps, 40u);
  options.max_pieces = std::min(options.max_pieces, 32u);
  options.min_gemm_steps = 0;
  return options;
}

}  // namespace

Case draw_case(const isa::Variant& variant, std::uint64_t seed, const CampaignOptions& options) {
  isa::RandomOptions random_options = options.errors ? small_options(seed) : isa::campaign_options(seed);
  if (options.insns) random_options.insns = *options.insns;
  return frame_case(variant, seed, isa::random_program(variant.geometry, random_options), options);
}

Case draw_error_case(const isa::Variant& variant, std::uint64_t seed, const CampaignOptions& options) {
  isa::FaultyProgram faulty = isa::random_faulty_program(variant.geometry, small_options(seed));
  Case c = frame_case(variant, seed, std::move(faulty.random), options);
  c.error = {faulty.code, faulty.unit, faulty.insn, faulty.rule, faulty.words, faulty.what};
  if (faulty.kind == isa::FaultKind::Bus) c.job.cut = {faulty.window, faulty.window_end};
  if (faulty.kind == isa::FaultKind::NoFinish) c.job.insn_count = faulty.insn_count;
  put_words(c);
  return c;
}

Campaign::Campaign(isa::Variant variant, MakeEngines make, CampaignOptions options)
    : variant_(std::move(variant)), make_(std::move(make)), options_(options) {}

Campaign::Set& Campaign::engines_for(const isa::Timing& timing) {
  const auto found = std::ranges::find(sets_, timing, &Set::timing);
  if (found != sets_.end()) return *found;
  isa::Variant variant = variant_;
  variant.timing = timing;
  sets_.push_back({timing, make_(variant)});
  return sets_.back();
}

std::string Campaign::run(const Case& c) {
  Set& set = engines_for(c.timing);
  std::vector<Engine*> engines;
  for (CampaignEngine& e : set.engines) {
    const bool checking = (c.disturbance.inside != 0 || c.state != 0) && e.checking != nullptr;
    Disturbance outside = c.disturbance;
    if (!e.disturbs_inside) outside.inside = 0;
    if (checking && c.state != 0) e.power_up_checking(c.state);
    if (checking)
      e.disturb_checking(c.disturbance);
    else if (e.disturb)
      e.disturb(outside);
    engines.push_back(checking ? e.checking.get() : e.engine.get());
  }
  LockstepOptions options;
  options.cycle_limit = options_.cycle_limit;
  options.compare_cycles = c.compare_cycles && !c.disturbance.any() && !c.error;
  options.compare_writes = !c.error;
  options.compare_digests = options_.compare_digests;
  try {
    std::string difference = run_lockstep(engines, c.job, options).difference;
    for (Engine* engine : engines)
      if (difference.empty() && c.error) difference = check_error(*engine, *c.error);
    // Addresses of errors of the bus are those of the burst, which not every engine has.
    if (c.error && c.error->code != isa::ErrorCode::BusRead && c.error->code != isa::ErrorCode::BusWrite)
      for (Engine* engine : engines)
        if (difference.empty()) difference = compare_error_address(*engines.front(), *engine);
    return difference;
  } catch (const std::exception& e) {
    std::erase_if(sets_, [&](const Set& s) { return s.timing == c.timing; });
    return e.what();
  }
}

std::string Campaign::check_error(Engine& engine, const ExpectedError& expected) {
  const auto reg = [&](isa::Register r) { return engine.read_register(static_cast<std::uint32_t>(r)); };
  const auto differs = [&](const char* what, std::uint64_t seen, std::uint64_t wanted) {
    return std::string(what) + " is " + std::to_string(seen) + " on " + std::string(engine.name()) + ", " +
           std::to_string(wanted) + " is expected; " + expected.what;
  };
  const std::uint32_t status = reg(isa::Register::STATUS), code = reg(isa::Register::ERROR_CODE),
                      unit = reg(isa::Register::ERROR_UNIT), insn = reg(isa::Register::ERROR_INSN);
  if (status != (isa::kStatusIdle | isa::kStatusError))
    return differs("STATUS", status, isa::kStatusIdle | isa::kStatusError);
  if (code != static_cast<std::uint32_t>(expected.code))
    return differs("ERROR_CODE", code, static_cast<std::uint32_t>(expected.code));
  if (unit != static_cast<std::uint32_t>(expected.unit))
    return differs("ERROR_UNIT", unit, static_cast<std::uint32_t>(expected.unit));
  if (insn != expected.insn) return differs("ERROR_INSN", insn, expected.insn);
  if (expected.rule != 0 && reg(isa::Register::ERROR_ADDR_LO) != expected.rule)
    return differs("the broken rule", reg(isa::Register::ERROR_ADDR_LO), expected.rule);
  return {};
}

std::string Campaign::compare_error_address(Engine& first, Engine& engine) {
  const auto address = [](Engine& e) {
    const auto reg = [&](isa::Register r) { return e.read_register(static_cast<std::uint32_t>(r)); };
    return reg(isa::Register::ERROR_ADDR_LO) | std::uint64_t{reg(isa::Register::ERROR_ADDR_HI)} << 32;
  };
  if (address(first) == address(engine)) return {};
  return fmt::format("ERROR_ADDR is {:#x} on {}, {:#x} on {}", address(first), first.name(), address(engine),
                     engine.name());
}

Case shrink_case(Campaign& campaign, const Case& failing, std::size_t max_runs) {
  Case best = failing;
  const auto try_plain = [&](auto&& change) {
    Case candidate = best;
    change(candidate);
    if (!campaign.run(candidate).empty()) best = std::move(candidate);
  };
  try_plain([](Case& c) { c.compare_cycles = false; });
  try_plain([](Case& c) { c.state = 0; });
  try_plain([](Case& c) { c.disturbance = {}; });
  try_plain([](Case& c) { c.disturbance.inside = 0; });
  try_plain([](Case& c) { c.disturbance.bus = 0; });
  try_plain([](Case& c) { c.disturbance.latency = 0; });
  try_plain([&](Case& c) { c.timing = campaign.variant().timing; });
  try_plain([](Case& c) { c.job.skew = 0; });
  const auto fails = [&](const isa::FailingProgram& p) {
    if (!isa::verify(p.random.program).clean()) return false;
    return !campaign.run(with_program(best, p)).empty();
  };
  isa::ShrinkOptions options;
  options.max_runs = max_runs;
  const std::size_t pinned =
      best.error && !best.job.insn_count ? best.error->insn : isa::FailingProgram::kNone;
  auto contents = best.job.contents;
  contents[static_cast<std::size_t>(isa::Window::Insn)].clear();
  return with_program(best, isa::shrink({{best.job.program, contents}, pinned}, fails, options));
}

CampaignResult run_campaign(Campaign& campaign, std::uint64_t first, std::uint64_t count,
                            const CampaignOptions& options) {
  CampaignResult result;
  for (std::uint64_t seed = first; seed < first + count && !result.failure; ++seed) {
    Case c = draw_case(campaign.variant(), seed, options);
    result.mix.add(c.job.program);
    ++result.programs;
    result.random_states += c.state != 0 ? 1 : 0;  // a case with a fault draws the same
    std::string difference;
    if (options.errors) {
      const Case faulty = draw_error_case(campaign.variant(), seed, options);
      ++result.errors[faulty.error->what.substr(0, faulty.error->what.find(" ends in"))];
      difference = campaign.run(faulty);
      if (!difference.empty()) difference = "with a fault (" + faulty.error->what + "): " + difference;
      c.timing = faulty.timing;  // the engines are the same
      c.state = 0;               // as the fault left them
    }
    if (difference.empty()) {
      difference = campaign.run(c);
      if (!difference.empty() && options.errors) difference = "after an error and a reset: " + difference;
    }
    if (!difference.empty()) result.failure = {seed, difference};
  }
  return result;
}

}  // namespace vdla::sim
