// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board/firmware.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "compiler/bundle/bundle.h"
#include "compiler/bundle/cpu_targets.h"
#include "kit/data.h"
#include "runtime/session/port.h"
#include "support/child_process.h"
#include "support/error.h"
#include "support/output_folder.h"
#include "support/path.h"
#include "tools/data/files.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

/// CPU that a bundle compiles kernels for.
std::string cpu_target_of(const boards::Board& board) {
  for (const bundle::CpuTarget& target : bundle::cpu_targets())
    if (target.triple == board.cpu.bare_metal_triple) return std::string(target.name);
  throw UserError(
      fmt::format("board {} has a CPU that no C code is made for, {}; vdla compile --emit c knows {}",
                  board.name, board.cpu.bare_metal_triple, bundle::names_of_cpu_targets()));
}

std::size_t output_bytes(const runtime::Module& module, std::size_t output) {
  return module.tensors[module.outputs[output].tensor].bytes();
}

/// C that boards/firmware/model.c wants, of a bundle named net with one known answer.
std::string model_call(const runtime::Module& module) {
  std::string storage, pointers, sizes, arguments;
  for (std::size_t i = 0; i < module.inputs.size(); ++i)
    arguments += fmt::format(", (const void*)net_answer_input{}[0]", i);
  for (std::size_t i = 0; i < module.outputs.size(); ++i) {
    const std::size_t bytes = output_bytes(module, i);
    storage += fmt::format("static uint64_t output{}[{}];\n", i, (bytes + 7) / 8);
    pointers += fmt::format("{}(uint8_t*)output{}", i == 0 ? "" : ", ", i);
    sizes += fmt::format("{}{}", i == 0 ? "" : ", ", bytes);
    arguments += fmt::format(", (void*)output{}", i);
  }
  return fmt::format(
      "#include \"boards/firmware/model.h\"\n#include \"net.h\"\n#include \"net_answers.h\"\n\nstatic net "
      "model;\n{}"
      "const uint32_t vdla_board_model_output_count = {};\nconst uint32_t vdla_board_model_output_bytes[] = "
      "{{{}}};\n"
      "uint8_t* const vdla_board_model_outputs[] = {{{}}};\n\n"
      "vdla_driver_status vdla_board_model_run(vdla_device* device) {{\n"
      "  vdla_driver_status status = net_load(&model, device);\n"
      "  if (status == VDLA_DRIVER_OK) status = net_run(&model{});\n"
      "  if (status == VDLA_DRIVER_OK) net_unload(&model);\n  return status;\n}}\n",
      storage, module.outputs.size(), sizes, pointers, arguments);
}

/// Two digits of each byte; empty for what is none of `bytes` bytes.
runtime::Bytes from_hexadecimal(std::string_view digits, std::size_t bytes) {
  runtime::Bytes value;
  if (digits.size() != 2 * bytes) return value;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned byte = 0;
    const char* end = digits.data() + i + 2;
    const auto [stop, error] = std::from_chars(digits.data() + i, end, byte, 16);
    if (error != std::errc() || stop != end) return {};
    value.push_back(static_cast<std::byte>(byte));
  }
  return value;
}

}  // namespace

void build_firmware(const boards::Board& board, const std::string& what,
                    const std::vector<std::string>& words, const fs::path& elf) {
  std::vector<std::string> command{(kit::data_root() / "boards/firmware/build_firmware.sh").string(),
                                   "--board", absolute_path(board.folder).string(), "-o", elf.string()};
  command.insert(command.end(), words.begin(), words.end());
  const CommandOutcome built = run_command(command, {});
  VDLA_CHECK_USER(built.status == 0) << what << " cannot be built for board " << board.name << ": "
                                     << built.tail;
}

fs::path build_model_firmware(const boards::Board& board, const runtime::Module& module,
                              const std::vector<runtime::Bytes>& inputs, const fs::path& folder) {
  bundle::KnownAnswer answer{"the input", {}, {}};
  for (std::size_t i = 0; i < module.inputs.size(); ++i)
    answer.inputs.push_back(runtime::to_tensor(module, module.inputs[i], inputs.at(i)));
  // The firmware compares nothing, so what stands here is not looked at.
  for (std::size_t i = 0; i < module.outputs.size(); ++i)
    answer.outputs.emplace_back(output_bytes(module, i));
  const bundle::Bundle made =
      bundle::bundle(module, {.name = "net", .answers = {answer}, .cpu_target = cpu_target_of(board)});
  std::vector<std::string> words{"--no-driver", (kit::data_root() / "boards/firmware/model.c").string(),
                                 (folder / "call.c").string()};
  write_file((folder / "call.c").string(), model_call(module));
  for (const bundle::File& file : made.files) {
    const fs::path path = folder / file.path;
    const NewFolder around(path.parent_path());
    write_file(path.string(), file.content);
    if (path.extension() == ".c" || path.extension() == ".a") words.push_back(path.string());
  }
  // libraries behind what needs them
  std::ranges::stable_partition(words, [](const std::string& word) { return !word.ends_with(".a"); });
  words.insert(words.end(), {"--", "-I", folder.string(), "-I", (folder / "vdla").string()});
  build_firmware(board, "the module", words, folder / "net.elf");
  return folder / "net.elf";
}

std::string ModelConsole::take(std::string_view printed) {
  std::string others;
  rest_ += printed;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
    const std::string line = rest_.substr(0, end);
    const std::string begin = fmt::format("output {} ", tensors_.size());
    if (tensors_.size() < module_.outputs.size() && line.starts_with(begin))
      tensors_.push_back(from_hexadecimal(line.substr(begin.size()), output_bytes(module_, tensors_.size())));
    else
      others += line + "\n";
    rest_.erase(0, end + 1);
  }
  return others;
}

std::vector<runtime::Bytes> ModelConsole::outputs() const {
  std::vector<runtime::Bytes> outputs;
  for (std::size_t i = 0; i < module_.outputs.size(); ++i) {
    if (i >= tensors_.size() || tensors_[i].size() != output_bytes(module_, i)) return {};
    outputs.push_back(runtime::to_model(module_, module_.outputs[i], tensors_[i]));
  }
  return outputs;
}

}  // namespace vdla::tools
