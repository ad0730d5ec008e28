// SPDX-License-Identifier: Apache-2.0
// The list of passes, what running them checks, and what a pass refuses. What each does is in text/.
#include "compiler/passes/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/rows.h"
#include "tests/compiler/user_error.h"

namespace vdla::passes {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text, const std::vector<std::string>& names) {
  return user_error([&] { run_passes(loop::parse(text), names); });
}

TEST(Passes, HaveNamesAndLines) {
  std::set<std::string_view> names;
  for (const Pass& pass : all_passes()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_FALSE(pass.doc.empty()) << pass.name;
    EXPECT_EQ(&find_pass(pass.name), &pass);
  }
}

/// And text tests run passes that there are: a source without a row in the list would show there.
TEST(Passes, HaveATextTestEach) {
  std::set<std::string> run;
  const std::regex names("--passes=([a-z,-]+)"), name("[a-z-]+");
  const std::string folder = "tests/compiler/passes/text";
  for (const auto& file : std::filesystem::directory_iterator(std::string(VDLA_SOURCE_DIR) + "/" + folder)) {
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      std::smatch found;
      const bool refused = line.find("RUN: (!") != std::string::npos;
      if (refused || !std::regex_search(line, found, names)) continue;
      const std::string list = found[1];
      for (std::sregex_iterator n(list.begin(), list.end(), name), end; n != end; ++n) {
        run.insert(n->str());
        EXPECT_NO_THROW(find_pass(n->str())) << file.path() << " runs '" << n->str() << "'";
      }
    }
  }
  for (const Pass& pass : all_passes())
    EXPECT_TRUE(run.contains(std::string(pass.name)))
        << "no file of " << folder << " has the line '# RUN: vdla opt --passes=" << pass.name << " ...'";
}

TEST(Passes, AnUnknownNameListsTheKnownOnes) {
  EXPECT_THAT(error_of("func f(out B: f32[4]) { }", {"simplify", "tidy"}),
              HasSubstr("no pass 'tidy'; there are tensorize,"));
}

TEST(Passes, WrongInputIsTheCallersMistake) {
  EXPECT_THAT(
      error_of("func f(out B: f32[4]) { for i in 0..4 { for i.1 in 4..8 { B[i.1] = 0f32 } } }", {"unroll"}),
      HasSubstr("is never in [0, 4)"));
}

TEST(Passes, ObserverSeesEachResultInOrder) {
  std::vector<std::string> seen;
  const std::vector<std::string> names{"simplify", "unroll"};
  run_passes(loop::parse("func f(out B: f32[4]) { for i in 0..2 unrolled { B[i] = 0f32 } }"), names,
             [&](const Pass& pass, const loop::Func& func) {
               seen.push_back(std::string(pass.name) +
                              (loop::to_string(func).find("for") == std::string::npos ? " flat" : ""));
             });
  EXPECT_THAT(seen, ::testing::ElementsAre("simplify", "unroll flat"));
}

TEST(Passes, NothingToDoGivesTheSameFunction) {
  const loop::Func func =
      loop::parse("func f(in A: f32[4], out B: f32[4]) { for i in 0..4 { B[i] = A[i] } }");
  for (const Pass& pass : all_passes()) EXPECT_EQ(pass.run(func).body, func.body) << pass.name;
}

TEST(Passes, BoundsThatReadMemoryAreReadOnce) {
  // Copies of such a loop would each read what the ones before have stored.
  for (const auto& [text, pass, stays] :
       {std::tuple("func f(inout A: i64[4], out B: i64[4]) {"
                   " for i in A[0] extent 3 unrolled { A[0] = 7 B[i - 1] = i } }",
                   "unroll", "for i in A[0] extent 3 {\n    A[0] = 7"),
        std::tuple("func f(inout A: i64[4], out B: i64[4, 8]) { for v in 0..4 vectorized {"
                   " for k in 0 extent A[v] { B[v, k] = 1 } A[v] = 2 } }",
                   "vectorize", "for v in 0..4 {\n    for k"),
        std::tuple("func f(inout A: i64[8]) { for v in A[0] extent 4 vectorized { A[v] = 1 A[v] = 2 } }",
                   "vectorize", "for v in A[0] extent 4 {\n    A[v] = 1\n    A[v] = 2")})
    EXPECT_THAT(loop::to_string(find_pass(pass).run(loop::parse(text))), HasSubstr(stays)) << pass;
}

struct SingleBuffer {
  const char* body;
  const char* reason;
};

TEST(DoubleBuffer, WhatCannotBeFilledEarlyIsRefusedWithLoopAndRule) {
  for (const auto& [body, reason] : {
           SingleBuffer{
               "for i in 0..4 { alloc t: i64[1] double t[0] = C[0] C[0] = t[0] }",
               "buffer 't' in loop 'i' cannot be filled an iteration early: what fills it reads 'C', "
               "which the loop writes behind it; leave double_buffer out"},
           {"for i in 0 extent C[0] { alloc t: i64[1] double t[0] = A[i] B[i] = t[0] C[0] = 2 }",
            "buffer 't' in loop 'i' cannot be filled an iteration early: the loop's bounds read memory"},
           {"for i in 0..4 parallel { alloc t: i64[1] double t[0] = A[i] B[i] = t[0] }",
            "the loop is parallel, needs a serial or an unrolled one"},
           {"for i in 0..4 { C[0] = 1 alloc t: i64[1] double t[0] = A[i] B[i] = t[0] }",
            "it is not allocated at the beginning of the loop's body"},
           {"for i in 0..4 { alloc t: i64[1] double t[0] = A[i] }",
            "the loop's body does not fill it in one statement and read it in a later one"},
           {"for i in 0..4 { alloc t: i64[1] double t[0] = A[i] C[0] = A[i] t[0] = 3 B[i] = t[0] }",
            "what fills it writes 'C', too"},
           {"for i in 0..4 { alloc u: i64[1] alloc t: i64[1] double u[0] = A[i] t[0] = u[0] B[i] = t[0] }",
            "what fills it uses 'u', which is not double buffered"},
           {"alloc t: i64[1] double t[0] = A[0] B[0] = t[0]",
            "buffer 't' is allocated outside of all loops, needs one in which it is filled and read"},
       })
    EXPECT_THAT(error_of("func f(in A: i64[4], out B: i64[4], inout C: i64[1]) { " + std::string(body) + " }",
                         {"double-buffer"}),
                HasSubstr(reason));
}

TEST(Passes, NumbersAtTheirLimitsAreTaken) {
  for (const char* text :
       {"func f(out B: i64[4]) { for i in 0 extent -9223372036854775807 unrolled { B[0] = i B[1] = i } }",
        "func f(in A: i64[4], inout B: i64[4]) { for v in 0..4 vectorized { if A[0] > 3 {"
        " B[v * 4611686018427387904] = A[v] } } }"})
    for (const char* name : {"unroll", "vectorize"})
      EXPECT_NO_THROW(find_pass(name).run(loop::parse(text))) << name << " of " << text;
}

TEST(Barriers, WhereOnlySomeThreadsArriveAreRefused) {
  EXPECT_THAT(
      error_of(R"(func f(in A: f32[4], out B: f32[4]) {
  for t in 0..4 thread.x {
    alloc s: f32[4] @shared
    if t < 2 {
      s[t] = A[t]
      B[t] = s[1 - t]
    }
  }
})",
               {"insert-barriers"}),
      HasSubstr(
          "'B[t] = s[1 - t]' needs a barrier, but stands under a condition that only some threads pass"));
}

TEST(Barriers, InLoopsThatThreadsRunDifferentlyOftenAreRefused) {
  const auto loop_of = [](const std::string& bounds) {
    return error_of(
        "func f(in A: f32[4], inout B: f32[4]) { for t in 0..4 thread.x {"
        " alloc s: f32[4] @shared alloc p: i64[1] p[0] = t for k in " +
            bounds + " { for c in 0..4 thread.x { s[c] = A[c] } B[t] = B[t] + s[3 - t] } } }",
        {"insert-barriers"});
  };
  EXPECT_EQ(loop_of("0..2"), "no error");
  EXPECT_THAT(loop_of("0 extent t + 1"),
              HasSubstr("stands in a loop that threads run for different numbers of iterations"));
  EXPECT_THAT(loop_of("0 extent p[0]"), HasSubstr("different numbers of iterations"));
}

TEST(Barriers, UnderAConditionOnPrivateMemoryAreRefused) {
  EXPECT_THAT(error_of("func f(in A: f32[4], out B: f32[4]) { for t in 0..4 thread.x {"
                       " alloc s: f32[4] @shared alloc p: i64[1] p[0] = t"
                       " if p[0] < 2 { for c in 0..4 thread.x { s[c] = A[c] } B[t] = s[3 - t] } } }",
                       {"insert-barriers"}),
              HasSubstr("stands under a condition that only some threads pass"));
}

// Each thread does its share of such a loop; the share of those that skip it would be missing.
TEST(Barriers, ALoopOverAllThreadsThatSomeSkipIsRefused) {
  const auto loop_under = [](const std::string& condition) {
    return error_of("func f(in A: f32[4], out B: f32[4]) { for t in 0..4 thread.x { if " + condition +
                        " { for c in 0..4 thread.x { B[c] = A[c] } } } }",
                    {"insert-barriers"});
  };
  EXPECT_EQ(loop_under("A[0] < 2f32"), "no error");
  EXPECT_THAT(loop_under("t < 2"),
              HasSubstr("'for c in 0..4 thread.x {' needs all threads of the loop around it, but "
                        "stands under a condition that only some threads pass"));
}

TEST(VThreads, NeedAConstantNumber) {
  EXPECT_THAT(
      error_of("func f(out B: f32[4]) { for i in 0..2 { for v in 0 extent i + 1 vthread { B[v] = 0f32 } } }",
               {"lower-vthreads"}),
      HasSubstr("a vthread loop needs a constant extent"));
}

TEST(Partition, LeavesWhatItCannotDecide) {
  // The guard hangs on two loops, and on no value of one alone.
  const loop::Func func =
      loop::parse("func f(out B: f32[8]) { for i in 0..8 { for j in 0..8 { if i == j { B[i] = 1f32 } } } }");
  EXPECT_EQ(partition_loops(func).body, func.body);
}

}  // namespace
}  // namespace vdla::passes
