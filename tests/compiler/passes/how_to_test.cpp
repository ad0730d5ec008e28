// SPDX-License-Identifier: Apache-2.0
// docs/how-to/add-a-pass.md and add-a-schedule-primitive.md: their examples, word for word, do what the pages
// say. The files of the first are its recipe's (tests/recipes), those of the second exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/expr/affine.h"
#include "compiler/expr/dsl.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/loop/verify.h"
#include "compiler/loop/visit.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/script.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::passes {
namespace {

using expr::ExprPtr;
using expr::IterVar;
using loop::StmtPtr;
using schedule::Stage;

// example: add-a-pass.md
loop::Func count_from_zero(const loop::Func& func) {
  StmtPtr body = loop::rewrite(func.body, [](const StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    if (!n || expr::as_constant(n->min) == 0) return s;
    ExprPtr shifted = expr::binary(expr::BinaryOp::Add, expr::var_ref(n->var), n->min);
    StmtPtr inside = loop::substitute(n->body, {{n->var, shifted}});
    return loop::make_for(n->var, expr::int_imm(0), n->extent, n->kind, inside);
  });
  return {func.name, func.params, body};
}
// end

// example: add-a-schedule-primitive.md
/// Neighbouring iterations of `axis` go to different runs of the stage's loops: the inner part moves
/// outermost.
IterVar interleave(Stage& stage, const IterVar& axis, std::int64_t factor) {
  auto [outer, inner] = stage.split(axis, factor);
  std::vector<IterVar> order{inner};
  for (const IterVar& leaf : stage.leaves()) {
    if (!(leaf == inner)) order.push_back(leaf);
  }
  stage.reorder(order);
  return inner;
}
// end

void expect_example(const std::string& page) {
  const std::string example =
      testing::cut("tests/compiler/passes/how_to_test.cpp", "// example: " + page + "\n", "// end\n", false);
  testing::expect_shows(page, "```cpp\n" + example + "```");
}

TEST(HowTo, APassIsAddedAsItsPageSays) {
  expect_example("add-a-pass.md");
  loop::Func func =
      count_from_zero(loop::parse("func f(in A: i32[8], out B: i32[8]) { B[0] = 0i32 for i in 1..8 { for j "
                                  "in i extent 1 { B[j] = A[j - 1] } } }"));
  loop::verify(func);
  EXPECT_THAT(loop::to_string(func),
              ::testing::AllOf(::testing::HasSubstr("for i in 0..7"), ::testing::HasSubstr("for j in 0..1")));
  std::vector<std::int32_t> in{1, 2, 3, 4, 5, 6, 7, 8}, out(8);
  const std::span<std::byte> arguments[] = {std::as_writable_bytes(std::span(in)),
                                            std::as_writable_bytes(std::span(out))};
  loop::Interpreter(func).run(arguments);
  EXPECT_THAT(out, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(HowTo, APrimitiveIsAddedAsItsPageSays) {
  expect_example("add-a-schedule-primitive.md");
  testing::expect_files_exist("add-a-schedule-primitive.md", 5);
  using namespace expr;
  Tensor a = placeholder("A", {10}, DType::I32);
  Tensor b = compute("B", {10}, [&](Value i) { return a(i) + 1; }, {"i"});
  schedule::Schedule s({b}), again({b});
  interleave(s[b], s[b].axis(0), 4);
  EXPECT_EQ(schedule::to_script(s), "split B i 4\nreorder B i.i i.o\n");
  schedule::replay(again, schedule::to_script(s));
  EXPECT_EQ(loop::to_string(lower::lower(again, {a, b}, "f")), loop::to_string(lower::lower(s, {a, b}, "f")));
}

}  // namespace
}  // namespace vdla::passes
