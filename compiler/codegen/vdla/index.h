// SPDX-License-Identifier: Apache-2.0
// Index expressions, compiled once and evaluated many times while the loops around tasks run at compile time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/expr/linear.h"

namespace vdla::codegen {

/// The loop variables that have a value, each in a slot.
class Environment {
 public:
  std::size_t slot(const expr::VarPtr& var);
  void set(std::size_t slot, std::int64_t value) { values_[slot] = value; }
  std::int64_t value(std::size_t slot) const { return values_[slot]; }
  /// Value of any integer or Bool expression without loads; integers wrap in their type.
  std::int64_t evaluate(const expr::ExprPtr& e) const;

 private:
  std::unordered_map<const expr::Variable*, std::size_t> slots_;
  std::vector<std::int64_t> values_;
};

/// constant + sum of coefficient * slot + sum of coefficient * expression.
class Index {
 public:
  Index() = default;
  explicit Index(std::int64_t constant) : constant_(constant) {}
  Index(const expr::Linear& linear, Environment& environment);

  std::int64_t evaluate(const Environment& environment) const;
  bool is_constant() const { return terms_.empty() && others_.empty(); }
  std::int64_t constant() const { return constant_; }

 private:
  std::int64_t constant_ = 0;
  std::vector<std::pair<std::size_t, std::int64_t>> terms_;
  std::vector<std::pair<expr::ExprPtr, std::int64_t>> others_;
};

}  // namespace vdla::codegen
