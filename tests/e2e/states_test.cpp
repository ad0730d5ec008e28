// SPDX-License-Identifier: Apache-2.0
// Networks that keep values from one run to the next, on each engine, beside the interpreter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/pipeline/reference.h"
#include "runtime/container/module_file.h"
#include "support/error.h"
#include "tests/e2e/kit.h"
#include "tests/e2e/stateful_network.h"
#include "tools/common/model_input.h"

namespace vdla::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<Bytes> input_of(const runtime::Module& module, std::uint64_t seed) {
  return {tools::random_sample(tools::input_spec(module), seed).bytes};
}

/// Runs follow each other; `reset` before the third.
void expect_as_reference(const runtime::Module& module, const std::string& engine, bool interpret = false) {
  EngineSession session(module, engine, {.interpret = interpret});
  pipeline::Reference reference(stateful_network());
  for (std::uint64_t run = 0; run < 5; ++run) {
    if (run == 3) {
      session.session().reset_state();
      reference.reset_state();
    }
    const std::vector<Bytes> inputs = input_of(module, run % 3);
    EXPECT_EQ(session.run(inputs), reference.run(inputs)) << engine << ", run " << run;
  }
}

TEST(States, EachEngineGoesOnAsTheInterpreterDoes) {
  const runtime::Module module = compile(stateful_network());
  ASSERT_TRUE(runtime::needs_device(module));
  for (const std::string& engine : present_engines()) expect_as_reference(module, engine);
}

TEST(States, TheCpuGoesOnAsTheInterpreterDoes) {
  const runtime::Module module = compile(stateful_network(), "cpu");
  expect_as_reference(module, "");
  expect_as_reference(module, "", true);
}

TEST(States, TheFirstRunAfterAResetIsTheFirstRun) {
  const runtime::Module module = compile(stateful_network());
  EngineSession session(module, "functional");
  const std::vector<Bytes> inputs = input_of(module, 0);
  const std::vector<Bytes> first = session.run(inputs);
  EXPECT_NE(session.run(inputs), first);
  session.session().reset_state();
  EXPECT_EQ(session.run(inputs), first);
}

TEST(States, ASessionGoesOnFromTheValuesOfAnother) {
  const runtime::Module module = compile(stateful_network());
  EngineSession session(module, "functional"), other(module, "functional");
  session.run(input_of(module, 0));
  other.session().set_state(session.session().state());
  EXPECT_EQ(other.run(input_of(module, 1)), session.run(input_of(module, 1)));
  std::vector<Bytes> wrong = session.session().state();
  wrong[0].pop_back();
  EXPECT_THAT([&] { other.session().set_state(wrong); }, ThrowsMessage<UserError>(HasSubstr("got ")));
  wrong.pop_back();
  EXPECT_THAT([&] { other.session().set_state(wrong); },
              ThrowsMessage<UserError>(HasSubstr("keeps 3 values, got 2")));
}

TEST(States, AnInputThatIsRefusedChangesNone) {
  const runtime::Module module = compile(stateful_network());
  EngineSession session(module, "functional"), other(module, "functional");
  session.run(input_of(module, 0));
  other.run(input_of(module, 0));
  EXPECT_THROW(session.run({Bytes(3)}), UserError);
  EXPECT_EQ(session.run(input_of(module, 1)), other.run(input_of(module, 1)));
}

}  // namespace
}  // namespace vdla::e2e
