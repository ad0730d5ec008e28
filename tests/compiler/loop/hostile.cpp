// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/loop/hostile.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "compiler/expr/arith.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/visit.h"

namespace vdla::loop {
namespace {

using expr::BinaryOp;

constexpr DType kIntegers[] = {DType::I8,  DType::U8,  DType::I16, DType::U16,
                               DType::I32, DType::U32, DType::I64, DType::U64};
constexpr BinaryOp kOps[] = {BinaryOp::Div,      BinaryOp::Rem, BinaryOp::FloorDiv,
                             BinaryOp::FloorMod, BinaryOp::Shl, BinaryOp::Shr};

constexpr std::int64_t kLanes = 16;

/// Hostile integers of a type, one for each lane.
std::vector<std::int64_t> integers(DType dtype) {
  const std::int64_t least = expr::min_value(dtype), most = expr::max_value(dtype), bits = expr::bits(dtype);
  std::vector<std::int64_t> values = {least, least + 1, -1,       0,    1,        2,     3,        7,
                                      -3,    100,       bits - 1, bits, bits + 1, -bits, most - 1, most};
  for (std::int64_t& v : values) v = expr::wrap(dtype, v);
  return values;
}

std::vector<double> floats() {
  std::vector<double> values = {
      0.0, -0.0, std::nan(""), -std::nan(""), std::numeric_limits<double>::infinity(), 1e30};
  for (const int bits : {0, 7, 8, 15, 16, 31, 32, 63, 64})
    for (const double off : {-1.0, -0.5, 0.0, 0.5, 1.0}) values.push_back(std::ldexp(1.0, bits) + off);
  for (const double step : {0x1p-24, 0x1p-53})  // the values next to limits
    for (const int bits : {31, 32, 63, 64}) values.push_back(std::ldexp(1.0 - step, bits));
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  values.resize((values.size() + kLanes - 1) / kLanes * kLanes);
  return values;
}

template <class T>
void append(std::vector<std::byte>& memory, T value, std::size_t bytes = sizeof(T)) {
  memory.resize(memory.size() + bytes);
  std::memcpy(memory.data() + memory.size() - bytes, &value, bytes);
}

class Builder {
 public:
  Builder(std::string name, std::int64_t count) : count_(count) { case_.func.name = std::move(name); }

  /// The element of a new input.
  ExprPtr in(DType dtype, std::vector<std::byte> memory) {
    const BufferPtr buffer = expr::make_buffer(next_name(), dtype, {count_});
    case_.func.params.push_back({buffer, Direction::In});
    case_.arguments.push_back(std::move(memory));
    return expr::load(buffer, {expr::var_ref(i_)});
  }
  /// New results, one for each of `values`.
  void out(const std::vector<ExprPtr>& values) {
    const DType dtype = values[0]->dtype;
    const auto rows = static_cast<std::int64_t>(values.size());
    const BufferPtr buffer = expr::make_buffer(next_name(), dtype, {rows, count_});
    case_.func.params.push_back({buffer, Direction::InOut});
    case_.arguments.emplace_back(static_cast<std::size_t>(rows * count_ * expr::bytes(dtype)));
    for (std::int64_t row = 0; row < rows; ++row)
      stores_.push_back(
          store(buffer, {expr::int_imm(row), expr::var_ref(i_)}, values[static_cast<std::size_t>(row)]));
  }
  HostileCase take(ForKind kind, const ExprPtr& condition) && {
    StmtPtr body = condition ? if_then_else(condition, seq(stores_)) : seq(stores_);
    if (kind == ForKind::Vectorized) {
      const VarPtr outer = expr::make_var("o"), lane = expr::make_var("lane");
      const ExprPtr first = expr::binary(BinaryOp::Mul, expr::var_ref(outer), expr::int_imm(kLanes));
      body = substitute(body, {{i_, expr::binary(BinaryOp::Add, first, expr::var_ref(lane))}});
      case_.func.body = make_for(outer, count_ / kLanes, make_for(lane, kLanes, body, kind));
    } else {
      case_.func.body = make_for(i_, count_, body, kind);
    }
    return std::move(case_);
  }

 private:
  std::string next_name() const { return "p" + std::to_string(case_.func.params.size()); }

  const std::int64_t count_;
  const VarPtr i_ = expr::make_var("i");
  HostileCase case_;
  std::vector<StmtPtr> stores_;
};

HostileCase of_integers(DType dtype, ForKind kind, bool guarded) {
  const std::vector<std::int64_t> values = integers(dtype);
  std::vector<std::byte> left, right;
  for (const std::int64_t a : values)
    for (const std::int64_t b : values) {
      append(left, a, static_cast<std::size_t>(expr::bytes(dtype)));
      append(right, b, static_cast<std::size_t>(expr::bytes(dtype)));
    }
  Builder builder("of_" + std::string(expr::name(dtype)),
                  static_cast<std::int64_t>(values.size() * values.size()));
  const ExprPtr a = builder.in(dtype, std::move(left)), b = builder.in(dtype, std::move(right));
  std::vector<ExprPtr> results;
  for (const BinaryOp op : kOps) {
    results.push_back(expr::binary(op, a, b));
    for (const std::int64_t constant : {values[0], values[2], values[3], values[4], values[6], values[11]})
      results.push_back(expr::binary(op, a, expr::int_imm(constant, dtype)));
    // A side that is not taken, and a result that is used in its type.
    const ExprPtr zero = expr::int_imm(0, dtype);
    results.push_back(expr::select(expr::binary(BinaryOp::Eq, b, zero), b, expr::binary(op, a, b)));
    results.push_back(expr::binary(BinaryOp::Max, expr::binary(op, a, b), zero));
  }
  if (dtype == DType::I32) results.push_back(expr::call(expr::Function::RoundShiftRight, {a, b}));
  if (expr::is_signed(dtype)) results.push_back(expr::call(expr::Function::Abs, {a}));
  builder.out(results);
  return std::move(builder).take(kind, guarded ? expr::binary(BinaryOp::Lt, a, b) : nullptr);
}

HostileCase of_floats(DType dtype, ForKind kind, bool guarded) {
  std::vector<std::byte> memory;
  for (const double v : floats()) {
    if (dtype == DType::F64) append(memory, v);
    if (dtype == DType::F32) append(memory, static_cast<float>(v));
  }
  Builder builder("of_" + std::string(expr::name(dtype)), static_cast<std::int64_t>(floats().size()));
  const ExprPtr x = builder.in(dtype, std::move(memory));
  for (const DType integer : kIntegers) builder.out({expr::cast(integer, x)});
  return std::move(builder).take(kind,
                                 guarded ? expr::binary(BinaryOp::Gt, x, expr::number(0, dtype)) : nullptr);
}

constexpr BinaryOp kDrawnOps[] = {BinaryOp::Div, BinaryOp::Rem, BinaryOp::FloorDiv, BinaryOp::FloorMod,
                                  BinaryOp::Shl, BinaryOp::Shr, BinaryOp::Add,      BinaryOp::Sub,
                                  BinaryOp::Mul, BinaryOp::Min, BinaryOp::Max,      BinaryOp::And,
                                  BinaryOp::Or,  BinaryOp::Xor};
constexpr BinaryOp kComparisons[] = {BinaryOp::Eq, BinaryOp::Lt, BinaryOp::Ge};
constexpr DType kReals[] = {DType::F32, DType::F64};

/// Bytes as choices; all the first ones after the last byte.
class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t below(std::size_t n) {
    if (bytes_.empty()) return 0;
    const std::size_t choice = bytes_[0] % n;
    bytes_ = bytes_.subspan(1);
    return choice;
  }
  template <class List>
  auto of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Draws an expression over `inputs`, or over constants where there are none.
class Drawer {
 public:
  Drawer(Choices& choices, std::vector<ExprPtr> inputs) : choices_(choices), inputs_(std::move(inputs)) {}

  ExprPtr draw(DType dtype, int depth) {
    const auto next = [&](DType of) { return draw(of, depth - 1); };
    switch (depth == 0 ? 0 : choices_.below(8)) {
      case 0:
        return operand(dtype);
      case 1:
        return expr::cast(dtype, next(choices_.of(kIntegers)));
      case 2: {
        const DType real = choices_.of(kReals);
        return expr::cast(dtype, expr::cast(real, next(choices_.of(kIntegers))));
      }
      case 3: {
        const BinaryOp op = choices_.of(kComparisons);
        const ExprPtr a = next(dtype), b = next(dtype), c = next(dtype);
        return expr::select(expr::binary(op, a, b), b, c);
      }
      case 4: {
        const ExprPtr a = next(DType::I32), b = next(DType::I32);
        return expr::cast(dtype, expr::call(expr::Function::RoundShiftRight, {a, b}));
      }
      default: {
        const BinaryOp op = choices_.of(kDrawnOps);
        const ExprPtr a = next(dtype), b = next(dtype);
        return expr::binary(op, a, b);
      }
    }
  }

 private:
  ExprPtr operand(DType dtype) {
    if (!inputs_.empty() && choices_.below(3) != 0) return expr::cast(dtype, choices_.of(inputs_));
    return expr::int_imm(choices_.of(integers(dtype)), dtype);
  }

  Choices& choices_;
  const std::vector<ExprPtr> inputs_;
};

}  // namespace

HostileCase drawn_case(std::span<const std::uint8_t> bytes, Operands operands) {
  Choices choices(bytes);
  Builder builder("drawn", kLanes);
  std::vector<ExprPtr> inputs;
  for (int i = 0; i < 2; ++i) {
    const DType dtype = choices.of(kIntegers);
    std::vector<std::byte> memory;
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      append(memory, choices.of(integers(dtype)), static_cast<std::size_t>(expr::bytes(dtype)));
    inputs.push_back(builder.in(dtype, std::move(memory)));
  }
  const ForKind kind = choices.below(2) == 0 ? ForKind::Serial : ForKind::Vectorized;
  const DType result = choices.of(kIntegers);
  if (operands == Operands::Constant) inputs.clear();
  builder.out({Drawer(choices, std::move(inputs)).draw(result, 4)});
  return std::move(builder).take(kind, nullptr);
}

std::vector<std::vector<std::byte>> interpreted(HostileCase hostile) {
  Interpreter(hostile.func).run(hostile.spans());
  return std::move(hostile.arguments);
}

std::vector<HostileCase> hostile_cases(ForKind kind, bool guarded) {
  std::vector<HostileCase> cases;
  for (const DType dtype : kIntegers) cases.push_back(of_integers(dtype, kind, guarded));
  for (const DType dtype : {DType::F32, DType::F64}) cases.push_back(of_floats(dtype, kind, guarded));
  return cases;
}

}  // namespace vdla::loop
