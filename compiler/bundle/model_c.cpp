// SPDX-License-Identifier: Apache-2.0
// NAME.h and NAME.c: types, functions and the tables of driver/model/model.h.
#include "compiler/bundle/model_c.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/bundle/convert_c.h"
#include "compiler/bundle/text_c.h"
#include "driver/model/model.h"
#include "isa/spec/insn.h"
#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "runtime/device/device_facts.h"
#include "runtime/device/device_program.h"
#include "runtime/session/session.h"
#include "support/error.h"

namespace vdla::bundle {
namespace {

std::uint32_t number(std::uint64_t value, const std::string& what) {
  VDLA_CHECK_USER(value <= UINT32_MAX) << what << " has " << value << " bytes, more than firmware addresses";
  return static_cast<std::uint32_t>(value);
}

std::size_t at_least_one(std::size_t count) { return std::max<std::size_t>(count, 1); }

/// "const int8_t* image, int8_t* scores"
std::string parameters(const Plan& plan) {
  std::string list;
  const auto add = [&](const runtime::Port& port, const std::string& name, const char* qualifier) {
    list += fmt::format(", {}{}* {}", qualifier, c_type(plan.module.tensors[port.tensor].type), name);
  };
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) add(plan.module.inputs[i], plan.inputs[i], "const ");
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) add(plan.module.outputs[i], plan.outputs[i], "");
  return list;
}

std::string run_signature(const Plan& plan) {
  return fmt::format("vdla_driver_status {0}_run({0}* self{1})", plan.name, parameters(plan));
}

/// Macros for the meaning of a port's integers and their number.
std::string port_macros(const Plan& plan, const runtime::Port& port, const std::string& name,
                        const std::string& kind) {
  const runtime::Tensor& tensor = plan.module.tensors[port.tensor];
  const std::string macro = plan.upper + "_" + upper_case(name);
  std::string text = fmt::format("/* {} {}: {} {}", kind, in_comment(port.name),
                                 runtime::name_of(tensor.type), runtime::to_string(tensor.shape));
  if (!port.perm.empty())
    text += fmt::format("; dimension i is dimension [{}][i] of the model file's {}",
                        fmt::join(port.perm, ", "), runtime::to_string(port.model_shape));
  if (port.model_type != tensor.type)
    text += fmt::format("; {} in the model file", runtime::name_of(port.model_type));
  const auto& q = tensor.quantization;
  const bool quantized = q.scale.size() == 1 && q.zero_point.size() == 1;
  if (quantized) text += "; real = SCALE * (q - ZERO_POINT)";
  text += fmt::format(" */\n#define {0}_ELEMENTS {1}\n#define {0}_BYTES {2}\n", macro,
                      runtime::element_count(tensor.shape), tensor.bytes());
  if (quantized)
    text += fmt::format("#define {0}_SCALE {1}\n#define {0}_ZERO_POINT ({2})\n", macro, literal(q.scale[0]),
                        q.zero_point[0]);
  return text + "\n";
}

constexpr std::string_view kHomes[] = {"VDLA_MODEL_CONSTANT", "VDLA_MODEL_ARENA", "VDLA_MODEL_INPUT",
                                       "VDLA_MODEL_OUTPUT"};

std::string tensors_c(const Plan& plan) {
  std::string text =
      "/* home, place in it, constant data, bytes */\nstatic const vdla_model_tensor kTensors[] = {\n";
  for (std::size_t t = 0; t < plan.homes.size(); ++t) {
    const runtime::Tensor& tensor = plan.module.tensors[t];
    const auto index = static_cast<runtime::TensorIndex>(t);
    text += fmt::format("    {{{}, {}, {}, {}}}, /* {}: {} */\n",
                        kHomes[static_cast<std::size_t>(plan.homes[t].home)], plan.homes[t].at,
                        plan.constants.contains(index) ? constant_symbol(plan, index) : "NULL",
                        number(tensor.bytes(), "tensor '" + tensor.name + "'"), t, in_comment(tensor.name));
  }
  for (std::size_t b = 0; b < plan.buffers.size(); ++b)
    text +=
        fmt::format("    {{VDLA_MODEL_ARENA, {}, NULL, {}}}, /* {}: a kernel's own */\n", plan.buffers[b].at,
                    number(plan.buffers[b].bytes, "a kernel's buffer"), plan.homes.size() + b);
  return text + "};\n\n";
}

std::string places_c(const Plan& plan, const std::string& symbol,
                     const std::vector<runtime::DeviceTensor>& list) {
  if (list.empty()) return "";
  std::string text = fmt::format("static const vdla_model_place {}[] = {{\n", symbol);
  for (const runtime::DeviceTensor& d : list) {
    const runtime::Tensor& tensor = plan.module.tensors[d.tensor];
    const auto rows = runtime::rows_of(d.layout, tensor.shape, tensor.type);
    VDLA_CHECK_USER(rows.has_value())
        << "tensor '" << tensor.name
        << "' lies on the device in blocks or in another order of its dimensions, "
           "which C code does not copy; compile the network again";
    text += fmt::format("    {{{}, VDLA_WINDOW_{}, {}u, {}, {}, {}}},\n", d.tensor,
                        upper_case(std::string(isa::to_string(d.window))), d.offset, rows->count, rows->bytes,
                        rows->stride);
  }
  return text + "};\n";
}

std::string device_step_c(const Plan& plan, const PlannedStep& step) {
  const runtime::DeviceStep& device = *step.device;
  const std::string symbol = fmt::format("kStep{}", step.index);
  std::string text =
      places_c(plan, symbol + "Inputs", device.inputs) + places_c(plan, symbol + "Outputs", device.outputs);
  const auto launches = runtime::launches_of(device.program, runtime::SessionOptions{}.stall_limit);
  text += fmt::format("static const vdla_launch {}Launches[] = {{\n", symbol);
  for (const vdla_launch& l : launches)
    text += fmt::format("    {{.insn_offset = {}, .insn_count = {}, .sequence = {}u, .stall_limit = {}u}},\n",
                        l.insn_offset, l.insn_count, l.sequence, l.stall_limit);
  text += fmt::format("}};\nstatic const vdla_model_device_step {} = {{\n    .windows = {{\n", symbol);
  for (std::size_t w = 0; w < isa::kWindowCount; ++w) {
    const auto window = static_cast<isa::Window>(w);
    const std::uint64_t bytes = device.program.window_size(window);
    const std::size_t image = runtime::image_of(device.program, window).size();
    text +=
        fmt::format("        {{{}u, {}, {}}}, /* {} */\n", bytes,
                    image == 0 ? "NULL" : image_symbol(plan, step.index, window),
                    number(image, "window " + std::string(isa::to_string(window))), isa::to_string(window));
  }
  const auto or_null = [&](const char* suffix, bool there) { return there ? symbol + suffix : "NULL"; };
  return text + fmt::format(
                    "    }},\n    .inputs = {},\n    .outputs = {},\n    .launches = {}Launches,\n    "
                    ".input_count = {},\n"
                    "    .output_count = {},\n    .launch_count = {},\n    .predicted_cycles = {}u}};\n\n",
                    or_null("Inputs", !device.inputs.empty()), or_null("Outputs", !device.outputs.empty()),
                    symbol, device.inputs.size(), device.outputs.size(), launches.size(),
                    runtime::predicted_cycles(device.program.insns, device.program.geometry,
                                              plan.module.variant.timing));
}

std::string cpu_step_c(const PlannedStep& step) {
  return fmt::format(
      "static const uint32_t kStep{0}Arguments[] = {{{1}}};\n"
      "static const vdla_model_cpu_step kStep{0} = {{{2}, kStep{0}Arguments, {3}}};\n\n",
      step.index, fmt::join(step.arguments, ", "), step.symbol, step.arguments.size());
}

std::string steps_c(const Plan& plan) {
  std::string text, list;
  for (const PlannedStep& step : plan.steps) {
    const std::string table = fmt::format("&kStep{}", step.index);
    text += step.device ? device_step_c(plan, step) : cpu_step_c(step);
    list += fmt::format("    {{{0}, {1}}},\n", step.device ? table : "NULL", step.device ? "NULL" : table);
  }
  return text + fmt::format("static const vdla_model_step kSteps[] = {{\n{}}};\n\n",
                            list.empty() ? "    {NULL, NULL},\n" : list);
}

std::string kept_c(const Plan& plan) {
  if (plan.module.states.empty()) return "";
  std::string text =
      "/* begin, end, what the first one begins with */\nstatic const vdla_model_kept kKept[] = {\n";
  for (const runtime::State& s : plan.module.states) {
    const std::string initial = initial_symbol(plan, s);
    text += fmt::format("    {{{}, {}, {}}}, /* {} */\n", s.begin, s.end, initial.empty() ? "NULL" : initial,
                        in_comment(plan.module.tensors[s.begin].name));
  }
  return text + "};\n\n";
}

std::string model_table_c(const Plan& plan) {
  std::vector<runtime::TensorIndex> outputs;
  for (const runtime::Port& port : plan.module.outputs) outputs.push_back(port.tensor);
  const std::size_t kept = plan.module.states.size();
  return kept_c(plan) +
         fmt::format(
             "static const uint32_t kOutputs[] = {{{}}};\n\n"
             "static const uint32_t kGeometry[] = {{{}}};\n\n"
             "static const vdla_model kModel = {{\n    .identity = {{.isa_version = {}u, .geometry_hash = "
             "0x{:016x}u, .geometry = kGeometry}},\n"
             "    .tensors = kTensors,\n    .steps = kSteps,\n    .outputs = kOutputs,\n    .kept = {},\n"
             "    .step_count = {},\n    .output_count = {},\n    .kept_count = {}}};\n\n",
             fmt::join(outputs, ", "), fmt::join(runtime::numbers_of(plan.module.variant.geometry), ", "),
             isa::kIsaVersion, isa::geometry_hash(plan.module.variant.geometry), kept == 0 ? "NULL" : "kKept",
             plan.steps.size(), outputs.size(), kept);
}

std::string functions_c(const Plan& plan) {
  std::string text = fmt::format(
      "vdla_driver_status {0}_load({0}* self, vdla_device* device) {{\n"
      "  self->state.windows = self->windows;\n  self->state.arena = (uint8_t*)self->arena;\n"
      "  self->state.arguments = self->arguments;\n  return vdla_model_load(&self->state, &kModel, "
      "device);\n}}\n\n"
      "void {0}_unload({0}* self) {{ vdla_model_unload(&self->state, &kModel); }}\n\n",
      plan.name);
  if (!plan.module.states.empty())
    text += fmt::format(
        "void {0}_reset_state({0}* self) {{ vdla_model_reset_state(&self->state, &kModel); }}\n\n",
        plan.name);
  text += fmt::format("{} {{\n  const void* inputs[{}];\n  void* outputs[{}];\n", run_signature(plan),
                      at_least_one(plan.inputs.size()), at_least_one(plan.outputs.size()));
  if (plan.inputs.empty()) text += "  inputs[0] = NULL;\n";
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    text += fmt::format("  inputs[{}] = {};\n", i, plan.inputs[i]);
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    text += fmt::format("  outputs[{}] = {};\n", i, plan.outputs[i]);
  return text + "  return vdla_model_run(&self->state, &kModel, inputs, outputs);\n}\n";
}

}  // namespace

std::string header_c(const Plan& plan) {
  const bool keeps = !plan.module.states.empty();
  std::string text = banner(plan, "its functions");
  text += fmt::format(
      "#ifndef {0}_H\n#define {0}_H\n\n#include \"driver/model/model.h\"\n\n"
      "#if VDLA_MODEL_FORMAT != {1}\n#error \"{2} needs the vdla folder that it was generated "
      "with\"\n#endif\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      plan.upper, VDLA_MODEL_FORMAT, plan.name);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    text += port_macros(plan, plan.module.inputs[i], plan.inputs[i], "Input");
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    text += port_macros(plan, plan.module.outputs[i], plan.outputs[i], "Output");
  text += fmt::format(
      "/* DMA memory that {0}_load() takes of the transport, in blocks of whole pages. */\n"
      "#define {1}_DMA_BYTES {2}\n"
      "/* Buffers that a kernel on the CPU keeps on the stack, beside what the driver takes. */\n"
      "#define {1}_KERNEL_STACK_BYTES {3}\n\n",
      plan.name, plan.upper, plan.memory.device, plan.memory.kernel_stack);
  text += fmt::format(
      "/* A loaded model; zero before {0}_load(): a static one is. */\ntypedef struct {0} {{\n"
      "  vdla_model_state state; /* counters of the last run, and a timeout that may be set after loading "
      "*/\n"
      "  uint64_t windows[{1}];\n  uint64_t arena[{2}];\n  void* arguments[{3}];\n}} {0};\n\n",
      plan.name, at_least_one(plan.device_steps * isa::kWindowCount),
      at_least_one((plan.memory.arena + 7) / 8), at_least_one(plan.most_arguments));
  text += fmt::format(
      "/* Once, after vdla_probe() and vdla_reset(): writes the program and its constants into DMA "
      "memory.\n"
      "   Refuses a device of another version or geometry. When a function here fails, device->message has "
      "the\n"
      "   reason. */\n"
      "vdla_driver_status {0}_load({0}* self, vdla_device* device);\n"
      "/* One inference; dense, row-major.{2} */\n{1};\n{3}"
      "/* Gives the DMA memory back. */\nvoid {0}_unload({0}* self);\n\n"
      "{4}#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      plan.name, run_signature(plan), keeps ? " Goes on from the last one that did not fail." : "",
      keeps ? fmt::format("/* The next inference is as the first one after {0}_load(). */\n"
                          "void {0}_reset_state({0}* self);\n",
                          plan.name)
            : "",
      conversions_h(plan));
  return text;
}

std::string model_c(const Plan& plan) {
  std::string text =
      banner(plan, "its steps") + fmt::format(
                                      "#include \"{0}.h\"\n\n#include <stddef.h>\n\n#include "
                                      "\"isa/generated/vdla_isa.h\"\n#include \"{0}_data.h\"\n\n",
                                      plan.name);
  for (const PlannedStep& step : plan.steps)
    if (step.host) text += fmt::format("void {}(void* const* arguments);\n", step.symbol);
  if (plan.device_steps < plan.steps.size()) text += "\n";
  return text + tensors_c(plan) + steps_c(plan) + model_table_c(plan) + functions_c(plan);
}

}  // namespace vdla::bundle
