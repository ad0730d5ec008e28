// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/module/small_modules.h"

#include "support/error.h"

namespace vdla::runtime {

Bytes int8s(std::initializer_list<int> values) {
  Bytes bytes;
  for (int v : values) bytes.push_back(static_cast<std::byte>(v));
  return bytes;
}

Module two_host_steps() {
  const Quantization q{.scale = {0.5}, .zero_point = {-1}, .axis = -1};
  Module m;
  m.model_name = "two";
  m.provenance.producer = "test";
  m.target = "cpu";
  m.variant.name = "paper";
  for (const char* name : {"in", "middle", "out"})
    m.tensors.push_back(
        {.name = name, .type = DataType::Int8, .shape = {1, 2, 2, 3}, .quantization = q, .data = {}});
  const std::vector<KernelParameter> both(2, {DataType::Int8, 12});
  m.steps.push_back(HostStep{
      .kernel = "add_one", .loop_ir = "func one", .parameters = both, .arguments = {0, 1}, .results = {1}});
  m.steps.push_back(HostStep{
      .kernel = "add_one", .loop_ir = "func two", .parameters = both, .arguments = {1, 2}, .results = {2}});
  m.inputs = {{.tensor = 0,
               .name = "image",
               .model_type = DataType::Float32,
               .model_shape = {1, 3, 2, 2},
               .perm = {0, 2, 3, 1}}};
  m.outputs = {
      {.tensor = 2, .name = "scores", .model_type = DataType::Int8, .model_shape = {12}, .perm = {}}};
  m.nodes = {{.name = "first",
              .op = "add",
              .place = "cpu",
              .reason = "--place first=cpu",
              .layer = "",
              .step = 0,
              .macs = 12,
              .estimated_cycles = 1.5,
              .bytes_to_device = 3,
              .bytes_from_device = 4}};
  return m;
}

HostKernelFactory add_one_factory(int* made) {
  return [made](const HostStep& step) -> HostKernel {
    VDLA_CHECK_USER(step.kernel == "add_one") << "unknown kernel '" << step.kernel << "'";
    if (made) ++*made;
    return [](std::span<void* const> arguments) {
      const auto* from = static_cast<const std::int8_t*>(arguments[0]);
      auto* to = static_cast<std::int8_t*>(arguments[1]);
      for (int i = 0; i < 12; ++i) to[i] = static_cast<std::int8_t>(from[i] + 1);
    };
  };
}

}  // namespace vdla::runtime
