// SPDX-License-Identifier: Apache-2.0
// vdla board postmortem: what a device shows that is stuck or has failed, as a folder.
#include <fmt/format.h>

#include "runtime/device/device.h"
#include "tools/common/post_mortem.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/device.h"
#include "tools/vdla/devices/post_mortem_folder.h"

namespace vdla::tools {
namespace {

struct PostMortemFlags {
  BoardDeviceFlags device;
  std::string output;
};

void take_post_mortem(const PostMortemFlags& f, const Context& context) {
  f.device.require_device("vdla run --post-mortem writes that of a run that fails");
  require_new_folder(f.output);
  f.device.refuse_variant_of_device();
  const kit::OpenDevice board = f.device.open(kit::UioUse::Look);
  vdla_device device{};
  runtime::check_status(device, vdla_probe(&device, board.transport));
  const PostMortemFolder content{board.name, "",
                                 std::make_shared<runtime::Recording>(runtime::record(device))};
  write_post_mortem(f.output, content);
  const runtime::PostMortem made = post_mortem_of(content);
  context.report({{"device", board.name}, {"folder", f.output}, {"post_mortem", to_json(made)}}, [&] {
    fmt::print("{}\n{}\n{}: vdla explain {} --module NET.vdla names layers and loops\n", board.name,
               to_text(made), f.output, f.output);
  });
}

}  // namespace

void add_board_postmortem(CLI::App& group, Context& context) {
  auto f = std::make_shared<PostMortemFlags>();
  CLI::App* c = add_command(
      group, context, "postmortem", "Save the state of a stuck or failed device to a folder",
      "The folder has all registers, the instructions of the program as they are in the device's memory, and "
      "a report. vdla explain reads it on any machine, vdla board regs and counters do with --recorded.\n"
      "The device is not reset, and the process that waits for it may go on waiting. When that process ends "
      "it "
      "resets the device, so take the folder before; vdla run --post-mortem takes one of each run that "
      "fails, also with --board, where the end of a lease resets the device, too.\n"
      "examples: vdla board postmortem --uio vdla -o stuck\n"
      "          vdla explain stuck --module net.vdla",
      [f, &context] { take_post_mortem(*f, context); });
  c->add_option("-o,--output", f->output, "Folder to make")->required();
  f->device.add_to(*c);
  f->device.add_remote_to(*c);
}

}  // namespace vdla::tools
