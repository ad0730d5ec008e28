// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile/compile_flags.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "compiler/knobs/book.h"
#include "compiler/passes/lower_vthreads.h"
#include "compiler/targets/target.h"
#include "kit/device_variant.h"
#include "support/error.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/cpu_level.h"
#include "tools/vdla/common/variant_name.h"
#include "tools/vdla/devices/remote_session.h"

namespace vdla::tools {
namespace {

constexpr const char* kCpu = "cpu";

/// A target of `known`, or a list of them with one GPU at most.
CLI::Validator targets_in_a_list(const std::vector<std::string>& known) {
  return {[check = one_of(known)](std::string& text) {
            try {
              for (std::string name : targets::parse_targets(text).names)
                if (const std::string fault = check(name); !fault.empty()) return fault;
            } catch (const UserError& e) {
              return std::string(e.what());
            }
            return std::string();
          },
          ""};
}

/// --place NODE=WHERE.
struct PlacedByHand {
  std::string node, where;

  explicit PlacedByHand(const std::string& text) {
    const auto equals = text.rfind('=');
    if (equals != std::string::npos) where = text.substr(equals + 1);
    VDLA_CHECK_USER(where == kCpu || where == "gpu")
        << "--place: '" << text << "' is not NODE=cpu or NODE=gpu (vdla explain lists the nodes)";
    node = text.substr(0, equals);
  }
};

}  // namespace

void CutFlags::add_to(CLI::App& command) {
  command
      .add_option(
          "--from", from,
          "Begin the network at this tensor of the model, which becomes an input; operators before it "
          "are not imported. May be repeated")
      ->type_name("TENSOR")
      ->allow_extra_args(false);
  command
      .add_option("--until", until,
                  "End the network at this tensor of the model, which becomes an output in the place of the "
                  "model's; operators behind it are not imported. May be repeated")
      ->type_name("TENSOR")
      ->allow_extra_args(false);
}

bool CompileFlags::has_device() const { return targets::parse_targets(target_).device; }

std::string CompileFlags::gpu_kind() const { return targets::parse_targets(target_).gpu; }

/// A list with both leaves the choice to the costs.
bool CompileFlags::compares_gpu() const {
  const targets::TargetList list = targets::parse_targets(target_);
  return !list.gpu.empty() && list.cpu && partition_ == "cost";
}

pipeline::HostSpeed CompileFlags::host_speed() const {
  return {host_gops_ * 1e9, host_gbytes_ * 1e9, start_us_ * 1e-6};
}

std::optional<pipeline::GpuOptions> CompileFlags::gpu() const {
  const std::string kind = gpu_kind();
  if (kind.empty()) return std::nullopt;
  pipeline::GpuOptions gpu = targets::gpu_options(kind, gpu_machine_);
  gpu.book = book(true);
  gpu.speed = {gpu_gops_ * 1e9, gpu_gbytes_ * 1e9, gpu_start_us_ * 1e-6};
  gpu.cpu_keeps = compares_gpu();
  return gpu;
}

/// A target of nothing but a GPU has no use for another book, which is then refused by what it is for.
std::optional<pipeline::KnobBook> CompileFlags::book(bool of_gpu) const {
  if (book_.empty()) return std::nullopt;
  pipeline::KnobBook book = pipeline::read_knob_book(read_text(book_), book_);
  const bool is_of_gpu =
      !gpu_kind().empty() && (target_ == gpu_kind() || book.target.starts_with(pipeline::kGpuBook));
  return is_of_gpu == of_gpu ? std::optional(std::move(book)) : std::nullopt;
}

vdla::import::ImportOptions CompileFlags::import_options() const { return model_.options(); }

namespace {

std::map<std::string, graph::Shape> read_shapes(const std::vector<std::string>& texts) {
  std::map<std::string, graph::Shape> shapes;
  for (const std::string& text : texts) {
    const auto equals = text.rfind('=');
    VDLA_CHECK_USER(equals != std::string::npos && equals > 0)
        << "--shape: '" << text << "' is not NAME=EXTENTS, for example input=1x3x224x224";
    graph::Shape& shape = shapes[text.substr(0, equals)];
    std::istringstream list(text.substr(equals + 1));
    for (std::string one; std::getline(list, one, 'x');) {
      std::int64_t extent = 0;
      const char* end = one.data() + one.size();
      const auto [rest, error] = std::from_chars(one.data(), end, extent);
      VDLA_CHECK_USER(error == std::errc() && rest == end && extent > 0)
          << "--shape: '" << one << "' in '" << text
          << "' is no extent, needs whole numbers above 0, for example "
          << "input=1x3x224x224";
      shape.push_back(extent);
    }
  }
  return shapes;
}

}  // namespace

vdla::import::ImportOptions ModelFlags::options() const {
  import::ImportOptions options;
  options.signature = signature;
  options.from = cut.from;
  options.until = cut.until;
  for (const std::string& text : bind) {
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
  options.shapes = read_shapes(shapes);
  return options;
}

std::vector<std::string> CompileFlags::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : all_)
    if (option->count() > 0) names.push_back("--" + option->get_lnames().front());
  return names;
}

void CompileFlags::refuse_idle() const {
  static const std::set<std::string> kOfTheDevice{
      "--no-latency-hiding", "--no-rotation", "--no-on-chip", "--vthreads", "--rows", "--device-start-us"};
  static const std::set<std::string> kOfTheCost{"--partition", "--host-gops", "--host-gbytes",
                                                "--device-start-us"};
  static const std::set<std::string> kOfTheGpu{"--gpu-gops", "--gpu-gbytes", "--gpu-start-us"};
  for (const std::string& option : given()) {
    const bool cost = kOfTheCost.contains(option) && !compares_gpu();
    const bool places = option == "--place" && gpu_kind().empty();
    VDLA_CHECK_USER(has_device() || !(cost || places || kOfTheDevice.contains(option)))
        << option << " says what the device does, and --target " << target_
        << " leaves nothing to it; leave one of them out";
    VDLA_CHECK_USER(compares_gpu() || (has_device() && !gpu_kind().empty()) || !kOfTheGpu.contains(option))
        << option << " is for costs of the GPU beside those of the CPU or the device; needs --partition cost "
        << "and both in --target, as vdla,cuda,cpu, or the device there, as vdla,cuda, got " << partition_
        << " and " << target_;
    VDLA_CHECK_USER(option != "--gpu-machine" || !gpu_kind().empty())
        << "--gpu-machine is for kernels of a GPU, and --target " << target_ << " has none; leave it out";
    VDLA_CHECK_USER(partition_ == "cost" || !cost || option == "--partition")
        << option << " is for --partition cost, --partition is " << partition_ << "; leave one of them out";
  }
}

/// A board says what it is to every desk: no lease is taken.
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
  options.use_device = has_device();
  options.gpu = gpu();
  set_cpu_level(options, cpu_native_ ? "native" : cpu_levels_ ? "levels" : cpu_);
  options.fuse = !no_fusion_;
  options.latency_hiding = latency_hiding_;
  options.rotate_tiles = rotate_tiles_;
  options.vthreads = vthreads_;
  options.partition = partition_ == "cost" ? pipeline::Partition::Cost : pipeline::Partition::Capable;
  options.host = host_speed();
  options.on_chip = on_chip_;
  options.rows = rows_;
  options.book = book(false);
  std::map<std::string, std::string> places;
  for (const std::string& text : place_) {
    const PlacedByHand placed(text);
    const auto [known, alone] = places.emplace(placed.node, placed.where);
    VDLA_CHECK_USER(alone || known->second == placed.where)
        << "--place: '" << placed.node << "' is wanted on both " << known->second << " and " << placed.where
        << "; leave one of them out";
    VDLA_CHECK_USER(placed.where == kCpu || !gpu_kind().empty())
        << "--place " << text << ": --target " << target_
        << " has no GPU; needs one there, as vdla,cuda,cpu, or NODE=cpu (vdla explain lists the nodes)";
    (placed.where == kCpu ? options.on_cpu : options.on_gpu).insert(placed.node);
  }
  return options;
}

void CompileFlags::add_variant(CLI::App& command) {
  command
      .add_option(
          "--variant", variant_,
          std::string(kVariantHelp) + ", or device:HOST[:PORT], that of the device of a vdla board serve")
      ->capture_default_str();
}

void CompileFlags::add_target(CLI::App& command, bool gpus) {
  std::vector<std::string> names;
  for (const targets::Target* target : targets::all_targets())
    if (gpus || !target->program) names.emplace_back(target->name);
  command
      .add_option("--target", target_,
                  gpus ? "Where layers run: vdla: on the device, the rest on the CPU; cpu: all on the CPU; "
                         "cuda, opencl or emulator (a GPU emulated by this CPU): on the GPU, the rest on the "
                         "CPU. A list: vdla,cuda sends every layer that the device does not take to the GPU; "
                         "vdla,cuda,cpu only layers that cost less there"
                       : "Where layers run: vdla: on the device, the rest on the CPU; cpu: all on the CPU")
      ->check(gpus ? targets_in_a_list(names) : one_of(names))
      ->capture_default_str();
}

void ModelFlags::add_to(CLI::App& command) {
  command
      .add_option(
          "--shape", shapes,
          "NAME=1x3x224x224: extents of an input of an ONNX model that leaves some free; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--signature", signature, "Function of a TFLite model that has several");
  cut.add_to(command);
}

void ModelFlags::add_bind_to(CLI::App& command) {
  command
      .add_option("--bind", bind,
                  "NAME=N,N,...: make this input of a float ONNX model a constant (a shape or a list of "
                  "axes); may be repeated")
      ->allow_extra_args(false);
}

void CompileFlags::add_main_to(CLI::App& command, const std::string& group) {
  const std::vector<CLI::Option*> before = command.get_options();
  add_variant(command);
  add_target(command, true);
  model_.add_to(command);
  own(command, before, group);
}

void CompileFlags::add_to(CLI::App& command, const std::string& group, bool gpus) {
  const std::vector<CLI::Option*> before = command.get_options();
  add_variant(command);
  command.add_option("--certificates", device_.certificates,
                     "Folder with ca.pem, client.pem and client.key, to ask a device for its variant "
                     "(--variant device:HOST)");
  add_target(command, gpus);
  if (gpus)
    command
        .add_option("--gpu-machine", gpu_machine_,
                    "Class of GPU to generate kernels for; default: server for cuda, else desktop. " +
                        pipeline::gpu::about_profiles())
        ->check(one_of(pipeline::gpu::profile_names()));
  model_.add_bind_to(command);
  model_.add_to(command);
  CLI::Option* levels = command.add_flag("--cpu-levels", cpu_levels_, "Same as --cpu levels");
  CLI::Option* native =
      command.add_flag("--cpu-native", cpu_native_, "Same as --cpu native")->excludes(levels);
  command.add_option("--cpu", cpu_, "CPUs to generate machine code for: " + about_cpu_levels())
      ->check(one_of(cpu_levels()))
      ->excludes(levels)
      ->excludes(native)
      ->capture_default_str();
  command.add_flag("--no-fusion", no_fusion_,
                   "Do not fuse nodes on the CPU: one function each (to measure fusion)");
  CLI::Option* exposed = command.add_flag("!--no-latency-hiding", latency_hiding_,
                                          "Run one unit of the device at a time (to measure latency hiding)");
  command
      .add_flag("!--no-rotation", rotate_tiles_,
                "Reuse one place per tile instead of rotating (to measure virtual threads alone)")
      ->excludes(exposed);
  command
      .add_option("--vthreads", vthreads_,
                  "Virtual threads of convolutions and dense layers on the device: tiles that are "
                  "interleaved, at most")
      ->check(CLI::Range(std::int64_t{1}, passes::kMostVthreads))
      ->capture_default_str();
  command.add_option("--rows", rows_,
                     "Rows of the array to use: 1 (one pixel per entry) or all rows of the variant [all, or "
                     "1 where the estimate saves at least 15 %]");
  command.add_flag("!--no-on-chip", on_chip_,
                   "Write each activation to DRAM between layers (to measure activations kept on chip)");
  command
      .add_option("--partition", partition_,
                  "cost: run a layer on the device if that costs less, copies included; capable: run all "
                  "layers there that the device can compute")
      ->check(one_of({"cost", "capable"}))
      ->capture_default_str();
  command
      .add_option("--host-gops", host_gops_,
                  "Speed of the CPU for --partition cost: 10^9 multiply-accumulates or elements a second")
      ->check(positive_number())
      ->capture_default_str();
  command
      .add_option("--host-gbytes", host_gbytes_,
                  "Copies by the CPU for --partition cost: 10^9 bytes a second")
      ->check(positive_number())
      ->capture_default_str();
  command
      .add_option("--device-start-us", start_us_, "Start of a device run for --partition cost: microseconds")
      ->check(positive_number(true))
      ->capture_default_str();
  if (gpus) {
    command
        .add_option("--gpu-gops", gpu_gops_,
                    "Speed of the GPU for costs (--target with a GPU and vdla, or with cpu and --partition "
                    "cost): 10^9 multiply-accumulates or elements a second")
        ->check(positive_number())
        ->capture_default_str();
    command
        .add_option("--gpu-gbytes", gpu_gbytes_, "Copies to and from the GPU for costs: 10^9 bytes a second")
        ->check(positive_number())
        ->capture_default_str();
    command
        .add_option("--gpu-start-us", gpu_start_us_,
                    "Start of a GPU run for costs, copies not included: microseconds")
        ->check(positive_number(true))
        ->capture_default_str();
  }
  command
      .add_option("--book", book_,
                  gpus ? "Knob book (JSON, from vdla tune): tuned knobs in place of default ones; vdla "
                         "explain --book lists which layers have some"
                       : "Knob book (JSON, from vdla tune): tuned knobs in place of default ones; vdla "
                         "explain --book lists which layers have some")
      ->check(CLI::ExistingFile);
  command
      .add_option("--place", place_,
                  gpus ? "NODE=cpu: run this node on the CPU; NODE=gpu: run it on the GPU; may be repeated"
                       : "NODE=cpu: run this node on the CPU; may be repeated")
      ->allow_extra_args(false);
  own(command, before, group);
}

void CompileFlags::own(CLI::App& command, const std::vector<CLI::Option*>& before, const std::string& group) {
  for (CLI::Option* option : command.get_options()) {
    if (std::ranges::count(before, option) != 0) continue;
    all_.push_back(option);
    if (!group.empty()) option->group(group);
  }
}

void CompileFlags::prefer_variant_of(const RemoteFlags& board) {
  if (std::ranges::count(given(), "--variant") != 0 || !has_device()) return;
  variant_ = "device:" + board.board;
  device_ = board;
}

}  // namespace vdla::tools
