// SPDX-License-Identifier: Apache-2.0
// vdla check-kernel: a function's kernels on a device with a grid against its loops in order.
#include <fmt/core.h>

#include <memory>
#include <optional>

#include "compiler/loop/verify.h"
#include "compiler/passes/place_threads.h"
#include "compiler/passes/target.h"
#include "kit/kernels/check_kernel.h"
#include "kit/kernels/kernel_device.h"
#include "kit/kernels/kernel_source.h"
#include "kit/network.h"
#include "support/error.h"
#include "tools/data/text_input.h"
#include "tools/vdla/check/check_network_kernels.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/kernel_cache.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct CheckKernelFlags {
  std::string file, device;
  NetworkKernelFlags network;
  std::uint64_t seed = 0;
  unsigned count = 1;
  bool list = false, lowered = false;
};

void list_devices(const Context& context) {
  const kit::KernelDevices devices = kit::kernel_devices();
  ordered_json rows = ordered_json::array();
  for (const kit::KernelDeviceName& name : devices.found)
    rows.push_back({{"device", name.device}, {"driver", name.driver}});
  context.report(rows, [&] {
    for (const kit::KernelDeviceName& name : devices.found) fmt::print("{} ({})\n", name.device, name.driver);
  });
  context.say(devices.missing);
}

kit::KernelSource read_function(const std::string& file) {
  try {
    kit::KernelSource source(read_text_of(file, "loop IR text"));
    loop::verify(source.func());
    return source;
  } catch (const UserError& error) {
    throw UserError(file + ": " + error.what());
  }
}

/// UserError for a function that is said to be behind a table and holds what the table would have removed or
/// refused.
void require_kernels(const std::string& file, const loop::Func& func, const passes::Target& table) {
  if (const auto breach = form::find_breach(table.rules, func))
    throw UserError(fmt::format(
        "{}: '{}' is no function behind the table for {}, which needs that {}; leave --lowered out", file,
        breach->where, table.name, breach->rule.text));
  try {
    passes::check_kernels(func);
  } catch (const UserError& error) {
    throw UserError(file + ": " + error.what());
  }
}

ordered_json json_of(const kit::KernelDifference& d) {
  return {{"param", d.param},
          {"element", d.element},
          {"count", d.count},
          {"expected", d.expected},
          {"seen", d.seen}};
}

void check_kernel(const CheckKernelFlags& flags, const Context& context) {
  const auto cache = flags.list || kit::means_opencl(flags.device) ? keep_no_kernels() : nullptr;
  if (flags.list) return list_devices(context);
  VDLA_CHECK_USER(!flags.file.empty()) << "which kernels? Needs a file of loop IR text, or a network";
  if (kit::is_network(flags.file)) {
    VDLA_CHECK_USER(!flags.lowered) << "--lowered is for a file of loop IR text, and '" << flags.file
                                    << "' is a network; leave it out";
    VDLA_CHECK_USER(flags.count == 1) << "--count is for a file of loop IR text, and '" << flags.file
                                      << "' is a network; --points draws knobs for its layers";
    return check_network_kernels(flags.file, flags.network, kit::open_kernel_device(flags.device, flags.seed),
                                 flags.seed, context);
  }
  flags.network.refuse_for(flags.file);
  const kit::KernelSource source = read_function(flags.file);
  const loop::Func& func = source.func();
  const passes::Target table = kit::table_for(flags.device);
  if (flags.lowered) require_kernels(flags.file, func, table);
  const loop::Func lowered = flags.lowered ? func : passes::lower(table, func, passes::Verify::Yes);
  const kit::KernelDevice opened = kit::open_kernel_device(flags.device, flags.seed);
  gpu::Device* const device = opened.device.get();
  gpu::Program program = opened.program(lowered);
  source.name_in(program, lowered);
  const auto loaded = device->load(program);
  double largest = 0;
  std::optional<kit::KernelDifference> difference;
  std::uint64_t seed = flags.seed;
  for (unsigned i = 0; i < flags.count && !difference; ++i) {
    seed = flags.seed + i;
    const kit::KernelCheck check = kit::check_kernel(func, *loaded, seed);
    largest = std::max(largest, check.largest);
    difference = check.difference;
  }
  ordered_json out = {{"function", func.name},
                      {"device", device->name()},
                      {"kernels", program.launches.size()},
                      {"seed", seed},
                      {"largest_difference", largest}};
  if (difference) out["mismatch"] = json_of(*difference);
  const std::string unwatched = loaded->unwatched();
  if (!unwatched.empty()) {
    out["watched"] = false;
    context.say({unwatched});
  }
  context.report(out, [&] {
    if (difference) {
      fmt::print(
          "{} on {}: {} elements of '{}' differ with seed {}, first element {}: expected {}, seen {}\n",
          func.name, device->name(), difference->count, difference->param, seed, difference->element,
          difference->expected, difference->seen);
    } else {
      fmt::print(
          "{} on {}: {} {} as the loops in order, {} {}; largest difference of floats {:.1e} of the largest "
          "value\n",
          func.name, device->name(), program.launches.size(),
          program.launches.size() == 1 ? "kernel computes" : "kernels compute", flags.count,
          flags.count == 1 ? "case" : "cases", largest);
    }
  });
  if (difference) throw Difference();
}

}  // namespace

void add_check_kernel(CLI::App& app, Context& context) {
  auto flags = std::make_shared<CheckKernelFlags>();
  CLI::App* c = add_command(
      app, context, "check-kernel",
      "Run kernels of a function or a network on a GPU and compare with the interpreter",
      "The function (loop IR text) is lowered by the table for opencl, or that for cuda on cuda and the "
      "emulator, as by\n"
      "vdla opt --lower=opencl and --lower=cuda. Its kernels run on the device and its loops in order in the "
      "interpreter,\n"
      "on the same random inputs, into poisoned outputs.\n"
      "Integers have to be equal, floats within 1e-5 of the largest value (2e-3 of products that --machine\n"
      "server-tf32 rounds). Exit status 1 where they are not.\n"
      "Any driver of OpenCL 1.2 will do; package pocl-opencl-icd runs kernels on the CPU. The emulator needs "
      "no driver:\n"
      "it runs threads in an order that the seed decides, and names accesses that no barrier separates, and "
      "barriers\n"
      "that only some threads reach, by their lines of loop IR (accesses: of up to 32 MiB of memory).\n"
      "\n"
      "Of a network each function is made by the templates for machines with a grid, and compared with the "
      "nodes that\n"
      "it computes, run one by one in the interpreter on what that computed in front of them. A row says "
      "template,\n"
      "launches, threads, shared memory and the largest difference; what no kernel can have is named with "
      "the reason.\n"
      "examples: vdla check-kernel examples/loop_ir/product.loop --count 5\n"
      "          vdla check-kernel examples/loop_ir/product.loop --device emulator\n"
      "          vdla check-kernel net.tflite --layer conv2d_3\n"
      "          vdla check-kernel --list\n"
      "          vdla opt --lower=opencl examples/loop_ir/product.loop -o low.loop && vdla check-kernel "
      "--lowered low.loop",
      [flags, &context] { check_kernel(*flags, context); });
  auto* list = c->add_flag("--list", flags->list, "List the devices");
  c->add_option("file", flags->file, "File of loop IR text, or a network (.tflite, .onnx, or graph text)")
      ->excludes(list);
  c->add_option("--device", flags->device,
                "emulator, cuda, cuda:N, or a part of the name of a device of OpenCL or its driver; any of "
                "OpenCL where it is left out")
      ->excludes(list);
  c->add_flag("--lowered", flags->lowered,
              "The file is lowered already: no table is run, and no barriers are inserted")
      ->excludes(list);
  c->add_option("--seed", flags->seed, "Seed of the first case's inputs")
      ->check(not_negative())
      ->capture_default_str()
      ->excludes(list);
  c->add_option("--count", flags->count, "Number of cases, with seeds that follow each other")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str()
      ->excludes(list);
  flags->network.add_to(*c);
}

}  // namespace vdla::tools
