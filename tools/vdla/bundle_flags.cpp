// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/bundle_flags.h"

#include <filesystem>

#include "compiler/bundle/cpu_targets.h"
#include "support/error.h"
#include "tools/vdla/files.h"
#include "tools/vdla/validators.h"

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
      .add_option(
          "--emit", emit_,
          "module: one .vdla file; c: a folder of C99 for bare metal, with constant data, NAME_run() and the "
          "driver, that builds with one line of CMake or make (its README.md)")
      ->check(one_of({"module", "c"}))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--name", name_,
                  "With --emit c: begins all symbols, so that two models link into one firmware; default: "
                  "the model's "
                  "name")
      ->group(kGroup);
  command
      .add_option("--cpu-target", cpu_target_,
                  "With --emit c: what layers on the CPU are compiled for. " + list_of_targets())
      ->check(one_of(names_of_targets()))
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
  for (const char* option : {"--name", "--cpu-target"})
    VDLA_CHECK_USER(wanted() || !given(option)) << option << " is for C: say --emit c, or leave it out";
  for (const char* option : {"--cpu-levels", "--cpu-native", "--kernel-lines"})
    VDLA_CHECK_USER(!wanted() || !given(option))
        << option
        << " is for code that runs on this machine, and --emit c makes it for --cpu-target; leave one of "
        << "them out";
}

bundle::Memory BundleFlags::write(const runtime::Module& module, const std::string& folder) const {
  const std::string name = name_.empty() ? bundle::c_name(module.model_name) : name_;
  const bundle::Bundle made = bundle::bundle(module, {.name = name, .cpu_target = cpu_target_});
  for (const bundle::File& file : made.files) {
    const fs::path path = fs::path(folder) / file.path;
    make_folder(path.parent_path().string());
    write_file(path.string(), file.content);
  }
  return made.memory;
}

}  // namespace vdla::tools
