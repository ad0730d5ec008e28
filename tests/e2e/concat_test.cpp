// SPDX-License-Identifier: Apache-2.0
// Concatenations and borders between layers of the device: they stay there, and what their step makes is not
// copied.
#include <algorithm>

#include "compiler/knobs/choice.h"
#include "isa/variants/variants.h"
#include "support/element_with.h"
#include "tests/e2e/joined_network.h"

namespace vdla::e2e {
namespace {

using graph::TensorId;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Concat, OfWhatItsStepMakesTakesNoInstruction) {
  JoinedNetwork b(1);
  const TensorId squeezed = b.conv("squeeze", b.input({1, 9, 7, 16}), 8);
  const TensorId left = b.conv("left", squeezed, 16), right = b.conv("right", squeezed, 18, 3);
  b.graph.add_output(b.conv("next", b.concat("join", {left, right}), 20, 3));
  const runtime::Module module = compile(b.graph, "tiny");
  for (const auto& node : module.nodes) EXPECT_EQ(node.place, "vdla") << node.name << ": " << node.reason;
  EXPECT_THAT(report_of(module, "join").reason,
              StartsWith("moved by DMA; what its step makes is stored where it belongs"));
  EXPECT_EQ(instructions_of(module, "join"), 0u);
  EXPECT_GT(instructions_of(module, "right"), 0u);
  b.expect_same();
  b.expect_same("paper");
}

TEST(Concat, CopiesWhatABookWantsApart) {
  JoinedNetwork b(1);
  const TensorId squeezed = b.conv("squeeze", b.input({1, 9, 7, 16}), 8);
  const TensorId left = b.conv("left", squeezed, 16), right = b.conv("right", squeezed, 18, 3);
  b.graph.add_output(b.conv("next", b.concat("join", {left, right}), 20, 3));
  const std::string task = "input '" + b.graph.tensor(left).name + "' of concatenation 'join'";
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("tiny");
  options.book = pipeline::KnobBook{pipeline::target_of(options.variant), {}, {}};
  const auto can_be_apart = [&] {
    const auto tasks = knob_tasks(pipeline::compile(b.graph, options));
    const pipeline::KnobTask& choice = element_with(tasks, task, &pipeline::KnobTask::task);
    return choice.plan && choice.space.legal(choice.space.parse("made=apart"));
  };
  EXPECT_TRUE(can_be_apart());
  options.book->records.push_back({task, pipeline::kPlanContext, "made=apart", 4});
  EXPECT_FALSE(can_be_apart()) << "it is";
  const runtime::Module module = compile_with(b.graph, options);
  EXPECT_GT(instructions_of(module, "join"), 0u);
  EXPECT_THAT(
      report_of(module, "join").reason,
      HasSubstr("; '" + b.graph.tensor(left).name + "' is copied, as record 4 of the knob book wants it"));
  b.expect_same(module);
}

TEST(Concat, SlicesAreReadByOthersToo) {
  JoinedNetwork b(2);
  const TensorId x = b.input({1, 6, 8, 8});
  const TensorId left = b.conv("left", x, 8), right = b.conv("right", left, 12, 3);
  const TensorId joined = b.concat("join", {left, right});
  const TensorId sum = b.add("sum", b.conv("again", joined, 8), left);
  const TensorId pooled =
      b.graph.add_node("pool", graph::MaxPool2d{{3, 3}, {1, 1}, {1, 1, 1, 1}, -128, 127}, {right});
  b.graph.add_output(sum);
  b.graph.add_output(pooled);
  EXPECT_EQ(instructions_of(compile(b.graph, "tiny"), "join"), 0u);
  b.expect_same();
}

TEST(Concat, OfConcatenations) {
  JoinedNetwork b(3);
  const TensorId x = b.input({1, 4, 6, 8});
  const TensorId a = b.conv("a", x, 8), c = b.conv("c", x, 4), d = b.conv("d", x, 8, 3);
  const TensorId inner = b.concat("inner", {a, c});
  const TensorId outer = b.concat("outer", {d, inner});
  b.graph.add_output(b.conv("next", b.concat("rows", {outer, b.conv("e", x, 20)}, 1), 8));
  const runtime::Module module = compile(b.graph, "tiny");
  for (const char* name : {"inner", "outer", "rows"}) EXPECT_EQ(instructions_of(module, name), 0u) << name;
  b.expect_same();
}

TEST(Concat, OfColumnsOfOneRowTakesNoInstruction) {
  JoinedNetwork b(13);
  const TensorId x = b.input({1, 1, 9, 8}), y = b.input({1, 1, 4, 8});
  const TensorId joined = b.concat("join", {b.conv("a", x, 6, 3), b.conv("c", y, 6)}, 2);
  b.graph.add_output(b.conv("next", joined, 8, 3));
  const runtime::Module module = compile(b.graph, "tiny");
  for (const auto& node : module.nodes) EXPECT_EQ(node.place, "vdla") << node.name << ": " << node.reason;
  EXPECT_EQ(instructions_of(module, "join"), 0u);
  b.expect_same();
  b.expect_same("paper");
}

TEST(Concat, OfColumnsOfSeveralRowsIsCopied) {
  JoinedNetwork b(14);
  const TensorId x = b.conv("front", b.input({1, 5, 6, 8}), 8), y = b.conv("other", b.input({1, 5, 3, 8}), 8);
  const TensorId joined = b.concat("join", {x, y, x}, 2), inner = b.concat("inner", {joined, joined}, 3);
  b.graph.add_output(b.conv("next", inner, 8));
  const TensorId cells = b.graph.add_node("cells", graph::Reshape{{1, 5, 6, 1, 8}}, {x});
  const TensorId twice = b.concat("twice", {cells, cells}, 3);
  b.graph.add_output(b.conv("last", b.graph.add_node("wide", graph::Reshape{{1, 5, 12, 8}}, {twice}), 8, 3));
  for (const char* variant : {"tiny", "paper"}) {
    const runtime::Module module = compile(b.graph, variant);
    for (const char* name : {"join", "inner", "twice"})
      EXPECT_EQ(report_of(module, name).place, "vdla") << report_of(module, name).reason;
    EXPECT_GT(instructions_of(module, "join"), 0u);
    b.expect_same(module);
  }
}

TEST(Concat, ThatLeavesIsReadInPartsBefore) {
  JoinedNetwork b(8);
  const TensorId x = b.input({1, 6, 8, 8});
  const TensorId left = b.conv("left", x, 8), right = b.conv("right", left, 12, 3);
  b.graph.add_output(b.concat("join", {left, right}));
  b.graph.add_output(b.conv("next", right, 8, 3));
  EXPECT_EQ(instructions_of(compile(b.graph, "tiny"), "join"), 0u);
  b.expect_same();
  b.expect_same("paper");
}

TEST(Concat, CopiesWhatComesFromElsewhereOrGoesThere) {
  JoinedNetwork b(4);
  const TensorId x = b.input({1, 5, 6, 8}), made = b.conv("made", x, 8), out = b.conv("out", x, 8);
  b.graph.add_output(out);                                         // leaves as a tensor of its own
  const TensorId joined = b.concat("join", {x, made, made, out});  // arrives; once in place, once a copy
  b.graph.add_output(b.conv("next", joined, 8));
  const runtime::Module module = compile(b.graph, "tiny");
  EXPECT_EQ(report_of(module, "join").place, "vdla");
  EXPECT_GT(instructions_of(module, "join"), 0u);
  b.expect_same();
}

TEST(Concat, StaysOnTheCpuWhereItsInputsAre) {
  JoinedNetwork b(5);
  const TensorId x = b.input({1, 5, 6, 8}), y = b.input({1, 5, 6, 8});
  b.graph.add_output(b.conv("next", b.concat("join", {x, y}), 8));
  EXPECT_THAT(report_of(compile(b.graph, "tiny"), "join").reason,
              StartsWith("it only moves bytes, which are on the CPU"));
  b.expect_same();
}

/// The last block of `a` reaches into `c`, which is stored after it.
TEST(Concat, OfChannelsThatEndWithinABlockTakesNoInstructionInThatOrder) {
  JoinedNetwork b(6);
  const TensorId x = b.input({1, 5, 6, 8}), a = b.conv("a", x, 6), c = b.conv("c", x, 5, 3);
  b.graph.add_output(b.conv("next", b.concat("join", {a, c}), 8, 3));
  const runtime::Module module = compile(b.graph, "tiny");
  for (const auto& node : module.nodes) EXPECT_EQ(node.place, "vdla") << node.name << ": " << node.reason;
  EXPECT_EQ(instructions_of(module, "join"), 0u);
  b.expect_same();
  b.expect_same("paper");
}

TEST(Concat, CopiesWhatALaterLayerWouldBeStoredOver) {
  JoinedNetwork b(9);
  const TensorId x = b.input({1, 5, 6, 8}), made = b.conv("made", x, 5), later = b.conv("later", made, 6);
  b.graph.add_output(b.conv("next", b.concat("join", {later, made}), 8));
  EXPECT_GT(instructions_of(compile(b.graph, "tiny"), "join"), 0u);
  b.expect_same();
}

TEST(Concat, OfConcatenationsThatEndWithinABlock) {
  JoinedNetwork b(10);
  const TensorId x = b.input({1, 4, 6, 8});
  const TensorId a = b.conv("a", x, 7), c = b.conv("c", x, 3), d = b.conv("d", x, 9, 3);
  const TensorId inner = b.concat("inner", {a, c, a}), outer = b.concat("outer", {d, inner, c});
  b.graph.add_output(b.conv("next", b.concat("rows", {outer, b.conv("e", x, 29)}, 1), 8));
  b.graph.add_output(inner);
  for (const char* variant : {"tiny", "paper"}) {
    for (const char* name : {"inner", "outer", "rows"})
      EXPECT_EQ(report_of(compile(b.graph, variant), name).place, "vdla") << name;
    b.expect_same(variant);
  }
}

/// Pixels that are further apart than their blocks are no run of bytes.
TEST(Concat, ThatEndsWithinABlockIsShownInAnotherShapeByTheCpu) {
  JoinedNetwork b(11);
  const TensorId x = b.input({1, 5, 6, 8});
  const TensorId joined = b.concat("join", {b.conv("a", x, 6), b.conv("c", x, 6)});
  const TensorId pixels = b.graph.add_node("pixels", graph::Reshape{{1, 3, 10, 12}}, {joined});
  b.graph.add_output(b.conv("next", pixels, 8, 3));
  const TensorId flat = b.graph.add_node("flat", graph::Reshape{{1, 5, 1, 72}}, {joined});
  b.graph.add_output(b.conv("behind", flat, 4));
  const runtime::Module module = compile(b.graph, "tiny");
  EXPECT_EQ(report_of(module, "pixels").place, "vdla") << report_of(module, "pixels").reason;
  EXPECT_EQ(report_of(module, "flat").place, "cpu");
  EXPECT_THAT(report_of(module, "flat").reason,
              StartsWith("parts of its input's channels end within a block, so this reshape moves bytes"));
  b.expect_same();
}

TEST(Pad, OfChannelsIsAPlaceAndAFill) {
  for (const auto& [before, after] : {std::pair{0, 10}, {3, 2}, {8, 8}}) {
    SCOPED_TRACE(before);
    JoinedNetwork b(12);
    const TensorId x = b.conv("front", b.input({1, 5, 6, 8}), 6);
    const TensorId padded =
        b.graph.add_node("border", graph::Pad{{0, 0, 0, before}, {0, 0, 0, after}, -9}, {x});
    b.graph.add_output(b.add("sum", padded, b.conv("other", b.input({1, 5, 6, 8}), 6 + before + after)));
    b.graph.add_output(padded);
    for (const char* variant : {"tiny", "paper"}) {
      EXPECT_THAT(report_of(compile(b.graph, variant), "border").reason,
                  StartsWith("moved by DMA, which pads"));
      b.expect_same(variant);
    }
  }
}

TEST(Pad, BetweenLayersIsMovedByDma) {
  JoinedNetwork b(7);
  const TensorId x = b.conv("front", b.input({1, 5, 6, 8}), 12);
  // No zero point: no convolution takes it over.
  const TensorId padded = b.graph.add_node("border", graph::Pad{{0, 1, 2, 0}, {0, 3, 0, 0}, -9}, {x});
  b.graph.add_output(b.conv("next", padded, 8, 3));
  const runtime::Module module = compile(b.graph, "tiny");
  EXPECT_THAT(report_of(module, "border").reason, StartsWith("moved by DMA, which pads"));
  EXPECT_GT(instructions_of(module, "border"), 0u);
  b.expect_same();
  b.expect_same("paper");
}

}  // namespace
}  // namespace vdla::e2e
