// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile/bundle_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "compiler/bundle/cpu_targets.h"
#include "kit/session.h"
#include "runtime/session/port.h"
#include "support/error.h"
#include "tools/common/network_inputs.h"
#include "tools/common/validators.h"
#include "tools/vdla/common/generated_files.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of_targets() {
  std::vector<std::string> names;
  for (const bundle::CpuTarget& target : bundle::cpu_targets()) names.emplace_back(target.name);
  return names;
}

std::string list_of_targets() {
  std::string list;
  for (const bundle::CpuTarget& target : bundle::cpu_targets())
    list += (list.empty() ? "" : "; ") + std::string(target.name) + ": " + std::string(target.what);
  return list;
}

}  // namespace

void BundleFlags::add_to(CLI::App& command) {
  constexpr const char* kGroup = "C for firmware";
  command
      .add_option("--emit", emit_,
                  "module: one .vdla file; c: a folder of C99 for bare metal with constant data, NAME_run() "
                  "and the driver, built by CMake or make (see its README.md)")
      ->check(one_of({"module", "c"}))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--name", name_,
                  "Prefix of all symbols of --emit c, so that several models link into one firmware; "
                  "default: the model's name")
      ->group(kGroup);
  command
      .add_option("--cpu-target", cpu_targets_,
                  "CPU to compile CPU layers for, in place of this machine's: running Linux for a module (a "
                  "list with commas compiles for several), bare metal for --emit c. " +
                      list_of_targets())
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of(names_of_targets()));
  CLI::Option* answers =
      command
          .add_option("--answers", answers_,
                      "Inputs (as for vdla run --input) to write to NAME_answers.c with their expected "
                      "outputs, for the self test of a firmware of --emit c")
          ->expected(1)
          ->take_all()
          ->group(kGroup);
  command.add_option("--most-answers", most_answers_, "Inputs of --answers to take, at most")
      ->needs(answers)
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group(kGroup);
}

CLI::Validator BundleFlags::fits_output() const {
  return {[this, module = ending({".vdla"}, "a compiled module")](std::string& name) {
            if (!wanted()) return module(name);
            return fs::path(name).extension() != ".vdla"
                       ? std::string()
                       : "'" + name + "': --emit c writes a folder, whose name does not end in .vdla";
          },
          ""};
}

void BundleFlags::refuse_idle(const CLI::App& command) const {
  const auto given = [&](const char* option) { return command.get_option(option)->count() != 0; };
  for (const char* option : {"--name", "--answers"})
    VDLA_CHECK_USER(wanted() || !given(option)) << option << " is for C: say --emit c, or leave it out";
  const bool other_cpu = wanted() || !cpu_targets_.empty();
  for (const char* option : {"--cpu", "--cpu-levels", "--cpu-native", "--kernel-lines"})
    VDLA_CHECK_USER(!other_cpu || !given(option))
        << option << " is for code that runs on this machine, and "
        << (wanted() ? "--emit c makes it for --cpu-target" : "--cpu-target is for other ones")
        << "; leave one of them out";
  VDLA_CHECK_USER(!wanted() || cpu_targets_.size() <= 1)
      << "--cpu-target has " << cpu_targets_.size() << " names, and firmware is for one CPU";
}

std::vector<pipeline::CpuTarget> BundleFlags::linux_cpus() const {
  std::vector<pipeline::CpuTarget> cpus;
  for (const std::string& name : cpu_targets_) {
    const bundle::CpuTarget& target = bundle::cpu_target_named(name);
    VDLA_CHECK_USER(!target.linux_triple.empty())
        << "--cpu-target " << name << " has no Linux that could run a module; --emit c makes firmware for it";
    cpus.push_back({std::string(target.linux_triple), std::string(target.cpu), std::string(target.features)});
  }
  return cpus;
}

/// The first inputs, and what the functional engine and the kernels' loop programs make of them.
std::vector<bundle::KnownAnswer> BundleFlags::answers(const runtime::Module& module) const {
  std::vector<bundle::KnownAnswer> list;
  if (answers_.empty()) return list;
  std::vector<NetworkSample> samples =
      load_inputs(answers_, module, {}, module.preprocessing, "--answers").samples;
  if (samples.size() > most_answers_) samples.resize(most_answers_);
  kit::Session session(module, "functional", {.interpret = true});
  for (const NetworkSample& sample : samples) {
    std::vector<runtime::Bytes> inputs;
    for (std::size_t i = 0; i < module.inputs.size(); ++i)
      inputs.push_back(runtime::to_tensor(module, module.inputs[i], sample.inputs[i]));
    std::vector<runtime::Bytes> outputs = session.run(inputs).outputs;
    list.push_back({sample.name, std::move(inputs), std::move(outputs)});
  }
  return list;
}

bundle::Bundle BundleFlags::write(const runtime::Module& module, const std::string& folder,
                                  std::vector<std::string>& notes) const {
  const std::string name = name_.empty() ? bundle::c_name(module.model_name) : name_;
  bundle::Bundle made = bundle::bundle(
      module,
      {.name = name, .answers = answers(module), .cpu_target = cpu_targets_.empty() ? "" : cpu_targets_[0]});
  std::vector<FolderFile> files;
  for (const bundle::File& file : made.files) files.push_back({file.path, file.content});
  refuse_files_of_others(folder, files, bundle::kMark);
  // A build that takes all files of the folder would take in those that are absent now.
  const auto removed = write_folder(folder, files, made.absent);
  if (!removed.empty())
    notes.push_back(
        fmt::format("removed {}, which an earlier run made and this one does not", fmt::join(removed, ", ")));
  return made;
}

}  // namespace vdla::tools
