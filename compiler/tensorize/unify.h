// SPDX-License-Identifier: Apache-2.0
// Unification of a declared expression with an expression of loop IR; binds operands to regions and
// attributes to constants.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/expr/linear.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/tensorize/nest.h"

namespace vdla::tensorize {

// Long: a method for each kind of node over one set of bindings, which a failed attempt takes back.
class Unifier {
 public:
  /// loops[i] stands for axes[i].
  Unifier(const intrinsics::Intrinsic& intrinsic, const std::vector<expr::IterVar>& axes,
          const std::vector<NestLoop>& loops);

  bool bind_output(const loop::Store& store);
  /// May be called once; bindings are those of the first way that fits.
  bool unify(const expr::ExprPtr& pattern, const expr::ExprPtr& seen);
  /// The call with all bindings, without reset.
  loop::IntrinsicCall call() const;

  /// Why the attempt that came furthest failed, and how far it came.
  const std::string& reason() const { return reason_; }
  int progress() const { return best_; }

 private:
  struct Bound {
    loop::Region region;
    expr::Linear origin;  ///< flattened
  };
  struct Bindings {
    std::vector<std::optional<Bound>> operands;  ///< 0: the output
    std::map<std::string, std::int64_t> attributes;
  };

  bool fail(std::string reason);
  bool step(const expr::ExprPtr& pattern, const expr::ExprPtr& seen);
  bool step_node(const expr::ExprPtr& pattern, const expr::ExprPtr& seen);
  bool step_binary(const expr::Binary& pattern, const expr::ExprPtr& whole, const expr::ExprPtr& seen);
  bool step_sum(const expr::ExprPtr& pattern, const expr::ExprPtr& seen);
  bool step_terms(const std::vector<expr::ExprPtr>& patterns, std::vector<expr::ExprPtr> seen,
                  std::size_t at);
  bool step_attribute(const intrinsics::FreeAttribute& attribute, const expr::ExprPtr& seen);
  bool bind_attribute(const intrinsics::FreeAttribute& attribute, std::int64_t value);
  bool bind_operand(std::size_t slot, const intrinsics::Operand& operand,
                    const std::vector<expr::ExprPtr>& pattern, const expr::BufferPtr& buffer,
                    const std::vector<expr::ExprPtr>& indices);
  const intrinsics::FreeAttribute* attribute_of(const expr::ExprPtr& e) const;

  const intrinsics::Intrinsic& intrinsic_;
  const std::vector<expr::IterVar>& axes_;
  const std::vector<NestLoop>& loops_;
  Bindings bindings_;
  int depth_ = 0;
  int best_ = -1;
  std::string reason_;
};

}  // namespace vdla::tensorize
