// SPDX-License-Identifier: Apache-2.0
// NAME_data.{h,c}: bytes as numbers.
#include <fmt/format.h>

#include <cstdint>

#include "compiler/bundle/model_c.h"
#include "compiler/bundle/text_c.h"
#include "isa/spec/insn.h"
#include "runtime/device/device_program.h"

namespace vdla::bundle {
namespace {

struct Arrays {
  std::string declarations, definitions;
  std::uint64_t bytes = 0;

  void add(const Plan& plan, const std::string& symbol, const std::string& what, const runtime::Bytes& data,
           std::size_t element) {
    const std::string type = fmt::format("const uint{}_t {}[{}]", element * 8, symbol, data.size() / element);
    declarations += fmt::format("extern {}; /* {} */\n", type, what);
    definitions += fmt::format("\n/* {} */\n{}_DATA {} = {{", what, plan.upper, type);
    append_numbers(definitions, data, element, false);
    definitions += "\n};\n";
    bytes += data.size();
  }
};

void add_images(Arrays& arrays, const Plan& plan, const PlannedStep& step) {
  for (std::size_t w = 0; w < isa::kWindowCount; ++w) {
    const auto window = static_cast<isa::Window>(w);
    const runtime::Bytes image = runtime::image_of(step.device->program, window);
    if (image.empty()) continue;
    arrays.add(plan, image_symbol(plan, step.index, window),
               fmt::format("step {}, window {}", step.index, isa::to_string(window)), image, 1);
  }
}

}  // namespace

DataFiles data_c(const Plan& plan) {
  Arrays arrays;
  for (const PlannedStep& step : plan.steps)
    if (step.device) add_images(arrays, plan, step);
  for (const runtime::TensorIndex t : plan.constants) {
    const runtime::Tensor& tensor = plan.module.tensors[t];
    // As elements of their size, so that they are aligned.
    arrays.add(
        plan, constant_symbol(plan, t),
        fmt::format("tensor {}, {} {}", t, runtime::name_of(tensor.type), runtime::to_string(tensor.shape)),
        tensor.data, runtime::bytes_of(tensor.type));
  }
  for (const runtime::State& state : plan.module.states) {
    const std::string symbol = initial_symbol(plan, state);
    const std::string name = in_comment(plan.module.tensors[state.begin].name);
    if (!symbol.empty()) arrays.add(plan, symbol, fmt::format("state {}", name), state.initial, 1);
  }
  DataFiles files;
  files.header = banner(plan, "its constant data") +
                 fmt::format("#ifndef {0}_DATA_H\n#define {0}_DATA_H\n\n#include <stdint.h>\n\n{1}\n#endif\n",
                             plan.upper, arrays.declarations);
  files.source =
      banner(plan, "its constant data") +
      fmt::format(
          "#include \"{0}_data.h\"\n\n"
          "/* Where a link script wants it elsewhere: -D'{1}_DATA=__attribute__((section(\"name\")))' */\n"
          "#ifndef {1}_DATA\n#define {1}_DATA\n#endif\n",
          plan.name, plan.upper) +
      arrays.definitions;
  files.bytes = arrays.bytes;
  return files;
}

}  // namespace vdla::bundle
