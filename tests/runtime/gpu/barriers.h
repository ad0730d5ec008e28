// SPDX-License-Identifier: Apache-2.0
// Kernels with barriers, and without one of them each.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/target.h"
#include "kit/kernels/check_kernel.h"
#include "runtime/gpu/emulator.h"
#include "tests/compiler/lower/random_grid.h"
#include "tests/runtime/gpu/driver.h"

namespace vdla::gpu {

/// The function behind the table of lowering for a grid, as text.
inline std::string lowered_text(const loop::Func& func) {
  return loop::to_string(passes::lower(passes::opencl_target(), func, passes::Verify::Yes));
}

/// A kernel with barriers behind the table; empty where the seed gives none.
inline std::string drawn_kernel(unsigned seed) {
  static const std::vector<lower::Problem> problems = lower::random_problems();
  const lower::Problem& problem = problems[seed % problems.size()];
  const lower::Candidate candidate = lower::draw_grid_candidate(problem, 40000000 + seed);
  std::string text;
  const auto note = [&](const loop::Func& func, const auto&) { text = lowered_text(func); };
  try {
    lower::failure_of(problem, candidate, note);
  } catch (const UserError&) {
  }
  return text.find("barrier") == std::string::npos ? "" : text;
}

/// What the emulator finds wrong with a function behind the table, in a sentence; empty: nothing.
/// `seed` is of the order in which threads run.
inline std::string complaint(const std::string& text, std::uint64_t seed = 1) {
  const loop::Func func = loop::parse(text);
  const TestDevice emulator = open_test_device(kEmulator, seed);
  const auto loaded = emulator.device->load(emulator.program(func));
  try {
    const kit::KernelCheck check = kit::check_kernel(func, *loaded, 1);
    return check.difference ? "'" + check.difference->param + "' differs" : "";
  } catch (const UserError& error) {
    return error.what();
  }
}

/// The text of loop IR without each of its barriers in turn.
inline std::vector<std::string> without_each_barrier(const std::string& text) {
  std::vector<std::string> lines, result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("intrinsic barrier()") == std::string::npos) continue;
    std::string rest;
    for (std::size_t j = 0; j < lines.size(); ++j)
      if (j != i) rest += lines[j] + "\n";
    result.push_back(rest);
  }
  return result;
}

/// Functions in which each barrier is needed.
inline const char* const kFunctionsWithBarriers[] = {
    // Tiles in a loop, and a second use of the same memory.
    R"(func tiles(in A: f32[96], out B: f32[96]) { for b in 0..2 block.x { for t in 0..8 thread.x {
      alloc s: f32[16] @shared
      for k in 0..3 {
        for o in 0..2 unrolled { for c in 0..8 thread.x { s[o * 8 + c] = A[b * 48 + k * 16 + o * 8 + c] } }
        B[b * 48 + k * 16 + t] = s[15 - t]
        B[b * 48 + k * 16 + 8 + t] = s[7 - t]
      } } } })",
    // A reduction by halves.
    R"(func halves(in A: i32[32], out B: i32[2]) { for b in 0..2 block.x {
      alloc s: i32[16] @shared
      for t in 0..16 thread.x { s[t] = A[b * 16 + t] }
      for u in 0..8 thread.x { s[u] = s[u] + s[u + 8] }
      for v in 0..4 thread.x { s[v] = s[v] + s[v + 4] }
      B[b] = s[0] + s[1] + s[2] + s[3] } })",
    // A parameter between two loops over threads.
    R"(func exchange(in A: i32[16], out B: i32[16], out C: i32[16]) { for b in 0..2 block.x {
      for t in 0..8 thread.x { B[b * 8 + t] = A[b * 8 + t] }
      for u in 0..8 thread.x { C[b * 8 + u] = B[b * 8 + 7 - u] } } })",
};

}  // namespace vdla::gpu
