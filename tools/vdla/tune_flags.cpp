// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/tune_flags.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "support/error.h"
#include "tools/tune/transfer_logs.h"
#include "tools/vdla/files.h"

namespace vdla::tools {

void TuneFlags::refuse_idle() const {
  const bool on_cpu = target == "cpu";
  const auto refuse = [&](const char* option, const char* why) {
    VDLA_CHECK_USER(command->get_option(option)->count() == 0) << option << " " << why << "; leave it out";
  };
  if (on_cpu) {
    refuse("--variant", "is a machine with the device, and --target cpu has none");
    refuse("--jobs", "lets trials run beside each other, and on a CPU they would change each other's times");
    refuse("--fleet", "measures devices, and --target cpu has none");
    refuse("--rtl", "runs the device, and --target cpu has none");
    refuse("--html", "writes a page of cycles, and a CPU is timed in nanoseconds");
  } else {
    refuse("--cpu", "is for --target cpu");
    refuse("--threads", "is for --target cpu");
  }
}

std::optional<pipeline::KnobBook> book_in(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return std::nullopt;
  return pipeline::read_knob_book(read_text(path), path);
}

void learn_from_logs(const TuneFlags& f, tune::TuneOptions& how, const Context& context) {
  if (f.from.empty()) return;
  VDLA_CHECK_USER(!how.search->model.empty())
      << "--from is what a cost model learns from, and search '" << how.search->name
      << "' asks none; leave it out, or take another --search (vdla tune --help lists them)";
  const auto logs = std::make_shared<tune::LogsElsewhere>(tune::read_logs(f.from));
  how.known = [logs](const pipeline::KnobSpace& space) { return logs->transfer.samples_for(space); };
  std::vector<std::string> notes{
      fmt::format("--from: {} trials of {} tasks elsewhere", logs->trials, logs->transfer.tasks())};
  if (logs->strange > 0)
    notes.push_back(
        fmt::format("--from: {} records say nothing of their knobs' ranges (an older kit wrote them) and "
                    "are left out",
                    logs->strange));
  context.say(notes);
}

const tune::ModelKind& cost_model_of(const TuneFlags& f, const tune::SearchKind& search,
                                     const Context& context) {
  VDLA_CHECK_USER(f.cost_model.empty() || !search.model.empty())
      << "--cost-model " << f.cost_model << ": search '" << search.name
      << "' asks no cost model; leave it out, or take another --search (vdla tune --help lists them)";
  if (!f.cost_model.empty()) return tune::model_named(f.cost_model);
  std::vector<std::string> notes;
  const tune::ModelKind& model = tune::model_of(search, notes);
  context.say(notes);
  return model;
}

}  // namespace vdla::tools
