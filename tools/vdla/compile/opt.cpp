// SPDX-License-Identifier: Apache-2.0
// vdla opt: passes over loop IR text, over graphs, and over the device's stream.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "compiler/codegen/opencl/opencl.h"
#include "compiler/codegen/vdla/pass.h"
#include "compiler/codegen/vdla/text/text.h"
#include "compiler/graph/text/text.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "compiler/targets/vdla/table.h"
#include "kit/network.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/output_file.h"
#include "support/path.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/data/text_input.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/compile/compile_flags.h"
#include "tools/vdla/compile/kernel_object.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct OptFlags {
  std::string file = "-", output, object, llvm_ir, opencl, ptx, lower;
  std::vector<std::string> passes;
  bool list = false, print_after_all = false, brief = false;
  CompileFlags compile;
};

/// A file that a table of lowering leads to: the flag that asks for it, and what it holds.
struct Output {
  const char* flag;
  std::string OptFlags::* file;
  std::string_view target;
  const char* holds;
};
constexpr Output kOutputs[] = {{"--object", &OptFlags::object, "cpu", "machine code of a CPU"},
                               {"--llvm-ir", &OptFlags::llvm_ir, "cpu", "machine code of a CPU"},
                               {"--opencl", &OptFlags::opencl, "opencl", "kernels of OpenCL"},
                               {"--ptx", &OptFlags::ptx, "cuda", "kernels of CUDA"}};

/// Outputs that are asked for.
std::vector<Output> outputs(const OptFlags& flags) {
  std::vector<Output> asked;
  std::ranges::copy_if(kOutputs, std::back_inserter(asked),
                       [&](const Output& output) { return !(flags.*output.file).empty(); });
  return asked;
}
bool generates(const OptFlags& flags) { return !outputs(flags).empty(); }
bool lowers(const OptFlags& flags) { return !flags.lower.empty() || generates(flags); }
bool lowers_for_device(const OptFlags& flags) { return flags.lower == passes::device_target().name; }
passes::Target table_of(const OptFlags& flags) {
  if (!lowers_for_device(flags))
    return passes::find_target(flags.lower.empty() ? outputs(flags)[0].target : flags.lower);
  return target::device_table(intrinsics::device_intrinsics(flags.compile.options().variant.geometry));
}

/// As messages call it.
std::string name_of_source(const std::string& file) { return file == "-" ? "standard input" : file; }

std::string read_source(const std::string& file) {
  if (file != "-") return read_text_of(file, "loop IR text");
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

std::string_view shown_by(const codegen::StreamPass& pass) {
  return pipeline::text_of(pipeline::pass_named(pass.name));
}

/// A row of a table of lowering, and what holds from it on; empty where it excludes nothing.
struct TableRow {
  std::string name, promise;
};
struct Table {
  std::string_view target;
  std::vector<TableRow> rows;
};

std::string promise_of(const std::vector<form::Rule>& rules) {
  std::string promise;
  for (const form::Rule& rule : rules) promise += fmt::format("{}{}", promise.empty() ? "" : "; ", rule.text);
  return promise;
}

std::vector<Table> tables_of_lowering() {
  std::vector<Table> tables;
  for (const passes::Target* target : passes::targets()) {
    Table& table = tables.emplace_back(Table{target->name, {}});
    const bool is_device = target == &passes::device_target();
    for (const passes::Pass& row : (is_device ? target::device_table({}) : *target).rows)
      table.rows.push_back({std::string(row.name), promise_of(target->rules_of(row.name))});
  }
  return tables;
}

std::string line_of(const TableRow& row) {
  return row.promise.empty() ? row.name : fmt::format("{:18} {}", row.name, row.promise);
}

/// The tables that the pass stands in.
ordered_json tables_of(std::string_view pass) {
  ordered_json tables = ordered_json::array();
  for (const Table& table : tables_of_lowering())
    for (const TableRow& row : table.rows)
      if (row.name == pass) tables.push_back({{"target", table.target}, {"from_here_on", row.promise}});
  return tables;
}

void list_passes(const Context& context) {
  ordered_json out = ordered_json::array();
  for (const passes::Pass& pass : passes::all_passes())
    out.push_back(
        {{"name", pass.name}, {"does", pass.doc}, {"over", "loops"}, {"tables", tables_of(pass.name)}});
  for (const pipeline::GraphPass& pass : pipeline::graph_passes())
    out.push_back({{"name", name_of(pass.pass)}, {"gives", text_of(pass.pass)}, {"over", "graph"}});
  for (const codegen::StreamPass& pass : codegen::stream_passes())
    out.push_back({{"name", pass.name}, {"gives", shown_by(pass)}, {"over", "stream"}});
  context.report(out, [] {
    for (const passes::Pass& pass : passes::all_passes()) fmt::print("{:18} {}\n", pass.name, pass.doc);
    for (const Table& table : tables_of_lowering()) {
      fmt::print("\nThe table of lowering for {}, and what holds from each row on:\n", table.target);
      for (const TableRow& row : table.rows) fmt::print("{}\n", line_of(row));
    }
    fmt::print("\nOver the graph of a network:\n");
    for (const pipeline::GraphPass& pass : pipeline::graph_passes())
      fmt::print("{:18} {}\n", name_of(pass.pass), text_of(pass.pass));
    fmt::print("\nOver the stream of a step of the device:\n");
    for (const codegen::StreamPass& pass : codegen::stream_passes())
      fmt::print("{:18} {}\n", pass.name, shown_by(pass));
  });
}

/// Reports the results of the passes, one after the other, and the last of them.
void report(const OptFlags& flags, const Context& context, const char* kind, const std::string& name,
            ordered_json steps, const std::string& text) {
  if (!flags.output.empty()) write_file(flags.output, text);
  context.report({{kind, name}, {"steps", std::move(steps)}, {"text", text}}, [&] {
    if (flags.output.empty() && !generates(flags)) fmt::print("{}", text);
  });
}

std::vector<std::string> names_of_graph_passes() {
  std::vector<std::string> names;
  for (const pipeline::GraphPass& pass : pipeline::graph_passes()) names.emplace_back(name_of(pass.pass));
  return names;
}

pipeline::GraphPass find_graph_pass(const std::string& name) {
  for (const pipeline::GraphPass& pass : pipeline::graph_passes())
    if (name == name_of(pass.pass)) return pass;
  const std::vector<std::string> names = names_of_graph_passes();
  throw UserError(fmt::format("no pass '{}' over graphs; there are {}{}", name, fmt::join(names, ", "),
                              did_you_mean(name, names)));
}

/// Refuses names that no pass has, before anything is read.
void refuse_unknown(const std::vector<std::string>& passes) {
  const std::vector<std::string> of_graphs = names_of_graph_passes();
  std::vector<std::string> of_streams;
  for (const codegen::StreamPass& pass : codegen::stream_passes()) of_streams.emplace_back(pass.name);
  for (const std::string& name : passes) {
    if (std::ranges::count(of_graphs, name) != 0 || std::ranges::count(of_streams, name) != 0 ||
        std::ranges::count(passes::all_passes(), name, &passes::Pass::name) != 0)
      continue;
    if (!nearest(name, of_graphs).empty()) find_graph_pass(name);
    if (!nearest(name, of_streams).empty()) codegen::find_stream_pass(name);
    passes::find_pass(name);
  }
}

/// Refuses flags that are for other inputs than those of `kind`.
void refuse_flags_of_others(const OptFlags& flags, const char* kind) {
  std::vector<std::string> given = flags.compile.given();
  if (lowers_for_device(flags)) std::erase(given, "--variant");
  VDLA_CHECK_USER(given.empty()) << given[0] << " is for passes over the graph of a network, and "
                                 << name_of_source(flags.file) << " is " << kind << "; leave it out";
  VDLA_CHECK_USER(!flags.brief) << "--brief is for graphs, and " << name_of_source(flags.file) << " is "
                                << kind << "; leave it out";
}

void optimise_loops(const OptFlags& flags, const std::string& source, const Context& context) {
  refuse_flags_of_others(flags, "loop IR");
  const std::vector<Output> asked = outputs(flags);
  for (const Output& output : asked) {
    VDLA_CHECK_USER(flags.lower.empty() || flags.lower == output.target)
        << output.flag << " makes " << output.holds << ", and --lower=" << flags.lower
        << " leaves loop IR for " << (lowers_for_device(flags) ? "the device" : "another target")
        << "; leave one of them out";
    VDLA_CHECK_USER(output.target == asked[0].target)
        << asked[0].flag << " and " << output.flag
        << " want the function lowered for different targets; leave one of them out";
  }
  loop::Func func;
  try {
    func = loop::parse(source);
  } catch (const UserError& error) {
    throw UserError(name_of_source(flags.file) + ": " + error.what());
  }
  ordered_json steps = ordered_json::array();
  const auto show = [&](const auto& row, const loop::Func& result) {
    std::string text = loop::to_string(result);
    if (flags.print_after_all) fmt::print(stderr, "# after {}\n{}", row.name, text);
    steps.push_back({{"pass", row.name}, {"text", std::move(text)}});
  };
  func = passes::run_passes(func, flags.passes, show);
  if (lowers(flags)) func = passes::lower(table_of(flags), func, passes::Verify::Yes, show);
  const std::string text = loop::to_string(func);
  if (!flags.object.empty()) {
    const bool is_file = !output_place(flags.object).in_place;
    const std::string source_file = flags.object + ".loop";
    const auto object = kernel_object(func, is_file ? absolute_path(source_file).string() : "");
    if (is_file) write_file(source_file, text);
    write_file(flags.object, std::string_view(reinterpret_cast<const char*>(object.data()), object.size()));
  }
  if (!flags.llvm_ir.empty()) write_file(flags.llvm_ir, kernel_llvm_ir(func));
  if (!flags.opencl.empty()) write_file(flags.opencl, codegen::to_opencl(func, grid::split_launches(func)));
  if (!flags.ptx.empty()) write_file(flags.ptx, kernel_ptx(func));
  report(flags, context, "function", func.name, std::move(steps), text);
}

/// `seen` is no loop IR.
void refuse_lowering(const OptFlags& flags, const char* seen) {
  VDLA_CHECK_USER(flags.lower.empty()) << "--lower runs a table of lowering over loop IR, and "
                                       << name_of_source(flags.file) << " is " << seen << "; leave it out";
  for (const Output& output : outputs(flags))
    throw UserError(fmt::format("{} makes {} from loop IR, and {} is {}; leave it out", output.flag,
                                output.holds, name_of_source(flags.file), seen));
}

void optimise_graph(const OptFlags& flags, graph::Graph graph, const Context& context) {
  refuse_lowering(flags, "a network");
  std::vector<pipeline::GraphPass> passes;
  for (const std::string& name : flags.passes) passes.push_back(find_graph_pass(name));
  const pipeline::CompileOptions options = flags.compile.options();
  ordered_json steps = ordered_json::array();
  const auto data = flags.brief ? graph::Data::LeftOut : graph::Data::All;
  for (const pipeline::GraphPass& pass : passes) {
    graph = pipeline::run_passes({&pass, 1}, std::move(graph), options, kept_off(options));
    if (flags.print_after_all)
      fmt::print(stderr, "# after {}\n{}", name_of(pass.pass), graph::print(graph, graph::Data::LeftOut));
    if (context.json) steps.push_back({{"pass", name_of(pass.pass)}, {"text", graph::print(graph, data)}});
  }
  report(flags, context, "graph", graph.name, std::move(steps), graph::print(graph, data));
}

void optimise_stream(const OptFlags& flags, const std::string& source, const Context& context) {
  refuse_flags_of_others(flags, "a stream");
  refuse_lowering(flags, "a stream");
  codegen::Stream stream = codegen::parse(source, name_of_source(flags.file));
  verify(stream);
  ordered_json steps = ordered_json::array();
  for (const std::string& name : flags.passes) {
    const codegen::StreamPass& pass = codegen::find_stream_pass(name);
    run_verified(pass, stream);
    if (flags.print_after_all) fmt::print(stderr, "# after {}\n{}", pass.name, codegen::print(stream));
    if (context.json) steps.push_back({{"pass", pass.name}, {"text", codegen::print(stream)}});
  }
  const std::string name = stream.layers.empty() ? "" : stream.layers.front().name;
  report(flags, context, "stream", name, std::move(steps), codegen::print(stream));
}

void optimise(const OptFlags& flags, const Context& context) {
  if (flags.list) return list_passes(context);
  refuse_unknown(flags.passes);
  if (!flags.lower.empty()) passes::find_target(flags.lower);
  const import::ImportOptions import_options = flags.compile.import_options();
  if (flags.file != "-" && kit::is_model(flags.file))
    return optimise_graph(flags, import::import_model(flags.file, import_options), context);
  const std::string source = read_source(flags.file);
  if (graph::is_graph_text(source))
    return optimise_graph(flags, kit::parse_graph(source, name_of_source(flags.file), import_options),
                          context);
  if (codegen::is_stream_text(source)) return optimise_stream(flags, source, context);
  optimise_loops(flags, source, context);
}

}  // namespace

void add_opt(CLI::App& app, Context& context) {
  auto flags = std::make_shared<OptFlags>();
  CLI::App* c = add_command(
      app, context, "opt", "Run passes over loop IR text, the graph of a network, or a stream of the device",
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
      "A network (.tflite, .onnx, or graph text, compiler/graph/text/text.h) goes through passes over "
      "graphs, and\n"
      "comes out as text, which this command, compile and explain read.\n"
      "The stream of a step of the device (compiler/codegen/vdla/text/text.h), which compile --print-after\n"
      "prints, goes through the passes of its code generation.\n"
      "examples: vdla opt --list-passes\n"
      "          vdla opt --passes=simplify,vectorize,unroll --print-after-all f.loop -o g.loop\n"
      "          vdla opt --lower=cpu --print-after-all f.loop\n"
      "          vdla opt --lower=vdla --variant tiny f.loop\n"
      "          vdla opt f.loop --llvm-ir f.ll --object f.o\n"
      "          vdla opt f.loop --opencl f.cl\n"
      "          vdla opt f.loop --ptx f.ptx\n"
      "          vdla opt --passes=fold-pad,fuse-clamp net.tflite --brief\n"
      "          vdla opt --passes=place-sram,place-uops layer.stream",
      [=, &context] { optimise(*flags, context); });
  c->add_option("file", flags->file,
                "Loop IR, graph or stream text, or a model; - reads text from standard input")
      ->capture_default_str();
  auto* passes = c->add_option("--passes", flags->passes, "Passes to run, in order, with commas between them")
                     ->delimiter(',')
                     ->allow_extra_args(false);
  auto* list = c->add_flag("--list-passes", flags->list, "Print the names of all passes and what each does")
                   ->excludes(passes);
  c->add_option("--lower", flags->lower,
                "Run the lowering table of a target after the passes (cpu, opencl, cuda, or vdla with the "
                "intrinsics of --variant), as a compile does before code generation")
      ->excludes(list);
  c->add_flag("--print-after-all", flags->print_after_all, "Print the function after each pass, on stderr");
  c->parse_complete_callback([flags] {
    if (flags->print_after_all && flags->passes.empty() && !lowers(*flags))
      throw CLI::RequiresError("--print-after-all",
                               "--passes, --lower, --object, --llvm-ir, --opencl or --ptx");
  });
  c->add_flag("--brief", flags->brief, "Leave out long lists and the data of large constants (graphs only)");
  c->add_option("--object", flags->object,
                "Write machine code for this CPU to an object file, and the loop IR that its line tables "
                "name to FILE.loop (for objdump -dl, gdb, perf); implies --lower=cpu")
      ->check(ending({".o"}, "an object file"))
      ->excludes(list);
  c->add_option("--llvm-ir", flags->llvm_ir,
                "Write the optimised LLVM IR of the function for this CPU; implies --lower=cpu")
      ->check(ending({".ll"}, "LLVM IR"))
      ->excludes(list);
  c->add_option("--opencl", flags->opencl,
                "Write the function's kernels in OpenCL C, each statement below its line of loop IR, with "
                "the launches at the top; implies --lower=opencl")
      ->check(ending({".cl"}, "OpenCL C"))
      ->excludes(list);
  c->add_option("--ptx", flags->ptx,
                "Write the function's kernels in PTX for NVIDIA GPUs (compute capability 8.0 and later), "
                "with the launches at the top; implies --lower=cuda")
      ->check(ending({".ptx"}, "PTX"))
      ->excludes(list);
  c->add_option("-o,--output", flags->output, "File for the text; default: standard output")->excludes(list);
  flags->compile.add_to(*c, "Of a network, as for vdla compile", true);
}

}  // namespace vdla::tools
