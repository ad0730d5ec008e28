// SPDX-License-Identifier: Apache-2.0
// Forms of loop IR: what a function may not hold any more on its way to a target. Each rule names the row of
// the target's table of lowering (compiler/passes/target.h) that makes it true; it holds from that row on.
// The table's verification and the code generators read the same rules, so that a generator needs no code for
// what a row should have removed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/loop/stmt.h"

namespace vdla::form {

/// The lanes that a vectorized loop after 'vectorize' may have at most.
inline constexpr std::int64_t kMostLanes = 64;

/// The loops around a statement.
struct Around {
  bool lanes = false;     ///< a vectorized one
  bool parallel = false;  ///< a parallel one
};

struct Rule {
  std::string_view row;   ///< row of the table that makes it true; empty: it holds from the beginning
  std::string_view text;  ///< the rule: "no loop is unrolled"
  /// For a statement, or for a buffer where it is a parameter or allocated; null: for all of them.
  bool (*holds)(const loop::StmtPtr&, const Around&);
  bool (*takes)(const loop::Buffer&) = nullptr;
  std::string_view remedy = {};  ///< remedy in the schedule where no row makes it true
};

/// Rules of what machine code of a CPU is made of, in the order of the rows.
std::span<const Rule> cpu_rules();
/// Rules of what instructions of the device are made of.
std::span<const Rule> device_rules();
/// Rules of what kernels of machines with a grid are made of.
std::span<const Rule> grid_rules();

/// A statement that breaks a rule.
struct Breach {
  Rule rule;
  std::string where;  ///< the first line of the statement, or of the function for a parameter
};
/// The first one in the function's order, of a function that loop::verify() takes.
std::optional<Breach> find_breach(std::span<const Rule> rules, const loop::Func& func);

/// UserError that names statement, rule and remedy where a rule does not hold that no row makes true: the
/// schedule asks for what the target cannot honour.
void require_given(std::span<const Rule> rules, const loop::Func& func);
/// UserError where any rule does not hold, for code generators that take functions of users' own: the remedy
/// may be to run a row.
void refuse(std::span<const Rule> rules, const loop::Func& func);

/// InternalError that names statement, rule and row where a rule does not hold: the caller of the code
/// generator left the row out.
void require(std::span<const Rule> rules, const loop::Func& func);

}  // namespace vdla::form
