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

/// Input channels that the weights of a layer are multiplied with.
class ReadChannels {
 public:
  ReadChannels(const onnx::NodeProto& node, const Weights& w)
      : is_conv_(node.op_type() == "Conv"),
        axis_(channel_axis(node)),
        channels_(static_cast<std::size_t>(w.shape.at(axis_))),
        row_(w.row()),
        inputs_(static_cast<std::size_t>(w.shape.at(1))),
        in_group_(channels_ / static_cast<std::size_t>(attribute(node, "group", std::int64_t{1}))) {}

  /// Returns that of weight i, of output channel c.
  std::size_t of(std::size_t c, std::size_t i) const {
    if (!is_conv_) return axis_ == 0 ? i % row_ : i / channels_;
    return c / in_group_ * inputs_ + i / (row_ / inputs_) % inputs_;
  }

 private:
  bool is_conv_;
  std::size_t axis_, channels_, row_, inputs_, in_group_;
};

/// Writes the quantised network node by node.
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
        else if (node.op_type() == "Add" || node.op_type() == "Mul")
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
    const std::size_t axis = channel_axis(node);
    const auto channels = static_cast<std::size_t>(w.shape.at(axis));
    std::size_t inner = 1;
    for (std::size_t d = axis + 1; d < w.shape.size(); ++d) inner *= static_cast<std::size_t>(w.shape[d]);
    const auto channel = [&](std::size_t i) { return i / inner % channels; };

    std::vector<float> scale(channels);
    for (std::size_t i = 0; i < w.values.size(); ++i)
      scale[channel(i)] = std::max(scale[channel(i)], std::abs(w.values[i]) / 127);
    limit_to_bias(node, scale);
    std::vector<std::int8_t> q(w.values.size());
    std::vector<double> signal(channels), noise(channels), shift(channels);
    const auto seen = seen_.find(node.input(0));
    const std::vector<double> means = seen != seen_.end() ? seen->second.means() : std::vector<double>{};
    const ReadChannels channel_read(node, w);
    for (std::size_t i = 0; i < w.values.size(); ++i) {
      const std::size_t c = channel(i);
      q[i] = static_cast<std::int8_t>(std::clamp(std::round(w.values[i] / scale[c]), -127.0f, 127.0f));
      const double error = static_cast<double>(q[i]) * scale[c] - w.values[i];
      signal[c] += double{w.values[i]} * w.values[i];
      noise[c] += error * error;
      const std::size_t reads = channel_read.of(c, i);
      if (means.size() > reads && means.size() > 1) shift[c] += error * means[reads];
    }
    const std::string name = node.input(1);
    const std::string dequantized = in_.own(axis == 0 ? name : in_.own(name, "transposed"), "dequantized");
    if (written_.insert(dequantized).second) {
      add_constant(dequantized, dequantized, w.shape, q, scale, std::vector<std::int8_t>(channels),
                   static_cast<std::int64_t>(axis));
    }
    copy.set_input(1, dequantized);
    if (!options_.correct_bias || node.op_type() == "MatMul") std::ranges::fill(shift, 0.0);
    if (node.op_type() != "MatMul") scale_bias(node, copy, scale, shift);
    result_.weights.push_back(report_of(node, signal, noise, shift));
  }

  /// Raises the scales of channels whose weights are so small, or zero, that the bias would pass int32 in
  /// steps of the products.
  void limit_to_bias(const onnx::NodeProto& node, std::vector<float>& scale) const {
    constexpr double kMostSteps = 1 << 30;
    const bool has_bias = node.op_type() != "MatMul" && node.input_size() > 2 && !node.input(2).empty();
    const Weights bias = has_bias ? in_.weights(node.input(2)) : Weights{};
    const double input = scales_.at(node.input(0)).scale;
    for (std::size_t c = 0; c < scale.size(); ++c) {
      const double b = has_bias ? std::abs(bias.values.at(bias.values.size() == 1 ? 0 : c)) : 0;
      scale[c] = std::max(scale[c], static_cast<float>(b / (input * kMostSteps)));
      if (scale[c] <= 0) scale[c] = 1;
    }
  }

  /// The bias in the scale of the products, less what rounding the weights adds on average.
  void scale_bias(const onnx::NodeProto& node, onnx::NodeProto& copy, const std::vector<float>& scale,
                  const std::vector<double>& shift) {
    const bool has_bias = node.input_size() > 2 && !node.input(2).empty();
    if (!has_bias && std::ranges::all_of(shift, [](double s) { return s == 0; })) return;
    std::vector<float> bias(scale.size());
    if (has_bias) {
      const Weights b = in_.weights(node.input(2));
      for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = b.values.at(b.values.size() == 1 ? 0 : c);
    }
    const double input = scales_.at(node.input(0)).scale;
    std::vector<std::int32_t> q(bias.size());
    std::vector<float> steps(bias.size());
    for (std::size_t c = 0; c < bias.size(); ++c) {
      steps[c] = static_cast<float>(input * scale[c]);
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

  /// Constants that are added or multiplied: one scale for all of their values.
  void scale_constant_operands(const onnx::NodeProto& node, onnx::NodeProto& copy) {
    for (int i = 0; i < 2; ++i) {
      if (!in_.is_constant(node.input(i))) continue;
      const int other = in_.producer(node.input(1 - i));
      if (node.op_type() == "Add" && other >= 0 && in_.graph().node(other).op_type() == "MatMul" &&
          joins_its_reader(in_, in_.graph().node(other)))
        continue;  // a bias
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
