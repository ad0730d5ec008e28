// SPDX-License-Identifier: Apache-2.0
// Drawn TFLite files of one operator through import, all passes and the interpreter, held to what TensorFlow
// Lite answers, and to what TFLite Micro does to those of 16-bit integers and to recurrent ones of integers.
#include <gtest/gtest.h>

#include <set>

#include "compiler/import/file.h"
#include "support/error.h"
#include "tests/compiler/import/random_graphs/recorded.h"
#include "tests/compiler/import/random_tflite/device_forms.h"
#include "tests/compiler/import/random_tflite/run.h"

namespace vdla::random_tflite {
namespace {

/// The operators of a file of answers.
std::set<std::string> compare_with(const std::string& file) {
  std::set<std::string> operators;
  for (const random_graphs::Recorded& r :
       random_graphs::read_recorded(VDLA_SOURCE_DIR "/tests/compiler/import/random_tflite/" + file)) {
    const Drawn drawn = draw(r.seed);
    EXPECT_EQ(random_graphs::hash_of(drawn.model, drawn.inputs), r.hash)
        << "seed " << r.seed << " draws another file than the one recorded: `random_tflite --record`";
    const random_graphs::Ran ran = run_here(drawn, random_graphs::Place::Interpreter);
    EXPECT_EQ(ran.refused + ran.broken, "") << "seed " << r.seed << ": " << drawn.op;
    if (ran.refused.empty() && ran.broken.empty())
      EXPECT_EQ(compare(ran.outputs, r), "") << "seed " << r.seed << ": " << drawn.op;
    const random_graphs::Ran within =
        run_here(draw_wrapped(r.seed, drawn.op), random_graphs::Place::Interpreter);
    EXPECT_EQ(within.refused + within.broken, "") << "seed " << r.seed << ", wrapped: " << drawn.op;
    if (within.refused.empty() && within.broken.empty())
      EXPECT_EQ(compare(within.outputs, r), "") << "seed " << r.seed << ", wrapped: " << drawn.op;
    operators.insert(drawn.op);
  }
  return operators;
}

TEST(RandomTflite, GivesTheRecordedAnswers) { EXPECT_GE(compare_with("recorded.txt").size(), 100u); }

TEST(RandomTflite, GivesTheAnswersOfMicro) { EXPECT_GE(compare_with("recorded16.txt").size(), 29u); }

/// `vdla ops` said of each operator of integers that the device may have it.
TEST(RandomTflite, FindsTheFormsOfTheDeviceThatAreListed) {
  const graph::Bytes listed = import::read_file(VDLA_SOURCE_DIR "/tools/vdla/explain/device_forms.h");
  EXPECT_EQ(text_of_device_forms(), std::string(reinterpret_cast<const char*>(listed.data()), listed.size()))
      << "random_tflite --device-forms tools/vdla/explain/device_forms.h; vdla ops --markdown > "
         "docs/operators.md";
}

// ELU of integers was a fault within the compiler, found by the fuzzer: each operator says which types it
// takes.
TEST(RandomTflite, OfWrongTypesIsRefusedOrComputed) {
  std::size_t refused = 0, taken = 0;
  for (std::uint64_t seed = 0; seed < 9600; ++seed) {
    const Drawn drawn = draw_of_wrong_types(seed);
    try {
      import::import_tflite(drawn.model, "drawn");
      ++taken;
    } catch (const UserError&) {
      ++refused;
    } catch (const std::exception& e) {
      ADD_FAILURE() << "seed " << seed << ", " << drawn.op << ": " << e.what();
    }
  }
  EXPECT_GT(refused, 3000u);
  EXPECT_GT(taken, 1000u);
}

}  // namespace
}  // namespace vdla::random_tflite
