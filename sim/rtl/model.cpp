// SPDX-License-Identifier: Apache-2.0
// The C interface of abi.h around the class that Verilator makes. Compiled by build_rtl.sh together with it,
// not by CMake.
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "Vvdla.h"
#if VDLA_RTL_AXI
#include "Vvdla___024root.h"
#endif
#include "sim/rtl/abi.h"
#include "verilated.h"
#include "verilated_syms.h"
#if VM_TRACE_FST
#include <atomic>

#include "verilated_fst_c.h"

namespace vdla::fst {
extern std::atomic<int> error;  // error of fst_io.h
}
#endif
#if VM_COVERAGE
#include <fstream>

#include "sim/rtl/toggles.h"
#include "verilated_cov.h"
#endif

#if !defined(VDLA_RTL_GEOMETRY_HASH) || !defined(VDLA_RTL_BURST_BYTES)
#error "build_rtl.sh defines VDLA_RTL_GEOMETRY_HASH and VDLA_RTL_BURST_BYTES"
#endif

// Names of the ports: those of vdla_top, or in build axi those of vdla_axi, and of the events inside it.
#if VDLA_RTL_AXI
#define VDLA_SCOPE "vdla.vdla_axi.u_top."
#define VDLA_CLOCK(t) (t).aclk
#define VDLA_RESET(t, value) (t).aresetn = (value) == 0
#define VDLA_INTERRUPT(t) (t).__SYM__interrupt
#define VDLA_REGISTERS(t, name, direction) (t).s_axi_control_##name
#define VDLA_MEMORY(t, name, direction) (t).m_axi_gmem_##name
#define VDLA_EVENT(t, name) (t).rootp->vdla_axi__DOT__u_top__DOT__event_##name##_o
#else
#define VDLA_SCOPE "vdla.vdla_top."
#define VDLA_CLOCK(t) (t).clk_i
#define VDLA_RESET(t, value) (t).rst_i = (value)
#define VDLA_INTERRUPT(t) (t).irq_o
#define VDLA_REGISTERS(t, name, direction) (t).axil_##name##_##direction
#define VDLA_MEMORY(t, name, direction) (t).axi_##name##_##direction
#define VDLA_EVENT(t, name) (t).event_##name##_o
#endif

/// A failed assertion of the hardware: the engine's user gets an error, and the process goes on.
void vl_fatal(const char* file, int line, const char* scope, const char* message) {
  throw std::runtime_error(std::string(message) + " (" + file + ":" + std::to_string(line) + " in " + scope +
                           ")");
}

struct vdla_rtl_model {
  explicit vdla_rtl_model(uint64_t seed) {
    Verilated::threadContextp(&context);  // context whose state Verilator draws from
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
uint32_t vdla_rtl_burst_bytes(void) { return VDLA_RTL_BURST_BYTES; }
vdla_rtl_model* vdla_rtl_create(uint64_t seed) { return new vdla_rtl_model(seed); }
void vdla_rtl_destroy(vdla_rtl_model* model) {
  vdla_rtl_close_waves(model);
  delete model;
}

void vdla_rtl_settle(vdla_rtl_model* model, const vdla_rtl_inputs* in, vdla_rtl_outputs* out) {
  Vvdla& t = *model->top;
  VDLA_CLOCK(t) = 0;
  VDLA_RESET(t, in->rst);
  VDLA_REGISTERS(t, awvalid, i) = in->axil_awvalid;
  VDLA_REGISTERS(t, awaddr, i) = in->axil_awaddr;
  VDLA_REGISTERS(t, wvalid, i) = in->axil_wvalid;
  VDLA_REGISTERS(t, wdata, i) = in->axil_wdata;
  VDLA_REGISTERS(t, wstrb, i) = in->axil_wstrb;
  VDLA_REGISTERS(t, bready, i) = in->axil_bready;
  VDLA_REGISTERS(t, arvalid, i) = in->axil_arvalid;
  VDLA_REGISTERS(t, araddr, i) = in->axil_araddr;
  VDLA_REGISTERS(t, rready, i) = in->axil_rready;
  VDLA_MEMORY(t, arready, i) = in->axi_arready;
  VDLA_MEMORY(t, rvalid, i) = in->axi_rvalid;
  VDLA_MEMORY(t, rdata, i) = in->axi_rdata;
  VDLA_MEMORY(t, rresp, i) = in->axi_rresp;
  VDLA_MEMORY(t, rlast, i) = in->axi_rlast;
  VDLA_MEMORY(t, awready, i) = in->axi_awready;
  VDLA_MEMORY(t, wready, i) = in->axi_wready;
  VDLA_MEMORY(t, bvalid, i) = in->axi_bvalid;
  VDLA_MEMORY(t, bresp, i) = in->axi_bresp;
  t.eval();
  model->dump();
#if VM_COVERAGE
  model->toggles->sample();
#endif
  out->irq = VDLA_INTERRUPT(t);
  out->busy = VDLA_EVENT(t, busy);
  out->progress = VDLA_EVENT(t, progress);
  out->read_load = VDLA_EVENT(t, read_load);
  out->axil_awready = VDLA_REGISTERS(t, awready, o);
  out->axil_wready = VDLA_REGISTERS(t, wready, o);
  out->axil_bvalid = VDLA_REGISTERS(t, bvalid, o);
  out->axil_arready = VDLA_REGISTERS(t, arready, o);
  out->axil_rvalid = VDLA_REGISTERS(t, rvalid, o);
  out->axil_rdata = VDLA_REGISTERS(t, rdata, o);
  out->axi_arvalid = VDLA_MEMORY(t, arvalid, o);
  out->axi_araddr = VDLA_MEMORY(t, araddr, o);
  out->axi_arlen = VDLA_MEMORY(t, arlen, o);
  out->axi_rready = VDLA_MEMORY(t, rready, o);
  out->axi_awvalid = VDLA_MEMORY(t, awvalid, o);
  out->axi_awaddr = VDLA_MEMORY(t, awaddr, o);
  out->axi_awlen = VDLA_MEMORY(t, awlen, o);
  out->axi_wvalid = VDLA_MEMORY(t, wvalid, o);
  out->axi_wdata = VDLA_MEMORY(t, wdata, o);
  out->axi_wstrb = VDLA_MEMORY(t, wstrb, o);
  out->axi_wlast = VDLA_MEMORY(t, wlast, o);
  out->axi_bready = VDLA_MEMORY(t, bready, o);
}

void vdla_rtl_clock(vdla_rtl_model* model) {
  VDLA_CLOCK(*model->top) = 1;
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
  events->run = VDLA_EVENT(t, run);
  events->dispatch = VDLA_EVENT(t, dispatch);
  events->start = VDLA_EVENT(t, start);
  events->retire = VDLA_EVENT(t, retire);
  events->work = VDLA_EVENT(t, work);
  events->bank_stall = VDLA_EVENT(t, bank_stall);
  events->drain = VDLA_EVENT(t, drain);
  events->fetch_index = VDLA_EVENT(t, fetch_index);
  events->fetch_state = VDLA_EVENT(t, fetch_state);
  for (int u = 0; u < VDLA_RTL_UNITS; ++u) {
    events->insn[u] = VDLA_EVENT(t, insn)[u];
    events->state[u] = VDLA_EVENT(t, state)[u];
    events->start_index[u] = VDLA_EVENT(t, start_index)[u];
    events->retire_index[u] = VDLA_EVENT(t, retire_index)[u];
  }
}

vdla_rtl_signal vdla_rtl_find(vdla_rtl_model* model, const char* scope, const char* name) {
  const std::string path = std::string(VDLA_SCOPE) + scope;
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
