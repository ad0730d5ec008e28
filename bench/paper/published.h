// SPDX-License-Identifier: Apache-2.0
// Numbers of the TVM paper (OSDI 2018) and of the data published beside it. Nothing else may be printed as
// the paper's.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench/compiler/single_layer.h"

namespace vdla::bench::paper {

/// Table 2: a layer of ResNet-18 or MobileNet, "same" padding.
struct Workload {
  std::string id;   ///< name in the table; other documents number the same layers differently
  ConvShape shape;  ///< depthwise: in = out = channels
  bool depthwise = false;
  double mmac = 0;                   ///< million multiply-accumulates
  std::optional<double> a9_ms = {};  ///< TopHub vta_v0.01.log, tuned Cortex-A9: int8, depthwise in F32
};
std::span<const Workload> table2();

/// A layer of Figure 10: share of the array's peak in percent, from the vector data of VTA's
/// resnet18_roofline.pdf (uwsampl/web-data), whose largest values are the paper's 70 and 88 %.
struct RooflinePoint {
  ConvShape shape;
  double ops_per_byte, exposed_gops, hidden_gops;
};
std::span<const RooflinePoint> figure10();
/// Peak of the data; the paper's text says 102.4 at 200 MHz.
inline constexpr double kFigure10PeakGops = 51.2;
inline constexpr double kFigure10BestExposed = 70, kFigure10BestHidden = 88;  ///< percent, the paper's text

/// Figure 21 in milliseconds, from the vector data of VTA's resnet18_e2e.pdf (uwsampl/web-data).
struct NetworkTime {
  double first, convolutions, rest;
  double total() const { return first + convolutions + rest; }
};
inline constexpr NetworkTime kFigure21Cpu = {150.6, 2866.9, 231.9}, kFigure21Fpga = {148.4, 73.0, 273.0};
inline constexpr double kFigure21Speedup = 40;  ///< speedup of the offloaded convolutions, the paper's text
/// Times of the same convolutions on the same CPU, tuned: TopHub v0.01 and v0.02.
inline constexpr double kTunedA9Ms[] = {1662, 1790};

inline constexpr double kFigure4Low = 1.2, kFigure4High = 2;  ///< speed-up by fusion, range of the figure
inline constexpr double kFigure18Tensorize = 1.5;             ///< speed-up by tensorize alone

/// "56x56 64->128 3x3 /2", without the stride where it is 1.
std::string name_of(const ConvShape& shape);
std::string name_of(const Workload& workload);

}  // namespace vdla::bench::paper
