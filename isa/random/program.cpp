// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "isa/random/mix.h"
#include "isa/random/order.h"
#include "isa/random/shapes.h"
#include "isa/verify/verify.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

/// Offsets of micro-ops stay below this: room for strides in small regions.
constexpr unsigned kUopReach = 6;

Region draw_region(Draw& draw, unsigned depth, unsigned size) {
  size = std::min(size, depth);
  const bool at_end = draw.one_in(3);
  return {at_end ? depth - size : static_cast<unsigned>(draw.between(0, depth - size)), size};
}

/// Random bytes in which a word in sixteen is one of the ends of int8 or int32.
std::vector<std::byte> draw_bytes(Draw& draw, std::size_t count) {
  constexpr std::uint32_t kEnds[] = {0x80000000, 0x7fffffff, 0x80808080, 0x7f7f7f7f, 0xffffffff, 0};
  std::vector<std::byte> bytes(count);
  for (std::size_t at = 0; at < count; at += 4) {
    const auto word = draw.one_in(16) ? draw.pick(kEnds) : static_cast<std::uint32_t>(draw.bits());
    for (std::size_t i = at; i < std::min(at + 4, count); ++i)
      bytes[i] = static_cast<std::byte>(word >> (8 * (i - at)));
  }
  return bytes;
}

/// Kernels as a compiler would make them and micro-ops without any order.
std::vector<MicroKernel> draw_kernels(Draw& draw, unsigned region) {
  std::vector<MicroKernel> kernels;
  for (unsigned total = 0; total < region;) {
    const auto offset = [&] { return static_cast<std::uint16_t>(draw.between(0, kUopReach)); };
    MicroKernel kernel{{offset(), offset(), offset()}, {}};
    if (draw.one_in(3)) {
      const auto stride = [&](std::uint16_t base) {
        return static_cast<std::uint16_t>(base < kUopReach && draw.one_in(2) ? 1 : 0);
      };
      kernel.loops.push_back({2, stride(kernel.base.acc), stride(kernel.base.inp), stride(kernel.base.wgt)});
    }
    total += static_cast<unsigned>(kernel.size());
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Insn draw_insn(ShapeContext& c) {
  switch (c.draw.between(0, 7)) {
    case 0:
    case 1:
      return random_load(c);
    case 2:
    case 3:
    case 4:
      return random_gemm(c);
    case 5:
      return random_store(c);
    default:
      return random_vector(c);
  }
}

Program draw_stream(const Geometry& geometry, const RandomOptions& options, Draw& draw) {
  Program program;
  program.geometry = geometry;
  const unsigned region = std::min(options.region, geometry.uop_depth);
  program.kernels = draw_kernels(draw, region);
  program.constants = draw_bytes(draw, options.window_bytes);
  for (Window w : {Window::Act, Window::Input, Window::Output, Window::Spare0, Window::Spare1})
    program.data_window_sizes[static_cast<std::size_t>(w)] = options.window_bytes;
  const std::vector<Uop> image = expand(program.kernels);
  std::vector<Uop> uop_sram(geometry.uop_depth);
  ShapeContext context{geometry, options, draw, {}, uop_sram, image, program.constants.size()};
  for (const NamedCode& row : kBuffers)
    context.regions[row.code] =
        draw_region(draw, geometry.depth(static_cast<Buffer>(row.code)), options.region);
  for (Buffer b : {Buffer::Inp, Buffer::Wgt, Buffer::Out, Buffer::Par, Buffer::Uop})
    program.insns.push_back(whole_load(context, b));
  program.insns.push_back(whole_acc(context));
  const auto add = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) program.insns.push_back(draw_insn(context));
  };
  add(options.insns - options.insns / 4);
  while (gemm_steps(program) < options.min_gemm_steps) program.insns.push_back(random_gemm(context));
  add(options.insns / 4);
  FinishInsn finish;
  finish.sequence = static_cast<std::uint32_t>(options.seed);
  program.insns.push_back(finish);
  return program;
}

}  // namespace

RandomOptions campaign_options(std::uint64_t seed) {
  Draw draw(seed ^ 0xca3b'a161'0e5d'f00dull);
  RandomOptions o;
  o.seed = seed;
  o.insns = static_cast<unsigned>(draw.one_in(10)   ? draw.between(1, 40)
                                  : draw.one_in(10) ? draw.between(80, 200)
                                                    : draw.between(50, 80));
  constexpr unsigned kRegions[] = {12, 24, 48, 48, 48, 100, 256};
  o.region = draw.one_in(60) ? kMaxDepth : draw.pick(kRegions);
  constexpr unsigned kSteps[] = {16, 60, 120, 200};
  o.max_steps = draw.pick(kSteps);
  if (draw.one_in(8)) {
    o.max_steps = 2000;
    o.min_gemm_steps = 5000;
  }
  constexpr unsigned kPieces[] = {8, 32, 64, 64, 160};
  o.max_pieces = draw.pick(kPieces);
  constexpr unsigned kWindows[] = {1024, 4096, 4096, 16384};
  o.window_bytes = draw.pick(kWindows);
  constexpr unsigned kRedundant[] = {0, 2, 4, 8};
  o.redundant_tokens = draw.pick(kRedundant);
  return o;
}

RandomProgram random_program(const Geometry& geometry, const RandomOptions& options) {
  validate(geometry);
  VDLA_CHECK_USER(options.region >= 2 * kUopReach)
      << "random programs with regions of " << options.region << " entries, need at least " << 2 * kUopReach;
  Draw draw(options.seed);
  RandomProgram random;
  // Tokens beyond need can ask for more than the channels hold; then the program gets only those it needs,
  // and in the end fewer instructions.
  RandomOptions tried = options;
  tried.window_bytes = std::max(tried.window_bytes, geometry.piece_bytes(Buffer::Wgt));
  for (random.program = draw_stream(geometry, tried, draw);
       !order_by_tokens(random.program, draw, tried.redundant_tokens);) {
    if (tried.redundant_tokens != 0) {
      tried.redundant_tokens = 0;
      continue;
    }
    tried.insns /= 2;
    tried.min_gemm_steps /= 2;
    random.program = draw_stream(geometry, tried, draw);
  }
  for (Window w : {Window::Act, Window::Input, Window::Output, Window::Spare0, Window::Spare1})
    random.contents[static_cast<std::size_t>(w)] = draw_bytes(draw, tried.window_bytes);
  return random;
}

}  // namespace vdla::isa
