// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/tune/flags.h"

#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <ratio>
#include <vector>

#include "compiler/targets/target.h"
#include "kit/gpu_device.h"
#include "runtime/module/gpu_segment.h"
#include "support/error.h"
#include "tools/data/files.h"
#include "tools/fleet/slurm.h"
#include "tools/tune/transfer_logs.h"
#include "tools/vdla/common/cpu_level.h"

namespace vdla::tools {

namespace {

/// --from: gives the search what its logs know, with a note.
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

/// Cost model that the search asks: the one of the flags, or its own, with a note where that cannot be had.
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

}  // namespace

bool TuneFlags::on_gpu() const { return target == runtime::kKindCuda || target == runtime::kKindOpenCl; }

pipeline::CompileOptions TuneFlags::gpu_options() const {
  pipeline::CompileOptions options;
  options.use_device = false;
  options.machine_code = false;
  set_cpu_level(options, "portable");  // as vdla compile has it
  options.gpu = targets::gpu_options(target, gpu_machine);
  return options;
}

void TuneFlags::refuse_idle() const {
  const auto refuse = [&](std::initializer_list<const char*> options, const std::string& why) {
    for (const char* option : options)
      VDLA_CHECK_USER(command->get_option(option)->count() == 0) << option << " " << why << "; leave it out";
  };
  const char* instead = show ? "--show" : verify ? "--verify" : best ? "--best" : nullptr;
  if (instead)
    refuse({"--search", "--cost-model", "--trials", "--batch", "--minutes", "--seed", "--log", "--from"},
           std::string("is for a search, and ") + instead + " makes none");
  if (show) {
    VDLA_CHECK_USER(model.empty()) << "--show prints the book alone, and has no use for " << model
                                   << "; leave it out";
    refuse({"--variant", "--target", "--cpu", "--threads", "--jobs", "--fleet", "--boards", "--limit",
            "--gpu-machine", "--device"},
           "is for what compiles or measures, and --show prints the book alone");
    return;
  }
  const bool timed = target == "cpu" || on_gpu();
  if (target != "cpu") refuse({"--cpu", "--threads"}, "is for --target cpu");
  if (!on_gpu()) refuse({"--gpu-machine", "--device"}, "is for --target cuda and opencl");
  if (on_gpu() && best)
    refuse({"--device"}, "is for what measures, and --best prints the book's knobs alone");
  if (timed) {
    refuse({"--variant"}, "is a machine with the device, and --target " + target + " has none");
    refuse({"--jobs"}, "lets trials run beside each other, and here they would change each other's times");
    refuse({"--fleet", "--boards"}, "measures devices, and --target " + target + " has none");
    refuse({"--rtl"}, "runs the device, and --target " + target + " has none");
    refuse({"--html"}, "writes a page of cycles, and --target " + target + " is timed in nanoseconds");
  } else if (!fleet::is_slurm(fleet)) {
    refuse({"--boards"}, "is a list on the nodes of --fleet slurm:PARTITION");
  }
  VDLA_CHECK_USER(device.empty() || kit::kind_of_gpu(device) == target)
      << "--device " << device << " is a device of '" << kit::kind_of_gpu(device) << "', and --target is "
      << target << "; give --target " << kit::kind_of_gpu(device) << ", or leave --device out for the first";
}

std::optional<pipeline::KnobBook> book_in(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return std::nullopt;
  return pipeline::read_knob_book(read_text(path), path);
}

BookFile::BookFile(std::string path) : path_(std::move(path)) {
  std::error_code none;
  if (std::filesystem::is_regular_file(path_, none)) text_ = read_text(path_);
}

void BookFile::write(const pipeline::KnobBook& book) {
  std::error_code none;
  VDLA_CHECK_USER(!std::filesystem::is_regular_file(path_, none) || read_text(path_) == text_)
      << path_ << " was written by somebody else while the search ran; it stays as it is";
  const std::string text = pipeline::to_json(book);
  write_file(path_, text);
  text_ = text;
}

tune::TuneOptions search_options(const TuneFlags& f, std::chrono::steady_clock::time_point begin,
                                 const Context& context) {
  tune::TuneOptions how;
  how.trials = f.trials;
  how.batch = f.batch;
  how.seed = f.seed;
  how.search = &tune::search_named(f.search);
  how.model = &cost_model_of(f, *how.search, context);
  learn_from_logs(f, how, context);
  const std::chrono::duration<double, std::ratio<60>> most(f.minutes);
  if (f.minutes > 0) how.stop = [begin, most] { return std::chrono::steady_clock::now() - begin > most; };
  return how;
}

std::string kept_of_search(const TuneFlags& f, bool has_book) {
  return (has_book ? "kept " + f.book : f.book + " has not been written") +
         (f.log.empty() ? "" : ", and " + f.log + " is where the same command goes on from");
}

}  // namespace vdla::tools
