// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/operations.h"

#include "isa/spec/operations.h"
#include "isa/timing/work.h"
#include "support/overloaded.h"

namespace vdla::explore {
namespace {

using isa::Buffer;

class Counter {
 public:
  explicit Counter(const isa::Geometry& geometry) : g_(geometry) {}

  void count(const isa::Insn& insn) {
    std::visit(overloaded{
                   [&](const isa::MemoryInsn& i) { move(i); },
                   [&](const isa::GemmInsn& i) { gemm(i, isa::steps_of(insn)); },
                   [&](const isa::VectorInsn& i) { vector(i, isa::steps_of(insn)); },
                   [](const isa::FinishInsn&) {},
               },
               insn);
  }

  Operations result;

 private:
  void read(Buffer buffer, std::uint64_t entries) {
    result.sram[static_cast<std::size_t>(buffer)].read_bytes += entries * g_.entry_bytes(buffer);
  }
  void write(Buffer buffer, std::uint64_t entries) {
    result.sram[static_cast<std::size_t>(buffer)].written_bytes += entries * g_.entry_bytes(buffer);
  }

  void move(const isa::MemoryInsn& i) {
    Access& access = result.sram[static_cast<std::size_t>(i.buffer)];
    const std::uint64_t pieces = std::uint64_t{i.run} * i.z_count * i.x_total() * i.y_total();
    const std::uint64_t bytes = pieces * g_.piece_bytes(i.buffer);
    (i.opcode == isa::Opcode::Load ? access.written_bytes : access.read_bytes) += bytes;
  }

  /// Steps in which the counter of every reducing level is zero: they overwrite.
  template <class Insn>
  static std::uint64_t first_steps(const Insn& i, std::uint64_t steps) {
    if (!i.init) return 0;
    for (unsigned level = 0; level < isa::kLevels; ++level)
      if (i.reduce_mask >> level & 1) steps /= i.levels[level].count;
    return steps;
  }

  void gemm(const isa::GemmInsn& i, std::uint64_t steps) {
    std::uint64_t first = first_steps(i, steps);
    if (i.reduce_mask >> isa::kReduceUopBit & 1) first /= i.uop_count;
    result.array_macs += steps * g_.macs();
    read(Buffer::Uop, steps);
    read(Buffer::Inp, steps);
    read(Buffer::Wgt, steps);
    read(Buffer::Acc, steps - first);
    write(Buffer::Acc, steps);
  }

  void vector(const isa::VectorInsn& i, std::uint64_t steps) {
    result.lane_steps[static_cast<std::size_t>(i.op)] += steps * g_.vector_lanes();
    read(i.a_buffer, steps);
    write(i.dst_buffer, steps);
    if (isa::reads_accumulator(i.op, i.dst_buffer)) read(Buffer::Acc, steps - first_steps(i, steps));
    const unsigned parameters = isa::par_entries(i.op, i.b_kind);
    // Several are kept until b moves, which is with the innermost level that strides over b.
    if (!isa::operation_of(i.op).keeps_b()) return read(Buffer::Par, parameters * steps);
    std::uint64_t changes = 1, inner = 1;
    for (const isa::VectorLevel& level : i.levels) {
      inner *= level.count;
      if (level.b_stride != 0) changes = inner;
    }
    read(Buffer::Par, parameters * changes);
  }

  const isa::Geometry& g_;
};

}  // namespace

Operations& Operations::operator+=(const Operations& other) {
  array_macs += other.array_macs;
  for (std::size_t i = 0; i < lane_steps.size(); ++i) lane_steps[i] += other.lane_steps[i];
  for (std::size_t i = 0; i < sram.size(); ++i) {
    sram[i].read_bytes += other.sram[i].read_bytes;
    sram[i].written_bytes += other.sram[i].written_bytes;
  }
  return *this;
}

Operations operations_of(const isa::Program& program) {
  Counter counter(program.geometry);
  for (const isa::Insn& insn : program.insns) counter.count(insn);
  return counter.result;
}

}  // namespace vdla::explore
