// SPDX-License-Identifier: Apache-2.0
// The table of intrinsics: one builder for the matrix step, one for the forms of the vector step, which are
// made of the rows of the operations.
#include "compiler/intrinsics/table.h"

#include <algorithm>
#include <array>
#include <functional>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/meaning.h"
#include "isa/spec/fields.h"
#include "isa/spec/operations.h"
#include "support/element_with.h"
#include "support/error.h"

namespace vdla::intrinsics {

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

std::string Operand::scope() const {
  if (!place.empty()) return place;
  return buffer ? scope_of(*buffer) : expr::kGlobalScope;
}

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
  const std::array rows{bias, multiplier, shifts};
  return expression_of(isa::row_of(isa::operation_named("scale")).value,
                       {x, [&](unsigned row) { return rows.at(row); }});
}

ExprPtr avg_value(const ExprPtr& x, const ExprPtr& half, const ExprPtr& reciprocal, const ExprPtr& shift) {
  const auto field = [&](std::string_view name, DType) {
    return name == "half" ? half : name == "imm" ? reciprocal : shift;
  };
  return expression_of(isa::row_of(isa::operation_named("avg")).value, {x, {}, field});
}

ExprPtr avg_value(const ExprPtr& x, const Reciprocal& reciprocal) {
  return avg_value(x, expr::int_imm(reciprocal.half, DType::U32),
                   expr::int_imm(reciprocal.multiplier, DType::U64),
                   expr::int_imm(reciprocal.shift, DType::U64));
}

ExprPtr int8_result(const ExprPtr& value, const ExprPtr& out_zero, const ExprPtr& clamp_min,
                    const ExprPtr& clamp_max) {
  const auto field = [&](std::string_view name, DType) {
    return name == "out_zero" ? out_zero : name == "clamp_min" ? clamp_min : clamp_max;
  };
  return expr::cast(DType::I8, expression_of(isa::operations::kInt8Result, {value, {}, field}));
}

namespace {

/// The last dimensions of an operand: its entry.
std::vector<std::int64_t> entry_shape(const isa::Geometry& g, Buffer buffer) {
  if (buffer == Buffer::Wgt) return {g.block_out, g.block_in};
  const std::int64_t lanes = buffer == Buffer::Inp ? g.block_in : g.block_out;
  return g.rows(buffer) > 1 ? std::vector<std::int64_t>{g.batch, lanes} : std::vector<std::int64_t>{lanes};
}

/// Collects attributes and fields while a declaration's expression is built.
class IntrinsicBuilder {
 public:
  IntrinsicBuilder(const isa::Geometry& g, std::string name, isa::Opcode opcode) : g_(g) {
    intrinsic_.name = std::move(name);
    rule_.opcode = opcode;
  }

  /// A field of vector that the program's constant fills in: an unsigned type takes its bits without a sign.
  ExprPtr attribute(std::string_view name, DType dtype = DType::I32) {
    const isa::Field& field =
        element_with(std::span<const isa::Field>(isa::kVectorFields), name, &isa::Field::name);
    const std::int64_t values = std::int64_t{1} << field.width;
    const bool has_sign = field.is_signed() && dtype == DType::I32;
    expr::VarPtr var = expr::make_var(std::string(name), dtype);
    intrinsic_.attributes.push_back(
        {var, has_sign ? -values / 2 : 0, has_sign ? values / 2 - 1 : values - 1});
    rule_.fields.push_back({std::string(name), expr::var_ref(var)});
    return expr::var_ref(var);
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
  IntrinsicBuilder builder(g, "gemm", isa::Opcode::Gemm);
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
  const isa::OperationRow& row;
  Buffer dst, a;
  isa::VectorB b;

  /// A first step may have a value of its own: then it is what the form computes, and no form of it
  /// accumulates.
  bool has_first() const { return !row.first.empty() && b != isa::VectorB::None; }
  const isa::Meaning& value() const { return has_first() ? row.first : row.value; }
};

bool is_leaf_of(const isa::Meaning& meaning, const isa::Term& term, unsigned operand, isa::TermKind kind) {
  return meaning.terms[term.of[operand]].kind == kind;
}

/// x meets operand b in this term and nothing else does.
bool joins_operands(const isa::Meaning& meaning, const isa::Term& term) {
  using enum isa::TermKind;
  return (is_leaf_of(meaning, term, 0, X) && is_leaf_of(meaning, term, 1, P)) ||
         (is_leaf_of(meaning, term, 0, P) && is_leaf_of(meaning, term, 1, X));
}

/// Operand a is used in a sum or difference with operand b alone: an immediate and a_offset are one constant.
bool adds_operand_b(const isa::Meaning& meaning) {
  bool adds = false;
  for (std::size_t i = 0; i < meaning.size; ++i) {
    const isa::Term& term = meaning.terms[i];
    bool uses_x = false;
    for (unsigned o = 0; o < isa::operands_of(term.kind); ++o)
      uses_x = uses_x || is_leaf_of(meaning, term, o, isa::TermKind::X);
    if (!uses_x) continue;
    adds = (term.kind == isa::TermKind::Add || term.kind == isa::TermKind::Subtract) &&
           joins_operands(meaning, term);
    if (!adds) return false;
  }
  return adds;
}

/// Operand b as the form has it.
Value operand_b(const Form& form, IntrinsicBuilder& builder, const Value& n, unsigned row,
                std::optional<Tensor>& par) {
  if (form.b != isa::VectorB::Par) return builder.attribute("imm");
  const unsigned rows = form.row.facts.b.rows;
  if (!par) par = builder.input("b", Buffer::Par, rows > 1 ? rows : 0);
  return rows > 1 ? expr::at(*par, {Value(static_cast<int>(row)), n}) : expr::at(*par, {n});
}

/// The value before the clamp; x is operand a widened, without a_offset.
Value vector_value(const Form& form, IntrinsicBuilder& builder, const Value& x,
                   const std::vector<Value>& entry) {
  const bool one_constant = form.b == isa::VectorB::Imm && adds_operand_b(form.value());
  const Value shifted = one_constant ? x : x + Value(builder.attribute("a_offset"));
  std::optional<Tensor> par;
  return expression_of(
      form.value(),
      {shifted.expr(), [&](unsigned row) { return operand_b(form, builder, entry.back(), row, par); },
       [&](std::string_view name, DType dtype) { return builder.attribute(name, dtype); }});
}

/// The sum of a row stands outermost, so the value goes inside: that of each element times operand b.
Value row_sum(const isa::Geometry& g, const Form& form, IntrinsicBuilder& builder, const Tensor& a,
              const std::vector<Value>& entry) {
  const isa::Meaning& value = form.value();
  VDLA_CHECK(value.value().kind == isa::TermKind::Multiply && joins_operands(value, value.value()))
      << "operation '" << form.row.facts.text
      << "' sums a row and computes something else than x * p: it has no intrinsic";
  const IterVar k = expr::reduce_axis(g.block_in, "k");
  std::vector<Value> indices = entry;
  indices.back() = Value(k);
  std::optional<Tensor> par;
  const ExprPtr product = expression_of(value, {widened(a, indices).expr(), [&](unsigned row) {
                                                  return operand_b(form, builder, entry.back(), row, par);
                                                }});
  return expr::sum(product, {k});
}

std::optional<expr::Reducer> reducer_of(const Form& form) {
  if (form.dst != Buffer::Acc || form.has_first()) return std::nullopt;
  switch (form.row.facts.combine) {
    case isa::Combine::Sum:
      return expr::Reducer::Sum;
    case isa::Combine::Max:
      return expr::Reducer::Max;
    case isa::Combine::Min:
      return expr::Reducer::Min;
    case isa::Combine::Replace:
      return std::nullopt;
  }
  return std::nullopt;
}

Intrinsic vector(const isa::Geometry& g, const Form& form) {
  const std::string name(form.row.facts.text);
  IntrinsicBuilder builder(g, name, isa::Opcode::Vector);
  builder.field("op", static_cast<int>(form.row.facts.op));
  builder.field("dst_buffer", static_cast<int>(form.dst));
  builder.field("a_buffer", static_cast<int>(form.a));
  builder.field("b_kind", static_cast<int>(form.b));
  const Tensor a = builder.input("a", form.a);
  std::string variant = name + " " + scope_of(form.dst) + " <- " + scope_of(form.a);
  if (form.b != isa::VectorB::None) variant += ", " + std::string(isa::to_string(form.b));
  return builder.finish("dst", form.dst, variant, reducer_of(form), [&](const std::vector<Value>& entry) {
    if (form.row.facts.a == isa::OperandA::Row) return row_sum(g, form, builder, a, entry);
    const Value x = form.a == Buffer::Acc ? expr::at(a, entry) : widened(a, entry);
    const Value value = vector_value(form, builder, x, entry);
    if (form.dst == Buffer::Acc) return value;
    const ExprPtr zero = builder.attribute("out_zero"), low = builder.attribute("clamp_min");
    return Value(int8_result(value, zero, low, builder.attribute("clamp_max")));
  });
}

/// Operands b that are forms of their own: where an absent one counts as a number, the immediate says the
/// same.
std::vector<isa::VectorB> operands_b(const isa::Operation& row) {
  using enum isa::VectorB;
  std::vector<isa::VectorB> kinds;
  for (const isa::VectorB b : {None, Imm, Par})
    if (row.b.takes(b) && !(b == None && row.b.absent)) kinds.push_back(b);
  return kinds;
}

void append_vector_forms(const isa::Geometry& g, std::vector<Intrinsic>& table) {
  const bool square = g.block_in == g.block_out;  // inp as an element-wise operand needs K == N
  for (const isa::OperationRow& row : isa::operations::kRows) {
    const bool sums = row.facts.a == isa::OperandA::Row;
    for (isa::VectorB b : operands_b(row.facts)) {
      for (Buffer dst : {Buffer::Acc, Buffer::Out, Buffer::Inp}) {
        for (Buffer a : {Buffer::Acc, Buffer::Out, Buffer::Inp}) {
          if (sums ? a != Buffer::Inp || dst != Buffer::Acc
                   : !square && (a == Buffer::Inp || dst == Buffer::Inp))
            continue;
          table.push_back(vector(g, {row, dst, a, b}));
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

}  // namespace vdla::intrinsics
