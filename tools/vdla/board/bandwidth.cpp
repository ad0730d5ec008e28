// SPDX-License-Identifier: Apache-2.0
// vdla board bandwidth: what a device's memory port reaches.
#include <fmt/format.h>

#include "isa/variants/variants.h"
#include "kit/bring_up/bandwidth.h"
#include "tools/common/table.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/device.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

void show_bandwidth(const BoardDeviceFlags& f, const Context& context) {
  const kit::OpenDevice board = f.open();
  const isa::Variant variant = f.variant_of(board);
  const kit::Bandwidth measured = kit::measure_bandwidth(*board.transport, variant);
  const std::string finding = measured.finding();
  ordered_json out{{"device", board.name},
                   {"variant", isa::label(variant)},
                   {"latency", measured.latency},
                   {"model_latency", measured.model_latency},
                   {"finding", finding}};
  for (const kit::BandwidthRow& row : measured.rows)
    out["transfers"].push_back({{"unit", isa::to_string(row.unit)},
                                {"bytes", row.bytes},
                                {"bytes_per_cycle", row.measured},
                                {"model", row.model}});
  context.report(out, [&] {
    fmt::print("{}, beside the memory model of variant {}\n", board.name, isa::label(variant));
    print_table(with_column(out["transfers"], "share",
                            [](const ordered_json& row) {
                              return row["bytes_per_cycle"].get<double>() / row["model"].get<double>();
                            }),
                "unit|bytes|bytes a cycle|model|share",
                "{unit:<8} {bytes:>10} {bytes_per_cycle:>14.2f} {model:>10.2f} {share*100:>7.0f}%");
    fmt::print("first data {:.0f} cycles behind its address, in the model {:.0f}\n", measured.latency,
               measured.model_latency);
    fmt::print("{}\n", finding.empty() ? "the memory is as the model says" : finding);
  });
}

}  // namespace

void add_board_bandwidth(CLI::App& group, Context& context) {
  auto f = std::make_shared<BoardDeviceFlags>();
  CLI::App* c = add_command(group, context, "bandwidth",
                            "What a device's memory port reaches, by the size of transfers",
                            "Programs of two lengths run for each row, and the device's counters say what "
                            "the difference took: fetch, "
                            "load and store in bytes a cycle, beside what the variant's memory model says. A "
                            "cycle is the device's, so "
                            "this needs no clock. Transfers are contiguous bytes.\n"
                            "examples: vdla board bandwidth --uio vdla --variant my_board.json\n"
                            "          vdla board bandwidth --board board.lab --certificates lab --variant "
                            "my_board.json    # from the desk\n"
                            "          vdla board bandwidth --engine systemc --variant paper",
                            [f, &context] { show_bandwidth(*f, context); });
  f->add_to(*c);
  f->add_remote_to(*c);
}

}  // namespace vdla::tools
