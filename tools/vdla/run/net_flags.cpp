// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/net_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/network.h"
#include "runtime/container/module_file.h"
#include "support/error.h"
#include "support/path.h"
#include "tools/common/model_facts.h"
#include "tools/vdla/common/progress_line.h"

namespace vdla::tools {
namespace {

runtime::Module compiled(const std::string& file, const CompileFlags& flags, const Context& context) {
  const StatusLine line;
  if (line.on_terminal()) line.print(fmt::format("compiling {}", file));
  kit::NetworkFile network = kit::read_network_file(file, flags.import_options());
  const pipeline::CompileOptions options = flags.options();
  runtime::Module module = kit::compile_module(network.graph, options);
  line.clear();
  std::vector<std::string> notes = keep_model_facts(module, std::move(network), file, {});
  notes.push_back(fmt::format(
      "{} is compiled for {}; vdla compile keeps what comes of it, and has more options", file,
      options.use_device ? fmt::format("variant {}", isa::label(options.variant)) : flags.target()));
  context.say(notes);
  return module;
}

/// Whether a regular file is a network that `vdla compile` takes; a pipe, whose bytes can be read once, is a
/// module.
bool is_to_compile(const std::string& file) {
  std::error_code none;
  return !kit::is_module(file) && std::filesystem::is_regular_file(file, none) && kit::is_network(file);
}

}  // namespace

runtime::Bytes Net::module_file() const {
  return compiled ? runtime::serialize(module) : runtime::read_module_file(file);
}

std::string Net::network_file(const std::string& model) const {
  VDLA_CHECK_USER(compiled || !model.empty())
      << file << ": a module has no tensors of the model beside those that it computes; --model FILE names "
      << "the network that it was compiled of";
  VDLA_CHECK_USER(!compiled || model.empty())
      << "--model is for a module, and " << file << " is the network itself; leave it out";
  return compiled ? file : model;
}

void NetFlags::add_to(CLI::App& command, const std::string& further) {
  command
      .add_option(
          "module", file_,
          "Compiled module (.vdla), or a network that is compiled first (.tflite, .onnx, graph text)" +
              further)
      ->required();
  compile_.add_main_to(command, "Of a network that is compiled first");
  trust_.add_to(command);
}

std::string NetFlags::variant_of_program() const {
  trust_.refuse_for(file_);
  return std::ranges::count(compile_.given(), "--variant") != 0 ? compile_.variant_name() : "";
}

Net NetFlags::load(const RemoteFlags& board, const Context& context) const {
  if (!is_to_compile(file_)) {
    const std::vector<std::string> idle = compile_.given();
    VDLA_CHECK_USER(idle.empty() || !is_there(file_))
        << idle.front() << " is for a network that is compiled first, and " << file_
        << " is a module already; leave it out, or compile its network again";
    return {file_, trust_.load(file_)};
  }
  trust_.refuse_for(file_);
  CompileFlags flags = compile_;
  if (board.given() && !board.board.ends_with(".json")) flags.prefer_variant_of(board);
  return {file_, compiled(file_, flags, context), true, flags.import_options()};
}

}  // namespace vdla::tools
