// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain/post_mortem.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "tools/common/post_mortem.h"
#include "tools/vdla/devices/post_mortem_folder.h"

namespace vdla::tools {

bool is_post_mortem(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none);
}

void explain_post_mortem(const std::string& folder, const std::string& module, const TrustFlag& trust,
                         const Context& context) {
  const PostMortemFolder content = read_post_mortem(folder);
  std::optional<runtime::Module> loaded;
  std::optional<PostMortemStep> step;
  if (!module.empty()) step = step_of(content, loaded.emplace(trust.load(module)));
  const runtime::PostMortem made = post_mortem_of(content, step ? step->program : nullptr);
  nlohmann::ordered_json out{{"device", content.device}};
  if (step) {
    out["model"] = loaded->model_name;
    out["step"] = step->step;
    out["insns"] = step->insns;
    out["different_insns"] = step->different;
    if (step->different != 0) out["first_different"] = step->first_different;
  }
  out["memory_read"] = !content.recording->insns.empty();
  out["post_mortem"] = to_json(made);
  context.report(out, [&] {
    if (step)
      fmt::print("{}, step {} of {}\n", content.device, step->step, loaded->model_name);
    else
      fmt::print("{}\n", content.device);
    fmt::print("{}\n", to_text(made));
    if (content.recording->insns.empty()) fmt::print("what memory held of the program could not be read\n");
    if (step && step->different != 0)
      fmt::print(
          "{} of {} instructions in memory were not those of the module: {}; something wrote over them, or "
          "the "
          "memory does not keep what is written (vdla board mem --test)\n",
          step->different, step->insns, step->first_different);
    if (!step && content.sources.empty())
      fmt::print("--module NET.vdla names the layer and the loop of each instruction\n");
  });
}

}  // namespace vdla::tools
