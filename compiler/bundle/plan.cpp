// SPDX-License-Identifier: Apache-2.0
#include "compiler/bundle/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "driver/model/model.h"
#include "runtime/device/device.h"
#include "runtime/device/device_memory.h"
#include "runtime/session/arena.h"
#include "support/error.h"

namespace vdla::bundle {
namespace {

static_assert(VDLA_MODEL_ALIGNMENT == runtime::kDmaAlignment, "a model has the addresses of a session");

/// Keywords of C99 with GNU's words, and of C++20, in which firmware may include the header.
constexpr std::string_view kKeywords[] = {"alignas",     "alignof",      "and",       "and_eq",
                                          "asm",         "auto",         "bitand",    "bitor",
                                          "bool",        "break",        "case",      "catch",
                                          "char",        "char16_t",     "char32_t",  "char8_t",
                                          "class",       "co_await",     "co_return", "co_yield",
                                          "compl",       "concept",      "const",     "const_cast",
                                          "consteval",   "constexpr",    "constinit", "continue",
                                          "decltype",    "default",      "delete",    "do",
                                          "double",      "dynamic_cast", "else",      "enum",
                                          "explicit",    "export",       "extern",    "false",
                                          "float",       "for",          "friend",    "goto",
                                          "if",          "inline",       "int",       "long",
                                          "main",        "mutable",      "namespace", "new",
                                          "noexcept",    "not",          "not_eq",    "nullptr",
                                          "operator",    "or",           "or_eq",     "private",
                                          "protected",   "public",       "register",  "reinterpret_cast",
                                          "requires",    "restrict",     "return",    "short",
                                          "signed",      "sizeof",       "static",    "static_assert",
                                          "static_cast", "struct",       "switch",    "template",
                                          "this",        "thread_local", "throw",     "true",
                                          "try",         "typedef",      "typeid",    "typename",
                                          "typeof",      "union",        "unsigned",  "using",
                                          "virtual",     "void",         "volatile",  "wchar_t",
                                          "while",       "xor",          "xor_eq"};

/// Types of the headers that the generated files include.
constexpr std::string_view kTypes[] = {"int8_t",  "int16_t",   "int32_t",  "int64_t",
                                       "uint8_t", "uint16_t",  "uint32_t", "uint64_t",
                                       "size_t",  "ptrdiff_t", "intptr_t", "uintptr_t"};

bool is_keyword(std::string_view name) {
  return std::ranges::find(kTypes, name) != std::end(kTypes) ||
         std::ranges::find(kKeywords, name) != std::end(kKeywords);
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Identifier in lower case.
std::string identifier(const std::string& text, const std::string& otherwise) {
  std::string made;
  for (const char c : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128;
    if (fits) made += c;
    if (!fits && !made.empty() && made.back() != '_') made += '_';
  }
  while (!made.empty() && made.back() == '_') made.pop_back();
  if (made.empty()) return otherwise;
  if (std::isdigit(static_cast<unsigned char>(made[0])) != 0) made = otherwise + "_" + made;
  made = lower_case(made);
  if (made.starts_with("vdla")) made = otherwise + "_" + made;  // names of the driver
  return is_keyword(made) ? made + "_" : made;
}

void check_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '_'); };
  VDLA_CHECK_USER(!name.empty() && std::ranges::all_of(name, fits) &&
                  (std::isalpha(static_cast<unsigned char>(name[0])) != 0))
      << "'" << name << "' begins symbols of C: it needs letters, digits and _, a letter first";
  const bool of_file =
      name.size() > 1 && name[0] == 'k' && std::isupper(static_cast<unsigned char>(name[1])) != 0;
  VDLA_CHECK_USER(!of_file) << "'" << name
                            << "' begins as constants of the generated files do (kModel); choose another one";
  VDLA_CHECK_USER(!is_keyword(name) && !lower_case(name).starts_with("vdla"))
      << "'" << name << "' is a name that C or the driver has already; choose another one";
}

/// `seen`: names of inputs are none of outputs, also in the macros.
std::vector<std::string> names_of(const std::vector<runtime::Port>& ports, const std::string& kind,
                                  std::set<std::string>& seen) {
  std::vector<std::string> names;
  for (const runtime::Port& port : ports) {
    const std::string plain = identifier(port.name, kind);
    std::string name = plain;
    for (int again = 2; !seen.insert(name).second; ++again) name = fmt::format("{}_{}", plain, again);
    names.push_back(name);
  }
  return names;
}

std::vector<TensorHome> homes_of(const runtime::Module& module, const runtime::ArenaPlan& arena) {
  std::vector<TensorHome> homes(module.tensors.size());
  for (std::size_t t = 0; t < homes.size(); ++t)
    if (!module.tensors[t].constant()) homes[t] = {Home::Arena, arena.offsets[t]};
  // The first of several places counts; an input stays where the caller has it.
  for (std::size_t i = module.outputs.size(); i-- > 0;)
    if (!module.tensors[module.outputs[i].tensor].constant())
      homes[module.outputs[i].tensor] = {Home::Output, i};
  for (std::size_t i = module.inputs.size(); i-- > 0;) homes[module.inputs[i].tensor] = {Home::Input, i};
  for (const runtime::State& s : module.states) homes[s.begin] = {Home::Arena, arena.offsets[s.begin]};
  return homes;
}

/// "conv1_taps" of node "conv1/taps".
std::string symbol_of(const runtime::HostStep& step, const std::string& name) {
  return fmt::format("{}_kernel_{}", name,
                     identifier(step.kernel.starts_with("k_") ? step.kernel.substr(2) : step.kernel, "node"));
}

void add_steps(Plan& plan) {
  const runtime::Module& module = plan.module;
  const auto is_empty = [&](runtime::TensorIndex t) { return module.tensors[t].bytes() == 0; };
  std::set<std::string> symbols;
  const auto reads = [&](runtime::TensorIndex t) {
    if (module.tensors[t].constant()) plan.constants.insert(t);
  };
  for (const runtime::Port& port : module.outputs) reads(port.tensor);
  for (const runtime::State& s : module.states) reads(s.end);
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    PlannedStep step;
    step.index = i;
    if (const auto* device = std::get_if<runtime::DeviceStep>(&module.steps[i])) {
      step.device = device;
      ++plan.device_steps;
    } else {
      step.host = std::get_if<runtime::HostStep>(&module.steps[i]);
      if (std::ranges::all_of(step.host->results, is_empty)) continue;
      step.symbol = symbol_of(*step.host, plan.name);
      while (!symbols.insert(step.symbol).second) step.symbol += "_";
      step.arguments.assign(step.host->arguments.begin(), step.host->arguments.end());
      std::ranges::for_each(step.arguments, reads);
      plan.most_arguments = std::max(plan.most_arguments, step.arguments.size());
    }
    plan.steps.push_back(std::move(step));
  }
}

}  // namespace

std::string c_name(const std::string& model_name) { return identifier(model_name, "model"); }

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string_view c_type(runtime::DataType type) {
  switch (type) {
    case runtime::DataType::Int8:
      return "int8_t";
    case runtime::DataType::Bool:
    case runtime::DataType::UInt8:
      return "uint8_t";
    case runtime::DataType::Int16:
      return "int16_t";
    case runtime::DataType::UInt16:
    case runtime::DataType::Float16:
    case runtime::DataType::BFloat16:
      return "uint16_t";
    case runtime::DataType::Int32:
      return "int32_t";
    case runtime::DataType::UInt32:
      return "uint32_t";
    case runtime::DataType::Int64:
      return "int64_t";
    case runtime::DataType::UInt64:
      return "uint64_t";
    case runtime::DataType::Float32:
      return "float";
    case runtime::DataType::Float64:
      return "double";
  }
  return "uint8_t";
}

Plan make_plan(const runtime::Module& module, const Options& options) {
  check_name(options.name);
  const runtime::ArenaPlan arena = plan_arena(module, runtime::Ports::Apart);
  // Parameters, variables and macros of the generated functions have these names.
  std::set<std::string> seen{lower_case(options.name), "self", "inputs", "outputs", "dma", "kernel_stack"};
  Plan plan{module, options.name, upper_case(options.name), options.cpu_target};
  plan.inputs = names_of(module.inputs, "input", seen);
  plan.outputs = names_of(module.outputs, "output", seen);
  plan.homes = homes_of(module, arena);
  plan.memory.arena = arena.bytes;
  plan.memory.device = runtime::device_memory(module).bytes;
  add_steps(plan);
  return plan;
}

void place_buffers(Plan& plan, const std::vector<std::vector<std::uint64_t>>& buffers) {
  const auto aligned = [](std::uint64_t at) {
    return (at + runtime::kTensorAlignment - 1) / runtime::kTensorAlignment * runtime::kTensorAlignment;
  };
  const std::uint64_t first = aligned(plan.memory.arena);
  auto kernel = buffers.begin();
  for (PlannedStep& step : plan.steps) {
    if (!step.host) continue;
    std::uint64_t at = first;
    for (const std::uint64_t bytes : *kernel++) {
      step.arguments.push_back(static_cast<std::uint32_t>(plan.homes.size() + plan.buffers.size()));
      plan.buffers.push_back({at, bytes});
      at = aligned(at + bytes);
      plan.memory.arena = std::max(plan.memory.arena, at);
    }
    plan.most_arguments = std::max(plan.most_arguments, step.arguments.size());
  }
}

}  // namespace vdla::bundle
