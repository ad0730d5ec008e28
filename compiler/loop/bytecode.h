// SPDX-License-Identifier: Apache-2.0
// The interpreter's bytecode: a flat list of instructions over 64-bit slots. Private to compiler/loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// An integer in normal form, a bool as 0 or 1, or a float: `d` for F64, `f` for the others.
union Slot {
  std::int64_t i;
  float f;
  double d;
};

/// Opcodes, whose meaning is in run.cpp. "Value" instructions compute dst from a, b, imm and nothing else, so
/// they may run earlier and be shared; the others stay where they are.
// clang-format off
enum class Opcode : std::uint16_t {
  // values: integers
  AddI64, SubI64, MulI64, AddI32, SubI32, MulI32, MulAddImm, MulImm, AddImm, MinI, MaxI, And, Or, Xor, ShlI32, ShrI,
  EqI, NeI, LtI, LeI, GtI, GeI, FloorDivImm, FloorModImm, BinaryI, NotBool, NotI, Wrap, SrdhMul, RoundShiftRight, BytesDot,
  AbsI, Clz32, Popcount,
  // values: floats
  AddF, SubF, MulF, DivF, MinF, MaxF, EqF, NeF, LtF, LeF, GtF, GeF, CallF, IntToFloat, FloatToInt, RoundF,
  AddD, SubD, MulD, DivD, MinD, MaxD, EqD, NeD, LtD, LeD, GtD, GeD, CallD, IntToDouble, DoubleToInt, FloatToDouble,
  DoubleToFloat, Choose,
  // kinds that stay in place
  Move, Jump, JumpIfZero, LoopBegin, LoopEnd, CheckIndex,
  LoadI8, LoadU8, LoadI16, LoadU16, LoadI32, LoadU32, Load64, LoadF32, LoadF16, LoadBF16, Store8, Store16, Store32,
  Store64, StoreF16, StoreBF16,
  Fill, Intrinsic, Halt,
};
// clang-format on

struct Insn {
  Opcode op;
  std::uint8_t sub = 0;      ///< BinaryOp or Function, where the opcode needs one
  DType dtype = DType::I64;  ///< type where the opcode needs one
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
  std::vector<Access> accesses;  ///< accesses that CheckIndex reports
  std::vector<BytecodeCall> calls;
};

Bytecode compile(const Func& func);
void run(const Bytecode& program, const std::vector<std::byte*>& buffers,
         const std::function<void(const BytecodeCall&, const Slot*)>& call);

}  // namespace vdla::loop
