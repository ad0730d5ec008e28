/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/wait.h"

#include "driver/core/describe.h"
#include "driver/core/registers.h"
#include "driver/core/state.h"
#include "isa/generated/vdla_isa.h"

/* Spurious interrupts (a shared line) are tolerated, up to this number between two waits that pass their
 * time. */
enum { kUnexplainedInterrupts = 16 };

/* Waits double from the transport's first_wait to kLongestWait times that. Where a wait ended without an
 * interrupt, though the program did, one that is late is waited for as long again; only kGrace times
 * first_wait once most have never come. */
enum { kLongestWait = 1024, kGrace = 16 };

/* Appends who waits for what. A transport failure on the way is reported in its place: the cause found so far
 * stays readable. */
static void add_units(const vdla_device* device, vdla_text* text) {
  vdla_unit_states states;
  const vdla_driver_status status = vdla_peek_units(device, &states);
  vdla_text_add(text, ": ");
  if (status != VDLA_DRIVER_OK)
    vdla_add_fault(device, text, status);
  else
    vdla_describe_units(&states, text->buffer + text->used, text->size - text->used);
}

static vdla_driver_status stuck(vdla_device* device, vdla_driver_status status, uint64_t timeout) {
  vdla_text text;
  if (status == VDLA_DRIVER_TIMEOUT) VDLA_TRY(vdla_require_magic(device)); /* is it still there? */
  text = vdla_message(device, "");
  if (status == VDLA_DRIVER_DEADLOCK) {
    vdla_text_add(&text, "deadlock, no unit can make progress");
  } else {
    vdla_text_add(&text, "the program did not finish within ");
    vdla_text_add_unsigned(&text, timeout);
    vdla_text_add(&text, " ");
    vdla_text_add(&text, device->transport->time_unit);
  }
  add_units(device, &text);
  return status;
}

/* The device's own finding of a deadlock; a device without time, whose cycles stay 0, waits for no limit. */
static vdla_driver_status stalled(vdla_device* device, uint32_t limit) {
  uint64_t cycles = 0;
  vdla_text text;
  VDLA_TRY(vdla_get64(device, VDLA_REG_CYCLES_LO, &cycles));
  text = vdla_message(device, "the program hangs, the device found no unit making progress");
  if (cycles != 0) {
    vdla_text_add(&text, " for ");
    vdla_text_add_unsigned(&text, limit < VDLA_MIN_STALL_LIMIT ? VDLA_MIN_STALL_LIMIT : limit);
    vdla_text_add(&text, " cycles");
  }
  add_units(device, &text);
  return VDLA_DRIVER_DEADLOCK;
}

static vdla_driver_status device_error(vdla_device* device, uint32_t stall_limit) {
  vdla_device_error error;
  vdla_text text;
  VDLA_TRY(vdla_read_error(device, &error));
  if (error.code == VDLA_ERROR_STALL) return stalled(device, stall_limit);
  text = vdla_message(device, "the device stopped with an error: ");
  vdla_describe_error(&error, text.buffer + text.used, text.size - text.used);
  return VDLA_DRIVER_DEVICE;
}

static vdla_driver_status finished(vdla_device* device, const vdla_launch* launch) {
  uint32_t sequence = 0;
  vdla_text text;
  VDLA_TRY(vdla_get(device, VDLA_REG_SEQUENCE, &sequence));
  if (sequence == launch->sequence) return VDLA_DRIVER_OK;
  text = vdla_message(device, "the device finished sequence number ");
  vdla_text_add_unsigned(&text, sequence);
  vdla_text_add(&text, ", the program started has ");
  vdla_text_add_unsigned(&text, launch->sequence);
  vdla_text_add(&text, "; is another user driving the same device?");
  return VDLA_DRIVER_SEQUENCE;
}

static vdla_driver_status get_raised(vdla_device* device, uint32_t* irq) {
  VDLA_TRY(vdla_get(device, VDLA_REG_IRQ_STATUS, irq));
  *irq &= VDLA_IRQ_DONE | VDLA_IRQ_ERROR;
  return VDLA_DRIVER_OK;
}

vdla_driver_status vdla_poll(vdla_device* device, const vdla_launch* launch, int* ended) {
  uint32_t irq = 0;
  *ended = 0;
  VDLA_TRY(get_raised(device, &irq));
  *ended = irq != 0;
  if (irq == 0) return VDLA_DRIVER_OK;
  VDLA_TRY(vdla_put(device, VDLA_REG_IRQ_STATUS, irq));
  return (irq & VDLA_IRQ_ERROR) != 0 ? device_error(device, launch->stall_limit) : finished(device, launch);
}

vdla_driver_status vdla_diagnose(vdla_device* device) {
  uint32_t status = 0, offset = 0, stall_limit = 0;
  vdla_text text;
  VDLA_TRY(vdla_get(device, VDLA_REG_STATUS, &status));
  VDLA_TRY(vdla_get(device, VDLA_REG_INSN_OFFSET, &offset));
  VDLA_TRY(vdla_get(device, VDLA_REG_STALL_LIMIT, &stall_limit));
  device->first_insn = offset / VDLA_INSN_BYTES;
  if ((status & VDLA_STATUS_ERROR) != 0) return device_error(device, stall_limit);
  if ((status & VDLA_STATUS_BUSY) == 0) return VDLA_DRIVER_OK;
  text = vdla_message(device, "a program is at work");
  add_units(device, &text);
  return VDLA_DRIVER_BUSY;
}

static vdla_driver_status unexplained_interrupt(vdla_device* device) {
  (void)vdla_message(
      device,
      "the interrupt was raised 16 times while register IRQ_STATUS read 0; check the interrupt's wiring");
  return VDLA_DRIVER_TRANSPORT;
}

/* Most programs are short: the status is read a few times before the first wait. */
static vdla_driver_status spin(vdla_device* device, const vdla_launch* launch, int* ended) {
  vdla_driver_status status = VDLA_DRIVER_OK;
  *ended = 0;
  for (uint32_t i = 0; i < device->transport->spin_reads && status == VDLA_DRIVER_OK && !*ended; ++i)
    status = vdla_poll(device, launch, ended);
  return status;
}

/* Lets the interrupt through, then looks at the level: what rose before is seen here, what rises later ends
 * the wait. */
static vdla_driver_status arm(vdla_device* device, const vdla_launch* launch, int* ended) {
  const vdla_transport* transport = device->transport;
  *ended = 0;
  if (transport->arm_interrupt == 0) return VDLA_DRIVER_OK;
  if (transport->arm_interrupt(transport->context) != 0)
    return vdla_transport_failed(device, "let the interrupt through");
  return vdla_poll(device, launch, ended);
}

/* A program that was started is busy, or done, or has failed, until another program resets the device. */
static vdla_driver_status require_at_work(vdla_device* device) {
  uint32_t status = 0;
  VDLA_TRY(vdla_get(device, VDLA_REG_STATUS, &status));
  if (status != VDLA_STATUS_IDLE) return VDLA_DRIVER_OK;
  (void)vdla_message(
      device, "the device was reset while the program ran; by a signal's handler, or by another user?");
  return VDLA_DRIVER_STOPPED;
}

/* A wait was over without an interrupt. One is lost where the program has ended and it is not on its way. */
static vdla_driver_status count_lost(vdla_device* device, int* ended) {
  const vdla_transport* transport = device->transport;
  const uint64_t waits = device->interrupts_lost > device->interrupts_taken ? kGrace : kLongestWait;
  const uint64_t grace = waits * transport->first_wait;
  uint64_t spent = 0;
  uint32_t irq = 0;
  VDLA_TRY(get_raised(device, &irq));
  *ended = irq != 0;
  if (grace == 0) return VDLA_DRIVER_OK; /* a simulator: one wait is all */
  if (irq == 0) return require_at_work(device);
  if (transport->wait_interrupt(transport->context, grace, &spent) == VDLA_WAIT_INTERRUPT)
    ++device->interrupts_taken;
  else
    ++device->interrupts_lost;
  return VDLA_DRIVER_OK;
}

/* One wait of at most `time` units, and a look at the device after it, also after a timeout: an interrupt
 * that got lost on the way is not a program that did not finish. */
static vdla_driver_status wait_once(vdla_device* device, const vdla_launch* launch, uint64_t time,
                                    uint64_t* spent, vdla_wait_result* result, int* ended) {
  const vdla_transport* transport = device->transport;
  vdla_driver_status status = arm(device, launch, ended);
  *result = VDLA_WAIT_INTERRUPT;
  *spent = 0;
  if (status != VDLA_DRIVER_OK || *ended) return status;
  *result = transport->wait_interrupt(transport->context, time, spent);
  if (*result == VDLA_WAIT_FAILED) return vdla_transport_failed(device, "wait for the interrupt");
  if (*result == VDLA_WAIT_TIMEOUT) {
    VDLA_TRY(count_lost(device, ended));
    return *ended ? vdla_poll(device, launch, ended) : VDLA_DRIVER_OK;
  }
  status = vdla_poll(device, launch, ended);
  if (*ended && *result == VDLA_WAIT_INTERRUPT) ++device->interrupts_taken;
  return status;
}

vdla_driver_status vdla_wait(vdla_device* device, const vdla_launch* launch, uint64_t timeout) {
  const uint64_t first = device->transport->first_wait;
  uint64_t left = timeout, longest = first;
  int unexplained = 0, ended = 0;
  VDLA_TRY(spin(device, launch, &ended));
  while (!ended) {
    const uint64_t time = first != 0 && longest < left ? longest : left;
    uint64_t spent = 0;
    vdla_wait_result result = VDLA_WAIT_FAILED;
    VDLA_TRY(wait_once(device, launch, time, &spent, &result, &ended));
    if (ended) break;
    if (result == VDLA_WAIT_STUCK) return stuck(device, VDLA_DRIVER_DEADLOCK, timeout);
    if (result == VDLA_WAIT_INTERRUPT && ++unexplained == kUnexplainedInterrupts)
      return unexplained_interrupt(device);
    if (result == VDLA_WAIT_TIMEOUT) {
      if (time == left) return stuck(device, VDLA_DRIVER_TIMEOUT, timeout);
      spent = time;
      unexplained = 0; /* a neighbour on the line is not a line that stays high */
      if (longest < kLongestWait * first) longest *= 2;
    }
    left -= spent < left ? spent : left;
  }
  return VDLA_DRIVER_OK;
}

uint64_t vdla_timeout(const vdla_transport* transport, uint64_t predicted_cycles) {
  const uint32_t assumed_hertz = 10000000, times = 20;
  const uint32_t second = transport->units_per_second != 0 ? transport->units_per_second : assumed_hertz;
  const uint32_t step = assumed_hertz / times; /* this many units a second are one unit for each cycle */
  const uint32_t units_per_cycle = second / step + (second % step != 0);
  const uint64_t most = UINT64_MAX >> 16; /* more cycles take a year at any clock */
  if (predicted_cycles > most) predicted_cycles = most;
  return predicted_cycles * units_per_cycle > second ? predicted_cycles * units_per_cycle : second;
}

int vdla_warning(const vdla_device* device, char* buffer, size_t size) {
  vdla_text text = vdla_text_in(buffer, size);
  if (device->interrupts_lost != 0) {
    vdla_text_add(&text, device->interrupts_taken == 0
                             ? "the interrupt is not wired, or its controller has it off: none came, and "
                             : "interrupts get lost: ");
    vdla_text_add_unsigned(&text, device->interrupts_lost);
    vdla_text_add(&text, " of ");
    vdla_text_add_unsigned(&text, (uint64_t)device->interrupts_lost + device->interrupts_taken);
    vdla_text_add(&text,
                  " waits ended by polling; check the line, its number and that its controller has it on");
  }
  if (device->hard_resets != 0) {
    vdla_text_add(&text, text.used != 0 ? "; " : "");
    vdla_text_add(&text, "hard resets, because a soft reset did not end: ");
    vdla_text_add_unsigned(&text, device->hard_resets);
  }
  return text.used != 0;
}
