// SPDX-License-Identifier: Apache-2.0
// vdla waves: waveforms around a cycle of a run, which a timeline shows as the time of a slice.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "kit/session.h"
#include "runtime/device/device_error.h"
#include "support/error.h"
#include "tools/common/engine_flags.h"
#include "tools/common/validators.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/one_input.h"
#include "tools/vdla/run/net_flags.h"

namespace vdla::tools {
namespace {

struct WavesAtFlags {
  NetFlags net;
  std::string output;
  std::uint64_t at = 0, cycles = 1000;
  OneInputFlags input;
};

/// Half of the cycles before the one that was asked for.
sim::RtlWaves window_of(const WavesAtFlags& f) {
  const std::uint64_t begin = f.at - std::min(f.at, f.cycles / 2);
  return {f.output, begin, begin + f.cycles};
}

/// The run ends soon after the window: nothing later is wanted.
void run_through(kit::Session& session, const NetworkSample& sample) {
  try {
    session.run_model(sample.inputs);
  } catch (const runtime::DeviceError&) {
    if (!session.end_waves()) throw;  // it failed before
  }
}

void write_waves(const WavesAtFlags& f, const Context& context) {
  const runtime::Module module = f.net.load({}, context).module;
  VDLA_CHECK_USER(runtime::needs_device(module))
      << f.net.file()
      << ": has nothing on the device, and waves are of the RTL; compile it with --target vdla";
  const NetworkSample sample = f.input.sample(module, "waves", context);
  const sim::RtlWaves window = window_of(f);
  kit::SessionOptions options;
  options.engine.rtl.build = sim::RtlBuild::Trace;
  options.engine.rtl.waves = window;
  options.limits.timeout = window.end + 1;
  kit::Session session(module, "rtl", options);
  run_through(session, sample);
  VDLA_CHECK_USER(session.end_waves()) << "--at " << f.at << ": the run ended before cycle " << window.begin
                                       << ", needs a cycle that vdla run --timeline shows";
  const nlohmann::ordered_json out{
      {"waves", f.output}, {"begin", window.begin}, {"end", window.end}, {"at", f.at}, {"time", 2 * f.at}};
  context.report(out, [&] {
    fmt::print("{}: cycles {} to {}; cycle {} stands at time {}, two steps for each cycle\n", f.output,
               window.begin, window.end, f.at, 2 * f.at);
  });
}

}  // namespace

void add_waves(CLI::App& app, Context& context) {
  auto f = std::make_shared<WavesAtFlags>();
  CLI::App* c = add_command(
      app, context, "waves", "Write waveforms of the RTL around a cycle of a run",
      "A slice of a timeline (vdla run --timeline) begins at a cycle: this shows what the hardware does "
      "there, "
      "all signals,\nfor GTKWave or Surfer. Cycles do not depend on the input; --input is for values.\n"
      "example: vdla run net.vdla --engine systemc --random-input 1 --timeline t.pftrace.gz\n"
      "         vdla waves net.vdla --at 48120 -o there.fst",
      [f, &context] { write_waves(*f, context); });
  f->net.add_to(*c);
  c->add_option("--at", f->at, "Cycle in the middle of the waveforms")->required()->check(not_negative());
  c->add_option("--cycles", f->cycles, "Number of cycles")->check(CLI::PositiveNumber)->capture_default_str();
  c->add_option("-o,--output", f->output, "Waveforms to write (FST)")
      ->required()
      ->check(ending({".fst"}, "waveforms as FST"));
  f->input.add_to(*c);
}

}  // namespace vdla::tools
