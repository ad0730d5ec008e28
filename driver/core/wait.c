/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/wait.h"

#include "driver/core/describe.h"
#include "driver/core/registers.h"
#include "driver/core/state.h"
#include "isa/generated/vdla_isa.h"

/* Spurious interrupts (a shared line) are tolerated, up to so many. */
enum { kUnexplainedInterrupts = 16 };

/* Appends who waits for what. A transport failure on the way is reported in its place: the cause found so far
 * stays readable. */
static void add_units(vdla_device* device, vdla_text* text) {
  vdla_unit_states states;
  vdla_device probe = *device; /* so that a failing read does not overwrite the message under construction */
  vdla_text_add(text, ": ");
  if (vdla_read_units(&probe, &states) != VDLA_DRIVER_OK)
    vdla_text_add(text, probe.message);
  else
    vdla_describe_units(&states, text->buffer + text->used, text->size - text->used);
}

static vdla_driver_status stuck(vdla_device* device, vdla_driver_status status, uint64_t timeout) {
  vdla_text text = vdla_message(device);
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
  text = vdla_message(device);
  vdla_text_add(&text, "the program hangs, the device found no unit making progress");
  if (cycles != 0) {
    vdla_text_add(&text, " for ");
    vdla_text_add_unsigned(&text, limit < VDLA_MIN_STALL_LIMIT ? VDLA_MIN_STALL_LIMIT : limit);
    vdla_text_add(&text, " cycles");
  }
  add_units(device, &text);
  return VDLA_DRIVER_DEADLOCK;
}

static vdla_driver_status device_error(vdla_device* device, const vdla_launch* launch) {
  vdla_device_error error;
  vdla_text text;
  VDLA_TRY(vdla_read_error(device, &error));
  if (error.code == VDLA_ERROR_STALL) return stalled(device, launch->stall_limit);
  text = vdla_message(device);
  vdla_text_add(&text, "the device stopped with an error: ");
  vdla_describe_error(&error, text.buffer + text.used, text.size - text.used);
  return VDLA_DRIVER_DEVICE;
}

static vdla_driver_status finished(vdla_device* device, const vdla_launch* launch) {
  uint32_t sequence = 0;
  vdla_text text;
  VDLA_TRY(vdla_get(device, VDLA_REG_SEQUENCE, &sequence));
  if (sequence == launch->sequence) return VDLA_DRIVER_OK;
  text = vdla_message(device);
  vdla_text_add(&text, "the device finished sequence number ");
  vdla_text_add_unsigned(&text, sequence);
  vdla_text_add(&text, ", the program started has ");
  vdla_text_add_unsigned(&text, launch->sequence);
  vdla_text_add(&text, "; is another user driving the same device?");
  return VDLA_DRIVER_SEQUENCE;
}

/* Takes what the interrupt status says; *pending stays 1 when it says nothing yet. */
static vdla_driver_status acknowledge(vdla_device* device, const vdla_launch* launch, int* pending) {
  uint32_t irq = 0;
  VDLA_TRY(vdla_get(device, VDLA_REG_IRQ_STATUS, &irq));
  irq &= VDLA_IRQ_DONE | VDLA_IRQ_ERROR;
  *pending = irq == 0;
  if (irq == 0) return VDLA_DRIVER_OK;
  VDLA_TRY(vdla_put(device, VDLA_REG_IRQ_STATUS, irq));
  return (irq & VDLA_IRQ_ERROR) != 0 ? device_error(device, launch) : finished(device, launch);
}

static vdla_driver_status unexplained_interrupt(vdla_device* device) {
  vdla_text text = vdla_message(device);
  vdla_text_add(
      &text,
      "the interrupt was raised 16 times while register IRQ_STATUS read 0; check the interrupt's wiring");
  return VDLA_DRIVER_TRANSPORT;
}

vdla_driver_status vdla_wait(vdla_device* device, const vdla_launch* launch, uint64_t timeout) {
  const vdla_transport* transport = device->transport;
  uint64_t left = timeout;
  int unexplained = 0;
  for (;;) {
    uint64_t spent = 0;
    int pending = 1;
    const vdla_wait_result result = transport->wait_interrupt(transport->context, left, &spent);
    if (result == VDLA_WAIT_FAILED) return vdla_transport_failed(device, "wait for the interrupt");
    /* Also after a timeout: an interrupt that got lost on the way is not a program that did not finish. */
    VDLA_TRY(acknowledge(device, launch, &pending));
    if (!pending) return VDLA_DRIVER_OK;
    if (result == VDLA_WAIT_STUCK) return stuck(device, VDLA_DRIVER_DEADLOCK, timeout);
    if (result == VDLA_WAIT_TIMEOUT) return stuck(device, VDLA_DRIVER_TIMEOUT, timeout);
    if (++unexplained == kUnexplainedInterrupts) return unexplained_interrupt(device);
    left -= spent < left ? spent : left;
  }
}
