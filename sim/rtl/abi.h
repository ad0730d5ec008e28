/* SPDX-License-Identifier: Apache-2.0
 * The C interface of a Verilated machine: one shared library for each machine, loaded at run time. A cycle
 * is settle(), in which the inputs of the cycle meet its outputs, then clock(). Plain C: built by another
 * compiler run than the engine. */
#ifndef VDLA_SIM_RTL_ABI_H
#define VDLA_SIM_RTL_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VDLA_RTL_ABI_VERSION 7u
#define VDLA_RTL_UNITS 4
#define VDLA_RTL_EXPORT __attribute__((visibility("default")))

/* Names are those of the ports of vdla_top, without suffix. */
typedef struct vdla_rtl_inputs {
  uint8_t rst;
  uint8_t axil_awvalid, axil_wvalid, axil_wstrb, axil_bready, axil_arvalid, axil_rready;
  uint8_t axi_arready, axi_rvalid, axi_rresp, axi_rlast, axi_awready, axi_wready, axi_bvalid, axi_bresp;
  uint16_t axil_awaddr, axil_araddr;
  uint32_t axil_wdata;
  uint64_t axi_rdata;
} vdla_rtl_inputs;

typedef struct vdla_rtl_outputs {
  uint8_t irq, busy, progress, read_load;
  uint8_t axil_awready, axil_wready, axil_bvalid, axil_arready, axil_rvalid;
  uint8_t axi_arvalid, axi_arlen, axi_rready, axi_awvalid, axi_awlen, axi_wvalid, axi_wstrb, axi_wlast,
      axi_bready;
  uint32_t axil_rdata;
  uint64_t axi_araddr, axi_awaddr, axi_wdata;
} vdla_rtl_outputs;

/* Bit masks are by unit: load, gemm, vector, store. */
typedef struct vdla_rtl_events {
  uint8_t run, dispatch, start, retire, work, bank_stall, drain;
  uint32_t fetch_index, fetch_state;
  uint32_t insn[VDLA_RTL_UNITS], state[VDLA_RTL_UNITS];
  uint32_t start_index[VDLA_RTL_UNITS], retire_index[VDLA_RTL_UNITS];
} vdla_rtl_events;

typedef struct vdla_rtl_model vdla_rtl_model;

VDLA_RTL_EXPORT uint32_t vdla_rtl_abi_version(void);
VDLA_RTL_EXPORT uint64_t vdla_rtl_geometry_hash(void);
/* Bytes of the longest burst that the machine asks for. */
VDLA_RTL_EXPORT uint32_t vdla_rtl_burst_bytes(void);
/* Registers and memories without a value of their own start at 0, or, with a seed that is not 0, at random;
 * in build fast always at 0. */
VDLA_RTL_EXPORT vdla_rtl_model* vdla_rtl_create(uint64_t seed);
VDLA_RTL_EXPORT void vdla_rtl_destroy(vdla_rtl_model* model);
VDLA_RTL_EXPORT void vdla_rtl_settle(vdla_rtl_model* model, const vdla_rtl_inputs* in, vdla_rtl_outputs* out);
VDLA_RTL_EXPORT void vdla_rtl_clock(vdla_rtl_model* model);
/* Events of the settled cycle. */
VDLA_RTL_EXPORT void vdla_rtl_get_events(const vdla_rtl_model* model, vdla_rtl_events* events);
/* Nonzero: this build has no waveforms or coverage, or the file cannot be written. An open file gets two time
 * steps for each cycle, counted from the first cycle of the machine. */
VDLA_RTL_EXPORT int vdla_rtl_open_waves(vdla_rtl_model* model, const char* path);
VDLA_RTL_EXPORT void vdla_rtl_close_waves(vdla_rtl_model* model);
/* errno of the first write of waveforms that failed since open_waves(), 0: none. For the process, not the
 * model. */
VDLA_RTL_EXPORT int vdla_rtl_wave_error(void);
VDLA_RTL_EXPORT int vdla_rtl_write_coverage(vdla_rtl_model* model, const char* path);

/* A signal or memory that sim/rtl/public.vlt lists: where it stands, the bytes of one element (1, 2, 4, 8 or
 * a multiple of 4), the number of elements. `data` is null when there is none of that name. */
typedef struct vdla_rtl_signal {
  void* data;
  uint32_t element_bytes, elements;
} vdla_rtl_signal;
VDLA_RTL_EXPORT vdla_rtl_signal vdla_rtl_find(vdla_rtl_model* model, const char* scope, const char* name);
/* Holds handshakes inside the machine back in rate / 256 of the cycles; returns at how many places: 0 in
 * libraries that do not check. */
VDLA_RTL_EXPORT uint32_t vdla_rtl_set_stalls(vdla_rtl_model* model, uint64_t seed, uint32_t rate);

#ifdef __cplusplus
}
#endif

#endif
