// SPDX-License-Identifier: Apache-2.0
// The C interface of abi.h around the class that Verilator makes. Compiled by build_rtl.sh together with it,
// not by CMake.
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "Vvdla.h"
#include "sim/rtl/abi.h"
#include "verilated.h"
#include "verilated_syms.h"
#if VM_TRACE_FST
#include <atomic>

#include "verilated_fst_c.h"

namespace vdla::fst {
extern std::atomic<int> error;  // of fst_io.h
}
#endif
#if VM_COVERAGE
#include <fstream>

#include "sim/rtl/toggles.h"
#include "verilated_cov.h"
#endif

#ifndef VDLA_RTL_GEOMETRY_HASH
#error "build_rtl.sh defines VDLA_RTL_GEOMETRY_HASH"
#endif

/// A failed assertion of the hardware: the engine's user shall hear of it, not the process die.
void vl_fatal(const char* file, int line, const char* scope, const char* message) {
  throw std::runtime_error(std::string(message) + " (" + file + ":" + std::to_string(line) + " in " + scope +
                           ")");
}

struct vdla_rtl_model {
  explicit vdla_rtl_model(uint64_t seed) {
    Verilated::threadContextp(&context);  // whose state Verilator draws from
    constexpr int kZero = 0, kRandom = 2;
    context.randReset(seed == 0 ? kZero : kRandom);
    if (seed != 0)
      context.randSeed(static_cast<int>((seed ^ seed >> 32) & 0x7fffffff) | 1);  // 0 is the time of day
    context.traceEverOn(VM_TRACE_FST != 0);
    top = std::make_unique<Vvdla>(&context, "vdla");
#if VM_COVERAGE
    toggles = std::make_unique<vdla::sim::Toggles>(context);
#endif
  }
  /// Verilator takes scopes out of the thread's context, which is that of the latest model otherwise.
  ~vdla_rtl_model() { Verilated::threadContextp(&context); }
  VerilatedContext context;
  std::unique_ptr<Vvdla> top;
#if VM_COVERAGE
  std::unique_ptr<vdla::sim::Toggles> toggles;
#endif
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> waves;
  uint64_t time = 0;  ///< two steps for each cycle
  void dump() {
    if (waves) waves->dump(time);
    ++time;
  }
#else
  void dump() {}
#endif
};

uint32_t vdla_rtl_abi_version(void) { return VDLA_RTL_ABI_VERSION; }
uint64_t vdla_rtl_geometry_hash(void) { return VDLA_RTL_GEOMETRY_HASH; }
vdla_rtl_model* vdla_rtl_create(uint64_t seed) { return new vdla_rtl_model(seed); }
void vdla_rtl_destroy(vdla_rtl_model* model) {
  vdla_rtl_close_waves(model);
  delete model;
}

void vdla_rtl_settle(vdla_rtl_model* model, const vdla_rtl_inputs* in, vdla_rtl_outputs* out) {
  Vvdla& t = *model->top;
  t.clk_i = 0;
  t.rst_i = in->rst;
  t.axil_awvalid_i = in->axil_awvalid;
  t.axil_awaddr_i = in->axil_awaddr;
  t.axil_wvalid_i = in->axil_wvalid;
  t.axil_wdata_i = in->axil_wdata;
  t.axil_wstrb_i = in->axil_wstrb;
  t.axil_bready_i = in->axil_bready;
  t.axil_arvalid_i = in->axil_arvalid;
  t.axil_araddr_i = in->axil_araddr;
  t.axil_rready_i = in->axil_rready;
  t.axi_arready_i = in->axi_arready;
  t.axi_rvalid_i = in->axi_rvalid;
  t.axi_rdata_i = in->axi_rdata;
  t.axi_rresp_i = in->axi_rresp;
  t.axi_rlast_i = in->axi_rlast;
  t.axi_awready_i = in->axi_awready;
  t.axi_wready_i = in->axi_wready;
  t.axi_bvalid_i = in->axi_bvalid;
  t.axi_bresp_i = in->axi_bresp;
  t.eval();
  model->dump();
#if VM_COVERAGE
  model->toggles->sample();
#endif
  out->irq = t.irq_o;
  out->busy = t.event_busy_o;
  out->progress = t.event_progress_o;
  out->read_load = t.event_read_load_o;
  out->axil_awready = t.axil_awready_o;
  out->axil_wready = t.axil_wready_o;
  out->axil_bvalid = t.axil_bvalid_o;
  out->axil_arready = t.axil_arready_o;
  out->axil_rvalid = t.axil_rvalid_o;
  out->axil_rdata = t.axil_rdata_o;
  out->axi_arvalid = t.axi_arvalid_o;
  out->axi_araddr = t.axi_araddr_o;
  out->axi_arlen = t.axi_arlen_o;
  out->axi_rready = t.axi_rready_o;
  out->axi_awvalid = t.axi_awvalid_o;
  out->axi_awaddr = t.axi_awaddr_o;
  out->axi_awlen = t.axi_awlen_o;
  out->axi_wvalid = t.axi_wvalid_o;
  out->axi_wdata = t.axi_wdata_o;
  out->axi_wstrb = t.axi_wstrb_o;
  out->axi_wlast = t.axi_wlast_o;
  out->axi_bready = t.axi_bready_o;
}

void vdla_rtl_clock(vdla_rtl_model* model) {
  model->top->clk_i = 1;
  model->top->eval();
  model->dump();
}

int vdla_rtl_open_waves([[maybe_unused]] vdla_rtl_model* model, [[maybe_unused]] const char* path) {
#if VM_TRACE_FST
  constexpr int kAllLevels = 99;
  vdla::fst::error = 0;
  model->waves = std::make_unique<VerilatedFstC>();
  model->top->trace(model->waves.get(), kAllLevels);
  model->waves->open(path);
  if (model->waves->isOpen()) return 0;
  model->waves.reset();
#endif
  return 1;
}

void vdla_rtl_close_waves([[maybe_unused]] vdla_rtl_model* model) {
#if VM_TRACE_FST
  if (model->waves) model->waves->close();
  model->waves.reset();
#endif
}

int vdla_rtl_wave_error(void) {
#if VM_TRACE_FST
  return vdla::fst::error;
#else
  return 0;
#endif
}

int vdla_rtl_write_coverage([[maybe_unused]] vdla_rtl_model* model, [[maybe_unused]] const char* path) {
#if VM_COVERAGE
  if (!std::ofstream(path)) return 1;  // Verilator would end the process
  model->context.coveragep()->write(path);
  std::ofstream file(path, std::ios::app);
  model->toggles->write(file);
  return file ? 0 : 1;
#else
  return 1;
#endif
}

void vdla_rtl_get_events(const vdla_rtl_model* model, vdla_rtl_events* events) {
  const Vvdla& t = *model->top;
  events->run = t.event_run_o;
  events->dispatch = t.event_dispatch_o;
  events->start = t.event_start_o;
  events->retire = t.event_retire_o;
  events->work = t.event_work_o;
  events->bank_stall = t.event_bank_stall_o;
  events->drain = t.event_drain_o;
  events->fetch_index = t.event_fetch_index_o;
  events->fetch_state = t.event_fetch_state_o;
  for (int u = 0; u < VDLA_RTL_UNITS; ++u) {
    events->insn[u] = t.event_insn_o[u];
    events->state[u] = t.event_state_o[u];
    events->start_index[u] = t.event_start_index_o[u];
    events->retire_index[u] = t.event_retire_index_o[u];
  }
}

vdla_rtl_signal vdla_rtl_find(vdla_rtl_model* model, const char* scope, const char* name) {
  const std::string path = std::string("vdla.vdla_top.") + scope;
  const VerilatedScope* found = model->context.scopeFind(path.c_str());
  const VerilatedVar* var = found == nullptr ? nullptr : found->varFind(name);
  if (var == nullptr) return {nullptr, 0, 0};
  const int elements = var->udims() == 0 ? 1 : var->unpacked().elements();
  return {var->datap(), static_cast<uint32_t>(var->totalSize() / elements), static_cast<uint32_t>(elements)};
}

uint32_t vdla_rtl_set_stalls(vdla_rtl_model* model, uint64_t seed, uint32_t rate) {
  uint32_t places = 0;
  for (const auto& [path, scope] : *model->context.scopeNameMap()) {
    if (scope->varsp() == nullptr) continue;
    for (const auto& [name, var] : *scope->varsp()) {
      const std::string text = name;
      if (!text.ends_with("_rate")) continue;
      const VerilatedVar* state = scope->varFind((text.substr(0, text.size() - 5) + "_state").c_str());
      if (state == nullptr) continue;
      *static_cast<uint32_t*>(var.datap()) = rate;
      *static_cast<uint32_t*>(state->datap()) =
          static_cast<uint32_t>((seed + ++places) * 0x9e3779b97f4a7c15ull >> 32);
    }
  }
  return places;
}
