// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/random_schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/target.h"
#include "compiler/schedule/script.h"
#include "support/error.h"
#include "tests/part/part.h"

namespace vdla::lower {
namespace {

using expr::ForKind;
using expr::IterVar;
using expr::Tensor;
using schedule::Schedule;
using schedule::Stage;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(std::size_t n) { return static_cast<int>(engine_() % n); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(list.size()))];
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

/// One request; a refusal leaves the schedule as it was.
template <class F>
void attempt(const F& request) {
  try {
    request();
  } catch (const UserError&) {
  }
}

constexpr ForKind kGrid[] = {ForKind::BlockX,  ForKind::BlockY,  ForKind::ThreadX,
                             ForKind::ThreadY, ForKind::VThread, ForKind::VThread};

void split_and_fuse(Random& random, Stage& stage) {
  for (int n = random.below(5); n > 0; --n) {
    attempt([&] {
      IterVar axis = random.pick(stage.leaves());
      std::size_t i = static_cast<std::size_t>(random.below(stage.leaves().size()));
      if (random.chance(55)) {
        stage.split(axis, 1 + random.below(6));
      } else if (random.chance(30)) {
        stage.split_into(axis, 1 + random.below(4));
      } else if (i + 1 < stage.leaves().size()) {
        IterVar outer = stage.leaves()[i], inner = stage.leaves()[i + 1];
        random.chance(70) ? void(stage.fuse(outer, inner))
                          : void(stage.tile(outer, inner, 1 + random.below(4), 1 + random.below(4)));
      }
    });
  }
}

void reshape_loops(Random& random, Stage& stage) {
  split_and_fuse(random, stage);
  if (random.chance(60)) {
    std::vector<IterVar> order = stage.leaves();
    std::shuffle(order.begin(), order.end(), random.engine());
    attempt([&] { stage.reorder(order); });
  }
  for (int n = random.below(3); n > 0; --n) {
    attempt([&] {
      IterVar axis = random.pick(stage.leaves());
      switch (random.below(4)) {
        case 0:
          return void(stage.unroll(axis));
        case 1:
          return void(stage.vectorize(axis));
        case 2:
          return void(stage.parallel(axis));
        default:
          return void(stage.bind(axis, kGrid[random.below(std::size(kGrid))]));
      }
    });
  }
  if (random.chance(15)) attempt([&] { stage.tensorize(random.pick(stage.leaves()), "gemm"); });
}

void place(Random& random, Schedule& s, Stage& stage) {
  if (random.chance(15)) attempt([&] { stage.set_scope(random.chance(50) ? "shared" : "local"); });
  if (random.chance(20)) attempt([&] { stage.double_buffer(); });
  if (stage.is_double_buffered() && random.chance(40)) attempt([&] { stage.hold(); });
  if (random.chance(25)) attempt([&] { stage.compute_inline(); });
  if (random.chance(30) || stage.attachment().placement == schedule::Placement::Inline) return;
  std::vector<const Stage*> consumers = s.readers_of(stage.tensor());
  if (random.chance(30)) consumers = s.stages();
  if (consumers.empty()) return;
  const Stage* consumer = random.pick(consumers);
  attempt([&] { stage.compute_at(*consumer, random.pick(consumer->leaves())); });
  if (random.chance(5)) stage.compute_root();
}

/// Caches and factored reductions, before the loops of the stages are touched.
void add_stages(Random& random, Schedule& s, const Problem& problem) {
  for (const Stage* stage : s.stages()) {
    Tensor tensor = stage->tensor();
    if (random.chance(30)) attempt([&] { s.cache_write(tensor, random.chance(50) ? "acc" : "shared"); });
  }
  for (const Stage* stage : s.stages()) {
    Stage& target = s[stage->tensor()];
    if (!target.has_reduction() || !random.chance(35)) continue;
    attempt([&] {
      IterVar axis = random.pick(target.compute().reduce_axes());
      if (random.chance(70))
        axis = random.chance(50) ? target.split(axis, 1 + random.below(5)).first
                                 : target.split(axis, 1 + random.below(5)).second;
      s.rfactor(target.tensor(), axis);
    });
  }
  std::vector<Tensor> read = problem.inputs;
  for (const Stage* stage : s.stages())
    read.push_back(
        stage->tensor().part(static_cast<std::size_t>(random.below(stage->tensor().part_count()))));
  for (const Tensor& tensor : read) {
    std::vector<const Stage*> readers = s.readers_of(tensor);
    if (readers.empty() || !random.chance(30)) continue;
    attempt([&] {
      s.cache_read(tensor, random.chance(50) ? "inp" : "shared", {random.pick(readers)->tensor()});
    });
  }
}

std::vector<std::string> draw_passes(Random& random) {
  std::vector<std::string> names;
  for (const passes::Pass& row : passes::cpu_target().rows) {
    if (random.chance(30)) names.emplace_back(row.name);
  }
  if (random.chance(20)) std::shuffle(names.begin(), names.end(), random.engine());
  return names;
}

std::vector<Tensor> arguments_of(const Problem& problem) {
  std::vector<Tensor> args = problem.inputs;
  args.insert(args.end(), problem.outputs.begin(), problem.outputs.end());
  return args;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The lowered and transformed function; UserError where the candidate is not legal.
loop::Func build(const Problem& problem, const Candidate& candidate) {
  Schedule s(problem.outputs);
  schedule::replay(s, joined(candidate.script));
  return lower(s, arguments_of(problem), "f");
}

/// The line that computes `stage` where `other` is computed.
std::string computed_with(const Stage& stage, const Stage& other) {
  const schedule::Attachment& at = other.attachment();
  if (at.placement != schedule::Placement::At) return "compute_root " + stage.name();
  const std::vector<IterVar>& leaves = at.consumer->leaves();
  const auto named = [&](const IterVar& leaf) { return leaf.name() == at.axis.name(); };
  const auto leaf = std::find(leaves.begin(), leaves.end(), at.axis);
  const std::string label = std::count_if(leaves.begin(), leaves.end(), named) == 1
                                ? at.axis.name()
                                : "@" + std::to_string(leaf - leaves.begin());
  return "compute_at " + stage.name() + " " + at.consumer->name() + " " + label;
}

/// Padding around the stage that it reads. Most candidates are refused where the whole is lowered.
void pad_in_place(Random& random, const Problem& problem, const Schedule& s, Candidate& candidate) {
  for (const Stage* stage : s.stages()) {
    for (const Tensor& input : expr::inputs_of(stage->compute())) {
      if (!s.has_stage(input) || !random.chance(60)) continue;
      const Stage& inner = s[input];
      Candidate more = candidate;
      if (random.chance(70)) more.script.push_back(computed_with(inner, *stage));
      if (random.chance(70)) more.script.push_back("set_scope " + stage->name() + " " + inner.scope());
      more.script.push_back("pad_in_place " + stage->name() + " " + inner.name());
      attempt([&] {
        build(problem, more);
        candidate = more;
      });
    }
  }
}

/// Strides of storage with free elements, where they are legal.
void pad_strides(Random& random, const Problem& problem, const Schedule& s, Candidate& candidate) {
  for (const Stage* stage : s.stages()) {
    if (!random.chance(25) || stage->tensor().rank() == 0) continue;
    Candidate more = candidate;
    const std::int64_t dimension = random.below(stage->tensor().rank());
    more.script.push_back("pad_stride " + stage->name() + " " + std::to_string(dimension) + " " +
                          std::to_string(1 + random.below(3)));
    attempt([&] {
      build(problem, more);
      candidate = more;
    });
  }
}

/// Rolling buffers, where they are legal.
void roll(Random& random, const Problem& problem, const Schedule& s, Candidate& candidate) {
  for (const Stage* stage : s.stages()) {
    if (!random.chance(40)) continue;
    Candidate more = candidate;
    more.script.push_back("rolling_buffer " + stage->name() + " " + std::to_string(1 + random.below(3)));
    attempt([&] {
      build(problem, more);
      candidate = more;
    });
  }
}

/// Stages in the place of earlier ones. Most pairs are refused where the whole is lowered, and left out.
void share(Random& random, const Problem& problem, const Schedule& s, Candidate& candidate) {
  if (!random.chance(60)) return;
  const std::vector<const Stage*> stages = s.stages();
  for (int n = 1 + random.below(3); n > 0 && stages.size() > 1; --n) {
    const int later = 1 + random.below(stages.size() - 1);
    const Stage& earlier = *stages[static_cast<std::size_t>(random.below(static_cast<std::size_t>(later)))];
    Candidate more = candidate;
    more.script.push_back("share_storage " + stages[static_cast<std::size_t>(later)]->name() + " " +
                          earlier.name());
    attempt([&] {
      build(problem, more);
      candidate = more;
    });
  }
}

std::string wrong_results(const Problem& problem, const loop::Func& func, const Runner& run) {
  std::vector<Bytes> data = problem.data;
  std::vector<std::span<std::byte>> arguments;
  for (const Bytes& expected : problem.expected) data.emplace_back(expected.size(), std::byte{0x5a});
  for (Bytes& argument : data) arguments.emplace_back(argument);
  run(func, arguments);
  for (std::size_t i = 0; i < problem.expected.size(); ++i) {
    if (data[problem.data.size() + i] != problem.expected[i])
      return "output " + std::to_string(i) + " is wrong";
  }
  for (std::size_t i = 0; i < problem.data.size(); ++i) {
    if (data[i] != problem.data[i]) return "input " + std::to_string(i) + " was changed";
  }
  return "";
}

}  // namespace

std::string to_string(const Candidate& candidate) {
  std::string passes;
  for (const std::string& pass : candidate.passes) passes += (passes.empty() ? "" : ",") + pass;
  return joined(candidate.script) + "# passes: " + passes + "\n";
}

void interpret(const loop::Func& func, const std::vector<std::span<std::byte>>& arguments) {
  loop::Interpreter(func).run(arguments);
}

Candidate draw_candidate(const Problem& problem, unsigned seed) {
  Random random(seed);
  Schedule s(problem.outputs);
  add_stages(random, s, problem);
  std::vector<const Stage*> stages = s.stages();
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    Stage& target = s[(*stage)->tensor()];
    if (random.chance(70)) reshape_loops(random, target);
    place(random, s, target);
  }
  Candidate candidate{s.log(), draw_passes(random)};
  share(random, problem, s, candidate);
  pad_in_place(random, problem, s, candidate);
  roll(random, problem, s, candidate);
  pad_strides(random, problem, s, candidate);
  return candidate;
}

std::optional<std::string> failure_of(const Problem& problem, const Candidate& candidate, const Runner& run) {
  loop::Func func;
  try {
    func = build(problem, candidate);
  } catch (const UserError&) {
    return std::nullopt;
  }
  try {
    const std::string text = loop::to_string(func);
    loop::Func read_back = loop::parse(text);
    if (loop::to_string(read_back) != text) return "its text does not read back:\n" + text;
    func = passes::run_passes(read_back, candidate.passes);
    std::string wrong = wrong_results(problem, func, run);
    return wrong.empty() ? wrong : wrong + ":\n" + loop::to_string(func);
  } catch (const UserError& error) {
    // A condition that only some threads pass, a buffer that cannot be filled early, more virtual threads
    // than are written out, and what a kernel cannot have are properties of the schedule, and refused by
    // name.
    const std::string message = error.what();
    if (message.starts_with("insert-barriers: ") || message.starts_with("double-buffer: ") ||
        message.starts_with("lower-vthreads: ") || message.starts_with("place-threads: "))
      return std::nullopt;
    return message + ":\n" + loop::to_string(func);
  } catch (const InternalError& error) {
    return std::string(error.what()) + ":\n" + loop::to_string(func);
  }
}

Candidate shrink(Candidate candidate, const std::function<bool(const Candidate&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (auto list : {&Candidate::passes, &Candidate::script}) {
      for (std::size_t i = (candidate.*list).size(); i-- > 0;) {
        Candidate less = candidate;
        (less.*list).erase((less.*list).begin() + static_cast<std::ptrdiff_t>(i));
        if (!fails(less)) continue;
        candidate = std::move(less);
        smaller = true;
      }
    }
  }
  return candidate;
}

int check_candidates(const Problem& problem, unsigned first_seed, int count, const Runner& run,
                     const Draw& draw) {
  int legal = 0;
  for (unsigned seed = first_seed; seed < first_seed + static_cast<unsigned>(count); ++seed) {
    Candidate candidate = draw(problem, seed);
    {
      // What was drawn and what its script makes are the same.
      Schedule again(problem.outputs);
      schedule::replay(again, joined(candidate.script));
      EXPECT_EQ(again.log(), candidate.script) << problem.name << ", seed " << seed;
    }
    auto failure = failure_of(problem, candidate, run);
    if (!failure) continue;
    ++legal;
    if (failure->empty()) continue;
    Candidate small = shrink(candidate, [&](const Candidate& c) {
      auto still = failure_of(problem, c, run);
      return still && !still->empty();
    });
    ADD_FAILURE() << problem.name << ", seed " << seed << ", shrunk to\n"
                  << to_string(small) << *failure_of(problem, small, run);
    break;
  }
  return legal;
}

int candidates_to_draw(int quick) {
  const char* wanted = std::getenv("VDLA_RANDOM_SCHEDULES");
  return wanted ? std::atoi(wanted) : quick;
}

Seeds drawn_part(std::string_view what, int count) {
  const char* one_in = std::getenv("VDLA_RANDOM_ONE_IN");
  const int parts = one_in != nullptr && !part::is_whole() ? std::atoi(one_in) : 1;
  if (parts <= 1) return {0, count};
  const int each = (count + parts - 1) / parts;
  const int first = each * static_cast<int>(part::draw(what, static_cast<std::size_t>(parts)));
  const Seeds seeds{static_cast<unsigned>(first), std::min(each, count - first)};
  part::say_part(fmt::format("one in {} of the random schedules, by '{}'", parts, part::draw_text()));
  return seeds;
}

}  // namespace vdla::lower
