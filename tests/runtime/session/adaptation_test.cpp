// SPDX-License-Identifier: Apache-2.0
// A step that chooses among kernels, on a clock of its own; the proof that two give equal results; and what a
// module file keeps of such steps.
#include "runtime/session/adaptation.h"

#include <gmock/gmock.h>

#include "runtime/container/alternatives_generated.h"
#include "runtime/container/module_file.h"
#include "runtime/container/sections.h"
#include "runtime/module/module_check.h"
#include "runtime/session/kernel_proof.h"
#include "support/error.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// Kernels that take so many seconds.
class Adapting : public ::testing::Test {
 protected:
  struct Fake {
    double seconds = 1;
    double first = 0;   ///< what its first run takes beside
    bool equal = true;  ///< it gives the results of the first one
    int runs = 0, proofs = 0;
  };

  Adaptation adaptation(std::optional<std::size_t> chosen = {}) {
    std::vector<Adaptation::Kernel> kernels;
    for (std::size_t k = 0; k < fakes.size(); ++k)
      kernels.push_back({"kernel" + std::to_string(k),
                         [this, k] {
                           EXPECT_TRUE(k == 0 || fakes[k].proofs == 1) << "proven before it runs";
                           EXPECT_TRUE(fakes[k].equal) << "kernel " << k << " ran";
                           time += fakes[k].seconds + (fakes[k].runs++ == 0 ? fakes[k].first : 0);
                         },
                         [this, k] {
                           ++fakes[k].proofs;
                           time += 100;  // which no run counts
                           return fakes[k].equal;
                         }});
    return Adaptation(std::move(kernels), chosen, [this] { return time; });
  }
  /// Each run of the step runs one kernel.
  int runs_until_chosen(Adaptation& step) {
    int runs = 0;
    while (!step.use().chosen && runs < 100) {
      const auto all = [&] {
        int sum = 0;
        for (const Fake& fake : fakes) sum += fake.runs;
        return sum;
      };
      const int before = all();
      step.run();
      EXPECT_EQ(all(), before + 1);
      ++runs;
    }
    return runs;
  }

  std::vector<Fake> fakes;
  double time = 0;
};

TEST_F(Adapting, TheFastestKernelIsKept) {
  fakes = {{.seconds = 1}, {.seconds = 1.1}, {.seconds = 0.8}};
  Adaptation step = adaptation();
  EXPECT_LE(runs_until_chosen(step), 21);
  EXPECT_EQ(step.use().chosen, 2u);
  const int before = fakes[2].runs;
  step.run();
  EXPECT_EQ(fakes[2].runs, before + 1);
  EXPECT_THAT(step.use().kernels[2].seconds, Each(::testing::DoubleNear(0.8, 1e-9)));
  EXPECT_EQ(step.use().kernels[2].seconds.size(), Adaptation::kRuns);
}

TEST_F(Adapting, AKernelOfOtherResultsNeverRuns) {
  fakes = {{.seconds = 1}, {.seconds = 0.1, .equal = false}};
  Adaptation step = adaptation();
  runs_until_chosen(step);
  EXPECT_EQ(step.use().chosen, 0u);
  EXPECT_EQ(step.use().kernels[1].dropped, Dropped::Unproven);
  EXPECT_EQ(fakes[1].proofs, 1);
}

TEST_F(Adapting, AHopelessKernelIsTriedTwice) {
  fakes = {{.seconds = 1}, {.seconds = 3}};
  Adaptation step = adaptation();
  runs_until_chosen(step);
  EXPECT_EQ(step.use().chosen, 0u);
  EXPECT_EQ(step.use().kernels[1].dropped, Dropped::Slower);
  EXPECT_EQ(fakes[1].runs, 2);
}

TEST_F(Adapting, ASlowFirstRunDecidesNothing) {
  fakes = {{.seconds = 1}, {.seconds = 0.9, .first = 50}};
  Adaptation step = adaptation();
  runs_until_chosen(step);
  EXPECT_EQ(step.use().chosen, 1u);
}

TEST_F(Adapting, ATieKeepsTheStepsOwnKernel) {
  fakes = {{.seconds = 1}, {.seconds = 0.99}};
  Adaptation step = adaptation();
  runs_until_chosen(step);
  EXPECT_EQ(step.use().chosen, 0u);
}

TEST_F(Adapting, WhatIsKnownFromBeforeIsProvenAndRuns) {
  fakes = {{.seconds = 1}, {.seconds = 2}};
  Adaptation step = adaptation(1);
  step.run();
  step.run();
  EXPECT_EQ(fakes[1].runs, 2);
  EXPECT_EQ(fakes[0].runs, 0);
  EXPECT_FALSE(adaptation(2).use().chosen) << "of another module";
}

/// Who times a step would time the proof with it.
TEST_F(Adapting, AKernelIsProvenBeforeItsRunIsTimed) {
  fakes = {{.seconds = 1}, {.seconds = 2}};
  Adaptation step = adaptation(1);
  step.prepare();
  EXPECT_EQ(fakes[1].proofs, 1);
  EXPECT_EQ(fakes[1].runs, 0);
  const double before = time;
  step.prepare();
  step.run();
  EXPECT_EQ(fakes[1].runs, 1);
  EXPECT_LT(time - before, 10);
}

TEST_F(Adapting, WhatIsKnownFromBeforeAndWrongHereIsChosenAnew) {
  fakes = {{.seconds = 1}, {.seconds = 0.5, .equal = false}, {.seconds = 0.7}};
  Adaptation step = adaptation(1);
  step.run();
  runs_until_chosen(step);
  EXPECT_EQ(step.use().chosen, 2u);
  EXPECT_EQ(step.use().kernels[1].dropped, Dropped::Unproven);
}

/// Sums of 64 products of floats, in order or from the end.
class Proof : public ::testing::Test {
 protected:
  static constexpr std::size_t kTerms = 64, kSums = 8;
  Proof() {
    m = two_host_steps();
    m.tensors.push_back(
        {.name = "x", .type = DataType::Float32, .shape = {kTerms}, .quantization = {}, .data = {}});
    m.tensors.push_back(
        {.name = "y", .type = DataType::Float32, .shape = {kSums}, .quantization = {}, .data = {}});
    const auto y = static_cast<TensorIndex>(m.tensors.size() - 1);
    step.arguments = {y - 1, y};
    step.results = {y};
    step.parameters = {{DataType::Float32, kTerms * 4}, {DataType::Float32, kSums * 4}};
  }
  static HostKernel sums(bool from_the_end, std::size_t missing = kTerms) {
    return [=](std::span<void* const> arguments) {
      const auto* x = static_cast<const float*>(arguments[0]);
      auto* y = static_cast<float*>(arguments[1]);
      for (std::size_t j = 0; j < kSums; ++j) {
        y[j] = 0;
        for (std::size_t i = 0; i < kTerms; ++i) {
          const std::size_t k = from_the_end ? kTerms - 1 - i : i;
          if (k != missing) y[j] += x[k] * static_cast<float>(j + k);
        }
      }
    };
  }
  bool equal(const HostKernel& a, const HostKernel& b) const {
    return give_equal_results(m, {&step, a}, {&step, b}, [](TensorIndex) { return nullptr; });
  }

  Module m;
  HostStep step;
};

TEST_F(Proof, TakesSumsInTheSameOrder) { EXPECT_TRUE(equal(sums(false), sums(false))); }
TEST_F(Proof, FindsSumsInAnotherOrder) { EXPECT_FALSE(equal(sums(false), sums(true))); }
TEST_F(Proof, FindsATermThatIsLeftOut) { EXPECT_FALSE(equal(sums(false), sums(false, 17))); }

/// What a sum of floats rounds to is the same in either order on nearly all data, and not on all.
TEST_F(Proof, NothingIsProvenWhereFloatsBecomeIntegers) {
  m.tensors.back().type = DataType::Int32;
  step.parameters[1].type = DataType::Int32;
  const HostKernel rounded = [](std::span<void* const> arguments) {
    float y[kSums];
    void* const inner[] = {arguments[0], y};
    sums(false)(inner);
    std::ranges::copy(y, static_cast<std::int32_t*>(arguments[1]));
  };
  EXPECT_FALSE(equal(rounded, rounded));
}

TEST_F(Proof, NothingIsProvenByResultsThatAreAllTheSame) {
  const HostKernel clipped = [](std::span<void* const> arguments) {
    sums(false)(arguments);
    for (float& y : std::span(static_cast<float*>(arguments[1]), kSums)) y = y > 1e9f ? y : 0;
  };
  EXPECT_FALSE(equal(clipped, clipped));
}

/// two_host_steps() whose second step has another kernel, which takes a constant.
Module with_alternatives() {
  Module m = two_host_steps();
  m.tensors.push_back(
      {.name = "one", .type = DataType::Int8, .shape = {1}, .quantization = {}, .data = int8s({1})});
  HostStep other = std::get<HostStep>(m.steps[1]);
  other.kernel = "add_constant";
  other.loop_ir = "another text";
  other.parameters.push_back({DataType::Int8, 1});
  other.arguments.push_back(static_cast<TensorIndex>(m.tensors.size() - 1));
  m.alternatives = {{1,
                     "add",
                     "alone",
                     {{"tile", 12, {}}, {"order", 2, {"rows", "columns"}}},
                     1,
                     "",
                     0,
                     {{other, "tile=4 order=rows", 12.5}}}};
  return m;
}

TEST(Alternatives, AreKeptByTheFile) {
  const Module m = with_alternatives();
  check(m);
  EXPECT_EQ(parse(pack(to_sections(m)), "m").alternatives, m.alternatives);
}

TEST(Alternatives, AModuleWithoutThemHasNoSection) {
  for (const Section& section : to_sections(two_host_steps())) EXPECT_NE(section.name, "alternatives");
}

class CraftedAlternatives : public ::testing::Test {
 protected:
  void expect_refused(const std::string& sentence) {
    const Bytes file = pack(to_sections(m));
    EXPECT_THAT([&] { parse(file, "m"); },
                ThrowsMessage<UserError>(AllOf(StartsWith("'m' is corrupt: "), HasSubstr(sentence))));
  }
  HostStep& other() { return m.alternatives[0].others[0].step; }

  Module m = with_alternatives();
};

TEST_F(CraftedAlternatives, OfNoStep) {
  m.alternatives[0].step = 2;
  expect_refused("step 2 of the module is none of the CPU");
}

TEST_F(CraftedAlternatives, TwiceOfAStep) {
  m.alternatives.push_back(m.alternatives[0]);
  expect_refused("stand behind those of step 1, needs each step once, in order");
}

TEST_F(CraftedAlternatives, OfMoreKernelsThanASessionTries) {
  m.alternatives[0].others.resize(8, m.alternatives[0].others[0]);
  expect_refused("are 8, at most 7 are taken");
}

/// A file of some kilobytes would become gigabytes.
TEST_F(CraftedAlternatives, ThatNameOneTextAgainAndAgain) {
  flatbuffers::FlatBufferBuilder b;
  const auto kernel =
      fbs::CreateAlternativeKernel(b, b.CreateString("add"), b.CreateString(std::string(4096, 'x')));
  const std::vector<flatbuffers::Offset<fbs::AlternativeKernel>> others(1000, kernel);
  const auto step = fbs::CreateStepAlternatives(b, 1, 0, 0, 0, 1, 0, 0, b.CreateVector(others));
  b.Finish(fbs::CreateAlternatives(b, b.CreateVector(&step, 1)));
  std::vector<Section> sections = to_sections(m);
  const auto section = std::ranges::find(sections, "alternatives", &Section::name);
  ASSERT_NE(section, sections.end());
  const auto* begin = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  section->bytes.assign(begin, begin + b.GetSize());
  EXPECT_THAT([&] { parse(pack(sections), "m"); },
              ThrowsMessage<UserError>(AllOf(StartsWith("'m' is corrupt: its section 'alternatives' is: "),
                                             HasSubstr("name the same bytes again and again"))));
}

TEST_F(CraftedAlternatives, ThatWriteNothing) {
  other().arguments.pop_back();
  other().parameters.pop_back();
  other().arguments[1] = other().arguments[0];
  expect_refused("which is not once among its arguments");
}

TEST_F(CraftedAlternatives, ThatReadWhatTheStepDoesNot) {
  m.tensors[other().arguments.back()].data.clear();
  expect_refused("has tensor 'one', which the step has not");
}

TEST_F(CraftedAlternatives, ThatTakeMoreThanTheirTensorsHave) {
  other().parameters[0].bytes = 4096;
  expect_refused("its kernel takes 4096 bytes");
}

TEST_F(CraftedAlternatives, OfMoreParametersThanArguments) {
  other().arguments.pop_back();
  expect_refused("has 2 arguments, its kernel takes 3");
}

}  // namespace
}  // namespace vdla::runtime
