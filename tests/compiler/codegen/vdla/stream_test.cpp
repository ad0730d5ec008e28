// SPDX-License-Identifier: Apache-2.0
// The table of passes over the stream, what may stand in a stream after which of them, and its text.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "compiler/codegen/vdla/encode.h"
#include "compiler/codegen/vdla/pass.h"
#include "compiler/codegen/vdla/text/text.h"
#include "isa/asm/asm.h"
#include "isa/verify/verify.h"
#include "support/error.h"

namespace vdla::codegen::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kMachine =
    R"(stream {"block_in": 4, "block_out": 4, "inp_depth": 256, "wgt_depth": 64, "acc_depth": 256, "out_depth": 64, "par_depth": 64, "uop_depth": 256, "queue_depth": 4, "token_depth": 2}
)";

/// Three tiles in two banks: gemms, their results, stores.
std::string three_tiles() {
  return std::string(kMachine) + R"(layer ["tiles", "test", "tile 2"]
call input[0], const[0], output[0]
func f(in X: i8[6, 4], in W: i8[4, 4], out Y: i8[6, 4]) {
  alloc w: i8[4, 4] @wgt
  intrinsic load(out w[0, 0] {4:4, 4:1}, in W[0, 0] {4:4, 4:1})
  for t in 0..3 {
    alloc a: i8[2, 4] @inp
    intrinsic load(out a[0, 0] {2:4, 4:1}, in X[t * 2, 0] {2:4, 4:1})
    alloc c: i32[2, 4] @acc
    for i in 0..2 {
      intrinsic gemm(out c[i, 0] {4:1}, in a[i, 0] {4:1}, in w[0, 0] {4:4, 4:1}) reset(0 == 0)
    }
    alloc b: i8[2, 4] @out
    for i in 0..2 {
      intrinsic add(out b[i, 0] {4:1}, in c[i, 0] {4:1}) attrs(imm = 0i32, out_zero = 0i32, clamp_min = -128i32, clamp_max = 127i32)
    }
    intrinsic store(out Y[t * 2, 0] {2:4, 4:1}, in b[0, 0] {2:4, 4:1})
  }
}
)";
}

/// What the passes make of three_tiles(), but for `left_out`.
Stream run_all_but(std::string_view left_out, Latency latency) {
  Stream stream = parse(three_tiles(), "tiles");
  for (const StreamPass& pass : stream_passes(latency))
    if (pass.name != left_out) pass.run(stream);
  return stream;
}

isa::Program encoded(const Stream& stream) {
  isa::Program program;
  const auto bytes = [&](isa::Window window) -> std::uint64_t& {
    return program.data_window_sizes[static_cast<std::size_t>(window)];
  };
  bytes(isa::Window::Input) = bytes(isa::Window::Output) = 24;
  program.constants.resize(16);
  encode(stream, program);
  return program;
}

/// What is wrong with the program, the stream or its encoding.
std::string fault_of(const Stream& stream) {
  try {
    return isa::verify(encoded(stream)).text();
  } catch (const UserError& error) {
    return error.what();
  }
}

std::string text_without(std::string_view left_out, Latency latency) {
  std::string text;
  for (const StreamInsn& s : run_all_but(left_out, latency).insns) text += isa::to_text(s.insn) + "\n";
  return text;
}

TEST(StreamPasses, AllOfThemMakeAProgramThatIsProvenRight) {
  for (const Latency latency : {Latency::Hidden, Latency::HiddenByThreads, Latency::Exposed})
    EXPECT_EQ(fault_of(run_all_but("", latency)), "");
}

TEST(StreamPasses, OfVirtualThreadsExpansionNamesTheRowThatWritesThemOut) {
  std::string threads = three_tiles();
  threads.replace(threads.find("0..3 {"), 6, "0..3 vthread {");
  Stream stream = parse(threads, "tiles");
  try {
    find_stream_pass("expand").run(stream);
    FAIL() << "was accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "layer 'tiles': 'for t in 0..3 vthread {' in 'f': needs that there are no virtual threads; "
                 "run lower-vthreads");
  }
}

TEST(StreamPasses, WithoutExpandEncodingRefuses) {
  EXPECT_THAT(fault_of(run_all_but("expand", Latency::Hidden)),
              HasSubstr("function 'f': a function that is not expanded is left; run expand"));
}

TEST(StreamPasses, WithoutPlaceSramEncodingRefuses) {
  EXPECT_THAT(fault_of(run_all_but("place-sram", Latency::Hidden)),
              HasSubstr("instance 'w': an instance without a place is left; run place-sram"));
}

TEST(StreamPasses, WithoutPlaceUopsEncodingRefuses) {
  EXPECT_THAT(
      fault_of(run_all_but("place-uops", Latency::Hidden)),
      HasSubstr("layer 'tiles': t=0: gemm c over i:2: a gemm whose micro-kernel is not loaded is left; "
                "run place-uops"));
}

TEST(StreamPasses, WithoutInsertTokensEncodingRefuses) {
  EXPECT_THAT(fault_of(run_all_but("insert-tokens", Latency::Hidden)),
              HasSubstr("an instruction that waits for others without a token is left; run insert-tokens"));
}

TEST(StreamPasses, WithoutOrderHazardsTheProgramIsNotProvenRight) {
  EXPECT_THAT(fault_of(run_all_but("order-hazards", Latency::Hidden)), HasSubstr("and no token orders them"));
}

// The third tile lies in the bank of the first one.
TEST(StreamPasses, WithoutOrderBanksGemmDoesNotWaitForTheTileOfItsBank) {
  const std::string gemm = "gemm acc[2 + i4] = inp[4 + i4] * wgt[0] for i4<2";
  EXPECT_THAT(text_without("", Latency::Hidden), HasSubstr(gemm + " pop load, vector"));
  EXPECT_THAT(text_without("order-banks", Latency::Hidden), HasSubstr(gemm + " pop load push"));
}

TEST(StreamPasses, WithoutSerialiseUnitsLatencyIsHidden) {
  EXPECT_EQ(text_without("serialise-units", Latency::Exposed), text_without("", Latency::Hidden));
  EXPECT_NE(text_without("", Latency::Exposed), text_without("", Latency::Hidden));
}

// One tile: all three in one place. And the gemm of the second waits for the result of the first.
TEST(StreamPasses, WithoutPinTilesTilesRotate) {
  EXPECT_EQ(text_without("pin-tiles", Latency::HiddenByThreads), text_without("", Latency::Hidden));
  EXPECT_THAT(text_without("", Latency::HiddenByThreads),
              HasSubstr("gemm acc[i4] = inp[i4] * wgt[0] for i4<2 pop load, vector"));
}

TEST(StreamPasses, EachFormHasAPassThatRemovesItButTokens) {
  EXPECT_EQ(remover_of(Form::Function)->name, "expand");
  EXPECT_EQ(remover_of(Form::Instance)->name, "place-sram");
  EXPECT_EQ(remover_of(Form::MicroKernel)->name, "place-uops");
  EXPECT_EQ(remover_of(Form::Wait)->name, "insert-tokens");
  EXPECT_EQ(remover_of(Form::Token), nullptr);
}

TEST(StreamPasses, APassThatBreaksItsStreamIsNamed) {
  const StreamPass breaks{"breaks", [](Stream& s) { s.insns.at(0).source = 99; }, Forms::all()};
  Stream stream = parse(three_tiles(), "tiles");
  find_stream_pass("expand").run(stream);
  try {
    run_verified(breaks, stream);
    FAIL() << "nobody noticed";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(),
                StartsWith("pass 'breaks' breaks its stream: instruction 0 names source 99 of "));
  }
}

TEST(StreamPasses, APassRefusesWhatTheOneBeforeItShouldHaveRemoved) {
  Stream stream = parse(three_tiles(), "tiles");
  try {
    run_verified(find_stream_pass("place-uops"), stream);
    FAIL() << "was accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "'place-uops' cannot run: function 'f': a function that is not expanded is left; run expand");
  }
}

TEST(StreamText, ReadsBackAfterEachPass) {
  Stream stream = parse(three_tiles(), "tiles");
  for (const StreamPass& pass : stream_passes(Latency::Hidden)) {
    run_verified(pass, stream);
    const std::string text = print(stream);
    EXPECT_TRUE(is_stream_text("# comment\n\n  " + text));
    Stream read = parse(text, "text");
    EXPECT_EQ(print(read), text) << "after " << pass.name;
    stream = std::move(read);
  }
  EXPECT_EQ(encoded(stream).insns, encoded(run_all_but("", Latency::Hidden)).insns);
}

TEST(StreamText, NamesMayHoldAnything) {
  const std::string text = std::string(kMachine) + R"(begin %7 inp[4] at 2 "a;b//c \"d\" in %1 \\"
layer ["con;v//1","o\np","s \"x\""]
loops "y=0; // after 1"
begin %3 out[4] "x after 3 kernel 1"
vector out[0] = add(inp[0]) in %3, %7 ; a comment in %9
# a comment
)";
  const Stream stream = parse(text, "text");
  verify(stream);
  EXPECT_EQ(stream.layers[0].name, "con;v//1");
  EXPECT_EQ(stream.instances[0].name, "a;b//c \"d\" in %1 \\");
  EXPECT_EQ(print(parse(print(stream), "again")), print(stream));
}

struct Faulty {
  const char* name;
  const char* text;
  const char* message;
};

class BrokenStreams : public ::testing::TestWithParam<Faulty> {};

/// Behind a machine and a layer with its loops: lines 1 to 3.
TEST_P(BrokenStreams, AreRefused) {
  const std::string text =
      std::string(kMachine) + "layer [\"l\", \"test\", \"\"]\nloops \"a\"\n" + GetParam().text;
  try {
    verify(parse(text, "text"));
    FAIL() << "was accepted";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Text, BrokenStreams,
    ::testing::Values(
        Faulty{"insn", "vector out[0] = ad(inp[0])\n", "text:4:17: 'ad' is no vector operation"},
        Faulty{"insn_behind_number", "1: load out[0] = at[0]\n", "text:4:18: 'at' is no window"},
        Faulty{"finish", "finish 1\n", "text:4:1: finish comes when the stream is encoded"},
        Faulty{"empty", "1:\n", "text:4:1: this line has no instruction"},
        Faulty{"uop", ".uop 1, 2, 3\n", "text:4:1: this line has no instruction"},
        Faulty{"words", ".insn 0", "text:4:7: found '0', needs 16 hex digits"},
        Faulty{"number_twice", "1: load out[0] = act[0]\n1: load out[0] = act[0]\n",
               "text:5:1: an instruction above has this number"},
        Faulty{"unknown_wait", "load out[0] = act[0] after 2\n", "text:4:28: no instruction above has this"},
        Faulty{"unknown_instance", "load out[0] = act[0] in %2\n", "text:4:26: no such instance has begun"},
        Faulty{"four_operands", "begin %0 out[1] \"a\"\nload out[0] = act[0] in %0, -, -, -\n",
               "text:5:33: an instruction has at most three operands"},
        Faulty{"clause", "load out[0] = act[0] in - what\n", "text:4:27: more text than the line needs"},
        Faulty{"kernel_order", "kernel 1\n", "text:4:8: micro-kernels are numbered from 0; this is number 0"},
        Faulty{"kernel_large", "kernel 0 65536 * (0, 0, 0), 65536 * (0, 0, 0)\n",
               "text:4:45: a micro-kernel has 1 to 65536 micro-ops"},
        Faulty{"kernel_empty", "kernel 0 0 * (0, 0, 0)\n", "a micro-kernel has 1 to 65536 micro-ops"},
        Faulty{"kernel_twice", "kernel 0\nkernel 1\n", "text:5:8: this micro-kernel stands above already"},
        Faulty{"kernel_number", "gemm acc[0] = inp[0] * wgt[0] kernel 0\n", "no such micro-kernel"},
        Faulty{"begin_twice", "begin %0 out[1] \"a\"\nbegin %0 out[1] \"a\"\n",
               "text:5:8: this instance has begun before"},
        Faulty{"buffer", "begin %0 ot[1] \"a\"\n", "text:4:10: 'ot' is no buffer"},
        Faulty{"json", "loops a\n", "text:4:8: is no JSON of the kind that is needed here"},
        Faulty{"layer", "layer [\"a\"]\n", "text:4:1: a layer has a name, an operator and a schedule"},
        Faulty{"function", "call\nfunc f( {\n}\n",
               "text:5:1: in the function that begins here: line 1, column"},
        Faulty{"place", "call atc[0]\nfunc f() {\n}\n", "text:4:6: 'atc' is no window and no buffer"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Rules, BrokenStreams,
    ::testing::Values(
        Faulty{"end_twice", "begin %0 out[1] \"a\"\nend %0\nend %0\n",
               "instance 'a' (%0) ends where it does not live"},
        Faulty{"used_after_end", "begin %0 out[1] \"a\"\nend %0\nload out[0] = act[0] in %0\n",
               "instruction 0: layer 'l': a: an operand lies in instance %0, which has ended"},
        Faulty{"outside", "begin %0 out[4] \"a\"\nload out[1] = act[0] run 4 in %0\n",
               "an operand lies in entries 1 to 4 of instance 'a', which has 4"},
        Faulty{"outside_by_stride", "begin %0 out[4] \"a\"\nvector out[2*i4] = add(acc[0]) for i4<3 in %0\n",
               "lies in entries 0 to 4 of instance 'a', which has 4"},
        Faulty{"other_buffer", "begin %0 inp[4] \"a\"\nload out[0] = act[0] in %0\n",
               "an operand in out lies in instance 'a' of inp"},
        Faulty{"no_entries", "begin %0 out[0] \"a\"\n", "instance 'a' has 0 entries of out"},
        Faulty{"uop_instance", "begin %0 uop[4] \"a\"\n", "instance 'a' has 4 entries of uop"},
        Faulty{"parameter", "begin %0 inp[4] \"a\"\nend %0\ncall inp %0[0]\nfunc f(in X: i8[4] @inp) {\n}\n",
               "a parameter of 'f' lies in instance %0, which has ended"},
        Faulty{"no_kernel", "gemm acc[0] = inp[0] * wgt[0]\n", "a gemm names its micro-kernel, one of 0"},
        Faulty{"kernel_size", "kernel 0 2 * (1, 0, 0)\ngemm acc[0] = inp[0] * wgt[0] kernel 0\n",
               "a gemm of 1 micro-ops has a micro-kernel of 2"},
        Faulty{"not_loaded", "kernel 0\ngemm acc[0] = inp[0] * wgt[0] kernel 0 loaded\n",
               "micro-op 0 of micro-kernel 0 is not loaded to entry 0 of uop"},
        Faulty{"outside_of_the_buffer", "vector out[0] = add(acc[252 + i4]) for i4<8\n",
               "instruction 0: layer 'l': a: an operand lies in entries 252 to 259 of acc, which has 256"},
        Faulty{"loads_outside", "load uop[250] = uop[0] run 8\n",
               "lies in entries 250 to 257 of uop, which has 256"},
        Faulty{"waits_for_itself", "1: load out[0] = act[0]\nload out[1] = act[0] after 1\n",
               "instruction 1 waits for instruction 0, needs one before it on another unit"},
        Faulty{"waits_with_marks",
               "begin %0 out[1] \"a\"\n1: load out[0] = act[0] in %0\nstore act[0] = out[1] after 1\n",
               "instruction 1 waits for another in a stream with marks"},
        Faulty{"pops_nothing", "load out[0] = act[0] pop gemm\n",
               "instruction 0 pops a token of gemm that none before"},
        Faulty{"channel_full",
               "load out[0] = act[0] push gemm\nload out[0] = act[0] push gemm\nload out[0] = act[0] push "
               "gemm\n",
               "instruction 2 pushes a token to gemm where 2 are in flight"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vdla::codegen::testing
