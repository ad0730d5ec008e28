// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/opencl/opencl.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>

#include "compiler/codegen/opencl/context.h"
#include "compiler/expr/print.h"
#include "compiler/expr/width.h"
#include "compiler/form/form.h"
#include "compiler/grid/thread.h"
#include "compiler/intrinsics/grid.h"
#include "compiler/loop/print.h"
#include "compiler/loop/ranges.h"
#include "compiler/loop/visit.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::codegen {
namespace opencl {
namespace {

using loop::For;
using loop::ForKind;
using loop::StmtPtr;

/// Vectors of more elements are several.
constexpr std::int64_t kMostVectorLanes = 16;
/// Alignment of the longest vector, which a pointer to vectors asks of an array.
constexpr int kAlignment = 128;

class KernelPrinter {
 public:
  KernelPrinter(const grid::Kernel& kernel, Helpers& helpers) : kernel_(kernel), c_{helpers, {}, {}} {}

  std::string run() {
    for (const loop::Param& p : kernel_.func.params) c_.names.add_parameter(p.buffer.get());
    const loop::Listing listing = loop::list(kernel_.func);
    lines_ = lines_of(listing.text);
    numbers_ = listing.lines;
    std::string params;
    for (const loop::Param& p : kernel_.func.params)
      params += fmt::format("{}__global {}{}* restrict {}", params.empty() ? "" : ", ",
                            p.direction == loop::Direction::In ? "const " : "", type_of(p.buffer->dtype),
                            c_.names.of(p.buffer.get(), p.buffer->name));
    statement(kernel_.func.body);
    return fmt::format("__kernel __attribute__((reqd_work_group_size({}, {}, {})))\nvoid {}({}) {{\n{}{}}}\n",
                       kernel_.threads[0], kernel_.threads[1], kernel_.threads[2], opencl_name(kernel_),
                       params, shared_, text_);
  }

 private:
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines{""};
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  void line(const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(depth_) * 2 + 2, ' ') + text + "\n";
  }

  /// The statement in loop IR.
  void comment(const StmtPtr& s) {
    const auto found = numbers_.find(s.get());
    if (found == numbers_.end()) return;
    const std::string& text = lines_[found->second];
    line("// " + text.substr(std::min(text.find_first_not_of(' '), text.size())));
  }

  template <class F>
  void block(const std::string& head, const F& body) {
    line(head + " {");
    ++depth_;
    const std::set<std::string> outside = declared_;
    body();
    declared_ = outside;
    --depth_;
    line("}");
  }

  /// Copies of a statement have its variables: what is declared around means the same, a thread's number or
  /// memory without contents.
  void declare(const std::string& name, const std::string& text) {
    if (declared_.insert(name).second) line(text);
  }

  void statement(const StmtPtr& s) {
    if (!s->as<loop::Seq>()) comment(s);
    std::visit(overloaded{
                   [&](const For& n) { loop(n); },
                   [&](const loop::Allocate& n) { allocation(n); },
                   [&](const loop::Store& n) { store(n); },
                   [&](const loop::IfThenElse& n) { conditional(n); },
                   [&](const loop::Seq& n) {
                     for (const StmtPtr& child : n.body) statement(child);
                   },
                   [&](const loop::IntrinsicCall& n) {
                     // Each lane computes all of what a warp shares.
                     if (grid::is_operation(n)) return statement(kept(intrinsics::loops_of_operation(n)));
                     line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
                   },
                   [](const loop::Tensorize&) { throw InternalError("a mark in a kernel"); },
               },
               s->node);
  }

  /// Keeps a printed statement alive as long as the printer: names go with addresses, and a freed address
  /// could become another variable's.
  const StmtPtr& kept(StmtPtr made) { return made_.emplace_back(std::move(made)); }

  void store(const loop::Store& n) {
    line(fmt::format("{} = {};", element(c_, *n.buffer, n.indices), scalar(c_, n.value)));
  }

  void conditional(const loop::IfThenElse& n) {
    block(fmt::format("if ({})", scalar(c_, n.condition)), [&] { statement(n.then_body); });
    if (n.else_body) block("else", [&] { statement(n.else_body); });
  }

  void allocation(const loop::Allocate& n) {
    const bool is_shared = n.buffer->scope == expr::kSharedScope;
    const std::string& name = c_.names.of(n.buffer.get(), n.buffer->name);
    const std::string array = fmt::format("{} {}[{}] __attribute__((aligned({})));", type_of(n.buffer->dtype),
                                          name, expr::storage_size(*n.buffer), kAlignment);
    if (!is_shared) declare(name, array);
    if (is_shared && declared_in_block_.insert(name).second) shared_ += "  __local " + array + "\n";
    statement(n.body);
  }

  void loop(const For& n) {
    const auto values = loop::values_of(n, c_.ranges);
    if (values) c_.ranges[n.var] = *values;
    if (expr::is_block(n.kind) || expr::is_thread(n.kind)) {
      grid_loop(n);
    } else if (n.kind != ForKind::Vectorized || !vectors(n)) {
      serial_loop(n, values);
    }
    c_.ranges.erase(n.var);
  }

  void grid_loop(const For& n) {
    const bool is_thread = expr::is_thread(n.kind);
    const std::size_t dimension = is_thread ? grid::thread_index(n.kind) : grid::block_index(n.kind);
    const std::int64_t extent = *expr::as_constant(n.extent);
    const std::string& name = c_.names.of(n.var.get(), n.var->name);
    declare(name,
            fmt::format("const int {} = get_{}_id({});", name, is_thread ? "local" : "group", dimension));
    const bool all = extent == (is_thread ? kernel_.threads : kernel_.blocks)[dimension];
    if (all) return statement(n.body);
    block(extent == 1 ? fmt::format("if ({} == 0)", name) : fmt::format("if ({} < {})", name, extent),
          [&] { statement(n.body); });
  }

  void serial_loop(const For& n, const std::optional<expr::Interval>& values) {
    const bool narrow =
        values && values->high < INT32_MAX && expr::fits_32_bits(expr::var_ref(n.var), c_.ranges);
    const std::string& name = c_.names.of(n.var.get(), n.var->name);
    const std::string type = narrow ? "int" : "long";
    const expr::ExprPtr end = expr::to_expr(expr::to_affine(n.min) + expr::to_affine(n.extent));
    block(fmt::format("for ({} {} = {}; {} < {}; ++{})", type, name, scalar(c_, n.min), name,
                      scalar(c_, end, expr::precedence(expr::BinaryOp::Lt)), name),
          [&] { statement(n.body); });
    c_.names.leave(n.var.get());
  }

  /// Whether all stores of the loop were written for vectors.
  bool vectors(const For& n) {
    const auto* list = n.body->as<loop::Seq>();
    const std::vector<StmtPtr> stores = list ? list->body : std::vector<StmtPtr>{n.body};
    const auto is_store = [](const StmtPtr& s) { return s->as<loop::Store>() != nullptr; };
    if (stores.empty() || !std::ranges::all_of(stores, is_store)) return false;
    const std::int64_t extent = *expr::as_constant(n.extent), lanes = std::min(extent, kMostVectorLanes);
    std::vector<std::string> made;
    for (const StmtPtr& s : stores)
      for (std::int64_t from = 0; from < extent; from += lanes) {
        expr::Affine first = expr::to_affine(n.min);
        first.constant += from;
        const auto text = vector_store(c_, *s->as<loop::Store>(), {n.var, expr::to_expr(first), lanes});
        if (!text) return false;
        made.push_back(*text);
      }
    const std::size_t each = made.size() / stores.size();
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (i % each == 0) comment(stores[i / each]);
      line(made[i]);
    }
    return true;
  }

  const grid::Kernel& kernel_;
  Context c_;
  std::vector<std::string> lines_;  ///< lines of loop IR, from 1
  std::unordered_map<const loop::Stmt*, unsigned> numbers_;
  std::deque<StmtPtr> made_;  ///< statements made of operations
  std::string shared_, text_;
  std::set<std::string> declared_, declared_in_block_;
  int depth_ = 0;
};

bool uses_double(const loop::Func& func) {
  bool found = std::ranges::any_of(func.params,
                                   [](const loop::Param& p) { return p.buffer->dtype == expr::DType::F64; });
  loop::visit_expressions(func.body, [&](const expr::ExprPtr& e) { found |= e->dtype == expr::DType::F64; });
  return found;
}

}  // namespace
}  // namespace opencl

std::string opencl_name(const grid::Kernel& kernel) { return opencl::Names().fresh(kernel.func.name); }

std::string to_opencl(const loop::Func& func, const grid::Launches& launches) {
  form::require(form::grid_rules(), func);
  opencl::Helpers helpers;
  std::string kernels;
  for (const grid::Kernel& kernel : launches.kernels)
    kernels += "\n" + opencl::KernelPrinter(kernel, helpers).run();
  const std::string fp64 = opencl::uses_double(func) ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "";
  const std::string shared = helpers.text();
  return grid::heading(func.name, launches, opencl_name) + fp64 + (shared.empty() ? "" : "\n" + shared) +
         kernels;
}

}  // namespace vdla::codegen
