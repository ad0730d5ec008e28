// SPDX-License-Identifier: Apache-2.0
// NAME_data.{h,c}: bytes as numbers.
#include <fmt/format.h>

#include <cstdint>

#include "compiler/bundle/model_c.h"
#include "isa/spec/insn.h"
#include "isa/spec/registers.h"
#include "runtime/device_program.h"

namespace vdla::bundle {
namespace {

/// A literal of C99: the integer that these bytes are, low byte first.
std::string literal_of(std::span<const std::byte> bytes, bool is_signed) {
  std::uint64_t value = 0;
  for (std::size_t b = bytes.size(); b-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[b]);
  if (!is_signed) return fmt::format("{}{}", value, bytes.size() == 8 ? "u" : "");
  const auto above = static_cast<unsigned>(64 - 8 * bytes.size());
  const auto number = static_cast<std::int64_t>(value << above) >> above;
  // The least number of 64 bits has no literal of its own.
  return number == INT64_MIN ? fmt::format("(-{} - 1)", INT64_MAX) : fmt::format("{}", number);
}

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

void append_numbers(std::string& text, std::span<const std::byte> data, std::size_t bytes, bool is_signed) {
  constexpr std::size_t kColumns = 110;
  std::size_t column = 0;
  for (std::size_t at = 0; at + bytes <= data.size(); at += bytes) {
    const std::string number = literal_of(data.subspan(at, bytes), is_signed);
    if (column == 0 || column + number.size() + 1 > kColumns) {
      text += "\n  ";
      column = 2;
    }
    text += number;
    text += ',';
    column += number.size() + 1;
  }
}

std::string image_symbol(const Plan& plan, std::size_t step, isa::Window window) {
  return fmt::format("{}_step{}_{}", plan.name, step, isa::to_string(window));
}

std::string constant_symbol(const Plan& plan, runtime::TensorIndex tensor) {
  return fmt::format("{}_constant{}", plan.name, tensor);
}

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
