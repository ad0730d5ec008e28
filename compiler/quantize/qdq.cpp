// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/qdq.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/quantize/noise.h"
#include "compiler/quantize/operators.h"

namespace vdla::quantize {
namespace {

WeightReport report_of(const onnx::NodeProto& node, const std::vector<double>& signal,
                       const std::vector<double>& noise, const std::vector<double>& shift) {
  WeightReport r;
  r.node = label(node);
  r.op = node.op_type();
  double s = 0, n = 0;
  for (std::size_t c = 0; c < signal.size(); ++c) {
    s += signal[c];
    n += noise[c];
    r.worst.emplace_back(static_cast<std::int64_t>(c), decibels(signal[c], noise[c]));
    r.largest_correction = std::max(r.largest_correction, std::abs(shift[c]));
  }
  r.snr_db = decibels(s, n);
  std::ranges::stable_sort(r.worst, {}, &std::pair<std::int64_t, double>::second);
  r.worst.resize(std::min<std::size_t>(r.worst.size(), 3));
  return r;
}

/// Channels of the weights of a layer, by their number.
class Channels {
 public:
  Channels(const onnx::NodeProto& node, const Weights& w)
      : op_(node.op_type()),
        axis_(channel_axis(node)),
        scales_(static_cast<std::size_t>(w.shape.at(axis_))),
        row_(w.row()),
        inputs_(static_cast<std::size_t>(w.shape.at(op_ == "ConvTranspose" ? 0 : 1))),
        groups_(static_cast<std::size_t>(attribute(node, "group", std::int64_t{1}))) {
    for (std::size_t d = axis_ + 1; d < w.shape.size(); ++d) inner_ *= static_cast<std::size_t>(w.shape[d]);
  }

  std::size_t axis() const { return axis_; }
  /// Output channels that have a scale of their own: those of a group, which the groups of a ConvTranspose
  /// share.
  std::size_t scales() const { return scales_; }
  std::size_t outputs() const { return op_ == "ConvTranspose" ? scales_ * groups_ : scales_; }
  std::size_t scale_of(std::size_t i) const { return i / inner_ % scales_; }
  std::size_t output_of(std::size_t i) const {
    return op_ == "ConvTranspose" ? input_of(i) / (inputs_ / groups_) * scales_ + scale_of(i) : scale_of(i);
  }
  /// Returns the input channel that weight i is multiplied with.
  std::size_t input_of(std::size_t i) const {
    if (op_ == "ConvTranspose") return i / row_;
    if (op_ != "Conv") return axis_ == 0 ? i % row_ : i / scales_;
    return scale_of(i) / (scales_ / groups_) * inputs_ + i / (row_ / inputs_) % inputs_;
  }

 private:
  std::string op_;
  std::size_t axis_, scales_, row_, inputs_, groups_, inner_ = 1;
};

/// Part of the weights that an element of the result meets: a ConvTranspose of strides leaves the others out.
double part_met(const onnx::NodeProto& node) {
  double part = 1;
  if (node.op_type() != "ConvTranspose") return part;
  for (const auto& a : node.attribute())
    if (a.name() == "strides")
      for (const std::int64_t stride : a.ints()) part /= static_cast<double>(stride);
  return part;
}

/// Writes the quantised network node by node.
// Long: a method for each kind of constant, which share the names that are written.
class Writer {
 public:
  Writer(const Network& network, const std::map<std::string, Scale>& scales,
         const std::map<std::string, Statistics>& seen, const Options& options, Result& result)
      : in_(network), out_(network), scales_(scales), seen_(seen), options_(options), result_(result) {}

  Network write() {
    out_.graph().clear_node();
    std::set<std::string> inputs;
    for (const std::string& input : in_.inputs()) {
      if (!scales_.contains(input)) continue;
      scale_activation(input, in_.own(input, "dequantized"));
      inputs.insert(input);
    }
    for (const onnx::NodeProto& node : in_.graph().node()) {
      onnx::NodeProto copy = node;
      if (is_known(in_, node)) {
        for (int i = 0; i < copy.input_size(); ++i)
          if (inputs.contains(copy.input(i))) copy.set_input(i, in_.own(copy.input(i), "dequantized"));
        if (has_weights(in_, node))
          scale_weights(node, copy);
        else
          scale_constant_operands(node, copy);
      } else {
        result_.left_in_float.push_back(what(node));
      }
      // The dequantised tensor takes the name over: nodes after it stay as they are.
      for (std::string& output : *copy.mutable_output())
        if (scales_.contains(output)) output = in_.own(output, "float");
      *out_.graph().add_node() = std::move(copy);
      for (const std::string& output : node.output())
        if (scales_.contains(output)) scale_activation(in_.own(output, "float"), output);
    }
    out_.graph().clear_value_info();
    out_.drop_unused_constants();
    return out_;
  }

 private:
  void add_node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                std::int64_t axis = -1) {
    onnx::NodeProto& n = *out_.graph().add_node();
    n.set_op_type(op);
    n.set_name(output + "/" + op);
    for (const std::string& i : inputs) n.add_input(i);
    n.add_output(output);
    if (axis < 0) return;
    auto& a = *n.add_attribute();
    a.set_name("axis");
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(axis);
  }

  /// A constant of integers, under names that begin with `name`, and a DequantizeLinear that makes `to` of
  /// it.
  template <class T>
  void add_constant(const std::string& name, const std::string& to, const std::vector<std::int64_t>& shape,
                    const std::vector<T>& values, const std::vector<float>& scale,
                    const std::vector<T>& zero_point, std::int64_t axis = -1) {
    const bool bytes = sizeof(T) == 1;
    const std::string integers = in_.own(name, bytes ? "int8" : "int32");
    const auto type = bytes ? onnx::TensorProto::INT8 : onnx::TensorProto::INT32;
    std::vector<std::int64_t> per;
    if (axis >= 0) per.push_back(static_cast<std::int64_t>(scale.size()));
    out_.add_constant<T>(integers, type, shape, values);
    out_.add_constant<float>(in_.own(name, "scale"), onnx::TensorProto::FLOAT, per, scale);
    out_.add_constant<T>(in_.own(name, "zero_point"), type, per, zero_point);
    add_node("DequantizeLinear", {integers, in_.own(name, "scale"), in_.own(name, "zero_point")}, to, axis);
  }

  /// `from` and a QuantizeLinear and a DequantizeLinear behind it, which makes `to`.
  void scale_activation(const std::string& from, const std::string& to) {
    const Scale& s = scales_.at(scales_.contains(to) ? to : from);
    const std::string scale = in_.own(to, "scale"), zero_point = in_.own(to, "zero_point"),
                      quantized = in_.own(to, "quantized");
    out_.add_constant<float>(scale, onnx::TensorProto::FLOAT, {}, {static_cast<float>(s.scale)});
    out_.add_constant<std::int8_t>(zero_point, onnx::TensorProto::INT8, {},
                                   {static_cast<std::int8_t>(s.zero_point)});
    add_node("QuantizeLinear", {from, scale, zero_point}, quantized);
    add_node("DequantizeLinear", {quantized, scale, zero_point}, to);
  }

  void scale_weights(const onnx::NodeProto& node, onnx::NodeProto& copy) {
    const Weights w = in_.weights(node.input(1));
    const Channels channels(node, w);
    std::vector<float> scale(channels.scales());
    for (std::size_t i = 0; i < w.values.size(); ++i) {
      float& s = scale[channels.scale_of(i)];
      s = std::max(s, std::abs(w.values[i]) / 127);
    }
    limit_to_bias(node, scale);
    std::vector<std::int8_t> q(w.values.size());
    std::vector<double> signal(scale.size()), noise(scale.size()), shift(channels.outputs());
    const auto seen = seen_.find(node.input(0));
    const std::vector<double> means = seen != seen_.end() ? seen->second.means() : std::vector<double>{};
    const double part = part_met(node);
    for (std::size_t i = 0; i < w.values.size(); ++i) {
      const std::size_t c = channels.scale_of(i);
      q[i] = static_cast<std::int8_t>(std::clamp(std::round(w.values[i] / scale[c]), -127.0f, 127.0f));
      const double error = static_cast<double>(q[i]) * scale[c] - w.values[i];
      signal[c] += double{w.values[i]} * w.values[i];
      noise[c] += error * error;
      const std::size_t reads = channels.input_of(i);
      if (means.size() > reads && means.size() > 1)
        shift[channels.output_of(i)] += part * error * means[reads];
    }
    const std::string name = node.input(1);
    const std::string dequantized =
        in_.own(channels.axis() == 0 ? name : in_.own(name, "transposed"), "dequantized");
    if (written_.insert(dequantized).second) {
      add_constant(dequantized, dequantized, w.shape, q, scale, std::vector<std::int8_t>(scale.size()),
                   static_cast<std::int64_t>(channels.axis()));
    }
    copy.set_input(1, dequantized);
    if (!options_.correct_bias || node.op_type() == "MatMul") std::ranges::fill(shift, 0.0);
    if (node.op_type() != "MatMul") scale_bias(node, copy, scale, shift);
    result_.weights.push_back(report_of(node, signal, noise, shift));
  }

  /// Raises the scales of channels whose weights are so small, or zero, that the bias would pass int32 in
  /// steps of the products, or that such a step is no float.
  void limit_to_bias(const onnx::NodeProto& node, std::vector<float>& scale) const {
    constexpr double kMostSteps = 1 << 30, kLeastStep = 0x1p-100;
    const bool has_bias = node.op_type() != "MatMul" && node.input_size() > 2 && !node.input(2).empty();
    const Weights bias = has_bias ? in_.weights(node.input(2)) : Weights{};
    const double input = scales_.at(node.input(0)).scale;
    for (std::size_t c = 0; c < scale.size(); ++c) {
      double most = 0;
      for (std::size_t b = bias.values.size() == 1 ? 0 : c; b < bias.values.size(); b += scale.size())
        most = std::max(most, std::abs(double{bias.values[b]}));
      scale[c] = std::max(scale[c], static_cast<float>(most / (input * kMostSteps)));
      if (scale[c] * input < kLeastStep) scale[c] = 1;
    }
  }

  /// The bias in the scale of the products, less what rounding the weights adds on average.
  void scale_bias(const onnx::NodeProto& node, onnx::NodeProto& copy, const std::vector<float>& scale,
                  const std::vector<double>& shift) {
    const bool has_bias = node.input_size() > 2 && !node.input(2).empty();
    if (!has_bias && std::ranges::all_of(shift, [](double s) { return s == 0; })) return;
    std::vector<float> bias(shift.size());
    if (has_bias) {
      const Weights b = in_.weights(node.input(2));
      for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = b.values.at(b.values.size() == 1 ? 0 : c);
    }
    const double input = scales_.at(node.input(0)).scale;
    std::vector<std::int32_t> q(bias.size());
    std::vector<float> steps(bias.size());
    for (std::size_t c = 0; c < bias.size(); ++c) {
      steps[c] = static_cast<float>(input * scale[c % scale.size()]);
      constexpr double kMost = 2147483647;
      q[c] =
          static_cast<std::int32_t>(std::clamp(std::round((bias[c] - shift[c]) / steps[c]), -kMost, kMost));
    }
    const std::string name = in_.own(node.output(0), "bias");
    const std::string dequantized = in_.own(name, "dequantized");
    add_constant(name, dequantized, {static_cast<std::int64_t>(bias.size())}, q, steps,
                 std::vector<std::int32_t>(bias.size()), 0);
    if (copy.input_size() > 2)
      copy.set_input(2, dequantized);
    else
      copy.add_input(dequantized);
  }

  /// Constants that are values as the activations beside them: one scale for all of their elements. Those of
  /// an affine function that joins the layer before it stay as they are.
  void scale_constant_operands(const onnx::NodeProto& node, onnx::NodeProto& copy) {
    const std::vector<std::string> read = operands(node);
    const bool joined = std::ranges::any_of(read, [&](const std::string& t) {
      const int before = in_.producer(t);
      return before >= 0 && joins_its_reader(in_, in_.graph().node(before));
    });
    if (joined) return;
    for (int i = 0; i < static_cast<int>(read.size()); ++i) {
      if (!in_.is_constant(node.input(i))) continue;
      const Weights w = in_.weights(node.input(i));
      Statistics s;
      s.add_range(w.values, 1, std::max<std::size_t>(w.values.size(), 1));
      const Scale scale = s.scale({});
      const std::string name = in_.own(node.input(i), "tensor");
      if (written_.insert(name).second) {
        std::vector<std::int8_t> q;
        for (const float v : w.values)
          q.push_back(static_cast<std::int8_t>(
              std::clamp(std::round(v / scale.scale) + scale.zero_point, -128.0, 127.0)));
        add_constant<std::int8_t>(name, in_.own(name, "dequantized"), w.shape, q,
                                  {static_cast<float>(scale.scale)},
                                  {static_cast<std::int8_t>(scale.zero_point)});
      }
      copy.set_input(i, in_.own(name, "dequantized"));
    }
  }

  const Network& in_;
  Network out_;
  const std::map<std::string, Scale>& scales_;
  const std::map<std::string, Statistics>& seen_;
  const Options& options_;
  Result& result_;
  std::set<std::string> written_;
};

}  // namespace

Network with_scales(const Network& network, const std::map<std::string, Scale>& scales,
                    const std::map<std::string, Statistics>& seen, const Options& options, Result& result) {
  return Writer(network, scales, seen, options, result).write();
}

}  // namespace vdla::quantize
