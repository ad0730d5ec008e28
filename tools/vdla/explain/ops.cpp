// SPDX-License-Identifier: Apache-2.0
// vdla ops: operators of model files that the kit takes.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/import/known_operators.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "support/error.h"
#include "support/nearest.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/explain/device_forms.h"

namespace vdla::tools {
namespace {

using import::KnownOperator;
using import::OperatorFormat;
using nlohmann::ordered_json;

struct OpsFlags {
  std::string op, format;
  bool markdown = false;
};

struct Format {
  OperatorFormat format;
  const char *word, *title;
};
constexpr Format kFormats[] = {
#define VDLA_ROW(name, word, title) {OperatorFormat::name, word, title},
    VDLA_OPERATOR_FORMATS(VDLA_ROW)
#undef VDLA_ROW
};

const Format& format_of(const KnownOperator& o) {
  return *std::ranges::find(kFormats, o.format, &Format::format);
}

/// Kinds of layers of the device.
std::vector<std::string> device_layers() {
  return {
#define VDLA_KIND(T) #T,
      VDLA_DEVICE_OPERATORS(VDLA_KIND)
#undef VDLA_KIND
  };
}

/// Layers of the device that the operator's forms in 8-bit integers are: "maximum + mul + requantize". Drawn
/// files say so of TFLite's operators; of other formats nothing does.
std::vector<std::string> layers_of(const KnownOperator& o) {
  std::vector<std::string> layers;
  if (o.format == OperatorFormat::TfLite)
    for (const DeviceForm& form : kDeviceForms)
      if (form.op == o.name) layers.emplace_back(form.layers);
  return layers;
}

/// The processors that may run the operator.
std::string places_of(const KnownOperator& o) {
  if (!o.has_integer_form) return "the CPU";
  if (o.format != OperatorFormat::TfLite)
    return "the CPU; as 8-bit integers the device, where it has a layer for them";
  const std::vector<std::string> layers = layers_of(o);
  return layers.empty() ? "the CPU"
                        : fmt::format("the CPU; as 8-bit integers the device, where it fits: {}",
                                      fmt::join(layers, " or "));
}

/// Facts of the operator beside its name, in a line.
std::string notes(const KnownOperator& o) {
  if (o.by_definition) return "by the operators that ONNX defines it by";
  if (!o.stands_for.empty()) return "as " + o.stands_for + " between DequantizeLinear and QuantizeLinear";
  if (!o.types.empty()) return fmt::format("{}", fmt::join(o.types, ", "));
  if (!o.since.empty()) return fmt::format("sets {}", fmt::join(o.since, ", "));
  return "";
}

ordered_json json_of(const KnownOperator& o) {
  ordered_json row{
      {"operator", o.name}, {"format", format_of(o).word}, {"int8", o.has_integer_form}, {"notes", notes(o)}};
  if (!o.types.empty()) row["element_types"] = o.types;
  if (o.format == OperatorFormat::TfLite) row["device"] = layers_of(o);
  if (!o.since.empty()) row["since"] = o.since;
  if (!o.stands_for.empty()) row["stands_for"] = o.stands_for;
  if (o.by_definition) row["by_definition"] = true;
  if (!o.inputs.empty())
    row.update({{"inputs", o.inputs}, {"outputs", o.outputs}, {"attributes", o.attributes}});
  return row;
}

ordered_json json_of(const std::vector<KnownOperator>& operators) {
  auto rows = ordered_json::array();
  for (const KnownOperator& o : operators) rows.push_back(json_of(o));
  return rows;
}

std::vector<KnownOperator> chosen(const OpsFlags& f) {
  std::vector<KnownOperator> all = import::known_operators();
  if (!f.format.empty())
    std::erase_if(all, [&](const KnownOperator& o) { return format_of(o).word != f.format; });
  if (f.op.empty()) return all;
  std::vector<std::string> names;
  for (const KnownOperator& o : all) names.push_back(o.name);
  std::erase_if(all, [&](const KnownOperator& o) { return o.name != f.op; });
  VDLA_CHECK_USER(!all.empty()) << "'" << f.op << "' is no operator that this kit takes"
                                << (f.format.empty() ? "" : " in " + f.format) << did_you_mean(f.op, names)
                                << " (vdla ops lists them)";
  return all;
}

void print_one(const KnownOperator& o) {
  fmt::print("{} ({})\n", o.name, format_of(o).title);
  const auto line = [](const char* what, const std::string& text) {
    if (!text.empty()) fmt::print("  {:<14} {}\n", what, text);
  };
  line("element types", fmt::format("{}", fmt::join(o.types, ", ")));
  line("operator sets", fmt::format("{}", fmt::join(o.since, ", ")));
  line("inputs", o.inputs);
  line("outputs", o.outputs);
  line("attributes", fmt::format("{}", fmt::join(o.attributes, ", ")));
  line("runs on", places_of(o));
  if (o.by_definition || !o.stands_for.empty()) line("is read", notes(o));
}

/// The words with commas between them, in lines of a page.
std::string in_lines(const std::vector<std::string>& words) {
  constexpr std::size_t kWidth = 110;
  std::string text;
  std::size_t begin = 0;
  for (const std::string& word : words) {
    if (!text.empty()) text += text.size() - begin + word.size() > kWidth ? ",\n" : ", ";
    if (text.ends_with('\n')) begin = text.size();
    text += word;
  }
  return text;
}

/// The page docs/operators.md. What ONNX's library defines by other operators is that of its version, and is
/// no part of the page.
void print_markdown(std::vector<KnownOperator> operators) {
  std::erase_if(operators, [](const KnownOperator& o) { return o.by_definition; });
  fmt::print(
      "# Operators\n\n"
      "<!-- vdla ops --markdown -->\n\n"
      "Operators that the kit takes from model files, written by `vdla ops --markdown`. `vdla ops NAME` says "
      "more of\n"
      "one; `vdla explain MODEL` lists the operators of a model that are refused, with reasons and remedies. "
      "An operator\n"
      "that ONNX itself defines by others is taken by these.\n\n"
      "All run on the CPU. *int8*: the operator has a form in 8-bit integers, which alone can run on the "
      "device, where it\n"
      "has a layer for it. *device* (TFLite): what it is there, where it fits; without an entry, it runs on "
      "the CPU alone.\n"
      "`lut` is there where its table is two lines, as that of ABS. Reshapes that keep the device's layout "
      "cost nothing.\n"
      "`vdla explain MODEL` says where each operator of a model runs, and why. The device's layers:\n"
      "{}.\n",
      in_lines(device_layers()));
  for (const Format& format : kFormats) {
    const bool has_places = format.format == OperatorFormat::TfLite;
    fmt::print("\n## {}\n\n| operator | int8 |{} notes |\n|---|---|{}---|\n", format.title,
               has_places ? " device |" : "", has_places ? "---|" : "");
    for (const KnownOperator& o : operators)
      if (o.format == format.format)
        fmt::print("| {} | {} |{} {} |\n", o.name, o.has_integer_form ? "yes" : "",
                   has_places ? fmt::format(" {} |", fmt::join(layers_of(o), " or ")) : "", notes(o));
  }
}

void ops(const OpsFlags& f, const Context& context) {
  const std::vector<KnownOperator> operators = chosen(f);
  const ordered_json rows = json_of(operators);
  context.report({{"operators", rows}, {"device_layers", device_layers()}}, [&] {
    if (f.markdown) return print_markdown(operators);
    if (!f.op.empty()) {
      for (const KnownOperator& o : operators) print_one(o);
      return;
    }
    for (const Format& format : kFormats) {
      auto of_format = ordered_json::array();
      for (const ordered_json& row : rows)
        if (row["format"] == format.word) of_format.push_back(row);
      if (of_format.empty()) continue;
      fmt::print("{}{}\n\n", &format == std::begin(kFormats) || !f.format.empty() ? "" : "\n", format.title);
      print_table(of_format, "operator|int8|notes", "{operator:<8+} {int8:<4}  {notes}");
    }
  });
}

}  // namespace

void add_ops(CLI::App& app, Context& context) {
  auto f = std::make_shared<OpsFlags>();
  CLI::App* c = add_command(
      app, context, "ops", "List the operators of model files that the kit takes",
      "By format: of TFLite with the element types that it takes, of ONNX with the operator sets that define "
      "it\n"
      "anew. All run on the CPU. int8: the operator has a form in 8-bit integers, which alone can run on "
      "the\n"
      "device; vdla explain MODEL says where each operator of a model runs, and which are refused.\n\n"
      "examples: vdla ops\n"
      "          vdla ops --format tflite\n"
      "          vdla ops CONV_2D",
      [f, &context] { ops(*f, context); });
  c->add_option("operator", f->op, "Say what this operator needs");
  std::vector<std::string> words;
  for (const Format& format : kFormats) words.emplace_back(format.word);
  CLI::Option* format =
      c->add_option("--format", f->format, "Operators of this format alone")->check(one_of(words));
  c->add_flag("--markdown", f->markdown, "Print the page docs/operators.md")->excludes(format);
}

}  // namespace vdla::tools
