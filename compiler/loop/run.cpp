// SPDX-License-Identifier: Apache-2.0
// The bytecode loop.
#include <cmath>
#include <cstring>

#include "compiler/expr/arith.h"
#include "compiler/loop/bytecode.h"
#include "support/error.h"
#include "support/fixed_point.h"
#include "support/float16.h"

namespace vdla::loop {
namespace {

using expr::Function;

template <class T>
T call_float(Function function, T x, T y) {
  switch (function) {
    case Function::Abs:
      return std::fabs(x);
    case Function::Exp:
      return std::exp(x);
    case Function::Log:
      return std::log(x);
    case Function::Sqrt:
      return std::sqrt(x);
    case Function::Tanh:
      return std::tanh(x);
    case Function::Erf:
      return std::erf(x);
    case Function::Sin:
      return std::sin(x);
    case Function::Cos:
      return std::cos(x);
    case Function::Tan:
      return std::tan(x);
    case Function::Asin:
      return std::asin(x);
    case Function::Acos:
      return std::acos(x);
    case Function::Atan:
      return std::atan(x);
    case Function::Sinh:
      return std::sinh(x);
    case Function::Cosh:
      return std::cosh(x);
    case Function::Asinh:
      return std::asinh(x);
    case Function::Acosh:
      return std::acosh(x);
    case Function::Atanh:
      return std::atanh(x);
    case Function::Pow:
      return std::pow(x, y);
    case Function::Fmod:
      return std::fmod(x, y);
    case Function::Floor:
      return std::floor(x);
    case Function::Ceil:
      return std::ceil(x);
    case Function::Trunc:
      return std::trunc(x);
    case Function::Round:
      return std::round(x);
    case Function::RoundEven:
      return std::nearbyint(x);
    case Function::RoundTf32:
      return tf32_value(static_cast<float>(x));
    case Function::SrdhMul:
    case Function::RoundShiftRight:
    case Function::BytesDot:
    case Function::Clz:
    case Function::Popcount:
      break;
  }
  VDLA_CHECK(false) << name(function) << " has no meaning for floats";
  return 0;
}

std::int32_t bytes_dot(std::uint32_t a, std::uint32_t b) {
  std::int32_t sum = 0;
  for (unsigned bit = 0; bit < 32; bit += 8)
    sum +=
        static_cast<std::uint8_t>(a >> bit) * static_cast<std::int8_t>(static_cast<std::uint8_t>(b >> bit));
  return sum;
}

[[noreturn]] void fail_index(const Bytecode& program, const Access& access, std::int64_t index) {
  VDLA_CHECK_USER(false) << "function '" << program.name << "': index " << index << " in dimension "
                         << access.dimension << " of buffer '" << access.buffer->name
                         << "' is outside of [0, " << access.buffer->shape[access.dimension] << ")";
  __builtin_unreachable();
}

template <class T>
T load_as(const std::byte* base, std::int64_t offset) {
  T value;
  std::memcpy(&value, base + offset * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <class T>
void store_as(std::byte* base, std::int64_t offset, T value) {
  std::memcpy(base + offset * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

}  // namespace

// One switch over all instructions: splitting it would cost the dispatch loop its speed.
void run(const Bytecode& program, const std::vector<std::byte*>& buffers,
         const std::function<void(const BytecodeCall&, const Slot*)>& call) {
  std::vector<Slot> slots = program.slots;
  Slot* s = slots.data();
  const Insn* pc = program.code.data();
  std::byte* const* base = buffers.data();
  while (true) {
    const Insn& n = *pc++;
    switch (n.op) {
#define VDLA_VALUE(name, field, expression) \
  case Opcode::name:                        \
    s[n.dst].field = (expression);          \
    break;
#define A s[n.a].i
#define B s[n.b].i
#define FA s[n.a].f
#define FB s[n.b].f
#define DA s[n.a].d
#define DB s[n.b].d
      VDLA_VALUE(AddI64, i,
                 static_cast<std::int64_t>(static_cast<std::uint64_t>(A) + static_cast<std::uint64_t>(B)))
      VDLA_VALUE(SubI64, i,
                 static_cast<std::int64_t>(static_cast<std::uint64_t>(A) - static_cast<std::uint64_t>(B)))
      VDLA_VALUE(MulI64, i,
                 static_cast<std::int64_t>(static_cast<std::uint64_t>(A) * static_cast<std::uint64_t>(B)))
      VDLA_VALUE(AddI32, i, wrap_add(static_cast<std::int32_t>(A), static_cast<std::int32_t>(B)))
      VDLA_VALUE(SubI32, i, wrap_sub(static_cast<std::int32_t>(A), static_cast<std::int32_t>(B)))
      VDLA_VALUE(MulI32, i, wrap_mul(static_cast<std::int32_t>(A), static_cast<std::int32_t>(B)))
      VDLA_VALUE(MulAddImm, i,
                 static_cast<std::int64_t>(static_cast<std::uint64_t>(A) +
                                           static_cast<std::uint64_t>(B) * static_cast<std::uint64_t>(n.imm)))
      VDLA_VALUE(MulImm, i,
                 static_cast<std::int64_t>(static_cast<std::uint64_t>(A) * static_cast<std::uint64_t>(n.imm)))
      VDLA_VALUE(AddImm, i,
                 static_cast<std::int64_t>(static_cast<std::uint64_t>(A) + static_cast<std::uint64_t>(n.imm)))
      VDLA_VALUE(MinI, i, A < B ? A : B)
      VDLA_VALUE(MaxI, i, A > B ? A : B)
      VDLA_VALUE(And, i, A & B)
      VDLA_VALUE(Or, i, A | B)
      VDLA_VALUE(Xor, i, A ^ B)
      VDLA_VALUE(ShlI32, i, wrap_shift_left(static_cast<std::int32_t>(A), static_cast<unsigned>(B)))
      VDLA_VALUE(ShrI, i, A >> (B & expr::shift_mask(n.dtype)))
      VDLA_VALUE(EqI, i, A == B)
      VDLA_VALUE(NeI, i, A != B)
      VDLA_VALUE(LtI, i, A < B)
      VDLA_VALUE(LeI, i, A <= B)
      VDLA_VALUE(GtI, i, A > B)
      VDLA_VALUE(GeI, i, A >= B)
      VDLA_VALUE(FloorDivImm, i, expr::floor_div(A, n.imm))
      VDLA_VALUE(FloorModImm, i, expr::floor_mod(A, n.imm))
      VDLA_VALUE(BinaryI, i, expr::evaluate(static_cast<expr::BinaryOp>(n.sub), n.dtype, A, B))
      VDLA_VALUE(NotBool, i, !A)
      VDLA_VALUE(NotI, i, expr::wrap(n.dtype, ~A))
      VDLA_VALUE(Wrap, i, expr::wrap(n.dtype, A))
      VDLA_VALUE(SrdhMul, i, srdh_mul(static_cast<std::int32_t>(A), static_cast<std::int32_t>(B)))
      VDLA_VALUE(RoundShiftRight, i,
                 round_shift_right(static_cast<std::int32_t>(A), static_cast<unsigned>(B)))
      VDLA_VALUE(BytesDot, i, bytes_dot(static_cast<std::uint32_t>(A), static_cast<std::uint32_t>(B)))
      VDLA_VALUE(AbsI, i,
                 A < 0 ? expr::wrap(n.dtype, static_cast<std::int64_t>(-static_cast<std::uint64_t>(A))) : A)
      VDLA_VALUE(Clz32, i, static_cast<std::uint32_t>(A) ? __builtin_clz(static_cast<std::uint32_t>(A)) : 32)
      VDLA_VALUE(Popcount, i,
                 __builtin_popcountll(static_cast<std::uint64_t>(A) << (64 - expr::bits(n.dtype))))
      VDLA_VALUE(AddF, f, FA + FB)
      VDLA_VALUE(SubF, f, FA - FB)
      VDLA_VALUE(MulF, f, FA * FB)
      VDLA_VALUE(DivF, f, FA / FB)
      VDLA_VALUE(MinF, f, FA < FB ? FA : FB)
      VDLA_VALUE(MaxF, f, FA > FB ? FA : FB)
      VDLA_VALUE(EqF, i, FA == FB)
      VDLA_VALUE(NeF, i, FA != FB)
      VDLA_VALUE(LtF, i, FA < FB)
      VDLA_VALUE(LeF, i, FA <= FB)
      VDLA_VALUE(GtF, i, FA > FB)
      VDLA_VALUE(GeF, i, FA >= FB)
      VDLA_VALUE(CallF, f, call_float(static_cast<Function>(n.sub), FA, FB))
      VDLA_VALUE(IntToFloat, f, static_cast<float>(expr::int_to_float(A, n.dtype, DType::F32)))
      VDLA_VALUE(FloatToInt, i, expr::float_to_int(FA, n.dtype))
      VDLA_VALUE(RoundF, f, static_cast<float>(expr::round_float(n.dtype, FA)))
      VDLA_VALUE(AddD, d, DA + DB)
      VDLA_VALUE(SubD, d, DA - DB)
      VDLA_VALUE(MulD, d, DA * DB)
      VDLA_VALUE(DivD, d, DA / DB)
      VDLA_VALUE(MinD, d, DA < DB ? DA : DB)
      VDLA_VALUE(MaxD, d, DA > DB ? DA : DB)
      VDLA_VALUE(EqD, i, DA == DB)
      VDLA_VALUE(NeD, i, DA != DB)
      VDLA_VALUE(LtD, i, DA < DB)
      VDLA_VALUE(LeD, i, DA <= DB)
      VDLA_VALUE(GtD, i, DA > DB)
      VDLA_VALUE(GeD, i, DA >= DB)
      VDLA_VALUE(CallD, d, call_float(static_cast<Function>(n.sub), DA, DB))
      VDLA_VALUE(IntToDouble, d, expr::int_to_float(A, n.dtype, DType::F64))
      VDLA_VALUE(DoubleToInt, i, expr::float_to_int(DA, n.dtype))
      VDLA_VALUE(FloatToDouble, d, FA)
      VDLA_VALUE(DoubleToFloat, f, static_cast<float>(expr::round_float(n.dtype, DA)))
      VDLA_VALUE(LoadI8, i, load_as<std::int8_t>(base[n.b], A + n.imm))
      VDLA_VALUE(LoadU8, i, load_as<std::uint8_t>(base[n.b], A + n.imm))
      VDLA_VALUE(LoadI16, i, load_as<std::int16_t>(base[n.b], A + n.imm))
      VDLA_VALUE(LoadU16, i, load_as<std::uint16_t>(base[n.b], A + n.imm))
      VDLA_VALUE(LoadI32, i, load_as<std::int32_t>(base[n.b], A + n.imm))
      VDLA_VALUE(LoadU32, i, load_as<std::uint32_t>(base[n.b], A + n.imm))
      VDLA_VALUE(Load64, i, load_as<std::int64_t>(base[n.b], A + n.imm))
      VDLA_VALUE(LoadF32, f, load_as<float>(base[n.b], A + n.imm))
      VDLA_VALUE(LoadF16, f, half_value(load_as<std::uint16_t>(base[n.b], A + n.imm)))
      VDLA_VALUE(LoadBF16, f, bfloat_value(load_as<std::uint16_t>(base[n.b], A + n.imm)))
#undef VDLA_VALUE
      case Opcode::Choose:
        s[n.dst] = s[n.imm].i ? s[n.a] : s[n.b];
        break;
      case Opcode::Move:
        s[n.dst] = s[n.a];
        break;
      case Opcode::Jump:
        pc += n.imm;
        break;
      case Opcode::JumpIfZero:
        if (!A) pc += n.imm;
        break;
      case Opcode::LoopBegin:
        s[n.dst].i = A;
        if (A >= B) pc += n.imm;
        break;
      case Opcode::LoopEnd:
        if (++s[n.dst].i < B) pc += n.imm;
        break;
      case Opcode::CheckIndex:
        if (static_cast<std::uint64_t>(A) >= static_cast<std::uint64_t>(n.imm)) {
          fail_index(program, program.accesses[n.b], A);
        }
        break;
      case Opcode::Store8:
        store_as(base[n.b], A + n.imm, static_cast<std::uint8_t>(s[n.dst].i));
        break;
      case Opcode::Store16:
        store_as(base[n.b], A + n.imm, static_cast<std::uint16_t>(s[n.dst].i));
        break;
      case Opcode::Store32:
        store_as(base[n.b], A + n.imm, static_cast<std::uint32_t>(s[n.dst].i));
        break;
      case Opcode::Store64:
        store_as(base[n.b], A + n.imm, s[n.dst].i);
        break;
      case Opcode::StoreF16:
        store_as(base[n.b], A + n.imm, half_bits(s[n.dst].f));
        break;
      case Opcode::StoreBF16:
        store_as(base[n.b], A + n.imm, bfloat_bits(s[n.dst].f));
        break;
      case Opcode::Fill:
        std::memset(base[n.b], 0xa5, static_cast<std::size_t>(n.imm));
        break;
      case Opcode::Intrinsic:
        call(program.calls[n.imm], s);
        break;
      case Opcode::Halt:
        return;
#undef A
#undef B
#undef FA
#undef FB
#undef DA
#undef DB
    }
  }
}

}  // namespace vdla::loop
