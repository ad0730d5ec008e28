// SPDX-License-Identifier: Apache-2.0
// `vdla-run`: a module on the accelerator of a board, in one small static program without compiler and
// engines with time. Exit statuses are those of `vdla`.
#include <fmt/core.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>

#include "runtime/container/module_file.h"
#include "runtime/device/device.h"
#include "runtime/device/device_facts.h"
#include "runtime/device/post_mortem.h"
#include "runtime/module/run_extents.h"
#include "runtime/session/session.h"
#include "support/error.h"
#include "support/inert.h"
#include "support/nonfinite.h"
#include "tools/common/standard_output.h"
#include "tools/data/files.h"
#include "tools/data/npy.h"
#include "tools/data/output_values.h"
#include "tools/data/whole_inputs.h"
#include "tools/runner/arguments.h"
#include "tools/runner/device.h"

namespace vdla::runner {
namespace {

/// Returns the text as a string of JSON.
std::string json_string(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return '"' + visible(quoted) + '"';
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : json_string(name_of_nonfinite(value));
}

runtime::Bytes read_input(const std::string& path, const runtime::Port& port) {
  const tools::InputNeed need{port.name, tools::npy_type(port.model_type), port.model_shape, false,
                              "a .npy array; images are made .npy on the desk"};
  if (!path.ends_with(".npy")) {
    runtime::Bytes bytes = tools::read_file(path);
    tools::whole_inputs({need.type, {}, bytes}, need, path);
    return bytes;
  }
  tools::NpyArray array = tools::read_npy(path);
  const std::size_t count = tools::whole_inputs(tools::values_of(array), need, path).size();
  VDLA_CHECK_USER(count == 1) << path << ": has " << count << " inputs, vdla-run takes one";
  return std::move(array.bytes);
}

std::vector<runtime::Bytes> read_inputs(const Arguments& a, const runtime::Module& module) {
  VDLA_CHECK_USER(a.inputs.size() == module.inputs.size())
      << "model '" << module.model_name << "' has " << module.inputs.size()
      << " inputs, needs --input FILE as often, got " << a.inputs.size();
  const std::size_t outputs = runtime::outputs_of_runs(module.outputs).size();
  VDLA_CHECK_USER(a.outputs.size() <= outputs) << "model '" << module.model_name << "' has " << outputs
                                               << " outputs, got --output " << a.outputs.size() << " times";
  std::vector<runtime::Bytes> inputs;
  for (std::size_t i = 0; i < a.inputs.size(); ++i)
    inputs.push_back(read_input(a.inputs[i], module.inputs[i]));
  return inputs;
}

/// Behind a driver may be a functional engine, which has no cycles.
bool has_cycles(const runtime::Result& result, const kit::OpenDevice& device) {
  return device.transport != nullptr && !device.engine && result.cycles > 0;
}

void print_text(const runtime::Module& module, const runtime::Result& result, const kit::OpenDevice& device) {
  for (const runtime::StepResult& step : result.steps) {
    fmt::print("step {:<3} {:<13} {:>10.3f} ms", step.step, step.on_device ? "on the device" : "on the CPU",
               1000 * step.seconds);
    if (step.on_device && has_cycles(result, device)) fmt::print("  {:>11} cycles", step.counters.cycles);
    fmt::print("\n");
  }
  if (has_cycles(result, device))
    fmt::print("total {} cycles on {}, {} bytes read, {} written\n", result.cycles, device.name,
               result.read_bytes, result.write_bytes);
  tools::print_outputs(module, result.outputs, module.class_names);
}

void print_json(const runtime::Module& module, const runtime::Result& result, const kit::OpenDevice& device) {
  std::string out = fmt::format("{{\"model\":{},\"device\":{}", json_string(module.model_name),
                                json_string(device.transport != nullptr ? device.name : "cpu"));
  if (has_cycles(result, device)) out += fmt::format(",\"cycles\":{}", result.cycles);
  if (!result.warning.empty()) out += ",\"warning\":" + json_string(result.warning);
  out += ",\"steps\":[";
  for (const runtime::StepResult& step : result.steps)
    out += fmt::format("{}{{\"step\":{},\"on_device\":{},\"seconds\":{}}}", step.step == 0 ? "" : ",",
                       step.step, step.on_device, step.seconds);
  out += "],\"outputs\":[";
  const auto [ports, bytes] = runtime::cut_to_extents(module.outputs, result.outputs);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const runtime::Port& port = ports[i];
    const auto values = tools::output_values(port, bytes[i]);
    out += fmt::format("{}{{\"name\":{},\"shape\":[{}],\"values\":[", i == 0 ? "" : ",",
                       json_string(port.name), fmt::join(port.model_shape, ","));
    for (std::size_t k = 0; k < values.size(); ++k) out += (k == 0 ? "" : ",") + json_number(values[k]);
    out += "],\"top\":[";
    const auto top = tools::is_vector(port) ? tools::largest(module, port, values, tools::kTopClasses)
                                            : std::vector<tools::Scored>{};
    for (std::size_t k = 0; k < top.size(); ++k) {
      out += fmt::format("{}{{\"class\":{}", k == 0 ? "" : ",", top[k].index);
      if (i == 0 && top[k].index < module.class_names.size())
        out += ",\"name\":" + json_string(module.class_names[top[k].index]);
      out +=
          fmt::format(",\"score\":{},\"value\":{}}}", json_number(top[k].score), json_number(top[k].value));
    }
    out += "]}";
  }
  fmt::print("{}]}}\n", out);
}

void run(const Arguments& a) {
  runtime::LoadOptions trust;
  if (!a.trust.empty()) trust.trusted = runtime::read_public_key(a.trust);
  const runtime::Module module = runtime::load(a.module, trust);
  const std::vector<runtime::Bytes> inputs = read_inputs(a, module);
  kit::OpenDevice device;
  if (runtime::needs_device(module)) device = open(a.device, module.variant);
  runtime::SessionOptions options;
  options.threads = a.threads;
  runtime::Session session(module, device.transport, options);
  const runtime::Result result = session.run_model(inputs);
  const auto [ports, bytes] = runtime::cut_to_extents(module.outputs, result.outputs);
  for (std::size_t i = 0; i < a.outputs.size(); ++i)
    tools::write_npy(a.outputs[i], {tools::npy_type(ports[i].model_type), ports[i].model_shape, bytes[i]});
  if (a.json) return print_json(module, result, device);
  if (!result.warning.empty()) fmt::print(stderr, "vdla-run: {}\n", result.warning);
  print_text(module, result, device);
}

/// As vdla compile --variant takes it: what is left out is as in variant paper.
void describe(const DeviceChoice& choice) {
  const kit::OpenDevice device = open(choice, {});
  const runtime::DeviceFacts facts = runtime::read_facts(*device.transport);
  const isa::Geometry geometry = runtime::geometry_of(facts);
  constexpr double kKilohertz = 1e-3;  // MHz of a kilohertz
  std::string numbers;
  for (const isa::GeometryField& field : isa::kGeometryFields)
    numbers +=
        fmt::format("{}\n    \"{}\": {}", numbers.empty() ? "" : ",", field.name, geometry.*field.member);
  const std::string clock = facts.clock_khz == 0 ? ""
                                                 : fmt::format(",\n  \"timing\": {{\"clock_mhz\": {}}}",
                                                               kKilohertz * facts.clock_khz);
  fmt::print("{{\n  \"name\": \"device\",\n  \"geometry\": {{{}\n  }}{}\n}}\n", numbers, clock);
}

/// Remedy for a device of another geometry, which the desk compiles.
std::string remedy(const runtime::DeviceError& e) {
  return e.status() == VDLA_DRIVER_GEOMETRY ? ": vdla-run --describe > device.json, and on the desk vdla "
                                              "compile NETWORK --variant device.json"
                                            : "";
}

int fail(bool json, int status, const char* kind, std::string_view message) {
  if (json)
    fmt::print("{{\"error\":{},\"kind\":{}}}\n", json_string(message), json_string(kind));
  else
    fmt::print(stderr, "vdla-run: {}{}\n",
               status == 3 ? "internal error, please report it: " : "error: ", message);
  return status;
}

int run_command_line(int argc, char** argv) {
  Arguments arguments;
  try {
    arguments = parse_arguments(argc, argv);
    if (!arguments.answer.empty())
      fmt::print("{}", arguments.answer);
    else if (arguments.describe)
      describe(arguments.device);
    else
      run(arguments);
    return 0;
  } catch (const WrongFlags& e) {
    return fail(false, 2, "flags", e.message + "; see vdla-run --help");
  } catch (const runtime::DeviceError& e) {
    return fail(arguments.json, 1, "device", e.what() + remedy(e));
  } catch (const UserError& e) {
    return fail(arguments.json, 1, "input", e.what());
  } catch (const std::bad_alloc&) {
    return fail(arguments.json, 1, "memory", "this machine has not enough memory for the module");
  } catch (const std::exception& e) {
    return fail(arguments.json, 3, "internal", e.what());
  }
}

}  // namespace
}  // namespace vdla::runner

int main(int argc, char** argv) {
  vdla::tools::watch_standard_streams();
  const int status = vdla::runner::run_command_line(argc, argv);
  const int error = vdla::tools::finish_standard_output();
  if (error == 0) return status;
  fmt::print(stderr, "vdla-run: error: cannot write to standard output: {}\n", std::strerror(error));
  return status == 0 ? 1 : status;
}
