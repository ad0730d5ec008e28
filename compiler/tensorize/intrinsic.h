// SPDX-License-Identifier: Apache-2.0
// Declared intrinsics: what one step of the device does, as a tensor expression over small tensors (one entry
// of each buffer), and the lowering rule, which fills in the fields of ONE step. No loop, no tiling, no DMA,
// no token is in here: those come from the schedule and from codegen/vdla.
//
// A declaration is data. The matcher (compiler/tensorize/match.h) unifies its expression with the body of a
// scheduled loop nest and binds operands to regions and attributes to constants; the interpreter evaluates
// the same expression; codegen reads the fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/loop/stmt.h"
#include "isa/spec/geometry.h"

namespace vdla::tensorize {

/// A scalar that the matcher binds to a constant of the program: a zero point, a clamp bound, an immediate.
/// Appears in the expression as a variable. In a sum (`x + offset`) a program may leave it out: it is bound
/// to 0.
struct FreeAttribute {
  expr::VarPtr variable;
  std::int64_t min, max;  ///< what the field can hold
};

/// An operand lives in one buffer of the device. `role` is the stem of its fields in the instruction: `dst`
/// gives dst_base, dst_stride0, ...
struct Operand {
  std::string role;
  isa::Buffer buffer;
  expr::Tensor tensor;
};

/// A field of the step that no operand fills in: a constant, or the value of an attribute.
struct FieldRule {
  std::string field;
  expr::ExprPtr value;
};

/// One step. `behaviour` is a compute over one entry of the destination. With `accumulates`, the destination
/// becomes combine(reset ? identity : destination, behaviour) and the loops around may reduce; without, it is
/// overwritten.
struct Intrinsic {
  std::string name;     ///< as in a schedule's tensorize(axis, name) and in IntrinsicCall::name
  std::string variant;  ///< unique, for messages and tests: "scale out <- acc, par"
  isa::Opcode opcode;
  expr::Compute behaviour;
  Operand output;
  std::vector<Operand> inputs;  ///< in the order of IntrinsicCall::inputs
  std::vector<FreeAttribute> attributes;
  std::optional<expr::Reducer> accumulates;
  std::vector<FieldRule> fields;  ///< the lowering rule
};

/// The scope of buffers that live in `buffer`: its name in the ISA definition ("inp", "wgt", "acc", "out",
/// "par"). DRAM is expr::kGlobalScope.
std::string scope_of(isa::Buffer buffer);
std::optional<isa::Buffer> buffer_of(std::string_view scope);
/// Element type of a buffer that a program sees: I8, or I32 for acc and par.
expr::DType dtype_of(isa::Buffer buffer);

/// Copies have no declaration of their own: a whole copy nest becomes ONE call, with these names
/// (compiler/tensorize/copy.h).
inline constexpr const char* kLoad = "load";
inline constexpr const char* kStore = "store";

}  // namespace vdla::tensorize
