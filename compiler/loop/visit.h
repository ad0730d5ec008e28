// SPDX-License-Identifier: Apache-2.0
// Walking and rewriting statements. A rewrite returns the same pointer where nothing changed.
#pragma once

#include <functional>

#include "compiler/expr/visit.h"
#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// The statements directly inside.
std::vector<StmtPtr> children(const StmtPtr& s);
/// Statement around other ones, given in the order of children().
StmtPtr with_children(const StmtPtr& s, const std::vector<StmtPtr>& inner);
/// Statement, its children left as they are, with `f` applied to each expression that it holds itself.
StmtPtr map_expressions(const StmtPtr& s, const std::function<ExprPtr(const ExprPtr&)>& f);
/// Calls `f` for every statement, parents first.
void visit(const StmtPtr& s, const std::function<void(const StmtPtr&)>& f);
/// Calls `f` for every expression that a statement below (or `s` itself) holds, and every part of it.
void visit_expressions(const StmtPtr& s, const std::function<void(const ExprPtr&)>& f);
/// Bottom-up: `f` receives each statement with its children already rewritten.
StmtPtr rewrite(const StmtPtr& s, const std::function<StmtPtr(const StmtPtr&)>& f);
/// Most nodes of an expression that substitution makes, written out: values in values share nodes, and text
/// and affine forms do not.
constexpr std::size_t kMostNodesOfExpression = 1 << 16;
/// Nothing where an expression gets more nodes than that.
std::optional<StmtPtr> try_substitute(const StmtPtr& s, const expr::Substitution& values);
/// UserError there.
StmtPtr substitute(const StmtPtr& s, const expr::Substitution& values);

}  // namespace vdla::loop
