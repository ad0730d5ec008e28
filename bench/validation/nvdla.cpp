// SPDX-License-Identifier: Apache-2.0
// A machine of 64 multipliers beside NVDLA nv_small, which has as many: slices of ResNet-18's layers, each
// alone on an idle machine, 8 bytes a cycle of memory with a latency of 32 cycles on both. Exit status 1 when
// one of them takes longer here.
//
// NVDLA's cycles: its RTL (nv_small), Verilated, with 128 KiB of convolution buffer and accumulators beside
// it; of the first layer the 27 rows that it computes at a time. Ours has less in total, accumulators
// included (examples/variants/mac64.json).
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cstdio>

#include "bench/compiler/single_layer.h"
#include "isa/variants/variants.h"
#include "kit/engine.h"

namespace vdla::bench {
namespace {

struct Slice {
  ConvShape shape;
  std::int64_t rows;    ///< rows of the output; 0: all
  double nvdla_cycles;  ///< measured; 0: only the share is known
  double nvdla_share;   ///< share of its multipliers
};

constexpr Slice kSlices[] = {
    {{56, 64, 64, 3, 1}, 27, 0, 0.964},       {{28, 128, 128, 3, 1}, 0, 1838934, 0.982},
    {{28, 128, 256, 1, 2}, 0, 132886, 0.755}, {{14, 256, 256, 3, 1}, 0, 1831714, 0.986},
    {{14, 256, 512, 3, 2}, 0, 928530, 0.973}, {{7, 512, 512, 3, 1}, 0, 1822062, 0.991},
};

pipeline::device::Conv2d layer_of(const Slice& slice) {
  pipeline::device::Conv2d op = conv_layer(slice.shape);
  if (slice.rows == 0) return op;
  op.name += fmt::format(", {} rows", slice.rows);
  op.out.h = slice.rows;
  op.in.h = (slice.rows - 1) * op.window.stride_h + op.window.kernel_h - op.window.pad_top;
  return op;
}

/// Whether ours takes fewer cycles.
bool compare(const Slice& slice, const isa::Variant& variant, sim::Engine& engine) {
  const pipeline::device::Conv2d op = layer_of(slice);
  const isa::Program program = compile_layer(op, variant);
  const auto cycles = static_cast<double>(measure_layer(op, program, engine));
  const double ideal = static_cast<double>(pipeline::device::macs_of(op)) / variant.geometry.macs();
  const double nvdla = slice.nvdla_cycles > 0 ? slice.nvdla_cycles : ideal / slice.nvdla_share;
  fmt::print("{:32} {:>9.0f} {:>9.0f} {:>6.1f} {:>9.0f} {:>6.1f} {:>+7.1f}\n", op.name, ideal, nvdla,
             100 * slice.nvdla_share, cycles, 100 * ideal / cycles, 100 * (cycles / nvdla - 1));
  return cycles < nvdla;
}

/// Bytes of all SRAM buffers.
std::int64_t on_chip_bytes(const isa::Geometry& g) {
  std::int64_t bytes = 0;
  for (const isa::NamedCode& row : isa::kBuffers) {
    const auto buffer = static_cast<isa::Buffer>(row.code);
    bytes += std::int64_t{g.depth(buffer)} * g.entry_bytes(buffer);
  }
  return bytes;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  using namespace vdla;
  using namespace vdla::bench;
  CLI::App app{"Slices of ResNet-18's layers on a machine of 64 multipliers beside NVDLA nv_small."};
  std::string variant_file = VDLA_SOURCE_DIR "/examples/variants/mac64.json", engine_name = "systemc";
  app.add_option("--variant", variant_file, "Name of a variant, or a file")->capture_default_str();
  app.add_option("--engine", engine_name, "systemc, or rtl once 'vdla build-rtl --variant FILE' has built it")
      ->check(CLI::IsMember({"systemc", "rtl"}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const isa::Variant variant = isa::load_variant(variant_file);
    fmt::print("{} on {}: {} multipliers, {:g} KiB on chip, accumulators included\n", variant.name,
               engine_name, variant.geometry.macs(),
               static_cast<double>(on_chip_bytes(variant.geometry)) / 1024);
    fmt::print("{:32} {:>9} {:>9} {:>6} {:>9} {:>6} {:>7}\n", "cycles", "ideal", "NVDLA", "%", "ours", "%",
               "more, %");
    bool all = true;
    for (const Slice& slice : kSlices) {
      const auto engine = kit::make_engine(engine_name, variant);
      all &= compare(slice, variant, *engine);
    }
    return all ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
