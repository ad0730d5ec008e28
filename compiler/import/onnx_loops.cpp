// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_loops.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compiler/import/tensor/extents.h"
#include "compiler/import/tensor/narrow_nodes.h"
#include "compiler/import/tensor/trips.h"
#include "support/error.h"

namespace vdla::import {
namespace {

using tensor::DataType;
using tensor::Integers;
using tensor::Node;
using tensor::Scope;
using tensor::Shape;
using tensor::Value;

const onnx::GraphProto& body_of(const Node& c) {
  const auto* attribute = c.find("body");
  c.require(attribute != nullptr && attribute->has_g(), "lacks its body");
  return attribute->g();
}

/// Adds the names that nodes of a graph read, and those of graphs within it.
void add_read(const onnx::GraphProto& g, std::set<std::string>& names) {
  for (const onnx::ValueInfoProto& info : g.output()) names.insert(info.name());
  for (const onnx::NodeProto& node : g.node()) {
    names.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto& attribute : node.attribute())
      if (attribute.has_g()) add_read(attribute.g(), names);
  }
}

/// A loop while it is read: values that go from trip to trip, and those that each trip adds to an output.
class Trips {
 public:
  Trips(const Node& c, const Scope& around, const ReadBody& read) : c_(c), body_(body_of(c)), read_(read) {
    const auto require_free = [&](const std::string& name) {
      c_.require(!around.contains(name),
                 "has '" + name + "' in its body, which is given outside of it already");
    };
    for (const onnx::TensorProto& t : body_.initializer()) require_free(t.name());
    for (const onnx::ValueInfoProto& info : body_.input()) require_free(info.name());
    std::set<std::string> names;
    add_read(body_, names);
    for (const std::string& name : names)
      if (const auto found = around.find(name); found != around.end()) seen_.insert(*found);
    for (const onnx::TensorProto& t : body_.initializer())
      seen_.emplace(t.name(), tensor::constant_of(t, c_.where() + "constant '" + t.name() + "' "));
  }

  const onnx::GraphProto& body() const { return body_; }

  /// Refuses a body of other numbers of inputs and outputs.
  void require_ports(int inputs, int outputs) const {
    c_.require(body_.input_size() == inputs && body_.output_size() == outputs,
               fmt::format("has a body of {} inputs and {} outputs, needs {} and {} for its own",
                           body_.input_size(), body_.output_size(), inputs, outputs));
  }

  void require_count(std::int64_t trips) const { tensor::require_trips(c_, trips, body_.node_size()); }

  /// Outputs of the next trip, with these values of the body's inputs.
  std::vector<Value> next(const std::vector<Value>& inputs) {
    require_count(++count_);
    Scope scope = seen_;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      scope.emplace(body_.input(static_cast<int>(i)).name(), inputs[i]);
    std::vector<Value> outputs;
    read_(body_, std::move(scope), fmt::format("{}/{}/", c_.name(), count_ - 1), [&](const Scope& made) {
      for (const onnx::ValueInfoProto& info : body_.output()) {
        const auto found = made.find(info.name());
        c_.require(found != made.end(), "lacks output '" + info.name() + "' in its body");
        outputs.push_back(c_.network().made(found->second, c_.op() + " '" + c_.name() + "'"));
      }
    });
    return outputs;
  }

 private:
  const Node& c_;
  const onnx::GraphProto& body_;
  const ReadBody& read_;
  Scope seen_;  ///< names around the body that it reads, and its constants
  std::int64_t count_ = 0;
};

/// Values of all trips along a new dimension.
Value stacked(const Node& c, std::vector<Value> parts, std::int64_t axis, bool reversed) {
  if (reversed) std::ranges::reverse(parts);
  const Value first = parts[0];
  const std::size_t place = c.axis(axis, first.rank() + 1);
  for (Value& part : parts) {
    tensor::require_extents(c, part);
    tensor::require_wide(c, part);
    c.require(part.shape == first.shape && part.type == first.type,
              fmt::format("gives {} and {} in trips to one output, needs one shape",
                          graph::to_string(first.shape), graph::to_string(part.shape)));
    Shape shape = part.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place), 1);
    part = c.reshape(part, shape);
  }
  return c.concat(parts, place);
}

/// Entry i of an attribute that has one for each value, or is left out.
std::int64_t entry(const Node& c, const char* attribute, std::size_t i, std::size_t count) {
  const Integers values = c.integers(attribute, Integers(count, 0));
  c.require(values.size() == count,
            fmt::format("has {} of {} numbers, needs {}", attribute, values.size(), count));
  return values[i];
}

void scan(const Node& c, Trips trips) {
  c.require(c.opset() >= 9,
            "is of operator set 8, which has batches; needs one from 9 on: convert the model");
  const std::int64_t scanned = c.integer("num_scan_inputs", 0);
  c.require(scanned > 0 && scanned <= c.inputs(),
            fmt::format("scans {} of {} inputs, needs 1 to all", scanned, c.inputs()));
  const auto states = static_cast<std::size_t>(c.inputs() - scanned);
  trips.require_ports(c.inputs(), c.outputs());
  c.require(static_cast<std::size_t>(c.outputs()) >= states,
            fmt::format("has {} outputs for {} states, needs one for each", c.outputs(), states));
  const std::size_t results = static_cast<std::size_t>(c.outputs()) - states;
  std::vector<Value> values;
  for (std::size_t i = 0; i < states; ++i) values.push_back(c.in(static_cast<int>(i)));
  std::vector<std::size_t> axes;
  const auto count_of = static_cast<std::size_t>(scanned);
  std::optional<std::int64_t> count;
  for (std::size_t i = 0; i < count_of; ++i) {
    const Value& x = c.in(static_cast<int>(states + i));
    axes.push_back(c.axis(entry(c, "scan_input_axes", i, count_of), x.rank()));
    if (!count) count = x.shape[axes[i]];
    c.require(
        *count == x.shape[axes[i]] && *count > 0,
        fmt::format("scans {} and {} elements at once, needs one number above 0", *count, x.shape[axes[i]]));
  }
  trips.require_count(*count);
  std::vector<std::vector<Value>> rows(results);
  for (std::int64_t t = 0; t < *count; ++t) {
    std::vector<Value> inputs = values;
    for (std::size_t i = 0; i < count_of; ++i) {
      const Value& x = c.in(static_cast<int>(states + i));
      const bool backwards = entry(c, "scan_input_directions", i, count_of) != 0;
      const std::int64_t at = backwards ? *count - 1 - t : t;
      Shape shape = x.shape;
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axes[i]));
      inputs.push_back(c.reshape(c.part(x, axes[i], at, at + 1), shape));
    }
    const std::vector<Value> outputs = trips.next(inputs);
    values.assign(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(states));
    for (std::size_t r = 0; r < results; ++r) rows[r].push_back(outputs[states + r]);
  }
  for (std::size_t i = 0; i < states; ++i)
    if (c.wants(static_cast<int>(i))) c.set(static_cast<int>(i), values[i]);
  for (std::size_t r = 0; r < results; ++r)
    if (const auto o = static_cast<int>(states + r); c.wants(o))
      c.set(o, stacked(c, std::move(rows[r]), entry(c, "scan_output_axes", r, results),
                       entry(c, "scan_output_directions", r, results) != 0));
}

void loop(const Node& c, Trips trips) {
  const auto states = static_cast<std::size_t>(std::max(c.inputs() - 2, 0));
  c.require(static_cast<std::size_t>(c.outputs()) >= states,
            fmt::format("has {} outputs for {} values of the loop, needs one for each", c.outputs(), states));
  const std::size_t results = static_cast<std::size_t>(c.outputs()) - states;
  trips.require_ports(static_cast<int>(states) + 2, c.outputs() + 1);
  const std::int64_t most = c.has(0) ? c.number(0, "number of trips") : INT64_MAX;
  Value condition =
      c.has(1) ? c.constant(1, "condition") : tensor::make_constant(DataType::Bool, {}, Integers{1});
  c.require(c.has(0) || c.has(1), "has neither a number of trips nor a condition, and so does not end");
  std::vector<Value> values;
  for (std::size_t i = 0; i < states; ++i) values.push_back(c.in(static_cast<int>(i) + 2));
  std::vector<std::vector<Value>> rows(results);
  for (std::int64_t t = 0; t < most && tensor::goes_on(c, condition); ++t) {
    std::vector<Value> inputs{tensor::make_constant(DataType::Int64, {}, Integers{t}), condition};
    inputs.insert(inputs.end(), values.begin(), values.end());
    const std::vector<Value> outputs = trips.next(inputs);
    condition = outputs[0];
    values.assign(outputs.begin() + 1, outputs.begin() + 1 + static_cast<std::ptrdiff_t>(states));
    for (std::size_t r = 0; r < results; ++r) rows[r].push_back(outputs[1 + states + r]);
  }
  for (std::size_t i = 0; i < states; ++i)
    if (c.wants(static_cast<int>(i))) c.set(static_cast<int>(i), values[i]);
  for (std::size_t r = 0; r < results; ++r) {
    const auto o = static_cast<int>(states + r);
    if (!c.wants(o)) continue;
    c.require(!rows[r].empty(), "makes no trip, and its results have no shape then; needs one trip at least");
    c.set(o, stacked(c, std::move(rows[r]), 0, false));
  }
}

}  // namespace

void import_loop(const Node& node, const Scope& around, const ReadBody& read) {
  Trips trips(node, around, read);
  node.op() == kScan ? scan(node, trips) : loop(node, trips);
}

}  // namespace vdla::import
