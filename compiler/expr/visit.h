// SPDX-License-Identifier: Apache-2.0
// Walking, rewriting and comparing expressions. A rewrite returns the same pointer where nothing changed.
#pragma once

#include <cstddef>
#include <functional>
#include <unordered_map>

#include "compiler/expr/expr.h"

namespace vdla::expr {

/// The direct operands, in order of evaluation.
std::vector<ExprPtr> children(const ExprPtr& e);
/// Node with other operands, given in the order of children().
ExprPtr with_children(const ExprPtr& e, const std::vector<ExprPtr>& operands);
/// Calls `f` for every node, parents first.
void visit(const ExprPtr& e, const std::function<void(const ExprPtr&)>& f);
/// Bottom-up: `f` receives each node with its operands already rewritten, and returns it or a replacement.
ExprPtr rewrite(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& f);

using Substitution = std::unordered_map<VarPtr, ExprPtr>;
ExprPtr substitute(const ExprPtr& e, const Substitution& values);
bool uses(const ExprPtr& e, const VarPtr& var);
std::vector<VarPtr> variables_of(const ExprPtr& e);
/// Nodes of the expression as text has them: a shared one counts wherever it stands. `most` for more.
std::size_t written_size(const ExprPtr& e, std::size_t most);

/// Same structure, types, variables, buffers and tensors.
bool equal(const ExprPtr& a, const ExprPtr& b);
/// A total order by structure, for canonical forms; variables order by name, then by address.
int compare(const ExprPtr& a, const ExprPtr& b);

}  // namespace vdla::expr
