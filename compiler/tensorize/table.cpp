// SPDX-License-Identifier: Apache-2.0
// The table of intrinsics: one builder for the matrix step, one for the forms of the vector step.
#include "compiler/tensorize/table.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "compiler/expr/dsl.h"
#include "support/error.h"

namespace vdla::tensorize {

using expr::BinaryOp;
using expr::DType;
using expr::ExprPtr;
using expr::IterVar;
using expr::Tensor;
using expr::Value;
using isa::Buffer;

std::string scope_of(Buffer buffer) { return std::string(isa::to_string(buffer)); }

std::optional<Buffer> buffer_of(std::string_view scope) {
  for (const isa::NamedCode& row : isa::kBuffers) {
    if (row.text == scope) return static_cast<Buffer>(row.code);
  }
  return std::nullopt;
}

DType dtype_of(Buffer buffer) {
  return buffer == Buffer::Acc || buffer == Buffer::Par ? DType::I32 : DType::I8;
}

std::string Operand::scope() const { return buffer ? scope_of(*buffer) : expr::kGlobalScope; }

isa::Buffer Operand::device_buffer() const {
  VDLA_CHECK_USER(buffer.has_value())
      << "operand '" << role << "' is in the memory of a CPU, needs a buffer of the device";
  return *buffer;
}

const DeviceRule& Intrinsic::device_rule() const {
  const auto* rule = std::get_if<DeviceRule>(&lowering);
  VDLA_CHECK_USER(rule) << "intrinsic '" << variant << "' is lowered on a CPU, needs one of the device";
  return *rule;
}

ExprPtr scale_value(const ExprPtr& x, const ExprPtr& bias, const ExprPtr& multiplier, const ExprPtr& shifts) {
  const Value left = Value(shifts) & Value(31);
  const Value right = (Value(shifts) >> Value(8)) & Value(31);
  return expr::round_shift_right(expr::srdh_mul((Value(x) + Value(bias)) << left, multiplier), right);
}

ExprPtr avg_value(const ExprPtr& x, const ExprPtr& half, const ExprPtr& reciprocal, const ExprPtr& shift) {
  const Value magnitude = Value(expr::cast(DType::U32, expr::call(expr::Function::Abs, {x}))) + Value(half);
  const Value product = Value(expr::cast(DType::U64, magnitude.expr())) * Value(reciprocal);
  const Value quotient =
      expr::cast(DType::I32, Value(expr::cast(DType::U32, (product >> Value(shift)).expr())));
  return expr::select(Value(x) < Value(0), Value(expr::int_imm(0, DType::I32)) - quotient, quotient);
}

ExprPtr avg_value(const ExprPtr& x, const Reciprocal& reciprocal) {
  return avg_value(x, expr::int_imm(reciprocal.half, DType::U32),
                   expr::int_imm(reciprocal.multiplier, DType::U64),
                   expr::int_imm(reciprocal.shift, DType::U64));
}

ExprPtr int8_result(const ExprPtr& value, const ExprPtr& out_zero, const ExprPtr& clamp_min,
                    const ExprPtr& clamp_max) {
  return expr::cast(DType::I8, expr::clamp(Value(value) + Value(out_zero), clamp_min, clamp_max).expr());
}

namespace {

constexpr std::int64_t kInt32Min = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInt16Min = std::numeric_limits<std::int16_t>::min();
constexpr std::int64_t kInt16Max = std::numeric_limits<std::int16_t>::max();

/// The last dimensions of an operand: its entry.
std::vector<std::int64_t> entry_shape(const isa::Geometry& g, Buffer buffer) {
  if (buffer == Buffer::Wgt) return {g.block_out, g.block_in};
  const std::int64_t lanes = buffer == Buffer::Inp ? g.block_in : g.block_out;
  return g.rows(buffer) > 1 ? std::vector<std::int64_t>{g.batch, lanes} : std::vector<std::int64_t>{lanes};
}

/// Collects attributes and fields while a declaration's expression is built.
class Builder {
 public:
  Builder(const isa::Geometry& g, std::string name, isa::Opcode opcode) : g_(g) {
    intrinsic_.name = std::move(name);
    rule_.opcode = opcode;
  }

  Value attribute(const std::string& field, std::int64_t min, std::int64_t max, DType dtype = DType::I32) {
    expr::VarPtr var = expr::make_var(field, dtype);
    intrinsic_.attributes.push_back({var, min, max});
    rule_.fields.push_back({field, expr::var_ref(var)});
    return Value(var);
  }
  void field(const std::string& name, std::int64_t value) {
    rule_.fields.push_back({name, expr::int_imm(value)});
  }
  Tensor input(const std::string& role, Buffer buffer, std::int64_t rows = 0) {
    std::vector<std::int64_t> shape = entry_shape(g_, buffer);
    if (rows > 0) shape.insert(shape.begin(), rows);
    Tensor tensor = expr::placeholder(role, shape, dtype_of(buffer));
    intrinsic_.inputs.push_back({role, buffer, tensor});
    return tensor;
  }
  /// body(b and lane) over one entry of `buffer`.
  Intrinsic finish(const std::string& role, Buffer buffer, std::string variant,
                   std::optional<expr::Reducer> accumulates,
                   const std::function<Value(const std::vector<Value>& entry)>& body) {
    const std::vector<std::int64_t> shape = entry_shape(g_, buffer);
    std::vector<Value> entry;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const char* axis = d + 1 < shape.size() ? "b" : "n";
      entry.emplace_back(intrinsic_.behaviour.axes.emplace_back(axis, shape[d], expr::IterKind::Spatial));
    }
    intrinsic_.behaviour.body = body(entry).expr();
    intrinsic_.output = {role, buffer, expr::placeholder(role, shape, dtype_of(buffer))};
    intrinsic_.variant = std::move(variant);
    intrinsic_.accumulates = accumulates;
    intrinsic_.lowering = std::move(rule_);
    return std::move(intrinsic_);
  }

 private:
  const isa::Geometry& g_;
  Intrinsic intrinsic_;
  DeviceRule rule_;
};

Value widened(const Tensor& tensor, const std::vector<Value>& indices) {
  return expr::cast(DType::I32, expr::at(tensor, indices));
}

Intrinsic gemm(const isa::Geometry& g) {
  Builder builder(g, "gemm", isa::Opcode::Gemm);
  const Tensor inp = builder.input("inp", Buffer::Inp);
  const Tensor wgt = builder.input("wgt", Buffer::Wgt);
  const IterVar k = expr::reduce_axis(g.block_in, "k");
  return builder.finish("acc", Buffer::Acc, "gemm", expr::Reducer::Sum, [&](const std::vector<Value>& entry) {
    std::vector<Value> a = entry;
    a.back() = Value(k);
    return expr::sum(widened(inp, a) * widened(wgt, {entry.back(), Value(k)}), {k});
  });
}

/// One form of the vector step: its operation, where its operands are, whether operand b is there.
struct Form {
  isa::VectorOp op;
  Buffer dst, a;
  isa::VectorB b;
  std::optional<expr::Reducer> accumulates;
};

/// The value before the clamp; x is operand a widened, without a_offset.
Value vector_value(const Form& form, Builder& builder, const Value& x, const std::vector<Value>& entry) {
  const bool constant_in_b =
      form.op == isa::VectorOp::Add && form.b == isa::VectorB::Imm;  // one constant is enough
  const Value shifted = constant_in_b ? x : x + builder.attribute("a_offset", kInt16Min, kInt16Max);
  const auto operand_b = [&]() -> Value {
    if (form.b == isa::VectorB::Par) return expr::at(builder.input("b", Buffer::Par), {entry.back()});
    return builder.attribute("imm", kInt32Min, kInt32Max);
  };
  switch (form.op) {
    case isa::VectorOp::Scale: {
      const Tensor par = builder.input("b", Buffer::Par, 3);
      const auto row = [&](int r) { return expr::at(par, {Value(r), entry.back()}).expr(); };
      return scale_value(shifted, row(0), row(1), row(2));
    }
    case isa::VectorOp::Mac:
      return shifted * operand_b();
    case isa::VectorOp::Add:
      return shifted + operand_b();
    case isa::VectorOp::Max:
      return form.b == isa::VectorB::None ? shifted : expr::maximum(shifted, operand_b());
    case isa::VectorOp::Min:
      return form.b == isa::VectorB::None ? shifted : expr::minimum(shifted, operand_b());
    case isa::VectorOp::Avg: {
      const Value half = builder.attribute("half", 0, 65535, DType::U32);
      const Value reciprocal = builder.attribute("imm", 0, std::int64_t{0xffffffff}, DType::U64);
      return avg_value(shifted, half, reciprocal, builder.attribute("shift", 0, 63, DType::U64));
    }
    case isa::VectorOp::Hsum:
      break;
  }
  VDLA_CHECK(false) << "no value for this operation";
  return x;
}

Intrinsic vector(const isa::Geometry& g, const Form& form) {
  const std::string name(isa::to_string(form.op));
  Builder builder(g, name, isa::Opcode::Vector);
  builder.field("op", static_cast<int>(form.op));
  builder.field("dst_buffer", static_cast<int>(form.dst));
  builder.field("a_buffer", static_cast<int>(form.a));
  builder.field("b_kind", static_cast<int>(form.b));
  const Tensor a = builder.input("a", form.a);
  std::string variant = name + " " + scope_of(form.dst) + " <- " + scope_of(form.a);
  if (form.b != isa::VectorB::None) variant += ", " + std::string(isa::to_string(form.b));
  return builder.finish("dst", form.dst, variant, form.accumulates, [&](const std::vector<Value>& entry) {
    if (form.op == isa::VectorOp::Hsum) {
      const IterVar k = expr::reduce_axis(g.block_in, "k");
      std::vector<Value> indices = entry;
      indices.back() = Value(k);
      const Value x = widened(a, indices);
      const Value p = form.b == isa::VectorB::Par ? expr::at(builder.input("b", Buffer::Par), {entry.back()})
                                                  : builder.attribute("imm", kInt32Min, kInt32Max);
      return expr::sum(x * p, {k});
    }
    const Value x = form.a == Buffer::Acc ? expr::at(a, entry) : widened(a, entry);
    const Value value = vector_value(form, builder, x, entry);
    if (form.dst == Buffer::Acc) return value;
    const Value zero = builder.attribute("out_zero", kInt16Min, kInt16Max);
    const Value low = builder.attribute("clamp_min", -128, 127);
    return Value(int8_result(value, zero, low, builder.attribute("clamp_max", -128, 127)));
  });
}

std::optional<expr::Reducer> reducer_of(isa::VectorOp op, isa::VectorB b) {
  switch (op) {
    case isa::VectorOp::Scale:
    case isa::VectorOp::Mac:
    case isa::VectorOp::Add:
    case isa::VectorOp::Hsum:
      return expr::Reducer::Sum;
    case isa::VectorOp::Max:
      return b == isa::VectorB::None ? std::optional(expr::Reducer::Max) : std::nullopt;
    case isa::VectorOp::Min:
      return b == isa::VectorB::None ? std::optional(expr::Reducer::Min) : std::nullopt;
    case isa::VectorOp::Avg:
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<isa::VectorB> operands_b(isa::VectorOp op) {
  using enum isa::VectorB;
  switch (op) {
    case isa::VectorOp::Scale:
      return {Par};
    case isa::VectorOp::Mac:
    case isa::VectorOp::Add:
    case isa::VectorOp::Hsum:
      return {Imm, Par};
    case isa::VectorOp::Max:
    case isa::VectorOp::Min:
      return {None, Imm, Par};
    case isa::VectorOp::Avg:
      return {None};
  }
  return {};
}

void append_vector_forms(const isa::Geometry& g, std::vector<Intrinsic>& table) {
  const bool square = g.block_in == g.block_out;  // inp as an element-wise operand needs K == N
  for (const isa::NamedCode& row : isa::kVectorOps) {
    const auto op = static_cast<isa::VectorOp>(row.code);
    const bool hsum = op == isa::VectorOp::Hsum;
    for (isa::VectorB b : operands_b(op)) {
      for (Buffer dst : {Buffer::Acc, Buffer::Out, Buffer::Inp}) {
        for (Buffer a : {Buffer::Acc, Buffer::Out, Buffer::Inp}) {
          if (hsum ? a != Buffer::Inp || dst != Buffer::Acc
                   : !square && (a == Buffer::Inp || dst == Buffer::Inp))
            continue;
          table.push_back(vector(g, {op, dst, a, b, dst == Buffer::Acc ? reducer_of(op, b) : std::nullopt}));
        }
      }
    }
  }
}

/// Memory, type and shape of the operand, which tell the forms of one intrinsic apart.
bool is_place_of(const Operand& operand, const loop::Region& region) {
  return region.buffer->scope == operand.scope() && region.buffer->dtype == operand.tensor.dtype() &&
         region.extents == operand.tensor.shape();
}

}  // namespace

std::vector<Intrinsic> device_intrinsics(const isa::Geometry& geometry) {
  std::vector<Intrinsic> table{gemm(geometry)};
  append_vector_forms(geometry, table);
  return table;
}

const Intrinsic* find(std::span<const Intrinsic> table, const loop::IntrinsicCall& call) {
  const auto fits = [&](const Intrinsic& candidate) {
    if (candidate.name != call.name || call.outputs.size() != 1 ||
        call.inputs.size() != candidate.inputs.size()) {
      return false;
    }
    if (!is_place_of(candidate.output, call.outputs[0])) return false;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      if (!is_place_of(candidate.inputs[i], call.inputs[i])) return false;
    }
    // max without operand b and with an immediate differ by the attribute only.
    return std::ranges::all_of(call.attributes,
                               [&](const loop::Attribute& given) {
                                 return std::ranges::any_of(
                                     candidate.attributes,
                                     [&](const FreeAttribute& a) { return a.variable->name == given.name; });
                               }) &&
           call.attributes.size() == candidate.attributes.size();
  };
  const auto it = std::ranges::find_if(table, fits);
  return it == table.end() ? nullptr : &*it;
}

}  // namespace vdla::tensorize
