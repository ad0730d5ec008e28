// SPDX-License-Identifier: Apache-2.0
// The kit's own intrinsics against their declarations on every engine, and planted wrong lowerings, which are
// found, shrunk and shown.
#include "compiler/check/check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "compiler/intrinsics/table.h"
#include "isa/spec/operations.h"
#include "isa/variants/variants.h"
#include "sim/cycle/engine.h"
#include "sim/functional/engine.h"
#include "sim/rtl/engine.h"
#include "support/element_with.h"
#include "support/error.h"
#include "tests/sim/built_rtl.h"

namespace vdla::check {
namespace {

using intrinsics::Intrinsic;
using ::testing::HasSubstr;

constexpr std::uint64_t kMemoryBytes = 1 << 20;

/// Of the kit, with one field of the lowering changed.
Intrinsic with_field(const isa::Geometry& g, const std::string& variant, const std::string& field,
                     std::int64_t value) {
  const std::vector<Intrinsic> table = intrinsics::device_intrinsics(g);
  Intrinsic found = element_with(table, variant, &Intrinsic::variant);
  auto& fields = std::get<intrinsics::DeviceRule>(found.lowering).fields;
  const auto rule = std::ranges::find(fields, field, &intrinsics::FieldRule::field);
  if (rule == fields.end())
    ADD_FAILURE() << variant << " has no field " << field;
  else
    rule->value = expr::int_imm(value);
  return found;
}

TEST(Check, TheKitsIntrinsicsAreWhatTheyDeclareOnEveryEngine) {
  const isa::Variant variant = isa::load_variant("tiny");
  const auto functional = sim::make_functional_engine(variant, kMemoryBytes);
  const auto systemc = sim::make_cycle_engine(variant, kMemoryBytes);
  const auto rtl = sim::make_rtl_engine(variant, kMemoryBytes, sim::built_rtl());
  sim::Engine* const engines[] = {functional.get(), systemc.get(), rtl.get()};
  std::set<std::string> names;
  for (const Intrinsic& intrinsic : intrinsics::device_intrinsics(variant.geometry)) {
    const CheckReport report = check_intrinsic(intrinsic, variant.geometry, engines, {.count = 4});
    EXPECT_FALSE(report.mismatch) << report.mismatch->text();
    EXPECT_EQ(report.cases, 4u) << intrinsic.variant;
    names.insert(intrinsic.name);
  }
  std::set<std::string> all{"gemm"};
  for (const isa::NamedCode& row : isa::kVectorOps) all.insert(std::string(row.text));
  EXPECT_EQ(names, all);
}

class Planted : public ::testing::Test {
 protected:
  Mismatch found(const Intrinsic& intrinsic, std::uint64_t count = 20) {
    sim::Engine* const engines[] = {engine_.get()};
    const CheckReport report = check_intrinsic(intrinsic, variant_.geometry, engines, {.count = count});
    EXPECT_TRUE(report.mismatch) << intrinsic.variant;
    return report.mismatch.value_or(Mismatch{});
  }
  isa::Variant variant_ = isa::load_variant("tiny");
  std::unique_ptr<sim::Engine> engine_ = sim::make_functional_engine(variant_, kMemoryBytes);
};

TEST_F(Planted, AWrongConstantIsShrunkToOneElementAndShownSideBySide) {
  const Mismatch mismatch = found(with_field(variant_.geometry, "mac acc <- out, imm", "a_offset", 1));
  EXPECT_TRUE(mismatch.smallest.loops.empty());
  EXPECT_THAT(mismatch.smallest.bases, ::testing::Each(0));
  // The declared offset is 0, the multiplier the smallest that shows the difference.
  EXPECT_EQ(mismatch.smallest.attributes, (std::vector<std::int64_t>{0, 1}));
  for (const auto& values : mismatch.smallest.values) EXPECT_THAT(values, ::testing::Each(0));
  EXPECT_EQ(mismatch.text(),
            "intrinsic 'mac acc <- out, imm': the lowering differs from the declaration on "
            "engine functional (seed 1, case 0, " +
                std::to_string(mismatch.shrinks) + R"( smaller ones tried)
call:
intrinsic mac(out dst[0, 0] {4:1}, in a[0, 0] {4:1}) attrs(a_offset = 0i32, imm = 1i32)
declared as: sum over steps of (i32(a[n]) + a_offset) * imm
lowered to: vector acc[0] += mac(out[4] + 1, #1)
output                   expected         seen
dst[0, 0]                       0            1
dst[0, 1]                       0            1
dst[0, 2]                       0            1
dst[0, 3]                       0            1
operands before the call, what is not 0: nothing
)");
}

TEST_F(Planted, AWrongOperationShowsWithOneValue) {
  const Mismatch mismatch =
      found(with_field(variant_.geometry, "max acc <- acc", "op", static_cast<int>(isa::VectorOp::Min)));
  EXPECT_TRUE(mismatch.smallest.loops.empty());
  EXPECT_EQ(mismatch.differing().size(), 1u);
  int values = 0;
  for (const auto& operand : mismatch.smallest.values)
    values += static_cast<int>(std::ranges::count_if(operand, [](std::int64_t v) { return v != 0; }));
  EXPECT_EQ(values, 1);
}

TEST_F(Planted, AFieldBeyondItsRangeMakesNoLegalProgram) {
  const Mismatch mismatch = found(with_field(variant_.geometry, "mac acc <- out, imm", "b_kind", 3));
  EXPECT_TRUE(mismatch.seen.empty());
  EXPECT_THAT(mismatch.text(), HasSubstr("no result: no legal program: "));
}

TEST_F(Planted, AnOutputThatNoStepWritesIsRefused) {
  Intrinsic intrinsic = intrinsics::device_intrinsics(variant_.geometry)[0];
  intrinsic.output.buffer = isa::Buffer::Wgt;
  sim::Engine* const engines[] = {engine_.get()};
  try {
    check_intrinsic(intrinsic, variant_.geometry, engines);
    ADD_FAILURE() << "accepted";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("the output of intrinsic 'gemm' is in buffer wgt, needs acc, out, or inp"));
  }
}

}  // namespace
}  // namespace vdla::check
