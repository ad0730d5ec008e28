/* SPDX-License-Identifier: Apache-2.0 */
/* The self test of a board: from the configured fabric over the first register to a network with a known
   answer, in stages that each need the ones before. It sees a transport and a plan (programs for one geometry
   and what must come out of them, made by kit/selftest), so it runs on a desk, on a board under Linux and as
   firmware. Plain C99 over driver/core: no OS, no allocation, no globals. */
#ifndef VDLA_DRIVER_SELFTEST_SELFTEST_H
#define VDLA_DRIVER_SELFTEST_SELFTEST_H

#include <stdint.h>

#include "driver/core/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, "name", "what it does", "what to look at when it fails"), in the order in which they run. */
#define VDLA_SELFTEST_STAGES(X)                                                                             \
  X(FPGA, "fpga", "asks whether the fabric is configured",                                                  \
    "the bitstream: it must be loaded before anything reads a register (fpgautil -b FILE under Linux, the " \
    "boot loader without)")                                                                                 \
  X(BUS, "bus", "reads register MAGIC",                                                                     \
    "the base address, the power and the clock of the fabric, and that the bitstream is loaded")            \
  X(IDENTITY, "identity", "compares ISA version and geometry",                                              \
    "which variant the bitstream was built of, and what the modules are compiled for")                      \
  X(REGISTERS, "registers", "writes patterns to registers and reads them back",                             \
    "the data and address lines of the control port: its width, its byte enables, the size of its range")   \
  X(RESET, "reset", "resets the device",                                                                    \
    "the memory port: a burst that is never answered keeps the device from its reset")                      \
  X(MEMORY, "memory", "writes patterns to DMA memory and reads them back",                                  \
    "that the memory is reserved for the device, exists in this size, and is mapped where the transport "   \
    "says")                                                                                                 \
  X(DMA, "dma", "copies through each window by the device",                                                 \
    "the width of the memory port on both sides, the address map behind it, and the caches: "               \
    "sync_for_device and sync_for_cpu")                                                                     \
  X(INTERRUPT, "interrupt", "waits for the end of a longer program",                                        \
    "the interrupt's line and number, and that the interrupt controller lets it through")                   \
  X(ERRORS, "errors", "runs programs that must fail, each with its own error",                              \
    "the device itself: it took a program that breaks the rules")                                           \
  X(WATCHDOG, "watchdog", "runs a program that waits for ever", "the clock of the device, and STALL_LIMIT") \
  X(NETWORK, "network", "runs a network with a known answer",                                               \
    "timing of the bitstream (a path that is too slow shows first under load), and supply and temperature")

#define VDLA_ENUMERATOR(name, text, what, look) VDLA_SELFTEST_##name,
typedef enum vdla_selftest_stage {
  VDLA_SELFTEST_STAGES(VDLA_ENUMERATOR) VDLA_SELFTEST_COUNT
} vdla_selftest_stage;
#undef VDLA_ENUMERATOR

const char* vdla_selftest_name(vdla_selftest_stage stage);
const char* vdla_selftest_what(vdla_selftest_stage stage);
const char* vdla_selftest_advice(vdla_selftest_stage stage);

enum { VDLA_SELFTEST_WINDOWS = 8 };

/* Contents of a window before a run: `given` bytes, zeros behind them up to `bytes`. bytes 0: no window. */
typedef struct vdla_selftest_window {
  const void* content;
  uint32_t given;
  uint32_t bytes;
} vdla_selftest_window;

/* A program and what must come out of it. */
typedef struct vdla_selftest_program {
  const char* name; /* "window act" */
  vdla_selftest_stage stage;
  vdla_selftest_window window[VDLA_SELFTEST_WINDOWS];
  vdla_launch launch;
  uint32_t predicted_cycles; /* for its time-out */
  uint32_t error;            /* VDLA_ERROR_*: how it must end; 0: by its finish */
  uint32_t error_insn;       /* at which instruction */
  const void* expected;      /* at the begin of window output; 0: nothing is compared */
  uint32_t expected_bytes;
} vdla_selftest_program;

/* Programs stand in the order of their stages. */
typedef struct vdla_selftest_plan {
  const char* variant;
  vdla_identity identity;
  uint32_t memory_bytes; /* bytes of DMA memory that stage memory writes */
  const vdla_selftest_program* programs;
  uint32_t program_count;
} vdla_selftest_plan;

typedef enum vdla_selftest_verdict {
  VDLA_SELFTEST_PASSED,
  VDLA_SELFTEST_WARNED, /* the device works, and something on the way to it does not */
  VDLA_SELFTEST_FAILED
} vdla_selftest_verdict;

/* "passed", "warning", "FAILED" */
const char* vdla_selftest_verdict_text(vdla_selftest_verdict verdict);

/* Called once for each stage that ran; `text` says what was seen, and lives until the function returns. */
typedef void (*vdla_selftest_report)(void* context, vdla_selftest_stage stage, vdla_selftest_verdict verdict,
                                     const char* text);

/* Runs the stages up to the first that fails. `device` is probed here; it is reset at the end, unless
   no device was found (stages fpga and bus). Gives the worst verdict. */
vdla_selftest_verdict vdla_selftest_run(vdla_device* device, const vdla_transport* transport,
                                        const vdla_selftest_plan* plan, vdla_selftest_report report,
                                        void* context);

#ifdef __cplusplus
}
#endif

#endif
