// SPDX-License-Identifier: Apache-2.0
// vdla check-kernel NETWORK: the functions of a network on a device with a grid, a row for each.
#include "tools/vdla/check/check_network_kernels.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kit/kernels/check_network.h"
#include "kit/network.h"
#include "support/error.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"

namespace vdla::tools {
namespace {

using kit::LayerCheck;

nlohmann::ordered_json json_of(const LayerCheck& row) {
  nlohmann::ordered_json json{{"layer", row.layer}, {"nodes", row.nodes}};
  if (!row.by.empty()) json["template"] = row.by;
  if (!row.knobs.empty()) json["knobs"] = row.knobs;
  if (!row.refused.empty()) {
    json["refused"] = row.refused;
    return json;
  }
  json["launches"] = row.launches;
  json["threads"] = row.threads;
  json["shared_bytes"] = row.shared_bytes;
  if (!row.failed.empty()) json["failed"] = row.failed;
  if (!row.unwatched.empty()) json["watched"] = false;
  json["largest_difference"] = row.check.largest;
  if (const auto& d = row.check.difference)
    json["mismatch"] = {{"param", d->param},
                        {"element", d->element},
                        {"count", d->count},
                        {"expected", d->expected},
                        {"seen", d->seen}};
  return json;
}

std::string result_of(const LayerCheck& row) {
  if (!row.refused.empty()) return "not taken: " + row.refused;
  if (!row.failed.empty()) return row.failed;
  if (const auto& d = row.check.difference)
    return fmt::format("{} elements differ, first element {}: expected {}, seen {}", d->count, d->element,
                       d->expected, d->seen);
  return row.check.largest == 0 ? "equal" : fmt::format("{:.1e}", row.check.largest);
}

void print_checks(const nlohmann::ordered_json& layers, const std::vector<LayerCheck>& rows) {
  const auto count = with_column(layers, "count", [](const auto& row) { return row["nodes"].size(); });
  std::size_t row = 0;
  print_table(
      with_column(count, "result", [&](const auto&) { return result_of(rows[row++]); }),
      "layer|nodes|template|launches|threads|shared|knobs|difference",
      "{layer:<5+} {count:>5} {template:<12} {launches:>8} {threads:>9} {shared_bytes:>7} {knobs:<5+} "
      "{result}");
}

}  // namespace

void NetworkKernelFlags::add_to(CLI::App& command) {
  all_ = {
      command.add_option("--layer", layer, "Check only the function that computes this node (networks only)"),
      command
          .add_option(
              "--machine", machine,
              "Of a network: the templates are for such a machine: " + pipeline::gpu::about_profiles())
          ->check(one_of(pipeline::gpu::profile_names()))
          ->capture_default_str(),
      command.add_option(
          "--knobs", knobs,
          "Knobs for the function of --layer in place of the default ones, in the form that a row shows"),
      command
          .add_option(
              "--points", points,
              "Number of random knob choices to check for each function, besides the default (networks only)")
          ->check(CLI::Range(0u, 10'000u))
          ->capture_default_str()};
}

void NetworkKernelFlags::refuse_for(const std::string& file) const {
  for (const CLI::Option* option : all_)
    VDLA_CHECK_USER(option->count() == 0) << "--" << option->get_lnames().front()
                                          << " is for a network, and '" << file << "' is none; leave it out";
}

void check_network_kernels(const std::string& file, const NetworkKernelFlags& flags,
                           const kit::KernelDevice& device, std::uint64_t seed, const Context& context) {
  VDLA_CHECK_USER(flags.knobs.empty() || !flags.layer.empty())
      << "--knobs are of one function; name its node with --layer";
  const kit::NetworkCheckOptions options{.device = &device,
                                         .profile = pipeline::gpu::profile_named(flags.machine),
                                         .layer = flags.layer,
                                         .seed = seed,
                                         .knobs = flags.knobs,
                                         .points = flags.points};
  const std::vector<LayerCheck> rows = kit::check_network(kit::read_network(file), options);
  for (const LayerCheck& row : rows)
    VDLA_CHECK_USER(flags.knobs.empty() || row.refused.empty()) << row.refused;
  std::size_t refused = 0, different = 0;
  std::vector<std::string> notes;
  double largest = 0;
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const LayerCheck& row : rows) {
    refused += row.refused.empty() ? 0 : 1;
    different += row.check.difference || !row.failed.empty() ? 1 : 0;
    largest = std::max(largest, row.check.largest);
    layers.push_back(json_of(row));
    if (!row.unwatched.empty()) notes.push_back(row.layer + ": " + row.unwatched);
  }
  const nlohmann::ordered_json out{
      {"network", file},        {"device", device.device->name()}, {"machine", flags.machine},
      {"seed", seed},           {"functions", rows.size()},        {"refused", refused},
      {"different", different}, {"largest_difference", largest},   {"layers", layers}};
  context.say(notes);
  context.report(out, [&] {
    print_checks(layers, rows);
    fmt::print(
        "{} on {}: {} of {} functions taken, {} of them compute what the nodes do; largest difference of "
        "floats {:.1e} of the largest value\n",
        file, device.device->name(), rows.size() - refused, rows.size(), rows.size() - refused - different,
        largest);
  });
  if (different > 0) throw Difference();
}

}  // namespace vdla::tools
