// SPDX-License-Identifier: Apache-2.0
// A post-mortem as a folder that is read without the device: post_mortem.json has its registers, insns.bin
// the instructions that were in its memory, report.txt what a person reads first.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "runtime/device/post_mortem.h"
#include "runtime/module/module.h"

namespace vdla::tools {

struct PostMortemFolder {
  std::string device;   ///< "UIO device vdla"
  std::string message;  ///< how the run ended, in the driver's words; empty: it was not this kit's process
                        ///< that ran it
  std::shared_ptr<const runtime::Recording> recording;
  std::optional<vdla_driver_status> status{};      ///< end of the run; nothing: registers say it
  std::map<std::uint32_t, std::string> sources{};  ///< origins of the instructions that units were at
  std::string report{};  ///< text that the run's command prints; empty: made from the rest
};

/// Folder of a run that failed: `post_mortem` is what to_json() made of it (tools/common/post_mortem.h),
/// `report` what is printed. Both are of the reading that `recording` holds.
PostMortemFolder folder_of_run(const std::string& device, const nlohmann::ordered_json& post_mortem,
                               const std::string& report,
                               std::shared_ptr<const runtime::Recording> recording);

/// UserError where there is something already: a post-mortem is not written over.
void require_new_folder(const std::string& folder);

void write_post_mortem(const std::string& folder, const PostMortemFolder& content);

/// UserError names what is missing or wrong in it.
PostMortemFolder read_post_mortem(const std::string& folder);

/// The post-mortem, whose instructions are those that were in memory; `program`, where it is known, says what
/// they are of, and what they were where memory could not be read.
runtime::PostMortem post_mortem_of(const PostMortemFolder& folder, const isa::Program* program = nullptr);

/// Facts of a post-mortem by the module that the device was running.
struct PostMortemStep {
  std::size_t step = 0;  ///< step of the module
  const isa::Program* program = nullptr;
  std::uint32_t insns = 0;      ///< instructions of what was started
  std::uint32_t different = 0;  ///< instructions that memory held otherwise
  std::string first_different;  ///< "instruction 7 is 'finish 3', in the module 'finish 1'"
};

/// UserError where no step of the module has the instructions that were started.
PostMortemStep step_of(const PostMortemFolder& folder, const runtime::Module& module);

}  // namespace vdla::tools
