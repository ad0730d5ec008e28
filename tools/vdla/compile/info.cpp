// SPDX-License-Identifier: Apache-2.0
// vdla info: version, variants, engines, optional parts; of a module: what its file holds.
#include <fmt/core.h>

#include "boards/spec/board.h"
#include "isa/spec/version.h"
#include "kit/data.h"
#include "kit/systemc.h"
#include "tools/common/table.h"
#include "tools/data/image_decode.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/compile/info_device.h"
#include "tools/vdla/compile/module_info.h"

namespace vdla::tools {
namespace {

nlohmann::ordered_json variant_json(const isa::Variant& v) {
  const auto& g = v.geometry;
  return {{"name", v.name},
          {"array", fmt::format("{}x{}x{}", g.batch, g.block_in, g.block_out)},
          {"macs", g.macs()},
          {"geometry_hash", fmt::format("{:016x}", isa::geometry_hash(g))},
          {"inp_bytes", g.inp_depth * g.entry_bytes(isa::Buffer::Inp)},
          {"wgt_bytes", g.wgt_depth * g.entry_bytes(isa::Buffer::Wgt)},
          {"acc_bytes", g.acc_depth * g.entry_bytes(isa::Buffer::Acc)},
          {"out_bytes", g.out_depth * g.entry_bytes(isa::Buffer::Out)},
          {"par_bytes", g.par_depth * g.entry_bytes(isa::Buffer::Par)},
          {"uop_bytes", g.uop_depth * g.entry_bytes(isa::Buffer::Uop)},
          {"dram_bytes_per_cycle", v.timing.dram_bytes_per_cycle},
          {"dram_latency", v.timing.dram_latency},
          {"clock_mhz", v.timing.clock_mhz}};
}

void info(const Context& context) {
  nlohmann::ordered_json out{{"version", VDLA_VERSION}, {"isa_version", isa::kIsaVersion}};
  const std::filesystem::path root = kit::data_root();
  for (const std::string& name : boards::kit_variant_names(root))
    out["variants"].push_back(variant_json(boards::kit_variant(name, root).value()));
  out["engines"] = {{"functional", true}, {"systemc", kit::have_systemc()}, {"rtl", true}};
  out["images"] = {{"jpeg", have_jpeg()}, {"png", have_png()}};
  context.report(out, [&] {
    fmt::print("VDLA kit {}, instruction set version {}\n\nvariants (KiB)\n", VDLA_VERSION, isa::kIsaVersion);
    std::string titles = "name|array|MACs", fields = "  {name:<12} {array:>8} {macs:>6}";
    for (const std::string buffer : {"inp", "wgt", "acc", "out", "par", "uop"}) {
      titles += "|" + buffer;
      fields += " {" + buffer + "_bytes*0.0009765625:>6g}";
    }
    print_table(out["variants"], titles + "|geometry hash", fields + "  {geometry_hash}");
    for (const char* part : {"engines", "images"}) {
      fmt::print("\n{}\n", part);
      for (const auto& [name, found] : out[part].items())
        fmt::print("  {:<11} {}\n", name,
                   found.get<bool>() ? "yes" : "no: a package was missing when the kit was built");
    }
  });
}

}  // namespace

void add_info(CLI::App& app, Context& context) {
  struct Flags {
    std::string module;
    TrustFlag trust;
    InfoDeviceFlags device;
  };
  auto f = std::make_shared<Flags>();
  CLI::App* c = add_command(app, context, "info",
                            "Version, variants, engines and optional parts; of a module its sections, hash "
                            "and signature; of a device "
                            "what it is",
                            "Nothing of a module runs: it is read and checked, no more. Of a device "
                            "(--device) the registers are read "
                            "that never change: it may be at work.\n"
                            "example: vdla info --json\n"
                            "         vdla info net.vdla\n"
                            "         vdla info --device --uio vdla\n"
                            "         vdla info --device --board board.lab --certificates lab --output "
                            "board.json   # for --variant",
                            [f, &context] {
                              if (f->device.wanted) {
                                f->trust.refuse_for("a device");
                                return info_device(f->device, context);
                              }
                              f->device.refuse_others();
                              if (f->module.empty()) {
                                f->trust.refuse_for("the kit itself");
                                return info(context);
                              }
                              const auto of_module = module_info(f->module, f->trust);
                              context.report(of_module, [&] { print_module_info(of_module); });
                              if (of_module.contains("problem")) throw Difference{};
                            });
  CLI::Option* module = c->add_option("module", f->module, "Compiled module (.vdla)");
  f->trust.add_to(*c);
  f->device.add_to(*c)->excludes(module);
}

}  // namespace vdla::tools
