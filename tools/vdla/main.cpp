// SPDX-License-Identifier: Apache-2.0
// `vdla`: the kit on the command line. Exit status 0: done; 1: the input or the device is at fault, one line
// on stderr says how (a command that judges its input has statuses of its own, see its help); 2: wrong flags;
// 3: a fault of the kit itself. A signal ends it after it has tidied up (signals.h).
#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "runtime/device/device.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/nearest.h"
#include "support/path.h"
#include "support/shell_word.h"
#include "tools/common/post_mortem.h"
#include "tools/common/standard_output.h"
#include "tools/common/validators.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/outputs.h"
#include "tools/vdla/common/version.h"
#include "tools/vdla/devices/remote_session.h"
#include "tools/vdla/signals.h"

namespace vdla::tools {
namespace {

int fail(const Context& context, int status, const char* kind, const std::string& message) {
  if (context.json) {
    context.print_json({{"error", message}, {"kind", kind}});
  } else {
    const char* prefix = status == 3 ? "internal error, please report it: " : "error: ";
    std::fputs(fmt::format("vdla: {}{}\n", prefix, message).c_str(), stderr);
  }
  return status;
}

/// The number of a stream that the caller closed must not go to a file that is opened later.
void occupy_closed_streams() {
  for (const int stream : {0, 1, 2})
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

/// A command whose output did not arrive has failed, whatever it did.
int status_with_output(const Context& context, int status) {
  const int error = finish_standard_output();
  if (error == 0) return status;
  if (error == EPIPE) die_of_closed_pipe();
  std::fputs(fmt::format("vdla: error: cannot write to standard output: {}\n", std::strerror(error)).c_str(),
             stderr);
  return status == 0 ? context.bad_input_status : status;
}

/// A run that the device did not finish, with what each unit was doing.
int fail_of_device(const Context& context, const runtime::DeviceError& e) {
  if (e.post_mortem() == nullptr) return fail(context, 1, "device", with_remedy(e.what(), e.status()));
  if (!context.json) return fail(context, 1, "device", to_text(*e.post_mortem()));
  nlohmann::ordered_json out{{"error", with_remedy(e.what(), e.status())}, {"kind", "device"}};
  out["post_mortem"] = to_json(*e.post_mortem());
  context.print_json(out);
  return 1;
}

/// Exit status for a board elsewhere, with its server's words.
int fail_of_board(const Context& context, const RemoteDeviceError& error) {
  const remote::FailedRun& failed = error.failed();
  if (!context.json || failed.post_mortem_json.empty())
    return fail(context, 1, "device", fmt::format("board {}: {}", error.board(), failed.text));
  nlohmann::ordered_json out{{"error", failed.message}, {"kind", "device"}};
  auto post_mortem = nlohmann::ordered_json::parse(failed.post_mortem_json, nullptr, false);
  if (!post_mortem.is_discarded()) out["post_mortem"] = std::move(post_mortem);
  context.print_json(out);
  return 1;
}

/// The command that the line chose: `list` of `vdla board list`; where it chose none, the group that it is
/// in.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen[0]);
}

/// The parser's sentence, and where to read on.
std::string with_hint(const CLI::App& app, std::string message, std::vector<std::string> words) {
  const CLI::App& command = chosen_command(app);
  std::string path;
  for (const CLI::App* c = &command; c != &app; c = c->get_parent()) {
    path = c->get_name() + " " + path;
    if (!words.empty()) words.erase(words.begin());
  }
  const auto commands = command.get_subcommands({});
  if (commands.empty()) {
    message += meant_option(command, words);
  } else if (!words.empty() && words[0][0] != '-') {
    message = fmt::format("there is no command '{}{}', needs one of", path, words[0]);
    std::vector<std::string> names;
    for (const CLI::App* c : commands) names.push_back(c->get_name());
    for (const std::string& name : names) message += " " + name;
    message += did_you_mean(words[0], names);
  }
  return fmt::format("{}; see vdla {}--help", message, path);
}

int run_command_line(int argc, char** argv, Context& context) {
  CLI::App app(
      "The VDLA kit: compiles a trained network for the VDLA tensor accelerator and runs it on its "
      "engines.\n\n"
      "  vdla compile model.tflite -o model.vdla        compile (also ONNX QDQ)\n"
      "  vdla run model.vdla --engine rtl --input x.png run one input, with cycles per layer\n"
      "  vdla eval model.vdla --engine functional --inputs images.npy --labels labels.csv\n"
      "  vdla explain model.vdla                        where each node runs, and why\n"
      "  vdla explore --network resnet18 --axis array=1x8x8,1x16x16   compare variants of the machine",
      "vdla");
  app.footer(
      "Outputs take their names when they are whole: a command that fails or is interrupted leaves what "
      "stood there "
      "before.\n"
      "The output - is standard output (./- is a file of that name); the report then goes to standard "
      "error.\n"
      "Exit status 0: done; 1: the input or the device is at fault; 2: wrong flags; 3: a fault of the kit "
      "itself.");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  context.command_line = "vdla";
  for (int i = 1; i < argc; ++i) context.command_line += " " + shell_word(argv[i]);
  add_compile(app, context);
  add_run(app, context);
  add_eval(app, context);
  add_diff(app, context);
  add_waves(app, context);
  add_explain(app, context);
  add_ops(app, context);
  add_verify(app, context);
  add_compare(app, context);
  add_explore(app, context);
  add_tune(app, context);
  add_batch(app, context);
  add_onnx_suite(app, context);
  add_quantize(app, context);
  add_report(app, context);
  add_opt(app, context);
  add_asm(app, context);
  add_disasm(app, context);
  add_doctor(app, context);
  add_board(app, context);
  add_build_rtl(app, context);
  add_coverage(app, context);
  add_zoo(app, context);
  add_fuzz(app, context);
  add_check_intrinsic(app, context);
  add_check_kernel(app, context);
  add_info(app, context);
  add_keygen(app, context);
  add_sign(app, context);
  try {
    app.parse(argc, argv);
    refuse_empty(chosen_command(app));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    return fail(context, 2, "flags", with_hint(app, e.what(), {argv + 1, argv + argc}));
  }
  try {
    context.executable = program_path();
    if (check_outputs(chosen_command(app)).standard_output) print_to_standard_error();
    context.action();
  } catch (const Difference&) {
    return 1;
  } catch (const runtime::DeviceError& e) {
    return fail_of_device(context, e);
  } catch (const RemoteDeviceError& e) {
    return fail_of_board(context, e);
  } catch (const UserError& e) {
    return fail(context, context.bad_input_status, "user", e.what());
  } catch (const std::bad_alloc&) {
    return fail(context, context.bad_input_status, "user",
                "what the input asks for does not fit the memory that this process may have");
  } catch (const std::system_error& e) {
    if (std::ferror(stdout) != 0 || std::ferror(stderr) != 0) throw;  // main() names it
    return fail(context, context.bad_input_status, "user",
                fmt::format("the system refuses what the command needs: {}", e.what()));
  } catch (const std::exception& e) {
    return fail(context, 3, "internal", e.what());
  }
  return context.status;
}

}  // namespace

void Context::print_json(const nlohmann::ordered_json& object) const {
  fmt::print("{}\n", json_dump(object, 2));
}

void Context::report(const nlohmann::ordered_json& object, const std::function<void()>& print) const {
  if (!json) return print();
  if (said_.empty() || !object.is_object()) return print_json(object);
  nlohmann::ordered_json whole = object;
  whole["notes"] = said_;
  print_json(whole);
}

void Context::say(const std::vector<std::string>& notes) const {
  if (json) {
    said_.insert(said_.end(), notes.begin(), notes.end());
    return;
  }
  for (const std::string& note : notes) std::fputs(fmt::format("vdla: note: {}\n", note).c_str(), stderr);
}

CLI::App* add_command(CLI::App& app, Context& context, const std::string& name,
                      const std::string& description, const std::string& footer,
                      std::function<void()> action) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(footer);
  command->add_flag("--json", context.json, "Print one JSON object for machines");
  command->callback([&context, action = std::move(action)] { context.action = action; });
  return command;
}

}  // namespace vdla::tools

int main(int argc, char** argv) {
  vdla::tools::occupy_closed_streams();
  vdla::tools::watch_standard_streams();
  vdla::tools::handle_signals(argc > 1 && argv[1][0] != '-' ? argv[1] : "");
  vdla::tools::Context context;
  int status = 0;
  try {
    status = vdla::tools::run_command_line(argc, argv, context);
  } catch (const std::system_error&) {
    if (std::ferror(stdout) == 0 && std::ferror(stderr) == 0) throw;
    status = context.bad_input_status;
  }
  return vdla::tools::status_with_output(context, status);
}
