// SPDX-License-Identifier: Apache-2.0
// Loop IR printer.
#include "compiler/loop/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/overloaded.h"

namespace vdla::loop {
namespace {

using expr::to_string;

std::string comma_list(const std::vector<ExprPtr>& items) {
  std::string text;
  for (const ExprPtr& item : items) text += (text.empty() ? "" : ", ") + to_string(item);
  return text;
}

std::string print_buffer(const Buffer& buffer) {
  std::string text =
      fmt::format("{}: {}[{}]", buffer.name, expr::name(buffer.dtype), fmt::join(buffer.shape, ", "));
  if (!expr::is_dense(buffer)) text += fmt::format(" strides [{}]", fmt::join(buffer.strides, ", "));
  if (buffer.scope != expr::kGlobalScope) text += " @" + buffer.scope;
  return text;
}

std::string print_region(std::string_view direction, const Region& region) {
  std::string pattern;
  for (std::size_t i = 0; i < region.extents.size(); ++i) {
    pattern += fmt::format("{}{}:{}", i ? ", " : "", region.extents[i], region.strides[i]);
  }
  return fmt::format("{} {}[{}] {{{}}}", direction, region.buffer->name, comma_list(region.origin), pattern);
}

std::string print_call(const IntrinsicCall& n) {
  std::vector<std::string> operands;
  for (const Region& region : n.outputs) operands.push_back(print_region("out", region));
  for (const Region& region : n.inputs) operands.push_back(print_region("in", region));
  std::string text = fmt::format("intrinsic {}({})", n.name, fmt::join(operands, ", "));
  std::vector<std::string> attributes;
  for (const Attribute& a : n.attributes) attributes.push_back(a.name + " = " + to_string(a.value));
  if (!attributes.empty()) text += fmt::format(" attrs({})", fmt::join(attributes, ", "));
  if (n.reset) text += fmt::format(" reset({})", to_string(n.reset));
  return text;
}

class Printer {
 public:
  Printer(int depth, unsigned first_line) : depth_(depth), line_(first_line) {}

  void block(const StmtPtr& s) {
    ++depth_;
    statements(s);
    --depth_;
  }

  void statement(const StmtPtr& s) {
    lines_[s.get()] = line_;
    std::visit(
        overloaded{
            [&](const For& n) { print_for(n); },
            [&](const Allocate& n) {
              line("alloc " + print_buffer(*n.buffer) +
                   (n.parts == 2  ? " double"
                    : n.parts > 2 ? fmt::format(" parts {}", n.parts)
                                  : "") +
                   (n.held ? " held" : ""));
              statements(n.body);
            },
            [&](const Store& n) {
              line(fmt::format("{}[{}] = {}", n.buffer->name, comma_list(n.indices), to_string(n.value)));
            },
            [&](const IfThenElse& n) { print_if(n); },
            [&](const Seq&) { statements(s); },
            [&](const IntrinsicCall& n) { line(print_call(n)); },
            [&](const Tensorize& n) {
              line(fmt::format("tensorize {} {{", n.intrinsic));
              block(n.body);
              line("}");
            },
        },
        s->node);
  }

  std::string take() { return std::move(text_); }
  std::unordered_map<const Stmt*, unsigned> take_lines() { return std::move(lines_); }

 private:
  void line(const std::string& content) {
    text_ += std::string(2 * depth_, ' ') + content + "\n";
    ++line_;
  }

  /// An allocation reaches to the end of its block, so one that is not last gets a block of its own.
  void statements(const StmtPtr& s) {
    const auto* sequence = s->as<Seq>();
    if (!sequence) return statement(s);
    for (std::size_t i = 0; i < sequence->body.size(); ++i) {
      const StmtPtr& child = sequence->body[i];
      if (child->as<Allocate>() && i + 1 < sequence->body.size()) {
        line("{");
        block(child);
        line("}");
      } else {
        statement(child);
      }
    }
  }

  void print_for(const For& n) {
    const auto* min = n.min->as<expr::IntImm>();
    const auto* extent = n.extent->as<expr::IntImm>();
    std::string kind = n.kind == ForKind::Serial ? "" : " " + std::string(name(n.kind));
    if (min && extent) {
      line(fmt::format("for {} in {}..{}{} {{", n.var->name, min->value, min->value + extent->value, kind));
    } else {
      line(fmt::format("for {} in {} extent {}{} {{", n.var->name, to_string(n.min), to_string(n.extent),
                       kind));
    }
    block(n.body);
    line("}");
  }

  void print_if(const IfThenElse& n) {
    line(fmt::format("if {} {{", to_string(n.condition)));
    block(n.then_body);
    if (n.else_body) {
      line("} else {");
      block(n.else_body);
    }
    line("}");
  }

  int depth_;
  unsigned line_;
  std::string text_;
  std::unordered_map<const Stmt*, unsigned> lines_;
};

}  // namespace

std::string to_string(const StmtPtr& s) {
  Printer printer(0, 1);
  printer.statement(s);
  return printer.take();
}

std::string to_string(const Func& func) { return list(func).text; }

std::string to_string(std::span<const Func> funcs) {
  std::string text;
  for (const Func& func : funcs) text += to_string(func);
  return text;
}

Listing list(const Func& func) {
  std::vector<std::string> params;
  for (const Param& param : func.params) {
    params.push_back(fmt::format("{} {}", name(param.direction), print_buffer(*param.buffer)));
  }
  Printer printer(0, 2);
  printer.block(func.body);
  return {fmt::format("func {}({}) {{\n{}}}\n", func.name, fmt::join(params, ", "), printer.take()),
          printer.take_lines()};
}

}  // namespace vdla::loop
