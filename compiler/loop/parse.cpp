// SPDX-License-Identifier: Apache-2.0
// Statement parser. An allocation reaches to the end of its block.
#include "compiler/loop/parse.h"

#include "compiler/loop/parse_expr.h"
#include "support/error.h"

namespace vdla::loop {
namespace {

using Lines = std::unordered_map<const Stmt*, unsigned>;

// Long: a method for each rule of the grammar over one list of tokens.
class Parser {
 public:
  Parser(std::string_view text, std::span<const VarPtr> free) : p_(tokenize(text)) {
    for (const VarPtr& var : free) p_.variables.emplace(var->name, var);
  }

  const Lines& lines() const { return lines_; }

  Func func() {
    p_.expect("func");
    Func result{p_.name("the function's name"), {}, nullptr};
    p_.expect("(");
    while (!p_.is(")")) {
      if (!result.params.empty()) p_.expect(",");
      Direction direction = this->direction();
      result.params.push_back({declaration(), direction});
    }
    p_.expect(")");
    result.body = block();
    if (p_.peek().kind != TokenKind::End)
      p_.fail("expected the end, got '" + std::string(p_.peek().text) + "'");
    return result;
  }

 private:
  Direction direction() {
    if (p_.accept("in")) return Direction::In;
    if (p_.accept("out")) return Direction::Out;
    if (p_.accept("inout")) return Direction::InOut;
    p_.fail("expected in, out or inout, got '" + std::string(p_.peek().text) + "'");
  }

  /// name: type[extents] [strides [..]] [@scope], which is then in scope.
  BufferPtr declaration() {
    Token where = p_.peek();
    std::string name = p_.name("a buffer's name");
    p_.expect(":");
    DType type = p_.dtype();
    std::vector<std::int64_t> shape = integers(), strides;
    if (p_.accept("strides")) strides = integers();
    std::string scope = p_.accept("@") ? p_.name("a memory's name") : expr::kGlobalScope;
    try {
      BufferPtr buffer = expr::make_buffer(name, type, shape, scope, strides);
      VDLA_CHECK_USER(p_.buffers.emplace(name, buffer).second)
          << "buffer '" << name << "' is already in scope";
      return buffer;
    } catch (const UserError& error) {
      if (std::string_view(error.what()).starts_with("line ")) throw;
      throw UserError(position(where) + error.what());
    }
  }

  std::int64_t parts_of(const std::string& buffer) {
    const std::int64_t parts = p_.integer();
    if (parts < 2 || parts > expr::kMostBufferParts)
      p_.fail("buffer '" + buffer + "' has " + std::to_string(parts) + " parts, needs 2 to " +
              std::to_string(expr::kMostBufferParts));
    return parts;
  }

  std::vector<std::int64_t> integers() {
    std::vector<std::int64_t> list;
    p_.expect("[");
    while (!p_.is("]")) {
      if (!list.empty()) p_.expect(",");
      list.push_back(p_.integer());
    }
    p_.expect("]");
    return list;
  }

  StmtPtr block() {
    p_.expect("{");
    auto buffers = p_.buffers;
    StmtPtr body = statements();
    p_.buffers = std::move(buffers);
    p_.expect("}");
    return body;
  }

  StmtPtr statements() {
    std::vector<StmtPtr> list;
    while (!p_.is("}") && p_.peek().kind != TokenKind::End) {
      const auto line = static_cast<unsigned>(p_.peek().line);
      if (p_.accept("alloc")) {
        const ExprParser::Nested nested(p_);
        BufferPtr buffer = declaration();
        std::int64_t parts = 1;
        if (p_.accept("double"))
          parts = 2;
        else if (p_.accept("parts"))
          parts = parts_of(buffer->name);
        const bool held = parts > 1 && p_.accept("held");
        list.push_back(allocate(buffer, statements(), parts, held));
      } else {
        list.push_back(statement());
      }
      lines_[list.back().get()] = line;
    }
    return seq(list);
  }

  StmtPtr statement() {
    Token where = p_.peek();
    const ExprParser::Nested nested(p_);
    try {
      if (p_.is("{")) return block();
      if (p_.accept("for")) return for_loop();
      if (p_.accept("if")) return conditional();
      if (p_.accept("intrinsic")) return call();
      if (p_.accept("tensorize")) {
        std::string intrinsic = p_.name("an intrinsic's name");
        return tensorize(intrinsic, block());
      }
      BufferPtr buffer = p_.buffer();
      std::vector<ExprPtr> indices = p_.indices();
      p_.expect("=");
      return store(buffer, indices, p_.expression());
    } catch (const UserError& error) {
      if (std::string_view(error.what()).starts_with("line ")) throw;
      throw UserError(position(where) + error.what());
    }
  }

  StmtPtr for_loop() {
    std::string name = p_.name("a loop variable");
    p_.expect("in");
    ExprPtr first = p_.expression(), extent;
    if (p_.accept("..")) {
      const auto* low = first->as<expr::IntImm>();
      if (!low) p_.fail("a range a..b has numbers as ends; write 'a extent n'");
      std::int64_t count = 0;
      if (__builtin_sub_overflow(p_.integer(), low->value, &count))
        p_.fail("a range a..b has at most 2^63 - 1 iterations");
      extent = expr::int_imm(count);
    } else {
      p_.expect("extent");
      extent = p_.expression();
    }
    ForKind kind = ForKind::Serial;
    if (!p_.is("{")) {
      Token where = p_.peek();
      auto parsed = expr::parse_for_kind(p_.name("a loop's kind or '{'"));
      if (!parsed) throw UserError(position(where) + "'" + std::string(where.text) + "' is no kind of loop");
      kind = *parsed;
    }
    VarPtr var = expr::make_var(name);
    if (!p_.variables.emplace(name, var).second) p_.fail("variable '" + name + "' is already in scope");
    StmtPtr body = block();
    p_.variables.erase(name);
    return make_for(var, first, extent, kind, body);
  }

  StmtPtr conditional() {
    ExprPtr condition = p_.expression();
    StmtPtr then_body = block();
    StmtPtr else_body = p_.accept("else") ? block() : nullptr;
    return if_then_else(condition, then_body, else_body);
  }

  StmtPtr call() {
    IntrinsicCall result{p_.name("an intrinsic's name"), {}, {}, {}, nullptr};
    p_.expect("(");
    while (!p_.is(")")) {
      if (!result.outputs.empty() || !result.inputs.empty()) p_.expect(",");
      bool out = direction() == Direction::Out;
      (out ? result.outputs : result.inputs).push_back(region());
    }
    p_.expect(")");
    if (p_.accept("attrs")) {
      p_.expect("(");
      while (!p_.is(")")) {
        if (!result.attributes.empty()) p_.expect(",");
        std::string name = p_.name("an attribute's name");
        p_.expect("=");
        result.attributes.push_back({name, p_.expression()});
      }
      p_.expect(")");
    }
    if (p_.accept("reset")) {
      p_.expect("(");
      result.reset = p_.expression();
      p_.expect(")");
    }
    return intrinsic_call(std::move(result));
  }

  /// buffer[origin] {extent:stride, ...}
  Region region() {
    Region result{p_.buffer(), p_.indices(), {}, {}};
    p_.expect("{");
    while (!p_.is("}")) {
      if (!result.extents.empty()) p_.expect(",");
      result.extents.push_back(p_.integer());
      p_.expect(":");
      result.strides.push_back(p_.integer());
    }
    p_.expect("}");
    return result;
  }

  ExprParser p_;
  Lines lines_;
};

}  // namespace

Func parse(std::string_view text) { return parse(text, std::span<const VarPtr>()); }
Func parse(std::string_view text, std::span<const VarPtr> free) { return Parser(text, free).func(); }
Func parse(std::string_view text, Lines& lines) {
  Parser parser(text, {});
  Func func = parser.func();
  lines = parser.lines();
  return func;
}

}  // namespace vdla::loop
