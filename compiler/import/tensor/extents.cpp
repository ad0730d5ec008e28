// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/extents.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "compiler/import/tensor/scalar.h"
#include "support/error.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::Reducer;

using Extents = std::vector<RunExtent>;

const Extents& extents(const Value& x) {
  static const Extents none;
  return x.extents ? *x.extents : none;
}

const RunExtent* along(const Value& x, std::size_t axis) {
  const auto found = std::ranges::find(extents(x), axis, &RunExtent::axis);
  return found == extents(x).end() ? nullptr : &*found;
}

Value marked(Value x, Extents those) {
  x.extents = those.empty() ? nullptr : std::make_shared<const Extents>(std::move(those));
  return x;
}

/// Name of input i, for messages.
std::string text(const Node& c, int i) { return "'" + c.proto().input(i) + "'"; }

/// Whether numbers of a dimension lie below its extent, as a shape of `rank` dimensions.
Value inside(const Composer& c, std::size_t rank, std::size_t axis, std::int64_t most, const Value& count) {
  return c.map("Inside", {c.iota(DataType::Int64, rank, axis, most), count},
               [](const auto& v) { return v[0] < v[1]; });
}

/// The value with `fill` beyond its extents.
Value filled(const Composer& c, const Value& x, double fill) {
  Value result = marked(x, {});
  for (const RunExtent& e : extents(x))
    result =
        c.map("Filled", {inside(c, x.rank(), e.axis, x.shape[e.axis], e.count), result}, [&](const auto& v) {
          const DType type = v[1].dtype();
          const Scalar other = is_float(type)        ? Scalar(real(fill, v[1]))
                               : type == DType::Bool ? Scalar(expr::bool_imm(fill != 0))
                                                     : Scalar(expr::number(0, type));
          return select(v[0], v[1], other);
        });
  return result;
}

/// Extents of elements that several inputs give by broadcasting.
Extents of_elements(const Node& c) {
  std::size_t rank = 0;
  for (int i = 0; i < c.inputs(); ++i)
    if (c.has(i)) rank = std::max(rank, c.in(i).rank());
  Extents result;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const RunExtent* known = nullptr;
    int first = 0;
    std::int64_t fixed = 1;
    for (int i = 0; i < c.inputs(); ++i) {
      if (!c.has(i) || axis + c.in(i).rank() < rank) continue;
      const std::size_t own = axis + c.in(i).rank() - rank;
      const RunExtent* e = along(c.in(i), own);
      if (e == nullptr) {
        fixed = std::max(fixed, c.in(i).shape[own]);
        continue;
      }
      c.require(known == nullptr || known->count.id == e->count.id,
                fmt::format("reads {} and {}, whose extents along dimension {} are counted apart when the "
                            "model runs; needs extents of one count",
                            text(c, first), text(c, i), axis));
      if (known == nullptr) first = i;
      known = e;
    }
    if (known == nullptr) continue;
    c.require(fixed == 1,
              fmt::format("reads {}, whose extent along dimension {} is known only when the model "
                          "runs, beside a value of extent {} there; needs extents of one count",
                          text(c, first), axis, fixed));
    result.push_back({axis, known->count});
  }
  return result;
}

void elementwise(const Node& c, std::vector<Value>& results) {
  for (Value& r : results) r = marked(r, of_elements(c));
}

/// Extents of input 0 for an operator that changes elements along none of its dimensions.
void of_first(const Node& c, std::vector<Value>& results) {
  for (Value& r : results) r = marked(r, extents(c.in(0)));
}

[[noreturn]] void refuse_axis(const Node& c, std::size_t axis) {
  throw UserError(
      fmt::format("{}works along dimension {} of {}, whose extent is known only when the model "
                  "runs; needs another dimension",
                  c.where(), axis, text(c, 0)));
}

/// Operators along one dimension, which every output has, too.
void beside_axis(const Node& c, std::vector<Value>& results) {
  const std::size_t axis = c.axis(c.integer("axis"), c.in(0).rank());
  if (along(c.in(0), axis) != nullptr) refuse_axis(c, axis);
  of_first(c, results);
}

/// Operators of sets below 13 join the dimensions from the axis on.
void after_softmax(const Node& c, std::vector<Value>& results) {
  const std::size_t axis = c.axis(c.integer("axis"), c.in(0).rank());
  for (const RunExtent& e : extents(c.in(0)))
    if (e.axis == axis || (c.opset() < 13 && e.axis > axis)) refuse_axis(c, e.axis);
  of_first(c, results);
}

void after_locate(const Node& c, std::vector<Value>& results) {
  const std::size_t axis = c.axis(c.integer("axis"), c.in(0).rank());
  const bool kept = c.integer("keepdims") != 0;
  Extents left;
  for (const RunExtent& e : extents(c.in(0))) {
    if (e.axis == axis) refuse_axis(c, axis);
    left.push_back({e.axis > axis && !kept ? e.axis - 1 : e.axis, e.count});
  }
  results[0] = marked(results[0], left);
}

/// Negative indices count from the end of the extent.
void count_from_end(const Node& c, std::vector<Value>& inputs) {
  const std::size_t axis = c.axis(c.integer("axis"), c.in(0).rank());
  const RunExtent* e = along(c.in(0), axis);
  if (e == nullptr) return;
  inputs[1] = c.map("Index", {c.cast(inputs[1], DataType::Int64), e->count},
                    [](const auto& v) { return select(v[0] < 0, v[0] + v[1], v[0]); });
}

void after_gather(const Node& c, std::vector<Value>& results) {
  const std::size_t axis = c.axis(c.integer("axis"), c.in(0).rank()), more = c.in(1).rank();
  Extents all;
  for (const RunExtent& e : extents(c.in(0)))
    if (e.axis != axis) all.push_back({e.axis < axis ? e.axis : e.axis + more - 1, e.count});
  for (const RunExtent& e : extents(c.in(1))) all.push_back({axis + e.axis, e.count});
  results[0] = marked(results[0], all);
}

void after_gather_nd(const Node& c, std::vector<Value>& results) {
  if (!extents(c.in(0)).empty()) refuse_axis(c, extents(c.in(0))[0].axis);
  for (const RunExtent& e : extents(c.in(1)))
    c.require(e.axis + 1 < c.in(1).rank(),
              "has indices whose last dimension is known only when the model runs, needs a fixed number");
  results[0] = marked(results[0], extents(c.in(1)));
}

void transposed(const Node& c, std::vector<Value>& results) {
  const std::size_t rank = c.in(0).rank();
  Integers perm(rank);
  for (std::size_t d = 0; d < rank; ++d) perm[d] = static_cast<std::int64_t>(rank - 1 - d);
  perm = c.integers("perm", perm);
  Extents moved;
  for (const RunExtent& e : extents(c.in(0))) {
    const auto place = std::ranges::find(perm, static_cast<std::int64_t>(e.axis));
    moved.push_back({static_cast<std::size_t>(place - perm.begin()), e.count});
  }
  results[0] = marked(results[0], moved);
}

/// The dimension of `to` that begins where dimension `axis` of `from` does and holds it whole, in rows of
/// `each` elements; nothing where there is none.
struct Held {
  std::size_t axis;
  std::int64_t each;
};
std::optional<Held> held(const Shape& from, const Shape& to, std::size_t axis) {
  const auto product = [](const Shape& s, std::size_t end) {
    return std::accumulate(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1},
                           std::multiplies<>());
  };
  if (from[axis] == 0) return std::nullopt;
  std::optional<Held> found;
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (product(to, d) != product(from, axis) || to[d] % from[axis] != 0) continue;
    const std::int64_t each = to[d] / from[axis];
    bool whole = false;
    for (std::size_t end = axis + 1; end <= from.size() && !whole; ++end)
      whole = product(from, end) == product(from, axis) * to[d];
    if (!whole) continue;
    if (found) return std::nullopt;  // dimensions of one element, of which either may be meant
    found = Held{d, each};
  }
  return found;
}

void reshaped(const Node& c, std::vector<Value>& results) {
  const Value& x = c.in(0);
  Extents all;
  for (const RunExtent& e : extents(x)) {
    const auto place = held(x.shape, results[0].shape, e.axis);
    c.require(
        place.has_value(),
        fmt::format("makes {} of {}, whose extent along dimension {} is known only when the model runs; "
                    "needs a shape in which that dimension begins one",
                    graph::to_string(results[0].shape), graph::to_string(x.shape), e.axis));
    const Value count = c.map("Count", {e.count}, [&](const auto& v) { return v[0] * place->each; });
    all.push_back({place->axis, place->each == 1 ? e.count : count});
  }
  results[0] = marked(results[0], all);
}

/// Axes that Squeeze takes away or Unsqueeze adds.
Integers stated_axes(const Node& c, std::size_t rank) {
  const Integers axes = c.has(1) ? c.integers(1, "axes") : c.integers("axes", Integers{});
  c.require(!axes.empty(), "names no axes, and " + text(c, 0) +
                               " has an extent that is known only when the model runs; needs axes");
  Integers sorted = c.axes(axes, rank);
  std::ranges::sort(sorted);
  return sorted;
}

void squeezed(const Node& c, std::vector<Value>& results) {
  const Integers axes = stated_axes(c, c.in(0).rank());
  Extents all;
  for (const RunExtent& e : extents(c.in(0))) {
    const auto axis = static_cast<std::int64_t>(e.axis);
    if (std::ranges::find(axes, axis) != axes.end()) refuse_axis(c, e.axis);
    const auto before = std::ranges::count_if(axes, [&](auto a) { return a < axis; });
    all.push_back({e.axis - static_cast<std::size_t>(before), e.count});
  }
  results[0] = marked(results[0], all);
}

void unsqueezed(const Node& c, std::vector<Value>& results) {
  const Integers axes = stated_axes(c, results[0].rank());
  Extents all;
  for (const RunExtent& e : extents(c.in(0))) {
    std::size_t axis = e.axis;
    for (const std::int64_t a : axes) axis += static_cast<std::size_t>(a) <= axis ? 1 : 0;
    all.push_back({axis, e.count});
  }
  results[0] = marked(results[0], all);
}

/// A slice of whole steps from a place that is counted from the front.
void sliced(const Node& c, std::vector<Value>& results) {
  const Value& x = c.in(0);
  const auto list = [&](int i, const char* what, const Integers& otherwise) {
    return c.opset() >= 10 ? (c.has(i) ? c.integers(i, what) : otherwise) : c.integers(what, otherwise);
  };
  const Integers starts = list(1, "starts", {}), ends = list(2, "ends", {});
  Integers all(starts.size());
  std::iota(all.begin(), all.end(), 0);
  const Integers axes = c.axes(list(3, "axes", all), x.rank());
  const Integers steps = list(4, "steps", Integers(starts.size(), 1));
  Extents cut;
  for (const RunExtent& e : extents(x)) {
    Value count = e.count;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (static_cast<std::size_t>(axes[i]) != e.axis) continue;
      c.require(starts[i] >= 0 && ends[i] >= 0 && steps[i] == 1,
                fmt::format("takes {} to {} by {} along dimension {} of {}, whose extent is known only when "
                            "the model runs; needs places from the front and step 1",
                            starts[i], ends[i], steps[i], e.axis, text(c, 0)));
      const std::int64_t begin = std::min(starts[i], x.shape[e.axis]);
      const std::int64_t end = std::max(std::min(ends[i], x.shape[e.axis]), begin);
      count = c.map("Count", {count}, [&](const auto& v) { return clamp(v[0], begin, end) - begin; });
    }
    cut.push_back({e.axis, count});
  }
  results[0] = marked(results[0], cut);
}

/// Parts lie behind one another: elements beyond the extent of one are taken out.
Value joined(const Node& c, const Value& x, std::size_t axis) {
  std::vector<Value> masks;
  for (int i = 0; i < c.inputs(); ++i) {
    const std::int64_t most = c.in(i).shape[axis];
    if (most == 0) continue;
    const RunExtent* e = along(c.in(i), axis);
    masks.push_back(e ? inside(c, 1, 0, most, e->count)
                      : make_constant(DataType::Bool, {most}, Integers(static_cast<std::size_t>(most), 1)));
  }
  const Compacted kept = compacted(c, c.concat(masks, 0));
  return with_extent(c, c.gather(x, kept.places, static_cast<int>(axis)), axis, kept.count);
}

void concatenated(const Node& c, std::vector<Value>& results) {
  const std::size_t axis = c.axis(c.integer("axis", 1), c.in(0).rank());
  Extents others;
  bool counted = false;
  for (int i = 0; i < c.inputs(); ++i)
    for (const RunExtent& e : extents(c.in(i))) {
      counted = counted || e.axis == axis;
      if (e.axis == axis) continue;
      for (int k = 0; k < c.inputs(); ++k) {
        const RunExtent* other = along(c.in(k), e.axis);
        c.require(other != nullptr && other->count.id == e.count.id,
                  fmt::format("joins {} and {}, whose extents along dimension {} are counted apart when the "
                              "model runs; needs extents of one count",
                              text(c, i), text(c, k), e.axis));
      }
      if (i == 0) others.push_back(e);
    }
  Value y = results[0];
  if (counted) y = joined(c, y, axis);
  others.insert(others.end(), extents(y).begin(), extents(y).end());
  results[0] = marked(y, others);
}

void shape_of_run(const Node& c, std::vector<Value>& results) {
  const auto rank = static_cast<std::int64_t>(c.in(0).rank());
  const auto limited = [&](std::int64_t v) {
    return std::clamp<std::int64_t>(v < 0 ? v + rank : v, 0, rank);
  };
  const std::int64_t begin = limited(c.integer("start", 0)), end = limited(c.integer("end", rank));
  results[0] = c.part(extents_of(c, c.in(0)), 0, begin, std::max(begin, end));
}

void size_of_run(const Node& c, std::vector<Value>& results) {
  results[0] = c.fold(Reducer::Prod, extents_of(c, c.in(0)), {0}, false);
}

/// A product of matrices counts in the rows of the first and in the columns of the second.
void product(const Node& c, std::vector<Value>& results) {
  const Value &a = c.in(0), &b = c.in(1);
  const std::size_t rank = results[0].rank();
  Extents all;
  for (const RunExtent& e : extents(a)) {
    if (e.axis + 1 == a.rank() || b.rank() < 2) refuse_axis(c, e.axis);
    all.push_back({rank - a.rank() + e.axis, e.count});
  }
  for (const RunExtent& e : extents(b)) {
    c.require(b.rank() >= 2 && e.axis + 1 == b.rank() && a.rank() >= 2,
              fmt::format("adds up along dimension {} of {}, whose extent is known only when the model runs",
                          e.axis, text(c, 1)));
    all.push_back({rank - 1, e.count});
  }
  results[0] = marked(results[0], all);
}

/// Elements beyond the extents count as zeros.
void zeros_beyond(const Node& c, std::vector<Value>& inputs) { inputs[0] = filled(c, c.in(0), 0); }

/// Boxes beyond the extents have a score that nothing chooses.
void no_score_beyond(const Node& c, std::vector<Value>& inputs) {
  inputs[1] = filled(c, c.in(1), -std::numeric_limits<double>::infinity());
  for (const RunExtent& e : extents(c.in(0)))
    c.require(along(c.in(1), 2) != nullptr && along(c.in(1), 2)->count.id == e.count.id && e.axis == 1,
              "has boxes whose number is known only when the model runs, needs as many scores");
}

/// Results have the extents that the operator itself gives them.
void own(const Node&, std::vector<Value>&) {}

struct Rule {
  std::string_view op;
  void (*after)(const Node& c, std::vector<Value>& results);
  void (*before)(const Node& c, std::vector<Value>& inputs) = nullptr;
};
constexpr Rule kRules[] = {
    {"ArgMax", after_locate},
    {"ArgMin", after_locate},
    {"Concat", concatenated},
    {"DequantizeLinear", of_first},
    {"Flatten", reshaped},
    {"Gather", after_gather, count_from_end},
    {"GatherND", after_gather_nd},
    {"Identity", of_first},
    {"LogSoftmax", after_softmax},
    {"MatMul", product},
    {"NonMaxSuppression", own, no_score_beyond},
    {"NonZero", own, zeros_beyond},
    {"QuantizeLinear", of_first},
    {"Reshape", reshaped},
    {"Shape", shape_of_run},
    {"Size", size_of_run},
    {"Slice", sliced},
    {"Softmax", after_softmax},
    {"Split", beside_axis},
    {"Squeeze", squeezed},
    {"TopK", beside_axis},
    {"Transpose", transposed},
    {"Unsqueeze", unsqueezed},
};

const Rule* rule_of(const std::string& op) {
  const auto* found = std::ranges::find(kRules, op, &Rule::op);
  if (found != std::end(kRules)) return found;
  static constexpr Rule of_elements = {"", elementwise};
  const auto all = elementwise_operators();
  return std::ranges::find(all, op, &Operator::name) != all.end() ? &of_elements : nullptr;
}

}  // namespace

Value with_extent(const Composer& c, const Value& x, std::size_t axis, const Value& count) {
  if (count.constant()) return c.part(x, axis, 0, integers_of(count)[0]);
  Extents all = extents(x);
  all.push_back({axis, count});
  return marked(x, all);
}

Value extents_of(const Composer& c, const Value& x) {
  std::vector<Value> numbers;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const RunExtent* e = along(x, d);
    numbers.push_back(e ? c.reshape(e->count, {1})
                        : make_constant(DataType::Int64, {1}, Integers{x.shape[d]}));
  }
  return c.concat(numbers, 0);
}

Compacted compacted(const Composer& c, const Value& mask) {
  const Value numbers = c.cast(mask, DataType::Int64);
  return {c.emit(graph::Sort{0, true}, {numbers}), c.fold(Reducer::Sum, numbers, {0}, false)};
}

bool reads_extents(const Node& c) {
  for (int i = 0; i < c.inputs(); ++i)
    if (c.has(i) && c.as_it_is(i).extents) return true;
  return false;
}

void require_extents(const Node& c) {
  for (int i = 0; i < c.inputs(); ++i)
    if (c.has(i)) require_extents(c, c.as_it_is(i));
}

void require_extents(const Composer& c, const Value& x) {
  c.require(x.extents == nullptr, "reads or gives a value of " + graph::to_string(x.shape) +
                                      " with an extent that is known only when the model runs, which it "
                                      "cannot; needs fixed extents");
}

void import_over_extents(const Node& c, Import import) {
  const Rule* rule = rule_of(c.op());
  if (rule == nullptr) require_extents(c);
  std::vector<Value> inputs;
  for (int i = 0; i < c.inputs(); ++i) inputs.push_back(c.has(i) ? marked(c.in(i), {}) : Value{});
  if (rule->before) rule->before(c, inputs);
  std::vector<Value> results = c.made_of(import, inputs);
  rule->after(c, results);
  for (int i = 0; i < c.outputs(); ++i)
    if (c.wants(i)) c.set(i, results[static_cast<std::size_t>(i)]);
}

}  // namespace vdla::import::tensor
