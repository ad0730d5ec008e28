// SPDX-License-Identifier: Apache-2.0
// The interpreter's bytecode: a flat list of instructions over 64-bit slots. Private to compiler/loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// An integer in normal form, a bool as 0 or 1, or a float.
union Slot {
  std::int64_t i;
  float f;
};

// What each does is in run.cpp. "Value" instructions compute dst from a, b, imm and nothing else, so they may
// run earlier and be shared; the others stay where they are.
#define VDLA_BYTECODE(X)                                                                                     \
  /* values: integers */                                                                                     \
  X(AddI64)                                                                                                  \
  X(SubI64)                                                                                                  \
  X(MulI64)                                                                                                  \
  X(AddI32)                                                                                                  \
  X(SubI32) X(MulI32) X(MulAddImm) X(MulImm) X(AddImm) X(MinI) X(MaxI) X(And) X(Or) X(Xor) X(ShlI32) X(ShrI) \
      X(EqI) X(NeI) X(LtI) X(LeI) X(GtI) X(GeI) X(FloorDivImm) X(FloorModImm) X(BinaryI) X(NotBool) X(NotI)  \
          X(Wrap) X(SrdhMul) X(RoundShiftRight) X(AbsI) X(Clz32) /* values: floats */                        \
      X(AddF) X(SubF) X(MulF) X(DivF) X(MinF) X(MaxF) X(EqF) X(NeF) X(LtF) X(LeF) X(GtF) X(GeF) X(CallF)     \
          X(IntToFloat) X(FloatToInt) X(Choose) /* in place */                                               \
      X(Move) X(Jump) X(JumpIfZero) X(LoopBegin) X(LoopEnd) X(CheckIndex) X(CheckShift) X(LoadI8) X(LoadU8)  \
          X(LoadI16) X(LoadU16) X(LoadI32) X(LoadU32) X(Load64) X(LoadF32) X(Store8) X(Store16) X(Store32)   \
              X(Store64) X(Fill) X(Intrinsic) X(Halt)

enum class Opcode : std::uint16_t {
#define VDLA_ENUM(name) name,
  VDLA_BYTECODE(VDLA_ENUM)
#undef VDLA_ENUM
};

struct Insn {
  Opcode op;
  std::uint8_t sub = 0;      ///< BinaryOp or Function, where the opcode needs one
  DType dtype = DType::I64;  ///< where the opcode needs one
  std::int32_t dst = 0, a = 0, b = 0;
  std::int64_t imm = 0;
};

struct Access {
  BufferPtr buffer;
  std::size_t dimension;
};

/// Buffer number and the slot that holds the element offset of the origin.
struct BytecodeOperand {
  const Region* region;
  int buffer, origin;
};

struct BytecodeCall {
  StmtPtr stmt;  ///< keeps the call and its regions alive
  std::vector<BytecodeOperand> outputs, inputs;
  std::vector<int> attributes;
  int reset;  ///< -1: never
};

struct Bytecode {
  std::string name;
  std::vector<Insn> code;
  std::vector<Slot> slots;         ///< initial values; constants among them
  std::vector<BufferPtr> buffers;  ///< parameters first
  std::size_t param_count;
  std::vector<Access> accesses;  ///< what CheckIndex reports
  std::vector<BytecodeCall> calls;
};

Bytecode compile(const Func& func);
void run(const Bytecode& program, const std::vector<std::byte*>& buffers,
         const std::function<void(const BytecodeCall&, const Slot*)>& call);

}  // namespace vdla::loop
