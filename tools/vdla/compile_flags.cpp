// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile_flags.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "compiler/passes/lower_vthreads.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/knobs/book.h"
#include "kit/device_variant.h"
#include "support/error.h"
#include "tools/vdla/command.h"
#include "tools/vdla/cpu_level.h"
#include "tools/vdla/files.h"
#include "tools/vdla/remote_session.h"
#include "tools/vdla/validators.h"
#include "tools/vdla/variant_name.h"

namespace vdla::tools {

vdla::import::OnnxOptions CompileFlags::import_options() const {
  import::OnnxOptions options;
  for (const std::string& text : bind_) {
    const auto equals = text.rfind('=');
    VDLA_CHECK_USER(equals != std::string::npos && equals + 1 < text.size())
        << "--bind: '" << text << "' is not NAME=NUMBERS, for example shape=1,64";
    std::vector<std::int64_t> whole;
    std::vector<double> reals;
    std::istringstream list(text.substr(equals + 1));
    for (std::string one; std::getline(list, one, ',');) {
      const char* end = one.data() + one.size();
      const auto parsed = [&](auto& number) {
        const auto [rest, error] = std::from_chars(one.data(), end, number);
        return error == std::errc() && rest == end;
      };
      std::int64_t number = 0;
      if (parsed(number)) whole.push_back(number);
      VDLA_CHECK_USER(parsed(reals.emplace_back()))
          << "--bind: '" << one << "' in '" << text << "' is no number";
    }
    const graph::Shape shape = {static_cast<std::int64_t>(reals.size())};
    auto& bound = options.bound[text.substr(0, equals)];
    if (whole.size() == reals.size())
      bound = {graph::DataType::Int64, shape, graph::to_bytes(whole)};
    else
      bound = {graph::DataType::Float64, shape, graph::to_bytes(reals)};
  }
  return options;
}

std::vector<std::string> CompileFlags::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : all_)
    if (option->count() > 0) names.push_back("--" + option->get_lnames().front());
  return names;
}

void CompileFlags::refuse_idle() const {
  static const std::set<std::string> kOfTheDevice{"--no-latency-hiding", "--no-rotation", "--no-on-chip",
                                                  "--partition",         "--place",       "--vthreads"};
  static const std::set<std::string> kOfTheCost{"--host-gops", "--host-gbytes", "--device-start-us"};
  for (const std::string& option : given()) {
    const bool cost = kOfTheCost.contains(option);
    VDLA_CHECK_USER(target_ == "vdla" || !(cost || kOfTheDevice.contains(option)))
        << option
        << " says what the device does, and --target cpu leaves nothing to it; leave one of them out";
    VDLA_CHECK_USER(partition_ == "cost" || !cost)
        << option << " is for --partition cost, --partition is " << partition_ << "; leave one of them out";
  }
}

/// A board says what it is to everybody: no lease is taken.
isa::Variant CompileFlags::variant() const {
  constexpr std::string_view kDevice = "device:";
  const bool of_device = variant_.starts_with(kDevice);
  VDLA_CHECK_USER(of_device || device_.certificates.empty())
      << "--certificates is for --variant device:HOST, --variant is '" << variant_ << "'; leave it out";
  if (!of_device) return named_variant(variant_);
  RemoteFlags device = device_;
  device.board = variant_.substr(kDevice.size());
  VDLA_CHECK_USER(device.given()) << "--variant " << variant_
                                  << " names no machine, needs device:HOST[:PORT]";
  return kit::variant_of(RemoteBoard(device).facts().about);
}

pipeline::CompileOptions CompileFlags::options() const {
  refuse_idle();
  pipeline::CompileOptions options;
  options.variant = variant();
  options.use_device = target_ == "vdla";
  set_cpu_level(options, cpu_native_ ? "native" : cpu_levels_ ? "levels" : cpu_);
  options.fuse = !no_fusion_;
  options.latency_hiding = latency_hiding_;
  options.rotate_tiles = rotate_tiles_;
  options.vthreads = vthreads_;
  options.partition = partition_ == "cost" ? pipeline::Partition::Cost : pipeline::Partition::Capable;
  options.host = {host_gops_ * 1e9, host_gbytes_ * 1e9, start_us_ * 1e-6};
  options.on_chip = on_chip_;
  if (!book_.empty()) options.book = pipeline::read_knob_book(read_text(book_), book_);
  for (const std::string& text : place_) {
    const auto equals = text.rfind('=');
    VDLA_CHECK_USER(equals != std::string::npos && text.substr(equals + 1) == "cpu")
        << "--place: '" << text << "' is not NODE=cpu (vdla explain lists the nodes)";
    options.on_cpu.insert(text.substr(0, equals));
  }
  return options;
}

void CompileFlags::add_to(CLI::App& command, const std::string& group, bool grids) {
  const std::vector<CLI::Option*> before = command.get_options();
  command
      .add_option(
          "--variant", variant_,
          std::string(kVariantHelp) + ", or device:HOST[:PORT], that of the device of a vdla board serve")
      ->capture_default_str();
  command.add_option("--certificates", device_.certificates,
                     "For --variant device:HOST: folder with ca.pem, client.pem and client.key");
  std::vector<std::string> targets{"vdla", "cpu"};
  if (grids) targets.emplace_back(passes::opencl_target().name);
  command
      .add_option("--target", target_,
                  grids ? "vdla, or cpu: everything on the CPU, or opencl: how layers are computed there"
                        : "vdla, or cpu: everything on the CPU")
      ->check(one_of(targets))
      ->capture_default_str();
  command
      .add_option("--bind", bind_,
                  "NAME=N,N,...: an input of a float ONNX model that becomes a constant: a shape, axes; may "
                  "be repeated")
      ->allow_extra_args(false);
  CLI::Option* levels = command.add_flag(
      "--cpu-levels", cpu_levels_,
      "Machine code of CPU kernels also for newer CPUs of this kind (x86-64: AVX2 and AVX-512), the "
      "fitting one is chosen at load; layouts and tiles for the vectors and caches of this machine");
  CLI::Option* native = command
                            .add_flag("--cpu-native", cpu_native_,
                                      "Machine code of CPU kernels for CPUs like this machine's alone")
                            ->excludes(levels);
  command
      .add_option("--cpu", cpu_, "For which CPUs the machine code of CPU kernels is: " + about_cpu_levels())
      ->check(one_of(cpu_levels()))
      ->excludes(levels)
      ->excludes(native)
      ->capture_default_str();
  command.add_flag("--no-fusion", no_fusion_,
                   "One function for each node on the CPU, to see what fusion brings");
  CLI::Option* exposed = command.add_flag(
      "!--no-latency-hiding", latency_hiding_,
      "One unit of the device works at a time; shows what working at the same time is worth");
  command
      .add_flag("!--no-rotation", rotate_tiles_,
                "Each tile lies in the place of the one before; shows what virtual threads alone hide")
      ->excludes(exposed);
  command
      .add_option("--vthreads", vthreads_,
                  "Virtual threads of convolutions and dense layers on the device: so many tiles take turns, "
                  "where there are so many")
      ->check(CLI::Range(std::int64_t{1}, passes::kMostVthreads))
      ->capture_default_str();
  command.add_flag(
      "!--no-on-chip", on_chip_,
      "Each activation goes through DRAM between layers; shows what keeping it on chip is worth");
  command
      .add_option(
          "--partition", partition_,
          "cost: on the device what costs less there, borders included; capable: all that it can compute")
      ->check(one_of({"cost", "capable"}))
      ->capture_default_str();
  command
      .add_option(
          "--host-gops", host_gops_,
          "For --partition cost: 10^9 multiply-accumulates or elements that the CPU beside the device "
          "computes in a second")
      ->check(positive_number())
      ->capture_default_str();
  command.add_option("--host-gbytes", host_gbytes_, "The same: 10^9 bytes that it copies in a second")
      ->check(positive_number())
      ->capture_default_str();
  command
      .add_option("--device-start-us", start_us_,
                  "The same: microseconds that a run of the device takes to start")
      ->check(positive_number(true))
      ->capture_default_str();
  command
      .add_option("--book", book_,
                  "Knob book (JSON): knobs of the device's layers, or with --target cpu of the CPU's, in the "
                  "place of default ones; vdla explain says which it has")
      ->check(CLI::ExistingFile);
  command.add_option("--place", place_, "NODE=cpu keeps a node off the device; may be repeated")
      ->allow_extra_args(false);
  for (CLI::Option* option : command.get_options()) {
    if (std::ranges::count(before, option) != 0) continue;
    all_.push_back(option);
    if (!group.empty()) option->group(group);
  }
}

}  // namespace vdla::tools
