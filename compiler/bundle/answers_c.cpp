// SPDX-License-Identifier: Apache-2.0
#include "compiler/bundle/answers_c.h"

#include <fmt/format.h>

#include "compiler/bundle/text_c.h"
#include "support/error.h"

namespace vdla::bundle {
namespace {

struct PortOf {
  bool is_input;
  std::size_t number;
  const runtime::Tensor* tensor;
};

std::vector<PortOf> ports_of(const Plan& plan) {
  std::vector<PortOf> ports;
  const runtime::Module& m = plan.module;
  for (std::size_t i = 0; i < m.inputs.size(); ++i)
    ports.push_back({true, i, &m.tensors[m.inputs[i].tensor]});
  for (std::size_t i = 0; i < m.outputs.size(); ++i)
    ports.push_back({false, i, &m.tensors[m.outputs[i].tensor]});
  return ports;
}

/// "const int8_t net_answer_input0[2][64]": by numbers, so that one program tests any model of that name.
std::string array_of(const Plan& plan, const PortOf& port, std::size_t answers) {
  return fmt::format("const {} {}_answer_{}{}[{}][{}]", c_type(port.tensor->type), plan.name,
                     port.is_input ? "input" : "output", port.number, answers,
                     runtime::element_count(port.tensor->shape));
}

const runtime::Bytes& value_of(const KnownAnswer& answer, const PortOf& port) {
  const std::vector<runtime::Bytes>& values = port.is_input ? answer.inputs : answer.outputs;
  VDLA_CHECK_USER(port.number < values.size() && values[port.number].size() == port.tensor->bytes())
      << "known answer '" << answer.name << "' lacks '" << port.tensor->name << "' of "
      << port.tensor->bytes() << " bytes";
  return values[port.number];
}

}  // namespace

std::string answers_h(const Plan& plan, const std::vector<KnownAnswer>& answers) {
  std::string text = banner(plan, "inferences whose answers are known") +
                     fmt::format(
                         "#ifndef {0}_ANSWERS_H\n#define {0}_ANSWERS_H\n\n#include <stdint.h>\n\n"
                         "#define {0}_ANSWERS {1}\n\n",
                         plan.upper, answers.size());
  for (const PortOf& port : ports_of(plan))
    text += fmt::format("extern {};\n", array_of(plan, port, answers.size()));
  return text +
         fmt::format("extern const char* const {}_answer_names[{}];\n\n#endif\n", plan.name, answers.size());
}

std::string answers_c(const Plan& plan, const std::vector<KnownAnswer>& answers) {
  std::string text = banner(plan, "inferences whose answers are known") +
                     fmt::format("#include \"{}_answers.h\"\n", plan.name);
  for (const PortOf& port : ports_of(plan)) {
    const std::string_view type = c_type(port.tensor->type);
    VDLA_CHECK_USER(type != "float" && type != "double")
        << "known answers are integers, and '" << port.tensor->name << "' is "
        << runtime::name_of(port.tensor->type);
    text += fmt::format("\n{} = {{\n", array_of(plan, port, answers.size()));
    for (const KnownAnswer& answer : answers) {
      text += "    {";
      append_numbers(text, value_of(answer, port), runtime::bytes_of(port.tensor->type),
                     type.starts_with("int"));
      text += "},\n";
    }
    text += "};\n";
  }
  text += fmt::format("\nconst char* const {}_answer_names[{}] = {{\n", plan.name, answers.size());
  for (const KnownAnswer& answer : answers) text += fmt::format("    {},\n", c_string(answer.name));
  return text + "};\n";
}

}  // namespace vdla::bundle
