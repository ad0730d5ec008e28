// SPDX-License-Identifier: Apache-2.0
// Declared reductions: the checks of a declaration, and the operations that declared and built-in ones share.
#include <functional>

#include "compiler/expr/print.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "support/error.h"

namespace vdla::expr {
namespace {

using Parts = std::vector<ExprPtr>;

Parts apply(const Combiner& combiner, const Parts& a, const Parts& b) {
  Substitution values;
  for (std::size_t i = 0; i < a.size(); ++i) {
    values[combiner.a[i]] = a[i];
    values[combiner.b[i]] = b[i];
  }
  Parts result;
  for (const ExprPtr& part : combiner.result) result.push_back(substitute(part, values));
  return result;
}

/// The numbers, or nothing where the simplifier does not fold one (a function call).
std::optional<Parts> numbers(const Parts& parts) {
  Parts result;
  for (const ExprPtr& part : parts) {
    result.push_back(simplify(part, {}));
    if (!result.back()->as<IntImm>() && !result.back()->as<FloatImm>()) return std::nullopt;
  }
  return result;
}

std::string text(const Parts& parts) {
  std::string list;
  for (const ExprPtr& part : parts) list += (list.empty() ? "" : ", ") + to_string(part);
  return "(" + list + ")";
}

bool same(const Parts& a, const Parts& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

void check_declaration(const Combiner& c) {
  const std::size_t parts = c.identity.size();
  VDLA_CHECK_USER(parts > 0 && c.a.size() == parts && c.b.size() == parts && c.result.size() == parts)
      << "combiner '" << c.name << "' needs as many parts everywhere, got " << c.a.size() << " and "
      << c.b.size() << " variables, " << c.result.size() << " results and " << parts << " identities";
  for (std::size_t i = 0; i < parts; ++i) {
    DType dtype = c.identity[i]->dtype;
    VDLA_CHECK_USER(c.a[i]->dtype == dtype && c.b[i]->dtype == dtype && c.result[i]->dtype == dtype)
        << "combiner '" << c.name << "': part " << i << " has identity of type " << name(dtype)
        << ", variables of " << name(c.a[i]->dtype) << " and " << name(c.b[i]->dtype) << ", and a result of "
        << name(c.result[i]->dtype) << "; they need one type";
    VDLA_CHECK_USER(c.identity[i]->as<IntImm>() || c.identity[i]->as<FloatImm>())
        << "combiner '" << c.name << "': identity '" << to_string(c.identity[i]) << "' is no number";
    visit(c.result[i], [&](const ExprPtr& e) {
      bool known = true;
      if (const auto* ref = e->as<VarRef>()) {
        known = false;
        for (std::size_t k = 0; k < parts; ++k) known |= ref->var == c.a[k] || ref->var == c.b[k];
      }
      VDLA_CHECK_USER(known && !e->as<Read>() && !e->as<Load>() && !e->as<Reduce>())
          << "combiner '" << c.name << "' may use its own variables only, got '" << to_string(e) << "'";
    });
  }
}

/// 0, 1, 2 and, where the type has it, -1 in every part, in all ways.
std::vector<Parts> samples(const Combiner& c) {
  std::vector<Parts> list{{}};
  for (const ExprPtr& identity : c.identity) {
    const DType dtype = identity->dtype;
    std::vector<ExprPtr> values;
    if (dtype == DType::Bool) {
      values = {bool_imm(false), bool_imm(true)};
    } else {
      for (std::int64_t value : {0, 1, 2}) values.push_back(number(value, dtype));
      if (is_float(dtype) || is_signed(dtype)) values.push_back(number(-1, dtype));
    }
    std::vector<Parts> longer;
    for (const Parts& parts : list) {
      for (const ExprPtr& value : values) {
        longer.push_back(parts);
        longer.back().push_back(value);
      }
    }
    list = std::move(longer);
  }
  return list;
}

using Law = std::function<std::optional<Parts>(const Parts&, const Parts&)>;

void check_identity(const Combiner& c, const std::vector<Parts>& list, const Law& combined) {
  for (const Parts& x : list) {
    auto alone = combined(c.identity, x);
    VDLA_CHECK_USER(!alone || same(*alone, x))
        << "combiner '" << c.name << "': identity " << text(c.identity) << " and " << text(x) << " give "
        << text(*alone) << ", not the latter";
  }
}

void check_order(const Combiner& c, const std::vector<Parts>& list, const Law& combined) {
  for (const Parts& x : list) {
    for (const Parts& y : list) {
      auto xy = combined(x, y), yx = combined(y, x);
      VDLA_CHECK_USER(!xy || !yx || same(*xy, *yx))
          << "combiner '" << c.name << "' is not commutative: " << text(x) << " and " << text(y) << " give "
          << text(*xy) << ", the other way round " << text(*yx);
    }
  }
}

void check_grouping(const Combiner& c, const std::vector<Parts>& list, const Law& combined) {
  for (const Parts& x : list) {
    for (const Parts& y : list) {
      auto xy = combined(x, y);
      for (const Parts& z : list) {
        auto yz = combined(y, z);
        if (!xy || !yz) return;
        auto left = combined(*xy, z), right = combined(x, *yz);
        VDLA_CHECK_USER(!left || !right || same(*left, *right))
            << "combiner '" << c.name << "' is not associative: " << text(x) << ", " << text(y) << " and "
            << text(z) << " give " << text(*left) << " from the left, " << text(*right) << " from the right";
      }
    }
  }
}

void check_laws(const Combiner& c) {
  if (c.identity.size() > 2) return;  // the samples would be too many
  const std::vector<Parts> list = samples(c);
  auto combined = [&](const Parts& a, const Parts& b) { return numbers(apply(c, a, b)); };
  check_identity(c, list, combined);
  check_order(c, list, combined);
  check_grouping(c, list, combined);
}

}  // namespace

CombinerPtr make_combiner(Combiner combiner) {
  check_declaration(combiner);
  check_laws(combiner);
  return std::make_shared<const Combiner>(std::move(combiner));
}

std::string_view name(const Reduce& reduce) {
  if (const auto* builtin = std::get_if<Reducer>(&reduce.how)) return name(*builtin);
  return std::get<CombinerPtr>(reduce.how)->name;
}

std::vector<ExprPtr> identities(const Reduce& reduce) {
  if (const auto* builtin = std::get_if<Reducer>(&reduce.how))
    return {identity(*builtin, reduce.sources[0]->dtype)};
  return std::get<CombinerPtr>(reduce.how)->identity;
}

std::vector<ExprPtr> combine(const Reduce& reduce, const std::vector<ExprPtr>& a,
                             const std::vector<ExprPtr>& b) {
  if (const auto* builtin = std::get_if<Reducer>(&reduce.how)) return {combine(*builtin, a[0], b[0])};
  return apply(*std::get<CombinerPtr>(reduce.how), a, b);
}

}  // namespace vdla::expr
