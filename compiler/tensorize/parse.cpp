// SPDX-License-Identifier: Apache-2.0
#include "compiler/tensorize/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <sstream>

#include "compiler/expr/visit.h"
#include "compiler/loop/parse.h"
#include "isa/spec/operations.h"
#include "support/error.h"

namespace vdla::tensorize {
namespace {

using expr::ExprPtr;

std::string trimmed(const std::string& line) {
  const std::string code = line.substr(0, line.find('#'));
  const std::size_t first = code.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return code.substr(first, code.find_last_not_of(" \t\r") - first + 1);
}

template <std::size_t N>
std::optional<std::int64_t> code_of(const std::array<isa::NamedCode, N>& table, std::string_view text) {
  const auto it = std::ranges::find(table, text, &isa::NamedCode::text);
  return it == table.end() ? std::nullopt : std::optional<std::int64_t>(it->code);
}

// Long: a method for each rule of the grammar over one cursor.
class Parser {
 public:
  Parser(std::string_view origin, const isa::Geometry& g) : origin_(origin), geometry_(g) {}

  intrinsics::Intrinsic run(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::string line, function;
    int number = 0, function_line = 0;
    bool lowering = false, in_function = false;
    while (std::getline(in, line)) {
      line_ = ++number;
      const std::string code = trimmed(line);
      if (code.starts_with("func ") && !lowering) {
        in_function = true;
        function_line = number;
      }
      if (code.starts_with("lowering")) {
        in_function = false;
        lowering = true;
        opcode(code);
      } else if (in_function) {
        function += line + "\n";
      } else if (code.empty()) {
        continue;
      } else if (lowering) {
        field(code);
      } else {
        header(code);
      }
    }
    line_ = std::max(number, 1);
    need(!intrinsic_.name.empty(), "no line 'intrinsic NAME'");
    need(function_line > 0, "no function; say what the step does with 'func ...'");
    need(lowering, "no line 'lowering vector' or 'lowering gemm' behind the function");
    behaviour(function, function_line);
    check_operands();
    intrinsic_.variant = fmt::format("{} {} <-", intrinsic_.name, intrinsic_.output.scope());
    for (std::size_t i = 0; i < intrinsic_.inputs.size(); ++i)
      intrinsic_.variant += (i == 0 ? " " : ", ") + intrinsic_.inputs[i].scope();
    intrinsic_.lowering = std::move(rule_);
    return std::move(intrinsic_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(fmt::format("{}: line {}: {}", origin_, line_, message));
  }
  void need(bool holds, const std::string& message) const {
    if (!holds) fail(message);
  }

  void header(const std::string& code) {
    static const std::regex name("intrinsic +([A-Za-z_][A-Za-z_0-9]*)");
    static const std::regex attribute(
        "attribute +([A-Za-z_][A-Za-z_0-9]*) *: *([a-z0-9]+) +in +(-?[0-9]+)\\.\\.(-?[0-9]+)");
    std::smatch m;
    if (std::regex_match(code, m, name)) {
      intrinsic_.name = m[1];
    } else if (std::regex_match(code, m, attribute)) {
      const auto type = expr::parse_dtype(m[2].str());
      need(type && !expr::is_float(*type), fmt::format("'{}' is no integer type", m[2].str()));
      const std::int64_t low = number(m[3]), high = number(m[4]);
      need(low <= high, fmt::format("the range {}..{} of '{}' is empty", low, high, m[1].str()));
      intrinsic_.attributes.push_back({expr::make_var(m[1], *type), low, high});
    } else {
      fail(fmt::format("'{}', needs 'intrinsic NAME', 'attribute NAME: TYPE in LOW..HIGH' or a function",
                       code));
    }
  }

  std::int64_t number(const std::string& text) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    need(error == std::errc{} && end == text.data() + text.size(),
         fmt::format("'{}' is no whole number of 64 bits", text));
    return value;
  }

  void opcode(const std::string& code) {
    const std::string name = trimmed(code.substr(std::string_view("lowering").size()));
    if (name == "vector")
      rule_.opcode = isa::Opcode::Vector;
    else if (name == "gemm")
      rule_.opcode = isa::Opcode::Gemm;
    else
      fail(fmt::format("lowering to '{}', needs vector or gemm", name));
  }

  void field(const std::string& code) {
    const std::size_t equals = code.find('=');
    need(equals != std::string::npos, fmt::format("'{}', needs FIELD = VALUE", code));
    const std::string name = trimmed(code.substr(0, equals)), value = trimmed(code.substr(equals + 1));
    need(std::ranges::count(intrinsics::lowering_fields(rule_.opcode), name) > 0,
         fmt::format("'{}' is no field that a lowering to {} sets", name, isa::to_string(rule_.opcode)));
    rule_.fields.push_back({name, field_value(name, value)});
  }

  ExprPtr field_value(const std::string& name, const std::string& value) const {
    for (const intrinsics::FreeAttribute& a : intrinsic_.attributes)
      if (a.variable->name == value) return expr::var_ref(a.variable);
    std::optional<std::int64_t> code;
    if (name == "op") code = code_of(isa::kVectorOps, value);
    if (name == "b_kind") code = code_of(isa::kVectorBs, value);
    if (name.ends_with("_buffer")) code = code_of(isa::kBuffers, value);
    if (code) return expr::int_imm(*code);
    need(!value.empty() && (value[0] == '-' || (value[0] >= '0' && value[0] <= '9')),
         fmt::format("'{}' of field {} is no attribute, no number and no name of the instruction set", value,
                     name));
    return expr::int_imm(number(value));
  }

  /// The function's text with numbers for B, K and N, its lines where they were.
  void behaviour(const std::string& function, int first_line) {
    std::string text(static_cast<std::size_t>(first_line - 1), '\n');
    text += function;
    const std::pair<const char*, unsigned> sizes[] = {
        {"\\bB\\b", geometry_.batch}, {"\\bK\\b", geometry_.block_in}, {"\\bN\\b", geometry_.block_out}};
    for (const auto& [name, size] : sizes)
      text = std::regex_replace(text, std::regex(name), std::to_string(size));
    std::vector<expr::VarPtr> attributes;
    for (const intrinsics::FreeAttribute& a : intrinsic_.attributes) attributes.push_back(a.variable);
    try {
      take(loop::parse(text, attributes));
    } catch (const UserError& e) {
      throw UserError(std::string(e.what()).starts_with(origin_) ? e.what()
                                                                 : fmt::format("{}: {}", origin_, e.what()));
    }
  }

  void take(const loop::Func& func) {
    line_ = 1;
    need(func.params.size() >= 2, "the function needs an output and at least one input");
    for (std::size_t i = 0; i < func.params.size(); ++i) {
      const loop::Param& param = func.params[i];
      const auto buffer = intrinsics::buffer_of(param.buffer->scope);
      need(buffer.has_value() && *buffer != isa::Buffer::Uop,
           fmt::format("parameter '{}' is in '{}', needs a buffer: @inp, @wgt, @acc, @out or @par",
                       param.buffer->name, param.buffer->scope));
      need(param.buffer->dtype == intrinsics::dtype_of(*buffer),
           fmt::format("parameter '{}' is {}, buffer {} holds {}", param.buffer->name,
                       expr::name(param.buffer->dtype), intrinsics::scope_of(*buffer),
                       expr::name(intrinsics::dtype_of(*buffer))));
      need((i == 0) == (param.direction != loop::Direction::In),
           "the first parameter is the output (out or inout), the others are inputs (in)");
      intrinsics::Operand operand{
          param.buffer->name, *buffer,
          expr::placeholder(param.buffer->name, param.buffer->shape, param.buffer->dtype)};
      if (i == 0)
        intrinsic_.output = std::move(operand);
      else
        intrinsic_.inputs.push_back(std::move(operand));
    }
    std::vector<const loop::For*> loops;
    const loop::Stmt* at = func.body.get();
    for (; const auto* nested = at->as<loop::For>(); at = nested->body.get()) loops.push_back(nested);
    const auto* store = at->as<loop::Store>();
    need(store && store->buffer == func.params[0].buffer,
         "the function is no nest of loops around one store to its output");
    axes(loops, *store);
    value(func, *store);
  }

  void axes(const std::vector<const loop::For*>& loops, const loop::Store& store) {
    const auto extent_of = [&](const loop::For& l) {
      const auto *min = l.min->as<expr::IntImm>(), *extent = l.extent->as<expr::IntImm>();
      need(min && extent && min->value == 0,
           fmt::format("loop '{}' needs numbers as bounds, from 0", l.var->name));
      return extent->value;
    };
    for (std::size_t d = 0; d < store.indices.size(); ++d) {
      const auto* ref = store.indices[d]->as<expr::VarRef>();
      const auto it =
          std::ranges::find_if(loops, [&](const loop::For* l) { return ref && l->var == ref->var; });
      need(it != loops.end() && !renamed_.contains((*it)->var) && extent_of(**it) == store.buffer->shape[d],
           "the store needs one loop over each dimension of the output as index");
      renamed_[(*it)->var] = expr::var_ref(
          intrinsic_.behaviour.axes.emplace_back((*it)->var->name, extent_of(**it), expr::IterKind::Spatial)
              .var());
    }
    for (const loop::For* l : loops) {
      if (renamed_.contains(l->var)) continue;
      reduce_.push_back(expr::reduce_axis(extent_of(*l), l->var->name));
      renamed_[l->var] = expr::var_ref(reduce_.back().var());
    }
  }

  void value(const loop::Func& func, const loop::Store& store) {
    ExprPtr body = store.value;
    const auto* both = body->as<expr::Binary>();
    const ExprPtr self = expr::load(store.buffer, store.indices);
    if (both && (expr::equal(both->a, self) || expr::equal(both->b, self))) {
      using enum expr::BinaryOp;
      need(both->op == Add || both->op == Max || both->op == Min,
           fmt::format("the output is combined by '{}', needs +, max or min", expr::name(both->op)));
      intrinsic_.accumulates = both->op == Add   ? expr::Reducer::Sum
                               : both->op == Max ? expr::Reducer::Max
                                                 : expr::Reducer::Min;
      body = expr::equal(both->a, self) ? both->b : both->a;
    }
    body = expr::rewrite(body, [&](const ExprPtr& e) -> ExprPtr {
      const auto* load = e->as<expr::Load>();
      if (!load) return e;
      for (std::size_t i = 0; i < intrinsic_.inputs.size(); ++i) {
        if (load->buffer == func.params[i + 1].buffer)
          return expr::read(intrinsic_.inputs[i].tensor, load->indices);
      }
      fail("the output is read elsewhere than as 'dst[..] = dst[..] + value' (or max, min)");
    });
    body = expr::substitute(body, renamed_);
    need(reduce_.empty() || intrinsic_.accumulates.has_value(),
         "a loop that is no index of the store needs a store that accumulates: 'dst[..] = dst[..] + value'");
    intrinsic_.behaviour.body = reduce_.empty() ? body : expr::reduce(*intrinsic_.accumulates, body, reduce_);
  }

  void check_operands() const {
    const std::size_t most = 2, least = rule_.opcode == isa::Opcode::Gemm ? 2 : 1;
    need(intrinsic_.inputs.size() >= least && intrinsic_.inputs.size() <= most,
         fmt::format("the function has {} inputs, {} takes {} to {}", intrinsic_.inputs.size(),
                     isa::to_string(rule_.opcode), least, most));
  }

  std::string origin_;
  const isa::Geometry& geometry_;
  int line_ = 0;
  intrinsics::Intrinsic intrinsic_{};
  intrinsics::DeviceRule rule_{};
  std::vector<expr::IterVar> reduce_;
  expr::Substitution renamed_;
};

}  // namespace

intrinsics::Intrinsic parse_intrinsic(std::string_view text, std::string_view origin,
                                      const isa::Geometry& geometry) {
  return Parser(origin, geometry).run(text);
}

}  // namespace vdla::tensorize
