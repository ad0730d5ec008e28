// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

std::vector<std::byte> draw_bytes(Draw& draw, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(draw.bits());
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
  for (unsigned i = 0; i < options.insns; ++i) program.insns.push_back(draw_insn(context));
  FinishInsn finish;
  finish.sequence = static_cast<std::uint32_t>(options.seed);
  program.insns.push_back(finish);
  return program;
}

/// Makes one instruction illegal or fault. Returns the code, none when this instruction cannot.
ErrorCode make_fault(Insn& insn, const Program& program, Draw& draw, std::string& what) {
  auto* move = std::get_if<MemoryInsn>(&insn);
  switch (draw.between(0, 2)) {
    case 0:
      if (auto* gemm = std::get_if<GemmInsn>(&insn)) {
        gemm->levels[static_cast<std::size_t>(draw.between(0, kLevels - 1))].count = 0;
      } else if (auto* vector = std::get_if<VectorInsn>(&insn)) {
        vector->a_buffer = Buffer::Par;
      } else if (move != nullptr) {
        move->run = 0;
      } else {
        return ErrorCode::None;
      }
      what = "illegal field";
      return ErrorCode::IllegalInsn;
    case 1:
      if (move == nullptr || move->x_count == 0 || move->y_count == 0) return ErrorCode::None;
      move->dram_offset = program.window_size(move->window) - static_cast<std::uint64_t>(draw.between(0, 3));
      what = "access beyond the window";
      return ErrorCode::Window;
    default:
      if (auto* vector = std::get_if<VectorInsn>(&insn)) {
        const unsigned depth = program.geometry.depth(vector->dst_buffer);
        if (depth > kMaxDepth / 2) return ErrorCode::None;
        vector->levels[4].count = 2;
        vector->levels[4].dst_stride = static_cast<std::uint16_t>(depth);
        what = "index beyond the buffer";
        return ErrorCode::SramBounds;
      }
      return ErrorCode::None;
  }
}

}  // namespace

RandomProgram random_program(const Geometry& geometry, const RandomOptions& options) {
  validate(geometry);
  VDLA_CHECK_USER(options.region >= 2 * kUopReach)
      << "random programs with regions of " << options.region << " entries, need at least " << 2 * kUopReach;
  Draw draw(options.seed);
  RandomProgram random;
  // Tokens beyond need can ask for more than the channels hold; then the program gets only those it needs,
  // and in the end fewer instructions.
  RandomOptions tried = options;
  for (random.program = draw_stream(geometry, tried, draw);
       !order_by_tokens(random.program, draw, tried.redundant_tokens);) {
    if (tried.redundant_tokens != 0) {
      tried.redundant_tokens = 0;
      continue;
    }
    tried.insns /= 2;
    random.program = draw_stream(geometry, tried, draw);
  }
  for (Window w : {Window::Act, Window::Input, Window::Output, Window::Spare0, Window::Spare1})
    random.contents[static_cast<std::size_t>(w)] = draw_bytes(draw, options.window_bytes);
  return random;
}

FaultyProgram random_faulty_program(const Geometry& geometry, const RandomOptions& options) {
  FaultyProgram faulty;
  faulty.random = random_program(geometry, options);
  Draw draw(options.seed ^ 0xfa017);
  Program& program = faulty.random.program;
  while (faulty.code == ErrorCode::None) {
    faulty.insn =
        static_cast<std::uint32_t>(draw.between(0, static_cast<std::int64_t>(program.insns.size()) - 2));
    Insn insn = program.insns[faulty.insn];
    faulty.code = make_fault(insn, program, draw, faulty.what);
    if (faulty.code != ErrorCode::None) program.insns[faulty.insn] = insn;
  }
  return faulty;
}

}  // namespace vdla::isa
