// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile/schedule_files.h"

#include "support/error.h"
#include "tools/data/files.h"

namespace vdla::tools {

LayerFile layer_file(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  VDLA_CHECK_USER(equals != std::string::npos && equals != 0 && equals + 1 != text.size())
      << "--schedule '" << text
      << "': needs LAYER=FILE, the name of a layer (vdla explain lists them) and a file "
      << "with its schedule (vdla explain --schedule LAYER prints it)";
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void read_schedule(const LayerFile& from, pipeline::WrittenSchedules& schedules) {
  const auto [known, is_new] = schedules.try_emplace(from.layer, from.layer, from.file, read_text(from.file));
  VDLA_CHECK_USER(is_new) << "--schedule gives '" << from.layer << "' two files, " << known->second.file()
                          << " and " << from.file << "; leave one of them out";
}

std::string schedule_text(const std::string& layer, const std::vector<FunctionText>& functions) {
  std::string text;
  for (const FunctionText& f : functions) text += pipeline::schedule_heading(f.name, layer) + "\n" + f.text;
  return text;
}

void require_not_on_gpu(const pipeline::WrittenSchedules& schedules, const runtime::Module& module) {
  for (const runtime::NodeInfo& node : module.nodes)
    VDLA_CHECK_USER(node.place != "gpu" || !schedules.contains(node.name))
        << "--schedule: '" << node.name
        << "' runs on the GPU, and --schedule is for layers on the device and the "
        << "CPU; leave it out, or place the layer (--place " << node.name << "=cpu)";
}

}  // namespace vdla::tools
