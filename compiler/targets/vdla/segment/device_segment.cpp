// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/segment/device_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string_view>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/codegen/vdla/text/text.h"
#include "compiler/graph/memory_plan.h"
#include "compiler/graph/sources.h"
#include "compiler/intrinsics/table.h"
#include "compiler/knobs/choice.h"
#include "compiler/loop/print.h"
#include "compiler/observe/lower_watched.h"
#include "compiler/observe/pass_list.h"
#include "compiler/targets/vdla/segment/layer_cache.h"
#include "compiler/targets/vdla/segment/on_chip_plan.h"
#include "compiler/targets/vdla/segment/slices.h"
#include "compiler/targets/vdla/table.h"
#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/lower.h"
#include "compiler/targets/vdla/templates/spaces.h"
#include "isa/asm/asm.h"
#include "isa/verify/verify.h"
#include "support/error.h"
#include "support/inert.h"

namespace vdla::pipeline {

namespace {

using codegen::DramPlace;
using graph::NodeId;
using graph::TensorId;

constexpr std::int64_t kAlignment = 64;  // bytes: bursts and entries begin on their own

/// DRAM places of the tensors that one step touches and that do not stay on chip.
class DramPlaces {
 public:
  DramPlaces(const graph::Graph& graph, const Placement& nodes, const std::vector<NodeId>& group,
             const std::vector<bool>& leaving, const Roots& roots, const Slices& slices,
             const OnChipPlan& on_chip)
      : graph_(graph), roots_(roots), slices_(slices), on_chip_(on_chip) {
    find_windows(nodes, group, leaving);
    place_all();
  }

  DramPlace of(TensorId id) const {
    DramPlace place = places_.at(roots_(id));
    place.offset += static_cast<std::uint64_t>(slices_.offset_of(id));
    return place;
  }
  std::uint64_t window_bytes(isa::Window window) const { return sizes_.at(static_cast<std::size_t>(window)); }
  std::uint64_t unshared_act_bytes() const { return unshared_; }
  const std::vector<TensorId>& arriving() const { return arriving_; }
  const std::vector<TensorId>& leaving() const { return leaving_; }
  DeviceTensor tensor(TensorId id) const {
    const DramPlace place = of(id);
    const device::Image image = device::image_of(graph_.tensor(id));
    return {id, place.window, place.offset, image, slices_.pitch_of(id)};
  }

 private:
  struct Use {
    isa::Window window = isa::Window::Act;
    std::int64_t bytes = 0;
    int first = 0, last = 0;
  };

  static std::uint64_t aligned(std::int64_t bytes) {
    return static_cast<std::uint64_t>((bytes + kAlignment - 1) / kAlignment * kAlignment);
  }

  Use& use(TensorId id, int step) {
    const auto [entry, is_new] = uses_.try_emplace(roots_(id));
    Use& u = entry->second;
    if (is_new) u.first = step;
    u.last = step;
    const device::Image image = device::image_of(graph_.tensor(slices_.root_of(id)));
    u.bytes = std::max(u.bytes, image.h * image.w * slices_.pitch_of(id));
    return u;
  }

  void find_windows(const Placement& nodes, const std::vector<NodeId>& group,
                    const std::vector<bool>& leaving) {
    std::map<TensorId, bool> made;
    for (NodeId n : group) made[graph_.node(n).output] = true;
    for (int step = 0; step < static_cast<int>(group.size()); ++step) {
      const NodeId n = group[static_cast<std::size_t>(step)];
      for (TensorId id : nodes[static_cast<std::size_t>(n)].inputs) {
        Use& u = use(id, step);
        if (made.contains(id) || u.window == isa::Window::Input) continue;
        u.window = isa::Window::Input;
        arriving_.push_back(id);
      }
      const TensorId output = graph_.node(n).output;
      Use& u = use(output, step);
      if (!leaving[static_cast<std::size_t>(output)]) continue;
      leaving_.push_back(output);
      // A reshape of an input would leave from where it arrived: that is allowed, windows are only memory.
      if (u.window == isa::Window::Act) u.window = isa::Window::Output;
    }
  }

  void place_all() {
    std::vector<TensorId> planned;
    std::vector<graph::Lifetime> lifetimes;
    for (const auto& [id, u] : uses_) {
      if (on_chip_.find(id)) continue;
      if (u.window == isa::Window::Act) {
        planned.push_back(id);
        lifetimes.push_back({u.bytes, u.first, u.last});
        unshared_ += aligned(u.bytes);
        continue;
      }
      std::uint64_t& size = sizes_[static_cast<std::size_t>(u.window)];
      places_[id] = {u.window, size};
      size += aligned(u.bytes);
    }
    const graph::MemoryPlan plan = graph::plan_memory(lifetimes, kAlignment);
    for (std::size_t i = 0; i < planned.size(); ++i)
      places_[planned[i]] = {isa::Window::Act, static_cast<std::uint64_t>(plan.offsets[i])};
    sizes_[static_cast<std::size_t>(isa::Window::Act)] = static_cast<std::uint64_t>(plan.bytes);
  }

  const graph::Graph& graph_;
  const Roots& roots_;
  const Slices& slices_;
  const OnChipPlan& on_chip_;
  std::map<TensorId, Use> uses_;
  std::map<TensorId, DramPlace> places_;
  std::array<std::uint64_t, isa::kWindowCount> sizes_{};
  std::uint64_t unshared_ = 0;
  std::vector<TensorId> arriving_, leaving_;
};

/// Emits the layers of one step.
class Layers {
 public:
  Layers(const graph::Graph& graph, const DramPlaces& places, const Roots& roots, const Slices& slices,
         const OnChipPlan& on_chip, const CompileOptions& options, const std::string& rows,
         codegen::SegmentBuilder& segment)
      : graph_(graph),
        places_(places),
        roots_(roots),
        slices_(slices),
        on_chip_(on_chip),
        variant_(options.variant),
        book_(book_of(options)),
        plan_(options.book ? choices_of(*options.book) + rows : ""),
        rows_(rows),
        observer_(options.observer),
        schedules_(options.schedules),
        vthreads_(options.vthreads),
        table_(target::device_table(intrinsics::device_intrinsics(options.variant.geometry))),
        cache_(options.layers.get()),
        tasks_(slices.tasks()),
        segment_(segment) {
    tasks_.insert(tasks_.end(), on_chip.tasks().begin(), on_chip.tasks().end());
    for (const auto& [root, r] : on_chip_.residents()) last_read_[r.last].push_back(r.base);
  }

  /// Origin of each node's knobs, in order.
  const std::vector<std::string>& knob_notes() const { return knobs_; }
  /// Notes on the cost of a zero point of the weights, one for each layer.
  const std::vector<std::string>& weight_notes() const { return weights_; }
  /// Tasks, those of the plan first.
  const std::vector<KnobTask>& tasks() const { return tasks_; }

  void add(int step, NodeId n, const PlacedNode& node) {
    knobs_.emplace_back();
    weights_.emplace_back();
    const WrittenSchedule* written = find_schedule(schedules_, graph_.node(n).name);
    if (written && !node.op) written->refuse(kNoFunction);
    if (node.op) blamed(written, [&] { add_layer(step, n, node, written); });
    if (const auto ends = last_read_.find(step); ends != last_read_.end())
      for (const std::int64_t base : ends->second) segment_.release(isa::Buffer::Inp, base);
  }

 private:
  void add_layer(int step, NodeId n, const PlacedNode& node, const WrittenSchedule* written) {
    const TensorId output = graph_.node(n).output;
    const Watch watch(observer_, graph_.node(n).name, written);
    const isa::SourceLayer layer{graph_.node(n).name, std::string(device::kind_of(*node.op)), ""};
    const device::Residence residence{border_of(node.inputs[0]),
                                      node.inputs.size() > 1 ? border_of(node.inputs[1]) : std::nullopt,
                                      border_of(output), slices_.in_place(n, node)};
    const Chosen chosen = knobs(step, *node.op, residence);
    knobs_.back() += slices_.note(n);
    const auto make = [&] {
      device::DeviceKernel kernel = device::lower(*node.op, variant_.geometry, variant_.timing, residence,
                                                  on_chip_.room(step), chosen.knobs, watch);
      LoweredLayer made{std::move(kernel.constants), {}};
      if (kernel.function) {
        made.function = slices_.placed(std::move(*kernel.function), node, output);
        made.function->func = lowered(made.function->func, watch);
      }
      return made;
    };
    std::optional<LoweredLayer> own;
    const bool caches = cache_ && book_ && !watch.watches();
    const LoweredLayer& made = caches ? cache_->get(n, plan_ + chosen.text, make) : own.emplace(make());
    const Resident* result = resident(output);
    if (result) segment_.keep(isa::Buffer::Inp, result->base, result->entries, graph_.tensor(output).name);
    const DramPlace constants = segment_.add_constants(made.constants);
    if (written && !made.function) written->refuse(kNoFunction);
    if (!made.function) return;
    weights_.back() = made.function->weights;
    const std::string how = (written ? written->by() : made.function->schedule) +
                            (weights_.back().empty() ? "" : "; " + weights_.back());
    if (written) knobs_.back() += (knobs_.back().empty() ? "" : "; ") + written->by();
    segment_.add({layer.name, layer.op, how}, made.function->func,
                 places_of(*made.function, node, output, constants));
    // After the layer, so that its own loads do not wait for what had these entries before.
    std::vector<std::string> functions{made.function->func.name};
    if (result) add_border({layer.name, layer.op, how}, *result, watch.beside(), functions);
    if (written) written->require_functions(functions);
  }

  struct Chosen {
    device::Knobs knobs;
    std::string text;  ///< empty: the default ones
  };

  /// Knobs of the book, or the default ones; notes where they come from.
  Chosen knobs(int step, const device::Op& op, const device::Residence& residence) {
    const Chosen standard{device::DefaultKnobs{vthreads_}, ""};
    if (!book_) return standard;
    std::string& note = knobs_.back();
    const device::OnChip on_chip{residence.input.has_value(), residence.second_input.has_value(),
                                 residence.output.has_value()};
    const std::int64_t room = on_chip_.room(step);
    const auto layer = device::layer_space(op, variant_.geometry, variant_.timing, on_chip, room);
    if (!layer) {
      note = "no knobs";
      return standard;
    }
    tasks_.push_back({device::name_of(op), device::task_of(op), rows_ + device::context_of(on_chip, room),
                      layer->space, false});
    const BookKnobs taken = knobs_of(*book_, tasks_.back());
    note = taken.note;
    if (!taken.point) return standard;
    return {layer->knobs(*taken.point), layer->space.text(*taken.point)};
  }

  /// Adds its function's name to `functions` where there is a border.
  void add_border(const isa::SourceLayer& layer, const Resident& r, const Watch& watch,
                  std::vector<std::string>& functions) {
    const auto fill = device::fill_border(r.image, r.border, r.pad, variant_.geometry, watch);
    if (!fill) return;
    std::vector<codegen::Location> sides;
    for (const std::int64_t offset : fill->offsets) sides.emplace_back(entry(r, offset));
    segment_.add(layer, lowered(fill->func, watch), sides);
    functions.push_back(fill->func.name);
  }

  /// Lowers a function whose parameters are views already to what code generation takes.
  loop::Func lowered(const loop::Func& func, const Watch& watch) const {
    watch(Pass::PlaceViews, func.name, [&] { return loop::to_string(func); });
    return lower_by(table_, func, watch);
  }

  const Resident* resident(TensorId id) const { return on_chip_.find(roots_(id)); }
  std::optional<device::Border> border_of(TensorId id) const {
    const Resident* r = resident(id);
    return r ? std::optional(r->border) : std::nullopt;
  }
  codegen::SramEntry entry(const Resident& r, std::int64_t offset) const {
    return {r.base + device::inp_entry(offset, variant_.geometry)};
  }

  codegen::Location place_of(TensorId id, std::int64_t offset) const {
    if (const Resident* r = resident(id)) return entry(*r, offset);
    return moved(places_.of(id), offset);
  }

  static DramPlace moved(DramPlace place, std::int64_t offset) {
    return {place.window, place.offset + static_cast<std::uint64_t>(offset)};
  }

  /// Location of each parameter of a layer's function.
  std::vector<codegen::Location> places_of(const device::DeviceFunction& function, const PlacedNode& node,
                                           TensorId output, DramPlace constants) const {
    std::vector<codegen::Location> result;
    for (const device::DeviceParam& param : function.params) {
      switch (param.role) {
        case device::Role::Input:
          result.push_back(place_of(node.inputs.at(param.input), param.offset));
          break;
        case device::Role::SecondInput:
        case device::Role::Weights:
          result.push_back(place_of(node.inputs.at(1), param.offset));
          break;
        case device::Role::Scales:
          result.push_back(place_of(node.inputs.at(2), param.offset));
          break;
        case device::Role::Constants:
          result.emplace_back(moved(constants, param.offset));
          break;
        case device::Role::Output:
          result.push_back(place_of(output, param.offset));
          break;
      }
    }
    return result;
  }

  const graph::Graph& graph_;
  const DramPlaces& places_;
  const Roots& roots_;
  const Slices& slices_;
  const OnChipPlan& on_chip_;
  const isa::Variant& variant_;
  const KnobBook* book_;  ///< or null
  /// Choices of the book for the graph's plan: with another plan a node is another layer.
  const std::string plan_;
  const std::string rows_;  ///< text in front of contexts, where layers use one row of several
  const Observer& observer_;
  const WrittenSchedules& schedules_;
  const std::int64_t vthreads_;
  const passes::Target table_;
  LayerCache* cache_;  ///< or null
  std::vector<KnobTask> tasks_;
  std::vector<std::string> knobs_, weights_;
  codegen::SegmentBuilder& segment_;
  std::map<int, std::vector<std::int64_t>> last_read_;  ///< bases of residents that no later step reads
};

/// Throws unless the program is right for these inputs and makes these outputs. `by_template`: its layers
/// have no schedules but those of templates, so that a program that is not right is a fault of the kit.
void prove(DeviceStep& step, const std::string& name, bool by_template) {
  const auto bytes_of = [&](const std::vector<DeviceTensor>& tensors) {
    std::vector<isa::WindowBytes> list;
    for (const DeviceTensor& t : tensors)
      list.push_back(
          {t.window, t.offset, t.offset + static_cast<std::uint64_t>(t.image.h * t.image.w * t.pixel_bytes)});
    return list;
  };
  isa::VerifyOptions options;
  options.defined = bytes_of(step.inputs);
  options.results = bytes_of(step.outputs);
  const auto begin = std::chrono::steady_clock::now();
  const isa::Report report = isa::verify(step.program, options);
  step.verify_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  VDLA_CHECK(report.clean() || !by_template) << "the program for '" << name << "' cannot be proven right:\n"
                                             << report.text();
  VDLA_CHECK_USER(report.clean()) << "the program cannot be proven right:\n" << report.text();
}

/// Text of what arrives and of each result of the step, in order: "conv1: act + 64", in bytes of the window.
std::string places_text(const graph::Graph& graph, const DramPlaces& places, const Roots& roots,
                        const OnChipPlan& on_chip, const std::vector<NodeId>& group) {
  std::string text;
  const auto add = [&](TensorId id) {
    const Resident* resident = on_chip.find(roots(id));
    text += graph.tensor(id).name + ": ";
    if (resident) {
      text +=
          fmt::format("entries {} to {} of inp\n", resident->base, resident->base + resident->entries - 1);
    } else {
      const DeviceTensor t = places.tensor(id);
      text += fmt::format("{} + {}\n", isa::kWindows[static_cast<std::size_t>(t.window)].text, t.offset);
    }
  };
  for (TensorId id : places.arriving()) add(id);
  for (NodeId n : group) add(graph.node(n).output);
  return text;
}

/// Each instruction with the layer and the loops that it comes from.
std::string listing(const isa::Program& program) {
  std::string text;
  for (std::size_t i = 0; i < program.insns.size(); ++i)
    text += fmt::format("{}  ; {}\n", isa::to_text(program.insns[i]),
                        comment_text(program.source_map.describe(i)));
  return text;
}

/// The schedules that a person wrote for layers of the group, in order.
std::vector<const WrittenSchedule*> written_for(const graph::Graph& graph, const std::vector<NodeId>& group,
                                                const WrittenSchedules& schedules) {
  std::vector<const WrittenSchedule*> written;
  for (const NodeId n : group)
    if (const WrittenSchedule* found = find_schedule(schedules, graph.node(n).name)) written.push_back(found);
  return written;
}

/// Returns the result of `use`; a UserError is the fault of the schedule of the layer that it names, or else
/// of the first.
template <class Use>
auto blamed(const std::vector<const WrittenSchedule*>& written, const Use& use) {
  try {
    return use();
  } catch (const UserError& error) {
    if (written.empty()) throw;
    const auto named = std::ranges::find_if(written, [&](const WrittenSchedule* w) {
      return std::string_view(error.what()).find("layer '" + w->layer() + "'") != std::string_view::npos;
    });
    (named == written.end() ? written.front() : *named)->refuse(error.what());
  }
}

codegen::Latency latency_of(const CompileOptions& options) {
  if (!options.latency_hiding) return codegen::Latency::Exposed;
  return options.rotate_tiles ? codegen::Latency::Hidden : codegen::Latency::HiddenByThreads;
}

/// Tensors that nodes of the group make for each other. A reshape has none: its bytes are those of its input.
class InnerTensors {
 public:
  InnerTensors(const graph::Graph& graph, const Placement& nodes, const std::vector<NodeId>& group,
               const isa::Program& program, unsigned rows)
      : graph_(graph), nodes_(nodes), geometry_(program.geometry), rows_(rows) {
    for (const NodeId n : group) makers_.emplace(graph.node(n).output, n);
    const auto& layers = program.source_map.layers;
    for (std::uint32_t i = 0; i < layers.size(); ++i) numbers_.emplace(layers[i].name, i);
  }

  std::vector<InnerTensor> list(const std::vector<NodeId>& group, const std::vector<bool>& leaving,
                                const DramPlaces& places, const Roots& roots, const Slices& slices,
                                const OnChipPlan& on_chip) const {
    std::vector<InnerTensor> inner;
    for (const NodeId n : group) {
      const TensorId id = graph_.node(n).output;
      if (!placed(n).op || leaving[static_cast<std::size_t>(id)]) continue;
      InnerTensor made{.tensor = id, .image = device::image_of(graph_.tensor(id)), .layers = {}};
      add_layers(n, slices, made.layers);
      if (made.layers.empty()) continue;
      if (const Resident* r = on_chip.find(roots(id))) {
        // A slice of it, or seen in another shape.
        if (made.image != r->image || !is_by_pixel(*r)) continue;
        lie_in(*r, made);
      } else {
        const DramPlace place = places.of(id);
        made.window = place.window;
        made.offset = place.offset;
        made.pixel_bytes = slices.pitch_of(id);
        made.row_bytes = made.image.w * made.pixel_bytes;
        made.block = made.block_bytes = made.pixel_bytes;
      }
      inner.push_back(std::move(made));
    }
    return inner;
  }

 private:
  const PlacedNode& placed(NodeId n) const { return nodes_[static_cast<std::size_t>(n)]; }
  std::int64_t channels(std::int64_t c) const { return device::padded_channels(c, geometry_); }

  /// Whether each entry has channels of one pixel. Where layers use several rows of the machine, an entry has
  /// those of as many pixels of an image's row.
  bool is_by_pixel(const Resident& r) const { return rows_ == 1 || bordered(r.image, r.border).w == 1; }

  void lie_in(const Resident& r, InnerTensor& made) const {
    made.block = geometry_.piece_bytes(isa::Buffer::Inp);
    made.block_bytes = geometry_.entry_bytes(isa::Buffer::Inp);
    made.pixel_bytes = channels(r.image.c) / made.block * made.block_bytes;
    made.row_bytes = (r.border.left + r.image.w + r.border.right) * made.pixel_bytes;
    made.offset = static_cast<std::uint64_t>(r.base * made.block_bytes + r.border.top * made.row_bytes +
                                             r.border.left * made.pixel_bytes);
  }

  /// Adds the node's layer, and those that make its input in place.
  void add_layers(NodeId n, const Slices& slices, std::vector<std::uint32_t>& layers) const {
    if (const auto own = numbers_.find(graph_.node(n).name); own != numbers_.end())
      layers.push_back(own->second);
    const std::vector<bool> in_place = slices.in_place(n, placed(n));
    for (std::size_t i = 0; i < in_place.size(); ++i)
      if (const auto maker = makers_.find(placed(n).inputs[i]); in_place[i] && maker != makers_.end())
        add_layers(maker->second, slices, layers);
  }

  const graph::Graph& graph_;
  const Placement& nodes_;
  const isa::Geometry& geometry_;  ///< geometry of the machine
  const unsigned rows_;            ///< rows of it that the layers use
  std::map<TensorId, NodeId> makers_;
  std::map<std::string_view, std::uint32_t> numbers_;
};

/// Layers have the names of nodes.
void name_layers(isa::SourceMap& map, const graph::Graph& graph, const std::vector<NodeId>& group) {
  std::map<std::string_view, NodeId> by_name;
  for (const NodeId n : group) by_name.emplace(graph.node(n).name, n);
  for (isa::SourceLayer& layer : map.layers)
    layer.sources = sources_of(graph.tensor(graph.node(by_name.at(layer.name)).output));
}

}  // namespace

DeviceStep device_segment(const graph::Graph& graph, const Placement& nodes, const std::vector<NodeId>& group,
                          const std::vector<bool>& leaving, const CompileOptions& options,
                          const isa::Geometry& machine) {
  const isa::Variant& variant = options.variant;
  const Slices slices(graph, nodes, group, leaving, variant.geometry, book_of(options));
  const Roots roots(graph, nodes, group, slices);
  const OnChipPlan on_chip = options.on_chip
                                 ? OnChipPlan(graph, nodes, group, leaving, roots, variant, book_of(options))
                                 : OnChipPlan(variant.geometry);
  const DramPlaces places(graph, nodes, group, leaving, roots, slices, on_chip);
  const Watch watch(options.observer);
  watch(Pass::PlaceTensors, [&] { return places_text(graph, places, roots, on_chip, group); });
  codegen::SegmentBuilder segment(machine, {}, latency_of(options), variant.geometry.batch);
  const std::string rows = variant.geometry.batch == machine.batch ? "" : "one row, ";
  Layers layers(graph, places, roots, slices, on_chip, options, rows, segment);
  for (std::size_t i = 0; i < group.size(); ++i)
    layers.add(static_cast<int>(i), group[i], nodes[static_cast<std::size_t>(group[i])]);
  watch(Pass::GatherFunctions, [&] { return codegen::print(segment.stream()); });
  codegen::StreamObserver show;
  if (options.observer)
    show = [&](const codegen::StreamPass& pass, const codegen::Stream& stream) {
      watch(pass_named(pass.name), [&] { return codegen::print(stream); });
    };
  const std::vector<const WrittenSchedule*> written = written_for(graph, group, options.schedules);
  DeviceStep step{blamed(written, [&] { return segment.finish(show); }),
                  {},
                  {},
                  {},
                  on_chip.notes(),
                  layers.knob_notes(),
                  layers.weight_notes(),
                  layers.tasks(),
                  0,
                  places.unshared_act_bytes()};
  for (isa::Window w : {isa::Window::Act, isa::Window::Input, isa::Window::Output})
    step.program.data_window_sizes[static_cast<std::size_t>(w)] = places.window_bytes(w);
  for (TensorId id : places.arriving()) step.inputs.push_back(places.tensor(id));
  for (TensorId id : places.leaving()) step.outputs.push_back(places.tensor(id));
  step.inner = InnerTensors(graph, nodes, group, step.program, variant.geometry.batch)
                   .list(group, leaving, places, roots, slices, on_chip);
  watch(Pass::Codegen, [&] { return listing(step.program); });
  name_layers(step.program.source_map, graph, group);
  blamed(written, [&] {
    isa::check(step.program);
    prove(step, graph.name, written.empty());
  });
  return step;
}

}  // namespace vdla::pipeline
