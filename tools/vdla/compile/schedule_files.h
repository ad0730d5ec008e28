// SPDX-License-Identifier: Apache-2.0
// Schedules of layers as files: what vdla explain and vdla tune print of them, and what vdla compile reads.
#pragma once

#include <string>
#include <vector>

#include "compiler/observe/written_schedule.h"
#include "runtime/module/module.h"
#include "tools/vdla/compile/layer_watch.h"

namespace vdla::tools {

/// LAYER=FILE of a command line. FILE is what stands after the last '='.
struct LayerFile {
  std::string layer, file;
};
/// UserError for a text that is none.
LayerFile layer_file(const std::string& text);

/// Adds the schedule that the file has for the layer. UserError where the layer has one already.
void read_schedule(const LayerFile& from, pipeline::WrittenSchedules& schedules);

/// The functions of a layer behind their headings, as read_schedule() takes them.
std::string schedule_text(const std::string& layer, const std::vector<FunctionText>& functions);

/// UserError for a schedule of a layer on the GPU.
void require_not_on_gpu(const pipeline::WrittenSchedules& schedules, const runtime::Module& module);

}  // namespace vdla::tools
