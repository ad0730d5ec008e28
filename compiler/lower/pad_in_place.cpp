// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/pad_in_place.h"

#include <string>

#include "compiler/expr/simplify.h"
#include "compiler/lower/storage.h"
#include "support/error.h"

namespace vdla::lower {
namespace {

using expr::Affine;
using expr::ExprPtr;

std::string prefix(const StagePlan& padded) {
  return "pad_in_place: stage '" + padded.stage->name() + "' lies around '" + padded.stage->pads()->name() +
         "', ";
}

bool reads_nothing(const ExprPtr& e) {
  bool nothing = true;
  expr::visit(e, [&](const ExprPtr& part) { nothing &= !part->as<expr::Read>(); });
  return nothing;
}

bool is_constant(const ExprPtr& e) { return reads_nothing(e) && expr::variables_of(e).empty(); }

StagePlan& inner_of(const Plan& plan, const StagePlan& padded) {
  StagePlan* found = find_plan(plan, padded.stage->pads());
  VDLA_CHECK_USER(found) << prefix(padded) << "which is computed inline and has no storage";
  return *found;
}

/// From an index of the padded stage to that of the stage in the middle, by dimension; nothing where `read`
/// is not an element of that one at constant distances.
std::optional<std::vector<std::int64_t>> shift_of(const ExprPtr& element, const StagePlan& padded,
                                                  const StagePlan& inner) {
  const auto* read = element->as<expr::Read>();
  const std::vector<expr::IterVar>& axes = padded.compute.axes;
  if (!read || read->tensor != inner.stage->tensor().node() || read->indices.size() != axes.size())
    return std::nullopt;
  std::vector<std::int64_t> shift;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const Affine distance = expr::to_affine(read->indices[d]) - expr::to_affine(expr::var_ref(axes[d].var()));
    if (!distance.is_constant()) return std::nullopt;
    shift.push_back(distance.constant);
  }
  return shift;
}

Padding padding_of(const Plan& plan, const StagePlan& padded) {
  StagePlan& inner = inner_of(plan, padded);
  const ExprPtr body = padded.compute.bodies()[0];
  const auto* choice = body->as<expr::Select>();
  const auto shift = shift_of(choice ? choice->on_true : body, padded, inner);
  VDLA_CHECK_USER(shift && (!choice || (is_constant(choice->on_false) && reads_nothing(choice->condition))))
      << prefix(padded) << "and must be select(inside, an element of it at constant distances, a constant), "
      << "where `inside` reads nothing, or that element alone";
  Padding padding{&inner, *shift, {}, nullptr};
  if (choice) {
    for (const ExprPtr& inside : expr::operands_of(expr::BinaryOp::And, choice->condition))
      padding.sides.push_back({inside});
    padding.value = choice->on_false;
  }
  return padding;
}

void check_storage(const Plan& plan, const StagePlan& padded, const StagePlan& inner) {
  VDLA_CHECK_USER(padded.stage->scope() == inner.stage->scope())
      << prefix(padded) << "which is in memory '" << inner.stage->scope() << "', but is in '"
      << padded.stage->scope() << "'; set the same scope";
  VDLA_CHECK_USER(!inner.padding) << prefix(padded) << "which lies around '" << inner.stage->pads()->name()
                                  << "' itself; leave one of them out";
  for (const StagePlan* p : {&padded, &inner}) {
    VDLA_CHECK_USER(!p->stage->is_double_buffered())
        << prefix(padded) << "but '" << p->stage->name() << "' is double buffered; leave one of them out";
    VDLA_CHECK_USER(p == &padded || p->stage->places() == 0)
        << prefix(padded) << "whose storage it takes over; give the rolling buffer to '"
        << padded.stage->name() << "'";
    for (const auto& other : plan.stages) {
      VDLA_CHECK_USER(!p->stage->shares_with() && other->stage->shares_with() != p->stage)
          << prefix(padded) << "but '" << p->stage->name()
          << "' shares storage with another stage; leave one of them out";
    }
  }
}

void check_readers(const Plan& plan, const StagePlan& padded, const StagePlan& inner) {
  for (const auto& reader : plan.stages) {
    VDLA_CHECK_USER(reader.get() == &padded || reads_of(*reader, inner.stage->tensor()).empty())
        << prefix(padded) << "which '" << reader->stage->name() << "' reads, too; let it read '"
        << padded.stage->name() << "'";
  }
}

/// The index of the stage in the middle at the first element of the padded one's storage.
std::vector<Affine> origin_of(const StagePlan& padded) {
  std::vector<Affine> origin;
  for (std::size_t d = 0; d < padded.min.size(); ++d)
    origin.push_back(padded.min[d] + Affine{{}, padded.padding->shift[d]});
  return origin;
}

/// The stage in the middle stores nothing beyond the storage of the padded one.
void check_region(const Plan& plan, const StagePlan& padded, const StagePlan& inner) {
  VDLA_CHECK_USER(padded.consumer == inner.consumer && padded.depth == inner.depth)
      << prefix(padded) << "and is computed elsewhere; compute both at the same loop";
  const std::vector<Affine> origin = origin_of(padded);
  for (std::size_t d = 0; d < origin.size(); ++d) {
    VDLA_CHECK_USER(lies_within(plan, inner, d, origin[d], padded.extent[d]))
        << prefix(padded) << "which computes more of dimension " << d << " than the " << padded.extent[d]
        << " elements that it has there; compute all of it, or leave out what makes the other one whole";
  }
}

}  // namespace

void find_padding(Plan& plan) {
  for (const auto& p : plan.stages)
    if (p->stage->pads()) p->padding = padding_of(plan, *p);
}

void pad_in_place(Plan& plan) {
  for (const auto& p : plan.stages) {
    if (!p->padding) continue;
    StagePlan& inner = *p->padding->inner;
    check_storage(plan, *p, inner);
    check_readers(plan, *p, inner);
    check_region(plan, *p, inner);
    lie_in(plan, inner, *p, origin_of(*p));
    p->has_own_storage = false;  // the first of the two allocates
  }
}

}  // namespace vdla::lower
