// SPDX-License-Identifier: Apache-2.0
// Tensorized loop IR and the assembly that it becomes, on a machine with 4 x 4 entries: what holds entries
// between functions, and what is refused. Functions alone are texts (text/*.stream).
#include <gmock/gmock.h>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/parse.h"
#include "compiler/targets/vdla/table.h"
#include "isa/asm/asm.h"
#include "support/error.h"
#include "tests/compiler/codegen/vdla/geometries.h"
#include "tests/compiler/codegen/vdla/machine.h"

namespace vdla::codegen::testing {
namespace {

using ::testing::HasSubstr;

/// Of text behind the device's table of lowering. Parameters lie in windows act and output, in this order.
std::string assembly(const std::string& text) {
  const auto table = target::device_table(intrinsics::device_intrinsics(small_geometry()));
  const loop::Func func = passes::lower(table, loop::parse(text));
  const std::vector<Location> all{{isa::Window::Act, 0}, {isa::Window::Output, 0}};
  SegmentBuilder segment(small_geometry());
  segment.add({"layer", "test", ""}, func,
              {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(func.params.size())});
  std::string result;
  for (const isa::Insn& insn : finish_verified(segment).insns) result += isa::to_text(insn) + "\n";
  return result;
}

/// One layer leaves its result in entries that the next one reads; tiles find no room there until then.
TEST(Assembly, AParameterMayStayOnChipBetweenLayers) {
  const loop::Func first = loop::parse(R"(func f(in X: i8[4, 4], out Y: i8[4, 4] @inp) {
  alloc a: i8[4, 4] @inp
  intrinsic load(out a[0, 0] {4:4, 4:1}, in X[0, 0] {4:4, 4:1})
  for i in 0..4 {
    intrinsic max(out Y[i, 0] {4:1}, in a[i, 0] {4:1}) attrs(a_offset = 0i32, imm = 3i32, out_zero = 0i32, clamp_min = -128i32, clamp_max = 127i32)
  }
}
)");
  const loop::Func second = loop::parse(R"(func f(in X: i8[4, 4] @inp, out Y: i8[4, 4]) {
  alloc b: i8[4, 4] @out
  for i in 0..4 {
    intrinsic max(out b[i, 0] {4:1}, in X[i, 0] {4:1}) attrs(a_offset = 0i32, imm = 5i32, out_zero = 0i32, clamp_min = -128i32, clamp_max = 127i32)
  }
  intrinsic store(out Y[0, 0] {4:4, 4:1}, in b[0, 0] {4:4, 4:1})
}
)");
  SegmentBuilder segment(small_geometry());
  segment.keep(isa::Buffer::Inp, 2, 6);
  segment.add({"one", "test", ""}, first, {{isa::Window::Act, 0}, SramEntry{3}});
  segment.add({"two", "test", ""}, second, {SramEntry{3}, {isa::Window::Output, 0}});
  segment.release(isa::Buffer::Inp, 2);
  std::string text;
  for (const isa::Insn& insn : finish_verified(segment).insns) text += isa::to_text(insn) + "\n";
  EXPECT_EQ(text, R"(load inp[8] = act[0] run 4 push vector
vector inp[3 + i4] = max(inp[8 + i4], #3) for i4<4 pop load
vector out[i4] = max(inp[3 + i4], #5) for i4<4 push store
store output[0] = out[0] run 4 pop vector
finish 1
)");
}

/// What `f` throws.
template <class Error, class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Assembly, EntriesThatAreTakenAreRefused) {
  SegmentBuilder segment(small_geometry());
  segment.keep(isa::Buffer::Inp, 2, 6, "image");
  segment.release(isa::Buffer::Inp, 2);
  segment.keep(isa::Buffer::Inp, 7, 1, "later");
  segment.keep(isa::Buffer::Inp, 4, 6, "sum");
  EXPECT_THAT(message_of<InternalError>([&] { (void)segment.finish(); }),
              HasSubstr("entries 4 to 9 of inp are not free (taken: 'later' 1)"));
}

TEST(Assembly, AParameterInEntriesThatNothingHoldsIsRefused) {
  const loop::Func func = loop::parse("func f(in X: i8[4, 4] @inp) {\n}\n");
  SegmentBuilder segment(small_geometry());
  segment.keep(isa::Buffer::Inp, 2, 6);
  EXPECT_EQ(message_of<UserError>([&] { segment.add({"one", "test", ""}, func, {SramEntry{8}}); }),
            "parameter 'X' lies in entry 8 of inp, which nothing holds; keep() it");
}

// Each virtual thread has buffers of its own; each unit alternates between the threads, and no token leads
// from one thread to the other.
TEST(Assembly, VirtualThreadsBecomeOneStreamWithTokens) {
  EXPECT_EQ(assembly(R"(func f(in X: i8[2, 2, 4], out Y: i8[2, 2, 4]) {
  for v in 0..2 vthread {
    for t in 0..2 {
      alloc a: i8[4] @inp
      intrinsic load(out a[0] {4:1}, in X[v, t, 0] {4:1})
      alloc b: i8[4] @out
      intrinsic max(out b[0] {4:1}, in a[0] {4:1}) attrs(a_offset = 0i32, imm = 3i32, out_zero = 0i32, clamp_min = -128i32, clamp_max = 127i32)
      intrinsic store(out Y[v, t, 0] {4:1}, in b[0] {4:1})
    }
  }
}
)"),
            R"(load inp[0] = act[0] push vector
load inp[1] = act[8] push vector
vector out[0] = max(inp[0], #3) pop load push store
vector out[1] = max(inp[1], #3) pop load push store
store output[0] = out[0] pop vector
store output[8] = out[1] pop vector
load inp[2] = act[4] push vector
load inp[3] = act[12] push vector
vector out[2] = max(inp[2], #3) pop load push store
vector out[3] = max(inp[3], #3) pop load push store
store output[4] = out[2] pop vector
store output[12] = out[3] pop vector
finish 1
)");
}

struct Refusal {
  const char* name;
  const char* text;
  const char* message;
};

class Refusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameTheReason) {
  try {
    (void)assembly(GetParam().text);
    FAIL() << "was accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Refusals,
    ::testing::Values(
        Refusal{"capacity", R"(func f(in X: i8[80, 4]) {
  alloc a: i8[40, 4] @out
  intrinsic load(out a[0, 0] {40:4, 4:1}, in X[0, 0] {40:4, 4:1})
  alloc b: i8[40, 4] @out
  intrinsic load(out b[0, 0] {40:4, 4:1}, in X[40, 0] {40:4, 4:1})
  for i in 0..40 {
    intrinsic add(out a[i, 0] {4:1}, in b[i, 0] {4:1}) attrs(imm = 0i32, out_zero = 0i32, clamp_min = -128i32, clamp_max = 127i32)
  }
})",
                "layer 'layer': load b: buffer 'b' needs 40 entries of out, which has 24 together free of 64 "
                "(taken: 'a' 40); use a tile of at most 24 entries"},
        Refusal{"scalar_store", "func f(in X: i8[4]) {\n  alloc a: i8[4] @out\n  a[0] = 1i8\n}",
                "layer 'layer': a scalar store to 'a' is left; tensorize its stage"},
        Refusal{
            "vthread", "func f(in X: i8[4]) {\n  for v in 0..65 vthread {\n  }\n}",
            "lower-vthreads: loop 'v' needs a constant number of virtual threads from 1 to 64, since each is "
            "written out; it has 65, split its axis and bind the inner part"},
        Refusal{"parallel", "func f(in X: i8[4]) {\n  for v in 0..2 parallel {\n  }\n}",
                "'for v in 0..2 parallel {' in 'f': needs that loops on the device are serial or "
                "of virtual threads; leave its axis as it is"},
        Refusal{"unrolled", "func f(in X: i8[4]) {\n  for v in 0..2 unrolled {\n  }\n}",
                "'for v in 0..2 unrolled {' in 'f': needs that loops on the device are serial or "
                "of virtual threads; leave its axis as it is"},
        Refusal{"double", "func f(in X: i8[4]) {\n  alloc a: i8[4] @inp double\n}",
                "'alloc a: i8[4] @inp double' in 'f': needs that no allocation on the device is "
                "doubled; place-sram gives each run through an allocation entries of its own, leave it out"},
        Refusal{"scope",
                "func f(in X: i8[4]) {\n  alloc a: i8[4] @cache\n  intrinsic load(out a[0] {4:1}, in X[0] "
                "{4:1})\n}",
                "layer 'layer': buffer 'a' has scope 'cache', needs inp, wgt, acc, out or par; compute its "
                "stage in one of them, or inline it"},
        Refusal{"type",
                "func f(in X: i8[4]) {\n  alloc a: i8[4] @acc\n  intrinsic load(out a[0] {4:1}, in X[0] "
                "{4:1})\n}",
                "layer 'layer': buffer 'a' of scope 'acc' must be i32, is i8"},
        Refusal{"pieces",
                "func f(in X: i8[6]) {\n  alloc a: i8[6] @inp\n  intrinsic load(out a[0] {6:1}, in X[0] "
                "{6:1})\n}",
                "layer 'layer': load a: copy between 'X' and 'a' must move whole pieces of 4 elements that "
                "are contiguous on both sides; sees a run of 6 elements, 1 bytes apart"},
        Refusal{"entries", R"(func f(in X: i8[4]) {
  alloc a: i8[6] @out
  alloc b: i32[4] @acc
  intrinsic add(out a[2] {4:1}, in b[0] {4:1}) attrs(imm = 0i32, out_zero = 0i32, clamp_min = -128i32, clamp_max = 127i32)
})",
                "layer 'layer': add a: buffer 'a' is addressed at element 2, which is not the start of an "
                "entry of 4; make its last dimensions one entry of 'out'"},
        Refusal{"operands", R"(func f(in X: i8[4]) {
  alloc a: i8[4] @wgt
  alloc b: i32[4] @acc
  intrinsic add(out b[0] {4:1}, in a[0] {4:1}) attrs(imm = 0i32)
})",
                "layer 'layer': no intrinsic 'add' of this device has these operands"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vdla::codegen::testing
