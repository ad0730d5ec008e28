// SPDX-License-Identifier: Apache-2.0
// Loop IR to bytecode. Scopes are loop bodies and branches. A value instruction is placed in the outermost
// scope that has its operands, and once per scope, which moves address arithmetic out of loops and shares it;
// loads, checks and lazy selects stay where they are.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "compiler/expr/arith.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/tensor.h"
#include "compiler/expr/visit.h"
#include "compiler/loop/bytecode.h"
#include "compiler/loop/opcode.h"
#include "compiler/loop/ranges.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::loop {
namespace {

using expr::BinaryOp;
using expr::Function;

using Key = std::tuple<Opcode, int, DType, int, int, std::int64_t>;

struct Scope {
  std::vector<Insn> code;
  std::map<Key, int> numbering;
  std::unordered_map<const expr::Expr*, int> known;  ///< within one statement
};

// Long: a method for each kind of node over the code at hand.
class Compiler {
 public:
  Bytecode run(const Func& func) {
    out_.name = func.name;
    scopes_.emplace_back();
    for (const Param& param : func.params) add_buffer(param.buffer);
    out_.param_count = func.params.size();
    statement(func.body);
    pin({Opcode::Halt});
    out_.code = std::move(scopes_[0].code);
    return std::move(out_);
  }

 private:
  // ---- slots and placement
  std::size_t depth() const { return scopes_.size() - 1; }

  int new_slot(std::size_t level) {
    out_.slots.push_back(Slot{0});
    levels_.push_back(level);
    return static_cast<int>(out_.slots.size()) - 1;
  }

  /// A slot with these 64 bits.
  int constant(std::int64_t value) {
    auto [entry, fresh] = constants_.try_emplace(value, 0);
    if (fresh) {
      entry->second = new_slot(0);
      out_.slots.back() = Slot{.i = value};
    }
    return entry->second;
  }
  int float_constant(double value, DType dtype) {
    if (dtype == DType::F64) return constant(std::bit_cast<std::int64_t>(value));
    return constant(std::bit_cast<std::int32_t>(static_cast<float>(value)));
  }

  /// An instruction that stays here.
  void pin(Insn insn) { scopes_.back().code.push_back(insn); }
  int pin_value(Insn insn) {
    insn.dst = new_slot(depth());
    pin(insn);
    return insn.dst;
  }

  /// A value instruction: in the outermost scope that has its operands, shared with an equal one.
  int value(Insn insn, std::initializer_list<int> operands) {
    std::size_t level = 0;
    for (int operand : operands) level = std::max(level, levels_[operand]);
    Key key{insn.op, insn.sub, insn.dtype, insn.a, insn.b, insn.imm};
    auto [entry, fresh] = scopes_[level].numbering.try_emplace(key, 0);
    if (fresh) {
      entry->second = insn.dst = new_slot(level);
      scopes_[level].code.push_back(insn);
    }
    return entry->second;
  }

  int add_buffer(const BufferPtr& buffer) {
    int index = static_cast<int>(out_.buffers.size());
    buffers_[buffer.get()] = index;
    out_.buffers.push_back(buffer);
    return index;
  }
  int buffer_index(const BufferPtr& buffer) const {
    auto found = buffers_.find(buffer.get());
    VDLA_CHECK_USER(found != buffers_.end())
        << "function '" << out_.name << "' uses buffer '" << buffer->name
        << "', which is neither a parameter nor allocated around the use";
    return found->second;
  }

  // ---- statements
  void statement(const StmtPtr& s) {
    std::visit(overloaded{
                   [&](const For& n) { loop(n); },
                   [&](const Allocate& n) {
                     int buffer = add_buffer(n.buffer);
                     pin({.op = Opcode::Fill,
                          .b = buffer,
                          .imm = expr::storage_size(*n.buffer) * expr::bytes(n.buffer->dtype)});
                     statement(n.body);
                   },
                   [&](const Store& n) { store(n); },
                   [&](const IfThenElse& n) { conditional(n); },
                   [&](const Seq& n) {
                     for (const StmtPtr& child : n.body) statement(child);
                   },
                   [&](const IntrinsicCall& n) { intrinsic(s, n); },
                   [&](const Tensorize& n) { statement(n.body); },
               },
               s->node);
  }

  /// Runs `body` in a scope of its own and returns its code.
  template <class F>
  std::vector<Insn> in_scope(const F& body) {
    scopes_.emplace_back();
    body();
    std::vector<Insn> code = std::move(scopes_.back().code);
    scopes_.pop_back();
    return code;
  }
  void append(const std::vector<Insn>& code) {
    scopes_.back().code.insert(scopes_.back().code.end(), code.begin(), code.end());
  }

  /// Loads may not be shared between statements, so each starts knowing nothing.
  void forget() {
    for (Scope& scope : scopes_) scope.known.clear();
  }

  void loop(const For& n) {
    forget();
    int first = evaluate(n.min);
    int count = evaluate(n.extent);
    int end = value({.op = Opcode::AddI64, .a = first, .b = count}, {first, count});
    add_values_of(n, ranges_);
    int var = 0;
    std::vector<Insn> body = in_scope([&] {
      var = new_slot(depth());
      variables_[n.var] = var;
      statement(n.body);
    });
    variables_.erase(n.var);
    ranges_.erase(n.var);
    auto length = static_cast<std::int64_t>(body.size());
    pin({.op = Opcode::LoopBegin, .dst = var, .a = first, .b = end, .imm = length + 1});
    append(body);
    pin({.op = Opcode::LoopEnd, .dst = var, .b = end, .imm = -length - 1});
  }

  void conditional(const IfThenElse& n) {
    forget();
    int condition = evaluate(n.condition);
    expr::Ranges outer = ranges_;
    ranges_ = expr::assume(n.condition, ranges_);
    std::vector<Insn> then_code = in_scope([&] { statement(n.then_body); });
    ranges_ = std::move(outer);
    std::vector<Insn> else_code;
    if (n.else_body) else_code = in_scope([&] { statement(n.else_body); });
    branch(condition, std::move(then_code), else_code);
  }

  void branch(int condition, std::vector<Insn> then_code, const std::vector<Insn>& else_code) {
    if (!else_code.empty()) {
      then_code.push_back({.op = Opcode::Jump, .imm = static_cast<std::int64_t>(else_code.size())});
    }
    pin({.op = Opcode::JumpIfZero, .a = condition, .imm = static_cast<std::int64_t>(then_code.size())});
    append(then_code);
    append(else_code);
  }

  void store(const Store& n) {
    forget();
    int data = evaluate(n.value);
    auto [address, offset] = locate(n.buffer, n.indices);
    pin({.op = store_opcode(n.buffer->dtype),
         .dst = data,
         .a = address,
         .b = buffer_index(n.buffer),
         .imm = offset});
  }

  void intrinsic(const StmtPtr& s, const IntrinsicCall& n) {
    if (is_barrier(n)) return;  // iterations run in order
    forget();
    BytecodeCall call{s, {}, {}, {}, -1};
    for (const Region& region : n.outputs) call.outputs.push_back(operand(region));
    for (const Region& region : n.inputs) call.inputs.push_back(operand(region));
    for (const Attribute& attribute : n.attributes) {
      VDLA_CHECK_USER(!expr::is_float(attribute.value->dtype))
          << "attribute '" << attribute.name << "' of intrinsic '" << n.name << "' must be an integer, got "
          << expr::name(attribute.value->dtype);
      call.attributes.push_back(evaluate(attribute.value));
    }
    if (n.reset) call.reset = evaluate(n.reset);
    pin({.op = Opcode::Intrinsic, .imm = static_cast<std::int64_t>(out_.calls.size())});
    out_.calls.push_back(std::move(call));
  }

  BytecodeOperand operand(const Region& region) {
    auto [address, offset] = address_of(region.buffer, region.origin);
    int origin = value({.op = Opcode::AddImm, .a = address, .imm = offset}, {address});
    return {&region, buffer_index(region.buffer), origin};
  }

  // ---- addresses
  std::pair<int, std::int64_t> locate(const BufferPtr& buffer, const std::vector<ExprPtr>& indices) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (in_bounds(indices[d], buffer->shape[d])) continue;
      int index = evaluate(indices[d]);
      pin({.op = Opcode::CheckIndex,
           .a = index,
           .b = static_cast<int>(out_.accesses.size()),
           .imm = buffer->shape[d]});
      out_.accesses.push_back({buffer, d});
    }
    return address_of(buffer, indices);
  }

  bool in_bounds(const ExprPtr& index, std::int64_t extent) const {
    auto range = expr::bounds(index, ranges_);
    return range && range->low >= 0 && range->high < extent;
  }

  /// Slot and constant whose sum is the element offset.
  std::pair<int, std::int64_t> address_of(const BufferPtr& buffer, const std::vector<ExprPtr>& indices) {
    expr::Affine offset;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      offset = offset + expr::to_affine(indices[d]) * buffer->strides[d];
    }
    std::int64_t fixed = offset.constant;
    offset.constant = 0;
    return {affine(offset), fixed};
  }

  /// The sum, outer loops first, so that each partial sum is computed as seldom as possible.
  int affine(const expr::Affine& a) {
    std::vector<std::pair<int, std::int64_t>> terms;
    for (const expr::Affine::Term& t : a.terms) terms.emplace_back(evaluate(t.atom), t.coefficient);
    std::sort(terms.begin(), terms.end(), [&](const auto& x, const auto& y) {
      return std::pair(levels_[x.first], x) < std::pair(levels_[y.first], y);
    });
    int sum = -1;
    for (const auto& [slot, factor] : terms) {
      if (sum < 0) {
        sum = factor == 1 ? slot : value({.op = Opcode::MulImm, .a = slot, .imm = factor}, {slot});
      } else {
        sum = value({.op = Opcode::MulAddImm, .a = sum, .b = slot, .imm = factor}, {sum, slot});
      }
    }
    if (sum < 0) return constant(a.constant);
    if (a.constant != 0) sum = value({.op = Opcode::AddImm, .a = sum, .imm = a.constant}, {sum});
    return sum;
  }

  // ---- expressions
  int evaluate(const ExprPtr& e) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (auto found = scope->known.find(e.get()); found != scope->known.end()) return found->second;
    }
    int slot = evaluate_new(e);
    scopes_.back().known.emplace(e.get(), slot);
    return slot;
  }

  int evaluate_new(const ExprPtr& e) {
    return std::visit(
        overloaded{
            [&](const expr::IntImm& n) { return constant(n.value); },
            [&](const expr::FloatImm& n) { return float_constant(n.value, e->dtype); },
            [&](const expr::VarRef& n) { return variable(n.var); },
            [&](const expr::Binary& n) { return binary(e, n); },
            [&](const expr::Not& n) {
              int a = evaluate(n.a);
              Opcode op = e->dtype == DType::Bool ? Opcode::NotBool : Opcode::NotI;
              return value({.op = op, .dtype = e->dtype, .a = a}, {a});
            },
            [&](const expr::Select& n) { return select(n); },
            [&](const expr::Cast& n) { return cast(e->dtype, n.a->dtype, evaluate(n.a)); },
            [&](const expr::Load& n) { return load(n); },
            [&](const expr::Call& n) { return call(n); },
            [&](const expr::Read& n) { return refuse("reads tensor '" + n.tensor->name + "'"); },
            [&](const expr::Reduce&) { return refuse("contains a reduction expression"); },
        },
        e->node);
  }

  int refuse(const std::string& what) const {
    VDLA_CHECK_USER(false) << "function '" << out_.name << "' " << what
                           << ", which has no meaning in loop IR; lower it first";
    return 0;
  }

  int variable(const VarPtr& var) const {
    auto found = variables_.find(var);
    VDLA_CHECK_USER(found != variables_.end())
        << "function '" << out_.name << "' uses variable '" << var->name << "' outside of its loop";
    return found->second;
  }

  int binary(const ExprPtr& e, const expr::Binary& n) {
    DType dtype = n.a->dtype;
    if (e->dtype == expr::kIndex && !expr::is_division(n.op) && n.op != BinaryOp::Min &&
        n.op != BinaryOp::Max) {
      expr::Affine a = expr::to_affine(e);
      if (!(a.terms.size() == 1 && a.terms[0].atom == e)) return affine(a);
    }
    int a = evaluate(n.a), b = evaluate(n.b);
    auto sub = static_cast<std::uint8_t>(n.op);
    if (expr::is_float(dtype)) {
      int result = value({.op = float_opcode(n.op, dtype), .a = a, .b = b}, {a, b});
      return expr::is_comparison(n.op) ? result : rounded(dtype, result);
    }
    auto divisor = expr::as_constant(n.b);
    if (divisor && *divisor > 0 && dtype != DType::U64) {
      if (n.op == BinaryOp::FloorDiv) return value({.op = Opcode::FloorDivImm, .a = a, .imm = *divisor}, {a});
      if (n.op == BinaryOp::FloorMod) return value({.op = Opcode::FloorModImm, .a = a, .imm = *divisor}, {a});
    }
    return value({.op = integer_opcode(n.op, dtype), .sub = sub, .dtype = dtype, .a = a, .b = b}, {a, b});
  }

  int select(const expr::Select& n) {
    int condition = evaluate(n.condition);
    if (harmless(n.on_true) && harmless(n.on_false)) {
      int a = evaluate(n.on_true), b = evaluate(n.on_false);
      return value({.op = Opcode::Choose, .a = a, .b = b, .imm = condition}, {a, b, condition});
    }
    int result = new_slot(depth());
    auto side = [&](const ExprPtr& e) {
      return in_scope([&] {
        int slot = evaluate(e);
        pin({.op = Opcode::Move, .dst = result, .a = slot});
      });
    };
    expr::Ranges outer = ranges_;
    ranges_ = expr::assume(n.condition, ranges_);
    std::vector<Insn> then_code = side(n.on_true);
    ranges_ = std::move(outer);
    branch(condition, std::move(then_code), side(n.on_false));
    return result;
  }

  /// May be evaluated where its value is not needed: cannot fail.
  bool harmless(const ExprPtr& e) const {
    bool result = true;
    expr::visit(e, [&](const ExprPtr& part) {
      if (const auto* n = part->as<expr::Load>()) {
        for (std::size_t d = 0; d < n->indices.size(); ++d)
          result &= in_bounds(n->indices[d], n->buffer->shape[d]);
      }
    });
    return result;
  }

  /// Rounds what is computed in f32 to a value of its type.
  int rounded(DType dtype, int a) {
    return expr::is_narrow_float(dtype) ? value({.op = Opcode::RoundF, .dtype = dtype, .a = a}, {a}) : a;
  }

  int float_cast(DType to, DType from, int a) {
    if (from == DType::F64) return value({.op = Opcode::DoubleToFloat, .dtype = to, .a = a}, {a});
    if (to == DType::F64) return value({.op = Opcode::FloatToDouble, .a = a}, {a});
    return rounded(to, a);
  }

  int cast(DType to, DType from, int a) {
    if (expr::is_float(from)) {
      if (expr::is_float(to)) return float_cast(to, from, a);
      Opcode op = from == DType::F64 ? Opcode::DoubleToInt : Opcode::FloatToInt;
      return value({.op = op, .dtype = to, .a = a}, {a});
    }
    if (to == DType::F64) return value({.op = Opcode::IntToDouble, .dtype = from, .a = a}, {a});
    if (expr::is_float(to)) {
      return rounded(to, value({.op = Opcode::IntToFloat, .dtype = from, .a = a}, {a}));
    }
    bool keeps = expr::bits(to) == 64 ||
                 (from != DType::U64 && to != DType::Bool && expr::min_value(from) >= expr::min_value(to) &&
                  expr::max_value(from) <= expr::max_value(to));
    return keeps ? a : value({.op = Opcode::Wrap, .dtype = to, .a = a}, {a});
  }

  int load(const expr::Load& n) {
    auto [address, offset] = locate(n.buffer, n.indices);
    return pin_value(
        {.op = load_opcode(n.buffer->dtype), .a = address, .b = buffer_index(n.buffer), .imm = offset});
  }

  int call(const expr::Call& n) {
    int a = evaluate(n.arguments[0]);
    int b = n.arguments.size() > 1 ? evaluate(n.arguments[1]) : a;
    DType dtype = n.arguments[0]->dtype;
    if (expr::is_float(dtype)) {
      Opcode op = dtype == DType::F64 ? Opcode::CallD : Opcode::CallF;
      return rounded(dtype,
                     value({.op = op, .sub = static_cast<std::uint8_t>(n.function), .a = a, .b = b}, {a, b}));
    }
    Opcode op = Opcode::AbsI;
    if (n.function == Function::SrdhMul) op = Opcode::SrdhMul;
    if (n.function == Function::RoundShiftRight) op = Opcode::RoundShiftRight;
    if (n.function == Function::BytesDot) op = Opcode::BytesDot;
    if (n.function == Function::Clz) op = Opcode::Clz32;
    if (n.function == Function::Popcount) op = Opcode::Popcount;
    return value({.op = op, .dtype = dtype, .a = a, .b = b}, {a, b});
  }

  Bytecode out_;
  std::vector<Scope> scopes_;
  std::vector<std::size_t> levels_;        ///< per slot, the scope that defines it
  std::map<std::int64_t, int> constants_;  ///< constants by their bits
  std::unordered_map<const Buffer*, int> buffers_;
  std::unordered_map<VarPtr, int> variables_;
  expr::Ranges ranges_;
};

}  // namespace

Bytecode compile(const Func& func) { return Compiler().run(func); }

}  // namespace vdla::loop
