// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/thread_access.h"

#include <algorithm>

#include "compiler/expr/arith.h"
#include "compiler/expr/memory.h"
#include "compiler/expr/visit.h"
#include "compiler/grid/offsets.h"

namespace vdla::passes {
namespace {

using expr::Affine;
using expr::Interval;

/// Products of numbers within these limits, and sums of a few of them, do not wrap.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;
constexpr std::int64_t kLargestCoefficient = std::int64_t{1} << 20;

/// coefficient * factor, with what is known of the factor.
struct Product {
  std::int64_t coefficient;
  Interval factor;
  std::optional<std::size_t> thread = std::nullopt;  ///< the factor is a difference of its numbers
};

Interval span_of(const Product& p) {
  const std::int64_t a = p.coefficient * p.factor.low, b = p.coefficient * p.factor.high;
  return {std::min(a, b), std::max(a, b)};
}

bool is_among(const std::vector<expr::VarPtr>& list, const expr::VarPtr& var) {
  return std::ranges::find(list, var) != list.end();
}

/// Whether it has one value in both accesses.
bool has_one_value(const expr::ExprPtr& atom, const Meeting& meeting) {
  return !expr::reads_memory(atom) &&
         std::ranges::all_of(expr::variables_of(atom),
                             [&](const expr::VarPtr& v) { return is_among(meeting.same, v); });
}

/// Whether the rows of the two are never the same: other parts of a buffer, or their difference is odd.
bool are_apart(const ThreadAccess& first, const ThreadAccess& second, const Meeting& meeting) {
  if (!first.row || !second.row) return false;
  const auto is_same = [&](const Affine::Term& t) { return has_one_value(t.atom, meeting); };
  if (const auto distance = grid::distance_of_parts(*first.row, *second.row);
      distance && std::ranges::all_of(first.row->terms, is_same) &&
      std::ranges::all_of(second.row->terms, is_same))
    return *distance != 0;
  const Affine a = grid::by_even_halves(*first.row), b = grid::by_even_halves(*second.row);
  const Affine difference = a - b;
  return std::ranges::all_of(a.terms, is_same) && std::ranges::all_of(b.terms, is_same) &&
         difference.constant % 2 != 0 &&
         std::ranges::all_of(difference.terms, [](const Affine::Term& t) { return t.coefficient % 2 == 0; });
}

/// The difference of two offsets.
class Difference {
 public:
  Difference(const ThreadAccess& first, const ThreadAccess& second, const Meeting& meeting)
      : first_(first),
        second_(second),
        meeting_(meeting),
        first_offset_(grid::by_even_halves(*first.offset)),
        second_offset_(grid::by_even_halves(*second.offset)) {}

  /// Nothing where some range is not known or too large.
  std::optional<bool> may_be_of_two_threads() {
    if (!is_small(first_offset_) || !is_small(second_offset_)) return std::nullopt;
    constant_ = first_offset_.constant - second_offset_.constant;
    for (std::size_t k = 0; k < grid::kThreadKinds; ++k) add_thread(k);
    for (const Affine::Term& t : first_offset_.terms) add_of_first(t);
    for (const Affine::Term& t : second_offset_.terms) add_of_second(t);
    if (!known_) return std::nullopt;
    return !decides();
  }

 private:
  static bool is_small(const Affine& a) {
    return a.constant > -kLargest && a.constant < kLargest &&
           std::ranges::all_of(
               a.terms,
               [](const Affine::Term& t) {
                 return t.coefficient >= -kLargestCoefficient && t.coefficient <= kLargestCoefficient;
               });
  }

  void add(std::int64_t coefficient, std::optional<Interval> factor,
           std::optional<std::size_t> thread = std::nullopt) {
    if (coefficient == 0) return;
    if (!factor || factor->low < -2 * kLargestCoefficient || factor->high > 2 * kLargestCoefficient) {
      known_ = false;
      return;
    }
    products_.push_back({coefficient, *factor, thread});
  }

  /// Distance of a value in the first range from one in the second.
  static std::optional<Interval> distance(const std::optional<Interval>& a,
                                          const std::optional<Interval>& b) {
    const auto is_short = [](const Interval& i) {
      return i.low >= -kLargestCoefficient && i.high <= kLargestCoefficient;
    };
    if (!a || !b || !is_short(*a) || !is_short(*b)) return std::nullopt;
    return Interval{a->low - b->high, a->high - b->low};
  }

  static std::optional<Interval> range_in(const ThreadAccess& access, const expr::ExprPtr& atom) {
    return expr::bounds(atom, access.ranges);
  }
  static std::optional<Interval> range_in(const ThreadAccess& access, const expr::VarPtr& var) {
    const auto found = access.ranges.find(var);
    return found == access.ranges.end() ? std::nullopt : std::optional(found->second);
  }

  bool is_executor(const ThreadAccess& access, const expr::VarPtr& var) const {
    return std::ranges::any_of(access.executors, [&](const Executor& e) { return e.var == var; });
  }

  /// Along one kind of thread: what the offsets owe to its number, and whether that tells two threads apart.
  void add_thread(std::size_t k) {
    const Executor &a = first_.executors[k], &b = second_.executors[k];
    const std::int64_t x = a.var ? first_offset_.coefficient(a.var) : 0;
    const std::int64_t y = b.var ? second_offset_.coefficient(b.var) : 0;
    const auto of_a = a.var ? range_in(first_, a.var) : std::nullopt;
    const auto of_b = b.var ? range_in(second_, b.var) : std::nullopt;
    if (x != 0 && x == y) return add(x, distance(of_a, of_b), k);
    add(x, of_a);
    add(-y, of_b);
    if (a.who != Executor::Who::One || b.who != Executor::Who::One) any_thread_ = true;
  }

  void add_of_first(const Affine::Term& t) {
    const auto* ref = t.atom->as<expr::VarRef>();
    if (ref && is_executor(first_, ref->var)) return;
    const std::int64_t other = coefficient_of(second_offset_, t.atom);
    const auto range = range_in(first_, t.atom);
    if (is_same_in_both(t.atom)) return add(t.coefficient - other, range);
    if (!ref || other != t.coefficient || is_executor(second_, ref->var)) return add(t.coefficient, range);
    const auto of_second = range_in(second_, t.atom);
    auto delta = distance(range, of_second);
    if (delta && ref->var.get() == meeting_.later) delta->high = -1;
    add(t.coefficient, delta);
  }

  void add_of_second(const Affine::Term& t) {
    const auto* ref = t.atom->as<expr::VarRef>();
    if (ref && is_executor(second_, ref->var)) return;
    const std::int64_t other = coefficient_of(first_offset_, t.atom);
    const bool is_done = other != 0 && (!ref || !is_executor(first_, ref->var)) &&
                         (is_same_in_both(t.atom) || (ref && other == t.coefficient));
    if (!is_done) add(-t.coefficient, range_in(second_, t.atom));
  }

  static std::int64_t coefficient_of(const Affine& a, const expr::ExprPtr& atom) {
    const auto found =
        std::ranges::find_if(a.terms, [&](const Affine::Term& t) { return expr::equal(t.atom, atom); });
    return found == a.terms.end() ? 0 : found->coefficient;
  }

  bool is_same_in_both(const expr::ExprPtr& atom) const { return has_one_value(atom, meeting_); }

  /// Whether the sum is never 0, or only where one thread comes back.
  bool decides() {
    std::ranges::stable_sort(products_, [](const Product& a, const Product& b) {
      return std::abs(a.coefficient) > std::abs(b.coefficient);
    });
    Interval rest{constant_, constant_};
    for (const Product& p : products_) {
      rest.low += span_of(p).low;
      rest.high += span_of(p).high;
    }
    bool same_thread = !any_thread_;
    auto threads_left =
        std::ranges::count_if(products_, [](const Product& p) { return p.thread.has_value(); });
    if (threads_left == 0 && same_thread) return true;
    for (const Product& p : products_) {
      rest.low -= span_of(p).low;
      rest.high -= span_of(p).high;
      // coefficient * factor = -rest
      const std::int64_t size = std::abs(p.coefficient);
      Interval needed{-expr::floor_div(rest.high, size), expr::floor_div(-rest.low, size)};
      if (p.coefficient < 0) needed = {-needed.high, -needed.low};
      const Interval left{std::max(needed.low, p.factor.low), std::min(needed.high, p.factor.high)};
      if (left.low > left.high) return true;
      const bool is_known = left.low == left.high;
      if (p.thread) {
        threads_left--;
        same_thread &= is_known && left.low == 0;
      }
      // Whatever the smaller ones are, it is one thread.
      if (threads_left == 0 && same_thread) return true;
      if (!is_known) return false;
      rest.low += p.coefficient * left.low;
      rest.high += p.coefficient * left.low;
    }
    return rest.low != 0 || same_thread;
  }

  const ThreadAccess& first_;
  const ThreadAccess& second_;
  const Meeting& meeting_;
  const Affine first_offset_, second_offset_;
  std::int64_t constant_ = 0;
  std::vector<Product> products_;
  bool known_ = true;
  bool any_thread_ = false;  ///< the offsets say nothing of some kind of thread, of which there are several
};

}  // namespace

bool may_meet(const ThreadAccess& first, const ThreadAccess& second, const Meeting& meeting) {
  if (first.buffer != second.buffer || (!first.is_store && !second.is_store)) return false;
  if (are_apart(first, second, meeting)) return false;
  if (!first.offset || !second.offset) return true;
  return Difference(first, second, meeting).may_be_of_two_threads().value_or(true);
}

}  // namespace vdla::passes
