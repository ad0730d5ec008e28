// SPDX-License-Identifier: Apache-2.0
// Tables from operations to bytecode instructions.
#include "compiler/loop/opcode.h"

#include "support/error.h"

namespace vdla::loop {

using expr::BinaryOp;

Opcode load_opcode(DType dtype) {
  switch (dtype) {
    case DType::Bool:
    case DType::U8:
      return Opcode::LoadU8;
    case DType::I8:
      return Opcode::LoadI8;
    case DType::I16:
      return Opcode::LoadI16;
    case DType::U16:
      return Opcode::LoadU16;
    case DType::I32:
      return Opcode::LoadI32;
    case DType::U32:
      return Opcode::LoadU32;
    case DType::I64:
    case DType::U64:
    case DType::F64:
      return Opcode::Load64;
    case DType::F32:
      return Opcode::LoadF32;
    case DType::F16:
      return Opcode::LoadF16;
    case DType::BF16:
      return Opcode::LoadBF16;
  }
  return Opcode::Halt;
}

Opcode store_opcode(DType dtype) {
  if (dtype == DType::F16) return Opcode::StoreF16;
  if (dtype == DType::BF16) return Opcode::StoreBF16;
  switch (expr::bytes(dtype)) {
    case 1:
      return Opcode::Store8;
    case 2:
      return Opcode::Store16;
    case 4:
      return Opcode::Store32;
    default:
      return Opcode::Store64;
  }
}

Opcode integer_opcode(BinaryOp op, DType dtype) {
  bool u64 = dtype == DType::U64, i32 = dtype == DType::I32, wide = dtype == DType::I64 || u64;
  switch (op) {
    case BinaryOp::Add:
      return i32 ? Opcode::AddI32 : wide ? Opcode::AddI64 : Opcode::BinaryI;
    case BinaryOp::Sub:
      return i32 ? Opcode::SubI32 : wide ? Opcode::SubI64 : Opcode::BinaryI;
    case BinaryOp::Mul:
      return i32 ? Opcode::MulI32 : wide ? Opcode::MulI64 : Opcode::BinaryI;
    case BinaryOp::Min:
      return u64 ? Opcode::BinaryI : Opcode::MinI;
    case BinaryOp::Max:
      return u64 ? Opcode::BinaryI : Opcode::MaxI;
    case BinaryOp::And:
      return Opcode::And;
    case BinaryOp::Or:
      return Opcode::Or;
    case BinaryOp::Xor:
      return Opcode::Xor;
    case BinaryOp::Shl:
      return i32 ? Opcode::ShlI32 : Opcode::BinaryI;
    case BinaryOp::Shr:
      return u64 ? Opcode::BinaryI : Opcode::ShrI;
    case BinaryOp::Eq:
      return Opcode::EqI;
    case BinaryOp::Ne:
      return Opcode::NeI;
    case BinaryOp::Lt:
      return u64 ? Opcode::BinaryI : Opcode::LtI;
    case BinaryOp::Le:
      return u64 ? Opcode::BinaryI : Opcode::LeI;
    case BinaryOp::Gt:
      return u64 ? Opcode::BinaryI : Opcode::GtI;
    case BinaryOp::Ge:
      return u64 ? Opcode::BinaryI : Opcode::GeI;
    case BinaryOp::Div:
    case BinaryOp::Rem:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
      return Opcode::BinaryI;
  }
  return Opcode::BinaryI;
}

Opcode float_opcode(BinaryOp op, DType dtype) {
  bool wide = dtype == DType::F64;
  switch (op) {
    case BinaryOp::Add:
      return wide ? Opcode::AddD : Opcode::AddF;
    case BinaryOp::Sub:
      return wide ? Opcode::SubD : Opcode::SubF;
    case BinaryOp::Mul:
      return wide ? Opcode::MulD : Opcode::MulF;
    case BinaryOp::Div:
      return wide ? Opcode::DivD : Opcode::DivF;
    case BinaryOp::Min:
      return wide ? Opcode::MinD : Opcode::MinF;
    case BinaryOp::Max:
      return wide ? Opcode::MaxD : Opcode::MaxF;
    case BinaryOp::Eq:
      return wide ? Opcode::EqD : Opcode::EqF;
    case BinaryOp::Ne:
      return wide ? Opcode::NeD : Opcode::NeF;
    case BinaryOp::Lt:
      return wide ? Opcode::LtD : Opcode::LtF;
    case BinaryOp::Le:
      return wide ? Opcode::LeD : Opcode::LeF;
    case BinaryOp::Gt:
      return wide ? Opcode::GtD : Opcode::GtF;
    case BinaryOp::Ge:
      return wide ? Opcode::GeD : Opcode::GeF;
    default:
      break;
  }
  VDLA_CHECK(false) << name(op) << " has no meaning for floats";
  return Opcode::Halt;
}

}  // namespace vdla::loop
