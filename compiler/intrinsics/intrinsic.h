// SPDX-License-Identifier: Apache-2.0
// Declared intrinsics: what one step of a machine does, as a tensor expression over small tensors, where its
// operands live, and the lowering rule. On the device an operand is one entry of a buffer, and the rule fills
// in the fields of ONE step. On a CPU an operand is in memory, and codegen/llvm has an operation of the
// intrinsic's name; so has a GPU, for a thread, or for a warp, whose operands are fragments that its lanes
// have in parts. No loop, no tiling, no DMA, no token is in here: those come from the schedule and from the
// code generators.
//
// A declaration is data. The matcher (compiler/tensorize/match.h) unifies its expression with the body of a
// scheduled loop nest and binds operands to regions and attributes to constants; the interpreter evaluates
// the same expression; the code generators read the rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/loop/stmt.h"
#include "isa/spec/geometry.h"
#include "isa/spec/memories.h"

namespace vdla::isa {
enum class Opcode : std::uint8_t;
}

namespace vdla::intrinsics {

/// A scalar that the matcher binds to a constant of the program: a zero point, a clamp bound, an immediate.
/// Appears in the expression as a variable. In a sum (`x + offset`) a program may leave it out: it is bound
/// to 0.
struct FreeAttribute {
  expr::VarPtr variable;
  std::int64_t min, max;  ///< range that the field can hold
};

/// An operand lives in one buffer of the device, where `role` is the stem of its fields in the instruction
/// (`dst` gives dst_base, dst_stride0, ...), or in the memory of a CPU. Its elements lie densely. One of a
/// GPU is in memory `place`, where neighbours of the last dimension lie together, and rows however far apart.
struct Operand {
  std::string role;
  std::optional<isa::Buffer> buffer;  ///< none: memory of a CPU, or of a GPU
  expr::Tensor tensor;
  std::string place = {};  ///< scope of an operand of a GPU

  /// Scope of the buffers that it may be a part of.
  std::string scope() const;
  /// `buffer` of an operand on the device.
  isa::Buffer device_buffer() const;
};

/// A field of the step that no operand fills in: a constant, or the value of an attribute.
struct FieldRule {
  std::string field;
  expr::ExprPtr value;
};

/// The fields of gemm or vector that say what a step does; loops, addresses and tokens are the code
/// generator's.
std::vector<std::string_view> lowering_fields(isa::Opcode opcode);

/// Lowering on the device: one instruction.
struct DeviceRule {
  isa::Opcode opcode;
  std::vector<FieldRule> fields;
};

/// Lowering on a CPU: codegen/llvm has an operation of the intrinsic's name, by an instruction where the CPU
/// has one.
struct HostRule {};

/// Lowering on a GPU: each thread does it (compiler/grid/thread.h).
struct ThreadRule {};

/// Lowering on a GPU: the 32 lanes of a warp do it together (compiler/grid/warp.h).
struct WarpRule {};

/// One step. `behaviour` is a compute over one entry of the destination. With `accumulates`, the destination
/// becomes combine(reset ? identity : destination, behaviour) and the loops around may reduce; without, it is
/// overwritten.
struct Intrinsic {
  std::string name;     ///< as in a schedule's tensorize(axis, name) and in IntrinsicCall::name
  std::string variant;  ///< unique, for messages and tests: "scale out <- acc, par"
  expr::Compute behaviour;
  Operand output;
  std::vector<Operand> inputs;  ///< operands in the order of IntrinsicCall::inputs
  std::vector<FreeAttribute> attributes;
  std::optional<expr::Reducer> accumulates;
  std::variant<DeviceRule, HostRule, ThreadRule, WarpRule> lowering;

  /// `lowering` of an intrinsic of the device.
  const DeviceRule& device_rule() const;
};

/// The scope of buffers that live in `buffer`: its name in the ISA definition ("inp", "wgt", "acc", "out",
/// "par"). DRAM is expr::kGlobalScope.
std::string scope_of(isa::Buffer buffer);
std::optional<isa::Buffer> buffer_of(std::string_view scope);
/// Element type of a buffer that a program sees: I8, or I32 for acc and par.
expr::DType dtype_of(isa::Buffer buffer);

}  // namespace vdla::intrinsics
