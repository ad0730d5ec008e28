// SPDX-License-Identifier: Apache-2.0
// What tests of modules with programs of a GPU share: networks, how they are compiled, a folder for commands.
#pragma once

#include <gtest/gtest.h>

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "compiler/targets/target.h"
#include "isa/variants/variants.h"
#include "kit/kit.h"
#include "support/temporary.h"
#include "tests/tools/run_command.h"

namespace vdla::gpu {

inline constexpr const char* kDigits = VDLA_SOURCE_DIR "/examples/digits/digits.onnx";

/// Two branches from the input to a sum. The device has no transpose.
inline constexpr const char* kBranches = R"(graph "branches"
input %x: int8[1, 8, 8, 16]
const %w: int8[16, 3, 3, 16] = splat 3
%turned = transpose "turned"(%x) {perm = [0, 2, 1, 3]}
%a = conv2d "a"(%x, %w) {pads = [1, 1, 1, 1], out = {multiplier = [[1200000000, -9]]}}
%back = transpose "back"(%a) {perm = [0, 2, 1, 3]}
%sum = add "sum"(%turned, %back)
output %sum
)";

struct Compiled {
  runtime::Module module;
  std::size_t segments = 0, on_gpu = 0;  ///< and nodes
};

/// Options of a compile for the GPU.
struct Asked {
  std::set<std::string> on_cpu = {}, on_gpu = {};
  pipeline::GpuSpeed speed = {};
};

/// Programs cost nothing but their kernels.
inline Asked without_start() {
  Asked asked;
  asked.speed.start_seconds = 0;
  return asked;
}

inline Compiled compile_for(const graph::Graph& graph, const std::string& kind, bool device = false,
                            const Asked& asked = {}) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.use_device = device;
  if (!kind.empty()) {
    options.gpu = targets::gpu_options(kind, "desktop");
    options.gpu->speed = asked.speed;
    options.on_cpu = asked.on_cpu;
    options.on_gpu = asked.on_gpu;
  }
  Compiled made{kit::compile_module(graph, options)};
  made.segments = made.module.gpu.size();
  for (const runtime::NodeInfo& node : made.module.nodes) made.on_gpu += node.place == "gpu";
  return made;
}

class GpuModuleCommands : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return "'" + (folder_.path() / name).string() + "'"; }
  std::string bytes(const std::string& name) const {
    std::ifstream file(folder_.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  testing::CommandResult compile(const std::string& target, const std::string& more = "") const {
    return testing::run_command(
        fmt::format("compile '{}' --target {} {} -o {}", kDigits, target, more, path("net.vdla")));
  }

  Temporary folder_{std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "modules of GPUs"};
};

}  // namespace vdla::gpu
