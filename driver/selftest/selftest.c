/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/selftest/selftest.h"

#include "driver/core/registers.h"
#include "driver/selftest/memory.h"
#include "isa/generated/vdla_isa.h"

enum {
  kTextBytes = 512,
  kChunk = 256, /* bytes that are copied at a time */
  kPage = 4096
};

/* The device has as many windows as the plan. */
typedef char WindowsAsPlanned[VDLA_SELFTEST_WINDOWS == VDLA_WINDOWS ? 1 : -1];

typedef struct Test {
  vdla_device* device;
  const vdla_selftest_plan* plan;
  vdla_selftest_stage stage;
  vdla_text text;  /* text of the stage that runs */
  uint64_t cycles; /* cycles of its programs that ended by their finish; 0 on a device without time */
  char buffer[kTextBytes];
} Test;

static const struct {
  const char *name, *what, *advice;
} kStages[] = {
#define VDLA_STAGE(name, text, what, look) {text, what, look},
    VDLA_SELFTEST_STAGES(VDLA_STAGE)
#undef VDLA_STAGE
};

const char* vdla_selftest_name(vdla_selftest_stage stage) { return kStages[stage].name; }
const char* vdla_selftest_what(vdla_selftest_stage stage) { return kStages[stage].what; }
const char* vdla_selftest_advice(vdla_selftest_stage stage) { return kStages[stage].advice; }

const char* vdla_selftest_verdict_text(vdla_selftest_verdict verdict) {
  static const char* const texts[] = {"passed", "warning", "FAILED"};
  return texts[verdict];
}

static vdla_selftest_verdict fail(Test* t, const char* what) {
  vdla_text_add(&t->text, what);
  return VDLA_SELFTEST_FAILED;
}

/* Fails by the driver's own sentence. */
static vdla_selftest_verdict fail_of_device(Test* t) { return fail(t, t->device->message); }

static vdla_selftest_verdict fail_of_transport(Test* t, const char* what) {
  const vdla_transport* transport = t->device->transport;
  vdla_text_add(&t->text, what);
  vdla_text_add(&t->text, ": ");
  return fail(t, transport->last_error(transport->context));
}

static void add_number(Test* t, uint64_t value, const char* behind) {
  vdla_text_add_unsigned(&t->text, value);
  vdla_text_add(&t->text, behind);
}

/* " reads 0x01, needs 0x02" */
static void add_reading(Test* t, uint32_t read, uint32_t needed, unsigned digits) {
  vdla_text_add(&t->text, " reads ");
  vdla_text_add_hex(&t->text, read, digits);
  vdla_text_add(&t->text, ", needs ");
  vdla_text_add_hex(&t->text, needed, digits);
}

/* Tests the transport as it was given: the device has none before its probe. */
static vdla_selftest_verdict test_fpga(Test* t, const vdla_transport* transport) {
  const char* said = "nobody can be asked on this transport";
  if (transport->configured != 0 && transport->configured(transport->context, &said) != 0)
    return fail(t, transport->last_error(transport->context));
  vdla_text_add(&t->text, said);
  return VDLA_SELFTEST_PASSED;
}

static vdla_selftest_verdict test_bus(Test* t, const vdla_transport* transport) {
  if (vdla_probe(t->device, transport) != VDLA_DRIVER_OK) return fail_of_device(t);
  vdla_text_add(&t->text, "MAGIC reads ");
  vdla_text_add_hex(&t->text, VDLA_MAGIC, 8);
  return VDLA_SELFTEST_PASSED;
}

static vdla_selftest_verdict test_identity(Test* t) {
  if (vdla_require(t->device, &t->plan->identity) != VDLA_DRIVER_OK) return fail_of_device(t);
  vdla_text_add(&t->text, "ISA version ");
  add_number(t, t->device->identity.isa_version, ", geometry ");
  vdla_text_add_hex(&t->text, t->device->identity.geometry_hash, 16);
  vdla_text_add(&t->text, " of ");
  vdla_text_add(&t->text, t->plan->variant);
  return VDLA_SELFTEST_PASSED;
}

/* Registers that hold what is written and start nothing. */
enum {
  kPlainRegisters = 3,
  kWindowRegisters = 4 * VDLA_WINDOWS,
  kRegisters = kPlainRegisters + kWindowRegisters
};

static uint32_t register_number(unsigned i) {
  static const uint32_t plain[kPlainRegisters] = {VDLA_REG_INSN_OFFSET, VDLA_REG_INSN_COUNT,
                                                  VDLA_REG_STALL_LIMIT};
  if (i < kPlainRegisters) return plain[i];
  i -= kPlainRegisters;
  return VDLA_REG_WINDOW_BASE_LO(i / 4) + i % 4 * 4;
}

/* Another value for each register, so that one that answers for another is seen. */
static uint32_t value_of(uint32_t offset, unsigned round) {
  static const uint32_t patterns[] = {0x00000000u, 0xffffffffu, 0x55555555u, 0xaaaaaaaau};
  const uint32_t own = offset << 16 | offset;
  if (round < 32) return own ^ (uint32_t)1 << round;
  return round < 36 ? patterns[round - 32] : own;
}
enum { kRegisterRounds = 37 };

static vdla_selftest_verdict register_round(Test* t, unsigned round) {
  for (unsigned i = 0; i < kRegisters; ++i)
    if (vdla_put(t->device, register_number(i), value_of(register_number(i), round)) != VDLA_DRIVER_OK)
      return fail_of_device(t);
  for (unsigned i = 0; i < kRegisters; ++i) {
    const uint32_t offset = register_number(i), written = value_of(offset, round);
    uint32_t read = 0;
    if (vdla_get(t->device, offset, &read) != VDLA_DRIVER_OK) return fail_of_device(t);
    if (read == written) continue;
    vdla_text_add(&t->text, "register ");
    vdla_text_add_hex(&t->text, offset, 3);
    add_reading(t, read, written, 8);
    return fail(t, ", which was written");
  }
  return VDLA_SELFTEST_PASSED;
}

/* A device that a killed process left at work ignores writes to its windows, so it is stopped first. Where
 * that fails, stage reset says why. */
static vdla_selftest_verdict test_registers(Test* t) {
  if (vdla_reset(t->device) != VDLA_DRIVER_OK) {
    vdla_text_add(&t->text, "left alone, since the device cannot be reset");
    return VDLA_SELFTEST_PASSED;
  }
  for (unsigned round = 0; round < kRegisterRounds; ++round)
    if (register_round(t, round) != VDLA_SELFTEST_PASSED) return VDLA_SELFTEST_FAILED;
  add_number(t, kRegisters, " registers hold ");
  add_number(t, kRegisterRounds, " patterns");
  return VDLA_SELFTEST_PASSED;
}

static vdla_selftest_verdict test_reset(Test* t) {
  if (vdla_reset(t->device) != VDLA_DRIVER_OK) return fail_of_device(t);
  vdla_text_add(&t->text, "STATUS reads idle");
  return VDLA_SELFTEST_PASSED;
}

/* "; only bytes 4 to 7 ...", where the difference tells its cause. */
static vdla_selftest_verdict fail_with_cause(Test* t, const vdla_memory_difference* d,
                                             const vdla_memory_range* range) {
  const size_t before = t->text.used;
  vdla_text_add(&t->text, "; ");
  vdla_memory_add_cause(&t->text, d, range);
  if (t->text.used == before + 2) t->text.buffer[t->text.used = before] = '\0';
  return VDLA_SELFTEST_FAILED;
}

static vdla_selftest_verdict memory_differs(Test* t, const vdla_memory_difference* d,
                                            const vdla_memory_range* range) {
  const uint32_t place = (uint32_t)d->first % VDLA_BEAT;
  vdla_text_add(&t->text, "the byte at ");
  vdla_text_add_hex(&t->text, d->first, 1);
  add_reading(t, d->read[place], d->needed[place], 2);
  vdla_text_add(&t->text, ", which was written");
  return fail_with_cause(t, d, range);
}

static vdla_selftest_verdict memory_round(Test* t, uint64_t base, vdla_memory_pattern pattern) {
  const vdla_transport* transport = t->device->transport;
  const vdla_memory_range range = {base, t->plan->memory_bytes, pattern, 0};
  vdla_memory_difference difference = {0, 0, 0, {0}, {0}, {0}, {0}};
  if (vdla_memory_fill(transport, &range) != 0) return fail_of_transport(t, "memory cannot be written");
  if (vdla_memory_check(transport, &range, &difference) != 0)
    return fail_of_transport(t, "memory cannot be read");
  return difference.bytes == 0 ? VDLA_SELFTEST_PASSED : memory_differs(t, &difference, &range);
}

static vdla_selftest_verdict test_memory(Test* t) {
  const vdla_transport* transport = t->device->transport;
  vdla_selftest_verdict verdict = VDLA_SELFTEST_PASSED;
  uint64_t base = 0;
  if (transport->alloc(transport->context, t->plan->memory_bytes, kPage, &base) != 0) {
    add_number(t, t->plan->memory_bytes, " bytes of DMA memory cannot be had");
    return fail_of_transport(t, "");
  }
  if (vdla_require_reach(t->device, base, t->plan->memory_bytes) != VDLA_DRIVER_OK)
    verdict = fail_of_device(t);
  if (verdict == VDLA_SELFTEST_PASSED) verdict = memory_round(t, base, VDLA_MEMORY_ADDRESS);
  if (verdict == VDLA_SELFTEST_PASSED) verdict = memory_round(t, base, VDLA_MEMORY_INVERSE);
  transport->free(transport->context, base);
  if (verdict != VDLA_SELFTEST_PASSED) return verdict;
  add_number(t, t->plan->memory_bytes, " bytes from ");
  vdla_text_add_hex(&t->text, base, 1);
  vdla_text_add(&t->text, " on");
  return verdict;
}

/* A window that was not allocated; no memory lies there. */
static const uint64_t kNowhere = UINT64_MAX;

/* Addresses of the windows of a program. */
typedef struct Windows {
  uint64_t base[VDLA_WINDOWS];
} Windows;

static int copy_window(const vdla_transport* transport, uint64_t base, const vdla_selftest_window* window) {
  static const uint8_t zeros[kChunk];
  if (window->given != 0 && transport->copy_in(transport->context, base, window->content, window->given) != 0)
    return 1;
  for (uint32_t at = window->given; at < window->bytes;) {
    const uint32_t left = window->bytes - at, bytes = left < kChunk ? left : kChunk;
    if (transport->copy_in(transport->context, base + at, zeros, bytes) != 0) return 1;
    at += bytes;
  }
  return transport->sync_for_device(transport->context, base, window->bytes);
}

static vdla_selftest_verdict load_windows(Test* t, const vdla_selftest_program* program, Windows* windows) {
  const vdla_transport* transport = t->device->transport;
  for (unsigned w = 0; w < VDLA_WINDOWS; ++w) {
    const vdla_selftest_window* window = &program->window[w];
    if (window->bytes == 0) continue;
    if (transport->alloc(transport->context, window->bytes, kPage, &windows->base[w]) != 0) {
      windows->base[w] = kNowhere;
      return fail_of_transport(t, "DMA memory of a window cannot be had");
    }
    if (copy_window(transport, windows->base[w], window) != 0)
      return fail_of_transport(t, "a window cannot be written");
  }
  for (unsigned w = 0; w < VDLA_WINDOWS; ++w) {
    const uint64_t base = windows->base[w] == kNowhere ? 0 : windows->base[w];
    if (vdla_set_window(t->device, w, base, program->window[w].bytes) != VDLA_DRIVER_OK)
      return fail_of_device(t);
  }
  return VDLA_SELFTEST_PASSED;
}

static vdla_selftest_verdict say_difference(Test* t, const vdla_selftest_program* program, uint64_t output,
                                            const vdla_memory_difference* d) {
  const uint32_t place = (uint32_t)d->first % VDLA_BEAT;
  add_number(t, d->bytes, " of ");
  add_number(t, program->expected_bytes, " bytes of the result are wrong; byte ");
  add_number(t, d->first - output, "");
  add_reading(t, d->read[place], d->needed[place], 2);
  return fail_with_cause(t, d, 0);
}

static vdla_selftest_verdict check_result(Test* t, const vdla_selftest_program* program, uint64_t output) {
  const vdla_transport* transport = t->device->transport;
  vdla_memory_difference d = {0, 0, 0, {0}, {0}, {0}, {0}};
  uint8_t read[kChunk];
  if (transport->sync_for_cpu(transport->context, output, program->expected_bytes) != 0)
    return fail_of_transport(t, "the caches cannot be synchronised");
  for (uint32_t at = 0; at < program->expected_bytes; at += kChunk) {
    const uint32_t left = program->expected_bytes - at, bytes = left < kChunk ? left : kChunk;
    if (transport->copy_out(transport->context, read, output + at, bytes) != 0)
      return fail_of_transport(t, "the result cannot be read");
    vdla_memory_compare(&d, output + at, read, (const uint8_t*)program->expected + at, bytes);
  }
  return d.bytes == 0 ? VDLA_SELFTEST_PASSED : say_difference(t, program, output, &d);
}

/* Outcome of a program that must end with an error. */
static vdla_selftest_verdict check_error(Test* t, const vdla_selftest_program* program,
                                         vdla_driver_status status) {
  vdla_device_error error;
  if (status == VDLA_DRIVER_OK) {
    vdla_text_add(&t->text, "it ended by its finish, needs error ");
    return fail(t, vdla_error_text(program->error));
  }
  if (status != VDLA_DRIVER_DEVICE && status != VDLA_DRIVER_DEADLOCK) return fail_of_device(t);
  if (vdla_read_error(t->device, &error) != VDLA_DRIVER_OK) return fail_of_device(t);
  if (error.code == program->error && (error.code == VDLA_ERROR_STALL || error.insn == program->error_insn))
    return VDLA_SELFTEST_PASSED;
  vdla_text_add(&t->text, "needs error ");
  vdla_text_add(&t->text, vdla_error_text(program->error));
  vdla_text_add(&t->text, " at instruction ");
  add_number(t, program->error_insn, ", got: ");
  return fail_of_device(t);
}

static vdla_selftest_verdict run_loaded(Test* t, const vdla_selftest_program* program,
                                        const Windows* windows) {
  const uint64_t timeout = vdla_timeout(t->device->transport, program->predicted_cycles);
  const vdla_driver_status status = vdla_run(t->device, &program->launch, timeout);
  uint64_t cycles = 0;
  if (program->error != VDLA_ERROR_NONE) return check_error(t, program, status);
  if (status != VDLA_DRIVER_OK) return fail_of_device(t);
  if (vdla_get64(t->device, VDLA_REG_CYCLES_LO, &cycles) != VDLA_DRIVER_OK) return fail_of_device(t);
  t->cycles += cycles;
  if (program->expected_bytes == 0) return VDLA_SELFTEST_PASSED;
  return check_result(t, program, windows->base[VDLA_WINDOW_OUTPUT]);
}

/* The device does not run any more when its memory is given back. */
static vdla_selftest_verdict run_program(Test* t, const vdla_selftest_program* program) {
  const vdla_transport* transport = t->device->transport;
  Windows windows;
  vdla_selftest_verdict verdict;
  for (unsigned w = 0; w < VDLA_WINDOWS; ++w) windows.base[w] = kNowhere;
  vdla_text_add(&t->text, program->name);
  vdla_text_add(&t->text, ": ");
  verdict = load_windows(t, program, &windows);
  if (verdict == VDLA_SELFTEST_PASSED) verdict = run_loaded(t, program, &windows);
  if ((verdict != VDLA_SELFTEST_PASSED || program->error != VDLA_ERROR_NONE) &&
      vdla_reset(t->device) != VDLA_DRIVER_OK && verdict == VDLA_SELFTEST_PASSED)
    verdict = fail_of_device(t);
  for (unsigned w = 0; w < VDLA_WINDOWS; ++w)
    if (windows.base[w] != kNowhere) transport->free(transport->context, windows.base[w]);
  return verdict;
}

/* Says the names of those that passed. */
static vdla_selftest_verdict test_programs(Test* t) {
  const vdla_selftest_plan* plan = t->plan;
  t->cycles = 0;
  for (uint32_t i = 0; i < plan->program_count; ++i) {
    if (plan->programs[i].stage != t->stage) continue;
    t->text = vdla_text_in(t->buffer, sizeof t->buffer);
    if (run_program(t, &plan->programs[i]) != VDLA_SELFTEST_PASSED) return VDLA_SELFTEST_FAILED;
  }
  t->text = vdla_text_in(t->buffer, sizeof t->buffer);
  for (uint32_t i = 0; i < plan->program_count; ++i) {
    if (plan->programs[i].stage != t->stage) continue;
    if (t->text.used != 0) vdla_text_add(&t->text, ", ");
    vdla_text_add(&t->text, plan->programs[i].name);
  }
  if (t->cycles != 0) {
    vdla_text_add(&t->text, ": ");
    add_number(t, t->cycles, " cycles");
  }
  return VDLA_SELFTEST_PASSED;
}

/* A program that ends before the driver waits for it says nothing of the interrupt: it runs again, so often
 * at most. */
enum { kInterruptRuns = 16 };

static vdla_selftest_verdict test_interrupt(Test* t) {
  const uint32_t taken = t->device->interrupts_taken, lost = t->device->interrupts_lost;
  for (unsigned run = 0; run < kInterruptRuns; ++run) {
    if (test_programs(t) != VDLA_SELFTEST_PASSED) return VDLA_SELFTEST_FAILED;
    if (t->device->transport->first_wait == 0 || t->device->interrupts_taken != taken ||
        t->device->interrupts_lost != lost)
      break;
  }
  if (t->device->transport->first_wait == 0) {
    vdla_text_add(&t->text, "; none can get lost on this transport");
    return VDLA_SELFTEST_PASSED;
  }
  if (t->device->interrupts_lost != lost) {
    vdla_text_add(&t->text, "; ");
    vdla_warning(t->device, t->text.buffer + t->text.used, t->text.size - t->text.used);
    return VDLA_SELFTEST_WARNED;
  }
  if (t->device->interrupts_taken == taken) {
    vdla_text_add(&t->text, "; it ended before anybody waited, so the interrupt was not tested");
    return VDLA_SELFTEST_WARNED;
  }
  vdla_text_add(&t->text, "; the interrupt told its end");
  return VDLA_SELFTEST_PASSED;
}

static vdla_selftest_verdict run_stage(Test* t, const vdla_transport* transport) {
  switch (t->stage) {
    case VDLA_SELFTEST_FPGA:
      return test_fpga(t, transport);
    case VDLA_SELFTEST_BUS:
      return test_bus(t, transport);
    case VDLA_SELFTEST_IDENTITY:
      return test_identity(t);
    case VDLA_SELFTEST_REGISTERS:
      return test_registers(t);
    case VDLA_SELFTEST_RESET:
      return test_reset(t);
    case VDLA_SELFTEST_MEMORY:
      return test_memory(t);
    case VDLA_SELFTEST_INTERRUPT:
      return test_interrupt(t);
    case VDLA_SELFTEST_DMA:
    case VDLA_SELFTEST_ERRORS:
    case VDLA_SELFTEST_WATCHDOG:
    case VDLA_SELFTEST_NETWORK:
      return test_programs(t);
    case VDLA_SELFTEST_COUNT:
      break;
  }
  return VDLA_SELFTEST_FAILED;
}

vdla_selftest_verdict vdla_selftest_run(vdla_device* device, const vdla_transport* transport,
                                        const vdla_selftest_plan* plan, vdla_selftest_report report,
                                        void* context) {
  vdla_selftest_verdict worst = VDLA_SELFTEST_PASSED;
  Test t;
  t.device = device;
  t.plan = plan;
  for (int stage = 0; stage < VDLA_SELFTEST_COUNT && worst != VDLA_SELFTEST_FAILED; ++stage) {
    vdla_selftest_verdict verdict;
    t.stage = (vdla_selftest_stage)stage;
    t.text = vdla_text_in(t.buffer, sizeof t.buffer);
    verdict = run_stage(&t, transport);
    report(context, t.stage, verdict, t.buffer);
    if (verdict > worst) worst = verdict;
    if (stage <= VDLA_SELFTEST_BUS && verdict == VDLA_SELFTEST_FAILED) return worst; /* nothing to reset */
  }
  (void)vdla_reset(device);
  return worst;
}
