// SPDX-License-Identifier: Apache-2.0
// Splits a layer into parts with one template each: groups of a convolution, regions of an average pooling
// whose windows have the same count of valid elements. A part sees views of the layer's tensors.
#include "compiler/pipeline/device/lower.h"

#include <algorithm>

#include "compiler/pipeline/device/conv_depthwise.h"
#include "compiler/pipeline/device/parts.h"
#include "compiler/pipeline/device/templates.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::pipeline::device {
namespace {

/// Of all groups, one as a convolution of its own: what of its shape changes.
void narrow_to_group(Conv2d& conv) {
  conv.in.c /= conv.groups;
  conv.out.c /= conv.groups;
  conv.groups = 1;
}

class Lowering {
 public:
  /// `geometry` has the depth of inp that is left for tiles.
  Lowering(const isa::Geometry& geometry, const isa::Timing& timing, const Residence& residence,
           const Knobs& knobs, const Watch& watch)
      : g_(geometry),
        timing_(timing),
        residence_(residence),
        on_chip_{residence.input.has_value(), residence.second_input.has_value(),
                 residence.output.has_value()},
        knobs_(knobs),
        watch_(watch) {}

  DeviceKernel run(const Op& op) {
    std::visit(
        overloaded{
            [&](const Add& o) { lower_op(o); },
            [&](const Requantize& o) { lower_op(o); },
            [&](const Extremum& o) { lower_op(o); },
            [&](const MatMul& o) { lower_op(o); },
            [&](const Concat& o) { lower_op(o); },
            [&](const ConvDepthwise& o) { kernel_ = lower_pieces(o, g_, timing_, residence_, watch_); },
            [&](const auto& o) {
              lower_op(o);
              repeat(o.images, activation_bytes(o.in, g_), activation_bytes(o.out, g_));
            },
        },
        op);
    return std::move(kernel_);
  }

 private:
  ConvKnobs conv_knobs(const std::string& layer, const Space& space) const {
    if (std::holds_alternative<std::monostate>(knobs_)) return choose(layer, space, g_, timing_);
    const auto* given = std::get_if<ConvKnobs>(&knobs_);
    VDLA_CHECK_USER(given) << layer << ": is a convolution, got the knobs of a layer on the vector unit";
    return *given;
  }

  template <class Layer>
  TileKnobs tile_knobs(const Layer& op) const {
    if (std::holds_alternative<std::monostate>(knobs_)) {
      return choose(op.name, space_of(op, g_, on_chip_), cost_of(op, g_), g_, timing_);
    }
    const auto* given = std::get_if<TileKnobs>(&knobs_);
    VDLA_CHECK_USER(given) << op.name << ": is a layer on the vector unit, got the knobs of a convolution";
    return *given;
  }

  std::int64_t place(const PackedConstants& constants) { return device::place(constants, kernel_); }

  void add_part(const Scheduled& scheduled, std::vector<DeviceParam> params, std::string schedule,
                const Views& views) {
    kernel_.parts.push_back(
        part_of(lowered(scheduled, watch_), std::move(params), std::move(schedule), views));
  }

  /// Of whole images. On chip the input begins where the first window does.
  Views views(const Image& in, const Image& out, const Window& window = {}, std::int64_t in_channel = 0,
              std::int64_t out_channel = 0) const {
    const std::int64_t top = on_chip_.input ? window.pad_top : 0;
    const std::int64_t left = on_chip_.input ? window.pad_left : 0;
    return {view(in, residence_.input, -top, -left, in_channel, g_),
            view(out, residence_.second_input, 0, 0, 0, g_),  // has the output's shape
            view(out, residence_.output, 0, 0, out_channel, g_)};
  }

  void add_conv(const Conv2d& op, const Views& views) {
    const PackedConstants constants = pack(op, g_);
    const std::int64_t start = place(constants);
    const ConvKnobs knobs = conv_knobs(op.name, space_of(op, g_, on_chip_));
    std::vector<DeviceParam> params = {{Role::Input, 0},
                                       {Role::Constants, start + constants.weights_offset},
                                       {Role::Constants, start + constants.params_offset}};
    if (op.sum) {
      params.push_back({Role::SecondInput, 0});
      params.push_back({Role::Constants, place(pack(*op.sum, g_))});
    }
    params.push_back({Role::Output, 0});
    add_part(conv2d(op, knobs, g_, on_chip_), std::move(params), to_string(knobs), views);
  }

  /// The parts of the first image once more for each further one.
  void repeat(std::int64_t images, std::int64_t in_bytes, std::int64_t out_bytes) {
    const std::vector<DevicePart> first = kernel_.parts;
    for (std::int64_t image = 1; image < images; ++image) {
      for (DevicePart part : first) {
        for (DeviceParam& param : part.params) {
          if (param.role == Role::Input) param.offset += image * in_bytes;
          if (param.role == Role::Output) param.offset += image * out_bytes;
        }
        kernel_.parts.push_back(std::move(part));
      }
    }
  }

  static Conv2d group_of(const Conv2d& op, std::int64_t group) {
    Conv2d one = op;
    narrow_to_group(one);
    const std::int64_t weights = static_cast<std::int64_t>(op.weights.size()) / op.groups;
    one.weights = op.weights.part(group * weights, weights);
    if (!op.bias.empty()) one.bias = op.bias.part(group * one.out.c, one.out.c);
    one.stage = channels_of(op.stage, group * one.out.c, one.out.c);
    return one;
  }

  void lower_op(const Conv2d& op) {
    if (!groups_apart(op, g_)) {
      add_conv(without_groups(op), views(op.in, op.out, op.window));
      return;
    }
    for (std::int64_t group = 0; group < op.groups; ++group) {
      const Conv2d one = group_of(op, group);
      add_conv(one, views(op.in, op.out, op.window, group * one.in.c, group * one.out.c));
    }
  }

  void lower_op(const DepthwiseConv2d& op) {
    if (op.in.c != op.out.c) {
      lower_op(as_conv2d(op));
      return;
    }
    const PackedConstants constants = pack(op, g_);
    const std::int64_t start = place(constants);
    const TileKnobs knobs = tile_knobs(op);
    add_part(depthwise(op, knobs, g_, on_chip_),
             {{Role::Input, 0},
              {Role::Constants, start + constants.weights_offset},
              {Role::Constants, start + constants.params_offset},
              {Role::Output, 0}},
             to_string(knobs), views(op.in, op.out, op.window));
  }

  /// One product once for each result.
  void lower_op(const MatMul& op) {
    const Conv2d conv = as_conv2d(op);
    const Space space = space_of(conv, g_);
    const ConvKnobs knobs = conv_knobs(op.name, space);
    add_part(conv2d(conv, knobs, g_),
             {{Role::Input, 0}, {Role::Weights, 0}, {Role::Scales, 0}, {Role::Output, 0}}, to_string(knobs),
             views(conv.in, conv.out));
    const DevicePart one = std::move(kernel_.parts.back());
    kernel_.parts.clear();
    const std::int64_t columns = padded_channels(op.columns, g_);
    const auto distance = [&](Role role) {
      switch (role) {
        case Role::Input:
          return activation_bytes(conv.in, g_);
        case Role::Weights:
          return space.parts * columns * padded_channels(op.in.c, g_);
        case Role::Scales:
          return kScaleParams * columns * static_cast<std::int64_t>(sizeof(std::int32_t));
        case Role::Output:
          return activation_bytes(conv.out, g_);
        case Role::SecondInput:
        case Role::Constants:
        case Role::Scratch:
          break;
      }
      return std::int64_t{0};
    };
    for (std::size_t i = 0; i < op.a_of.size(); ++i) {
      DevicePart part = one;
      for (DeviceParam& p : part.params) {
        const std::int64_t matrix = p.role == Role::Input    ? op.a_of[i]
                                    : p.role == Role::Output ? static_cast<std::int64_t>(i)
                                                             : op.b_of[i];
        p.offset += matrix * distance(p.role);
      }
      kernel_.parts.push_back(std::move(part));
    }
  }

  void lower_op(const Add& op) {
    const std::int64_t start = place(pack(op, g_));
    const TileKnobs knobs = tile_knobs(op);
    add_part(add(op, knobs, g_, on_chip_),
             {{Role::Input, 0}, {Role::SecondInput, 0}, {Role::Constants, start}, {Role::Output, 0}},
             to_string(knobs), views(op.image, op.image));
  }

  void lower_op(const Extremum& op) {
    const TileKnobs knobs = tile_knobs(op);
    add_part(extremum(op, knobs, g_, on_chip_), {{Role::Input, 0}, {Role::SecondInput, 0}, {Role::Output, 0}},
             to_string(knobs), views(op.image, op.image));
  }

  void lower_op(const MaxPool2d& op) {
    const TileKnobs knobs = tile_knobs(op);
    add_part(max_pool(op, knobs, g_, on_chip_), {{Role::Input, 0}, {Role::Output, 0}}, to_string(knobs),
             views(op.in, op.out, op.window));
  }

  void lower_op(const SumPool2d& op) {
    const std::int64_t start = place(pack(op, g_));
    const TileKnobs knobs = tile_knobs(op);
    add_part(sum_pool(op, knobs, g_, on_chip_),
             {{Role::Input, 0}, {Role::Constants, start}, {Role::Output, 0}}, to_string(knobs),
             views(op.in, op.out, op.window));
  }

  void lower_op(const Move& op) {
    const TileKnobs knobs = tile_knobs(op);
    add_part(move(op, knobs, g_), {{Role::Input, 0}, {Role::Output, 0}}, to_string(knobs),
             views(op.in, op.out));
  }

  void lower_op(const Concat& op) {
    const Image out = output_of(op);
    std::int64_t row = 0, channel = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const Image& image = op.inputs[i];
      const Move copy = copy_of(op, i);
      const TileKnobs knobs = tile_knobs(copy);
      add_part(move(copy, knobs, g_), {{Role::Input, 0, i}, {Role::Output, 0}}, to_string(knobs),
               {view(image, std::nullopt, 0, 0, 0, g_), {}, view(out, std::nullopt, row, 0, channel, g_)});
      (op.rows ? row : channel) += op.rows ? image.h : image.c;
    }
  }

  void lower_op(const Requantize& op) {
    const std::int64_t start = place(pack(op, g_));
    const TileKnobs knobs = tile_knobs(op);
    add_part(requantize(op, knobs, g_, on_chip_),
             {{Role::Input, 0}, {Role::Constants, start}, {Role::Output, 0}}, to_string(knobs),
             views(op.image, op.image));
  }

  /// Output positions first, ..., last whose windows have `count` valid elements along one dimension.
  struct Stretch {
    std::int64_t first, last, count;
  };

  static std::vector<Stretch> stretches(std::int64_t out, std::int64_t in, std::int64_t kernel,
                                        std::int64_t stride, std::int64_t dilation, std::int64_t pad) {
    std::vector<Stretch> all;
    for (std::int64_t o = 0; o < out; ++o) {
      std::int64_t count = 0;
      for (std::int64_t k = 0; k < kernel; ++k) {
        const std::int64_t i = o * stride + k * dilation - pad;
        count += i >= 0 && i < in;
      }
      if (!all.empty() && all.back().count == count) {
        all.back().last = o;
      } else {
        all.push_back({o, o, count});
      }
    }
    return all;
  }

  void lower_op(const AvgPool2d& op) {
    const Window& w = op.window;
    for (const Stretch& y : stretches(op.out.h, op.in.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top)) {
      for (const Stretch& x :
           stretches(op.out.w, op.in.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left)) {
        VDLA_CHECK_USER(y.count > 0 && x.count > 0)
            << op.name << ": the window at " << y.first << ", " << x.first << " has no valid element";
        add_avg_part(op, y, x);
      }
    }
  }

  void add_avg_part(const AvgPool2d& whole, const Stretch& y, const Stretch& x) {
    AvgPool2d op = whole;
    const std::int64_t top = y.first * op.window.stride_h - op.window.pad_top;
    const std::int64_t left = x.first * op.window.stride_w - op.window.pad_left;
    const std::int64_t first_row = std::max<std::int64_t>(top, 0),
                       first_column = std::max<std::int64_t>(left, 0);
    op.window.pad_top = first_row - top;
    op.window.pad_left = first_column - left;
    op.in.h -= first_row;
    op.in.w -= first_column;
    op.out.h = y.last - y.first + 1;
    op.out.w = x.last - x.first + 1;
    TileKnobs knobs = tile_knobs(op);
    knobs.tile_h = std::min(knobs.tile_h, op.out.h);
    knobs.tile_w = std::min(knobs.tile_w, op.out.w);
    // On chip the padding is there already.
    const std::int64_t row = on_chip_.input ? top : first_row;
    const std::int64_t column = on_chip_.input ? left : first_column;
    add_part(avg_pool(op, y.count * x.count, knobs, g_, on_chip_), {{Role::Input, 0}, {Role::Output, 0}},
             to_string(knobs),
             {view(whole.in, residence_.input, row, column, 0, g_),
              {},
              view(whole.out, residence_.output, y.first, x.first, 0, g_)});
  }

  const isa::Geometry& g_;
  const isa::Timing& timing_;
  const Residence& residence_;
  const OnChip on_chip_;
  const Knobs& knobs_;
  const Watch& watch_;
  DeviceKernel kernel_;
};

/// Of so many layers of the same work.
std::optional<double> total(const std::optional<Work>& work, std::int64_t layers = 1) {
  return work ? std::optional(double(layers) * work->total()) : std::nullopt;
}

isa::Geometry with_inp(isa::Geometry geometry, std::int64_t entries) {
  geometry.inp_depth = static_cast<decltype(geometry.inp_depth)>(entries);
  return geometry;
}

}  // namespace

DeviceKernel lower(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                   const Knobs& knobs) {
  return lower(op, geometry, timing, {}, geometry.inp_depth, knobs);
}

DeviceKernel lower(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                   const Residence& residence, std::int64_t inp_entries, const Knobs& knobs,
                   const Watch& watch) {
  const auto reason = unsupported(op, geometry);
  VDLA_CHECK_USER(!reason) << name_of(op) << ": " << *reason;
  return Lowering(with_inp(geometry, inp_entries), timing, residence, knobs, watch).run(op);
}

std::optional<double> estimate(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                               const OnChip& on_chip, std::int64_t inp_entries) {
  const isa::Geometry g = with_inp(geometry, inp_entries);
  const auto of_conv = [&](const Conv2d& o) {
    if (!groups_apart(o, g)) return total(least_work(space_of(o, g, on_chip), g, timing), o.images);
    Conv2d one = o;
    narrow_to_group(one);
    return total(least_work(space_of(one, g, on_chip), g, timing), o.images * o.groups);
  };
  const auto of_tiles = [&](const auto& o, std::int64_t images) {
    return total(least_work(space_of(o, g, on_chip), cost_of(o, g), g, timing), images);
  };
  return std::visit(overloaded{
                        [&](const Conv2d& o) { return of_conv(o); },
                        [&](const MatMul& o) {
                          Conv2d products = as_conv2d(o);
                          products.images = static_cast<std::int64_t>(o.a_of.size());
                          return of_conv(products);
                        },
                        [](const Concat&) { return std::optional(0.0); },
                        [&](const DepthwiseConv2d& o) {
                          return o.in.c != o.out.c ? of_conv(as_conv2d(o)) : of_tiles(o, o.images);
                        },
                        [&](const ConvDepthwise& o) { return estimate(o, g, timing, on_chip); },
                        [&](const auto& o) {
                          if constexpr (requires { o.images; }) return of_tiles(o, o.images);
                          return of_tiles(o, 1);
                        },
                    },
                    op);
}

}  // namespace vdla::pipeline::device
