// SPDX-License-Identifier: Apache-2.0
// vdla opt: passes over loop IR text.
#include <fmt/core.h>

#include <filesystem>
#include <iostream>
#include <iterator>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/pass.h"
#include "support/error.h"
#include "tools/vdla/command.h"
#include "tools/vdla/files.h"
#include "tools/vdla/kernel_object.h"
#include "tools/vdla/text_input.h"
#include "tools/vdla/validators.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct OptFlags {
  std::string file = "-", output, object;
  std::vector<std::string> passes;
  bool list = false, print_after_all = false;
};

std::string read_source(const std::string& file) {
  if (file != "-") return read_text_of(file, "loop IR text");
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

void list_passes(const Context& context) {
  ordered_json out = ordered_json::array();
  for (const passes::Pass& pass : passes::all_passes())
    out.push_back({{"name", pass.name}, {"does", pass.doc}});
  context.report(out, [] {
    for (const passes::Pass& pass : passes::all_passes()) fmt::print("{:16} {}\n", pass.name, pass.doc);
  });
}

void optimise(const OptFlags& flags, const Context& context) {
  if (flags.list) return list_passes(context);
  for (const std::string& name : flags.passes) passes::find_pass(name);  // before anything is read
  loop::Func func;
  try {
    func = loop::parse(read_source(flags.file));
  } catch (const UserError& error) {
    throw UserError((flags.file == "-" ? "standard input" : flags.file) + std::string(": ") + error.what());
  }
  ordered_json steps = ordered_json::array();
  func = passes::run_passes(func, flags.passes, [&](const passes::Pass& pass, const loop::Func& result) {
    std::string text = loop::to_string(result);
    if (flags.print_after_all) fmt::print(stderr, "# after {}\n{}", pass.name, text);
    steps.push_back({{"pass", pass.name}, {"text", std::move(text)}});
  });
  const std::string text = loop::to_string(func);
  if (!flags.output.empty()) write_file(flags.output, text);
  if (!flags.object.empty()) {
    const std::string source_file = flags.object + ".loop";
    const auto object = kernel_object(func, std::filesystem::absolute(source_file).string());
    write_file(source_file, text);
    write_file(flags.object, std::string_view(reinterpret_cast<const char*>(object.data()), object.size()));
  }
  context.report({{"function", func.name}, {"steps", steps}, {"text", text}}, [&] {
    if (flags.output.empty() && flags.object.empty()) fmt::print("{}", text);
  });
}

}  // namespace

void add_opt(CLI::App& app, Context& context) {
  auto flags = std::make_shared<OptFlags>();
  CLI::App* c = add_command(
      app, context, "opt", "Run passes over loop IR text",
      "Loop IR is what a schedule becomes: loops, stores, allocations. Passes run in the order in which "
      "they\n"
      "are named, and the function is verified before the first and after each.\n\n"
      "  for i in 0..3 {              # a loop of 3 x 4 iterations over 10 elements\n"
      "    for j in 0..4 {\n"
      "      if i * 4 + j < 10 { B[i * 4 + j] = A[i * 4 + j] }\n"
      "    } }\n\n"
      "Cutting it where the guard ceases to hold leaves two loops without any:\n\n"
      "  vdla opt --passes=partition-loops copy.loop\n\n"
      "The text form is described in compiler/loop/print.h, how to add a pass in docs/how-to/add-a-pass.md.\n"
      "examples: vdla opt --list-passes\n"
      "          vdla opt --passes=simplify,vectorize,unroll --print-after-all f.loop -o g.loop",
      [=, &context] { optimise(*flags, context); });
  c->add_option("file", flags->file, "Loop IR text; - reads standard input")->capture_default_str();
  auto* passes = c->add_option("--passes", flags->passes, "Passes to run, in order, with commas between them")
                     ->delimiter(',')
                     ->allow_extra_args(false);
  auto* list = c->add_flag("--list-passes", flags->list, "Print the names of all passes and what each does")
                   ->excludes(passes);
  c->add_flag("--print-after-all", flags->print_after_all, "Print the function after each pass, on stderr")
      ->needs(passes);
  c->add_option(
       "--object", flags->object,
       "Machine code for this CPU as an object file, and beside it FILE.loop, the loop IR to whose lines "
       "its line tables lead: objdump -dl, gdb and perf show them")
      ->check(ending({".o"}, "an object file"))
      ->excludes(list);
  c->add_option("-o,--output", flags->output, "Where the text goes instead of standard output")
      ->excludes(list);
}

}  // namespace vdla::tools
