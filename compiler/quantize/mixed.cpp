// SPDX-License-Identifier: Apache-2.0
// A layer's noise is the difference between its quantised output and the output of its float form on the same
// inputs before these were rounded. The rounding of a tensor stays until all layers around it are in float:
// it is noise of the layers that read it and, by what it does to them, of the layer that makes it. One run
// shows all noise, where a network for each quantised layer would need a compile and a run for each.
#include "compiler/quantize/mixed.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "compiler/quantize/layers.h"
#include "compiler/quantize/noise.h"
#include "compiler/quantize/operators.h"
#include "compiler/quantize/points.h"
#include "compiler/quantize/qdq.h"
#include "support/error.h"

namespace vdla::quantize {
namespace {

using Columns = std::vector<std::vector<float>>;

/// A quantised form of the network, and what was measured of it.
struct Form {
  Network network;
  Result seen;  ///< without its model
  double snr_db = 0;
  std::size_t agreeing = 0;
};

std::ptrdiff_t largest(const std::vector<float>& values) {
  return std::ranges::max_element(values) - values.begin();
}

double lowest(const std::vector<Noise>& outputs) {
  double least = std::numeric_limits<double>::infinity();
  for (const Noise& n : outputs) least = std::min(least, n.snr_db());
  return least;
}

class Mixer {
 public:
  Mixer(const Network& network, const std::map<std::string, Statistics>& seen,
        std::span<const Sample> samples, const Prepare& prepare, const Options& options)
      : network_(network), seen_(seen), samples_(samples), prepare_(prepare), options_(options) {
    const std::vector<std::string> points = points_of(network);
    scaled_.insert(points.begin(), points.end());
  }

  Form form(const std::vector<Layer>& in_float) const {
    Network mixed = network_;
    for (const Layer& layer : in_float) mixed.keep_in_float(layer.made);
    const std::vector<std::string> points = points_of(mixed);
    const auto scales = scales_of(mixed, points, seen_, options_);
    Result result;
    Network written = with_scales(mixed, scales, seen_, options_, result);
    for (const std::string& p : points) {
      const Statistics& s = seen_.at(p);
      const Scale& scale = scales.at(p);
      result.activations.push_back(
          {p, s.low(), s.high(), scale.scale, scale.zero_point, s.cut_off(scale), s.snr_db(scale)});
    }
    return {std::move(written), std::move(result)};
  }

  /// Measures the outputs of a form. The float network's are kept from the first call on.
  void measure(Form& form) {
    if (wanted_.empty()) {
      tell("the float network");
      const Run run = prepare_(network_.bytes());
      for (const Sample& sample : samples_) wanted_.push_back(run(sample));
    }
    const Run run = prepare_(form.network.bytes());
    std::vector<Noise> outputs(wanted_[0].size());
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      const Columns have = run(samples_[s]);
      for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].add(wanted_[s].at(i), have.at(i));
      form.agreeing += largest(wanted_[s].at(0)) == largest(have.at(0)) ? 1 : 0;
    }
    form.snr_db = lowest(outputs);
  }

  /// Layers of the form whose layers are all quantised, in the order of `layers`.
  std::vector<LayerReport> measure_layers(const std::vector<Layer>& layers, const Form& form) const {
    tell(fmt::format("noise of {} layers", layers.size()));
    std::vector<std::string> wanted, exact, rounded;
    Network both = form.network;
    for (const Layer& layer : layers) {
      wanted.push_back(layer.tensor());
      exact.push_back(
          add_float_form(layer, "alone", both, [&](const auto& t) { return unrounded(t, both); }));
      rounded.push_back(add_float_form(layer, "rounded", both, [&](const auto& t) {
        return network_.producer(t) < 0 && scaled_.contains(t) ? network_.own(t, "dequantized") : t;
      }));
    }
    std::vector<std::string> shown = wanted;
    shown.insert(shown.end(), exact.begin(), exact.end());
    shown.insert(shown.end(), rounded.begin(), rounded.end());
    const Run in_float = prepare_(network_.showing(wanted));
    const Run in_int8 = prepare_(both.showing(shown));
    const std::size_t count = layers.size();
    std::vector<Noise> all(count), alone(count), read(count);
    for (const Sample& sample : samples_) {
      const Columns want = in_float(sample), have = in_int8(sample);
      for (std::size_t i = 0; i < count; ++i) {
        all[i].add(want.at(i), have.at(i));
        alone[i].add(have.at(count + i), have.at(i));
        read[i].add(have.at(count + i), have.at(2 * count + i));
      }
    }
    std::map<std::string, double> of_readers;  // least of the layers that read a tensor
    for (std::size_t i = 0; i < count; ++i)
      for (const std::string& tensor : layers[i].reads) {
        const auto [at, added] = of_readers.emplace(source(tensor), read[i].snr_db());
        if (!added) at->second = std::min(at->second, read[i].snr_db());
      }
    std::vector<LayerReport> reports;
    for (std::size_t i = 0; i < count; ++i) {
      const auto readers = of_readers.find(layers[i].tensor());
      const double own = alone[i].snr_db();
      reports.push_back({layers[i].node, layers[i].op, layers[i].tensor(), all[i].snr_db(),
                         readers == of_readers.end() ? own : std::min(own, readers->second)});
    }
    return reports;
  }

  void tell(const std::string& text) const {
    if (options_.progress) options_.progress(text);
  }

 private:
  /// Adds the nodes of a layer in float, whose outputs end in `word`. Returns the name of the last one.
  template <class Input>
  std::string add_float_form(const Layer& layer, const std::string& word, Network& to,
                             const Input& input_of) const {
    const std::set<std::string> own(layer.made.begin(), layer.made.end());
    for (const int n : layer.nodes)
      add_float_node(network_.graph().node(n), word, to, [&](const std::string& tensor) {
        return own.contains(tensor) ? network_.own(tensor, word) : input_of(tensor);
      });
    return network_.own(layer.tensor(), word);
  }

  template <class Input>
  void add_float_node(onnx::NodeProto node, const std::string& word, Network& to,
                      const Input& input_of) const {
    for (std::string& input : *node.mutable_input()) input = input_of(input);
    for (std::string& output : *node.mutable_output())
      if (!output.empty()) output = network_.own(output, word);
    node.set_name(node.output(0));
    to.take_node(std::move(node), network_);
  }

  /// The tensor whose elements a tensor has.
  const std::string& source(const std::string& tensor) const {
    const int from = network_.producer(tensor);
    if (from < 0) return tensor;
    const onnx::NodeProto& node = network_.graph().node(from);
    return is_moving(node) && is_known(network_, node) ? source(node.input(0)) : tensor;
  }

  /// Name of a tensor of the float network as the quantised one has it before rounding, behind moving
  /// operators that are added where they are missing.
  std::string unrounded(const std::string& tensor, Network& to) const {
    const int from = network_.producer(tensor);
    if (from < 0 || !scaled_.contains(tensor)) return tensor;
    const onnx::NodeProto& node = network_.graph().node(from);
    if (!is_moving(node) || !is_known(network_, node)) return network_.own(tensor, "float");
    const std::string moved = network_.own(tensor, "alone");
    if (to.producer(moved) < 0)
      add_float_node(node, "alone", to, [&](const std::string& read) { return unrounded(read, to); });
    return moved;
  }

  const Network& network_;
  const std::map<std::string, Statistics>& seen_;
  std::span<const Sample> samples_;
  const Prepare& prepare_;
  const Options& options_;
  std::set<std::string> scaled_;  ///< points of the network whose layers are all quantised
  std::vector<Columns> wanted_;
};

/// Leaves layers in float until the network has the signal to noise of a budget.
class Choice {
 public:
  Choice(Mixer& mixer, const std::vector<Layer>& costliest_first, double budget_db, const std::string& where)
      : mixer_(mixer), layers_(costliest_first), budget_db_(budget_db), where_(where) {}

  /// None of the layers that stay in float can be left out. `all` has no such layer, and too much noise.
  std::vector<Layer> layers(const Form& all) {
    const std::size_t most = layers_.size() - 1;  // a network in float is not quantised
    std::size_t bad = 0, good = std::min<std::size_t>(1, most);
    double db = all.snr_db;
    while (good > bad && !keeps_budget(first(good), &db)) {
      bad = good;
      good = std::min(2 * good, most);
    }
    VDLA_CHECK_USER(good > bad)
        << where_
        << fmt::format(
               "has {:.1f} dB with {} of its {} layers in float, the budget is {:.1f} dB; "
               "lower it (--budget-db), or give samples that are more like the inputs",
               db, bad, layers_.size(), budget_db_);
    while (good - bad > 1) {
      const std::size_t middle = bad + (good - bad) / 2;
      (keeps_budget(first(middle)) ? good : bad) = middle;
    }
    std::vector<Layer> chosen = first(good);
    for (std::size_t i = chosen.size() - 1; i-- > 0;) {  // the last one is needed
      std::vector<Layer> fewer = chosen;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (keeps_budget(fewer)) chosen = std::move(fewer);
    }
    return chosen;
  }

 private:
  std::vector<Layer> first(std::size_t count) const {
    return {layers_.begin(), layers_.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  bool keeps_budget(const std::vector<Layer>& in_float, double* db = nullptr) {
    Form form = mixer_.form(in_float);
    mixer_.measure(form);
    mixer_.tell(
        fmt::format("{} of {} layers in float: {:.1f} dB", in_float.size(), layers_.size(), form.snr_db));
    if (db) *db = form.snr_db;
    return form.snr_db >= budget_db_;
  }

  Mixer& mixer_;
  const std::vector<Layer>& layers_;
  double budget_db_;
  const std::string& where_;
};

/// Puts layers and their reports in the order of what they add, the most first.
void sort_by_cost(std::vector<Layer>& layers, std::vector<LayerReport>& reports) {
  std::vector<std::size_t> order(layers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return reports[i].alone_db; });
  std::vector<Layer> sorted;
  std::vector<LayerReport> sorted_reports;
  for (const std::size_t i : order) {
    sorted.push_back(std::move(layers[i]));
    sorted_reports.push_back(std::move(reports[i]));
  }
  layers = std::move(sorted);
  reports = std::move(sorted_reports);
}

}  // namespace

void write_mixed(const Network& network, const std::map<std::string, Statistics>& seen,
                 std::span<const Sample> samples, const Prepare& prepare, const Options& options,
                 Result& result) {
  Mixer mixer(network, seen, samples, prepare, options);
  Form form = mixer.form({});
  if (options.measure || options.keep_float > 0 || options.budget_db) {
    std::vector<Layer> layers = layers_of(network);
    VDLA_CHECK_USER(options.keep_float == 0 || options.keep_float < layers.size())
        << network.where() << "has " << layers.size() << " layers with an integer form, and "
        << options.keep_float << " are to stay in float; needs one that is quantised";
    NetworkReport report;
    if (!layers.empty()) report.layers = mixer.measure_layers(layers, form);
    sort_by_cost(layers, report.layers);
    mixer.measure(form);
    report.int8_db = form.snr_db;
    std::vector<Layer> in_float(layers.begin(),
                                layers.begin() + static_cast<std::ptrdiff_t>(options.keep_float));
    if (options.budget_db && !layers.empty() && form.snr_db < *options.budget_db)
      in_float = Choice(mixer, layers, *options.budget_db, network.where()).layers(form);
    if (!in_float.empty()) {
      form = mixer.form(in_float);
      mixer.measure(form);
    }
    for (LayerReport& layer : report.layers)
      layer.in_float = std::ranges::find(in_float, layer.tensor, &Layer::tensor) != in_float.end();
    report.snr_db = form.snr_db;
    report.agreeing = form.agreeing;
    result.network = std::move(report);
  }
  result.model = form.network.bytes();
  result.weights = std::move(form.seen.weights);
  result.activations = std::move(form.seen.activations);
  result.left_in_float = std::move(form.seen.left_in_float);
}

}  // namespace vdla::quantize
