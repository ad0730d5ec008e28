/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/device.h"

#include "driver/core/registers.h"
#include "isa/generated/vdla_isa.h"

/* A soft reset takes as long as the memory takes for bursts in flight: read at once kResetPolls times, then
 * let time pass in steps. */
enum { kResetPolls = 100, kResetWaits = 100, kResetWait = 10000 };

const char* vdla_driver_status_text(vdla_driver_status status) {
  switch (status) {
#define VDLA_CASE(name, doc) \
  case VDLA_DRIVER_##name:   \
    return doc;
    VDLA_DRIVER_STATUSES(VDLA_CASE)
#undef VDLA_CASE
  }
  return "unknown status";
}

vdla_driver_status vdla_probe(vdla_device* device, const vdla_transport* transport) {
  device->transport = transport;
  device->first_insn = 0;
  device->interrupts_taken = device->interrupts_lost = device->hard_resets = 0;
  device->message[0] = '\0';
  VDLA_TRY(vdla_require_magic(device));
  VDLA_TRY(vdla_get(device, VDLA_REG_ISA_VERSION, &device->identity.isa_version));
  VDLA_TRY(vdla_get(device, VDLA_REG_ADDRESS_BITS, &device->address_bits));
  return vdla_get64(device, VDLA_REG_GEOMETRY_HASH_LO, &device->identity.geometry_hash);
}

static vdla_driver_status other_geometry(vdla_device* device, const vdla_identity* needed) {
  uint32_t own[VDLA_GEOMETRY_FIELDS];
  vdla_text text;
  size_t used;
  for (unsigned field = 0; field < VDLA_GEOMETRY_FIELDS; ++field)
    VDLA_TRY(vdla_get(device, VDLA_REG_GEOMETRY(field), &own[field]));
  text = vdla_message(device, "the device has another geometry than the program was compiled for: ");
  used = text.used;
  if (needed->geometry != 0) vdla_add_geometry(&text, own, needed->geometry);
  if (text.used == used) vdla_text_add(&text, "GEOMETRY_HASH is another one; ");
  vdla_text_add(&text, "compile it again for the device's variant");
  return VDLA_DRIVER_GEOMETRY;
}

vdla_driver_status vdla_require(vdla_device* device, const vdla_identity* needed) {
  vdla_text text;
  if (device->identity.isa_version != needed->isa_version) {
    text = vdla_message(device, "the device has ISA version ");
    vdla_text_add_unsigned(&text, device->identity.isa_version);
    vdla_text_add(&text, ", the program needs version ");
    vdla_text_add_unsigned(&text, needed->isa_version);
    vdla_text_add(&text, "; compile it again with a kit of the device's version");
    return VDLA_DRIVER_VERSION;
  }
  if (device->identity.geometry_hash != needed->geometry_hash) {
    return other_geometry(device, needed);
  }
  return VDLA_DRIVER_OK;
}

static int is_reset(uint32_t status) {
  return (status & VDLA_STATUS_IDLE) != 0 && (status & (VDLA_STATUS_BUSY | VDLA_STATUS_ERROR)) == 0;
}

static vdla_driver_status not_reset(vdla_device* device, uint32_t status) {
  vdla_unit_states states;
  vdla_text text;
  VDLA_TRY(vdla_read_units(device, &states));
  text = vdla_message(device, "the device does not come out of soft reset: register STATUS reads ");
  vdla_text_add_hex(&text, status, 8);
  vdla_text_add(&text, ", needs idle");
  for (uint32_t unit = 0; unit <= VDLA_UNITS_WITH_QUEUE; ++unit) {
    if (!states.unit[unit].owed) continue;
    vdla_text_add(&text, "; the memory owes ");
    vdla_text_add(&text, vdla_unit_text(unit));
    vdla_text_add(&text, " an answer");
  }
  return VDLA_DRIVER_RESET;
}

vdla_driver_status vdla_soft_reset(vdla_device* device) {
  const vdla_transport* transport = device->transport;
  uint32_t status = 0;
  VDLA_TRY(vdla_put(device, VDLA_REG_CONTROL, VDLA_CONTROL_SOFT_RESET));
  for (int poll = 0; poll < kResetPolls + kResetWaits; ++poll) {
    VDLA_TRY(vdla_get(device, VDLA_REG_STATUS, &status));
    /* Interrupts that the program raised until now are not for the next one. */
    if (is_reset(status)) return vdla_put(device, VDLA_REG_IRQ_STATUS, VDLA_IRQ_DONE | VDLA_IRQ_ERROR);
    if (poll >= kResetPolls) {
      uint64_t spent = 0; /* interrupts are off: this is a pause */
      if (transport->arm_interrupt != 0 && transport->arm_interrupt(transport->context) != 0)
        return vdla_transport_failed(device, "let the interrupt through");
      if (transport->wait_interrupt(transport->context, kResetWait, &spent) == VDLA_WAIT_FAILED)
        return vdla_transport_failed(device, "wait for the end of the reset");
    }
  }
  return not_reset(device, status);
}

vdla_driver_status vdla_reset(vdla_device* device) {
  const vdla_transport* transport = device->transport;
  const vdla_driver_status status = vdla_soft_reset(device);
  if (status == VDLA_DRIVER_OK || transport->hard_reset == 0) return status;
  if (transport->hard_reset(transport->context) != 0)
    return vdla_transport_failed(device, "reset the device from outside");
  ++device->hard_resets;
  return vdla_soft_reset(device);
}

static vdla_driver_status refuse_busy(vdla_device* device) {
  uint32_t status = 0;
  VDLA_TRY(vdla_get(device, VDLA_REG_STATUS, &status));
  if ((status & VDLA_STATUS_BUSY) == 0) return VDLA_DRIVER_OK;
  (void)vdla_message(device,
                     "the device is still working on the previous program; wait for it or soft-reset it");
  return VDLA_DRIVER_BUSY;
}

static void add_range(vdla_text* text, uint64_t first, uint64_t bytes) {
  vdla_text_add_hex(text, first, 1);
  vdla_text_add(text, " to ");
  vdla_text_add_hex(text, first + (bytes - 1), 1);
}

/* Bits that both transport and device have. */
static uint32_t address_bits(const vdla_device* device) {
  const uint32_t port = device->transport->dma_bits, own = device->address_bits;
  return port == 0 || (own != 0 && own < port) ? own : port;
}

static int has_more_bits(uint64_t value, uint32_t bits) {
  if (bits == 0 || bits >= 64) return 0;
  return bits < 32 ? value >> 32 != 0 || (uint32_t)value >> bits != 0
                   : (uint32_t)(value >> 32) >> (bits - 32) != 0;
}

vdla_driver_status vdla_require_reach(vdla_device* device, uint64_t address, uint64_t bytes) {
  const vdla_transport* transport = device->transport;
  const uint64_t offset = address - transport->dma_first;
  const int outside =
      transport->dma_bytes != 0 && (address < transport->dma_first || offset > transport->dma_bytes ||
                                    bytes > transport->dma_bytes - offset);
  vdla_text text;
  if (bytes == 0 || (!outside && !has_more_bits(address + (bytes - 1), address_bits(device))))
    return VDLA_DRIVER_OK;
  text = vdla_message(device, "the device cannot reach memory from ");
  add_range(&text, address, bytes);
  if (outside) {
    vdla_text_add(&text, ": its memory is ");
    add_range(&text, transport->dma_first, transport->dma_bytes);
  } else {
    vdla_text_add(&text, ": its addresses have ");
    vdla_text_add_unsigned(&text, address_bits(device));
    vdla_text_add(&text, " bits; reserve memory below that");
  }
  return VDLA_DRIVER_ARGUMENT;
}

vdla_driver_status vdla_set_window(vdla_device* device, unsigned window, uint64_t base, uint64_t size) {
  if (window >= VDLA_WINDOWS) {
    vdla_text text = vdla_message(device, "window ");
    vdla_text_add_unsigned(&text, window);
    vdla_text_add(&text, " does not exist; there are ");
    vdla_text_add_unsigned(&text, VDLA_WINDOWS);
    return VDLA_DRIVER_ARGUMENT;
  }
  if (window == VDLA_WINDOW_INSN && base % VDLA_INSN_BYTES != 0) {
    vdla_text text = vdla_message(device, "window insn starts at ");
    vdla_text_add_hex(&text, base, 1);
    vdla_text_add(&text, ", which must be a multiple of ");
    vdla_text_add_unsigned(&text, VDLA_INSN_BYTES);
    return VDLA_DRIVER_ARGUMENT;
  }
  if (size > UINT64_MAX - base) {
    vdla_text text = vdla_message(device, "window ");
    vdla_text_add_unsigned(&text, window);
    vdla_text_add(&text, " starts at ");
    vdla_text_add_hex(&text, base, 1);
    vdla_text_add(&text, " and is too large for it: ");
    vdla_text_add_hex(&text, size, 1);
    vdla_text_add(&text, " bytes leave the address space");
    return VDLA_DRIVER_ARGUMENT;
  }
  VDLA_TRY(vdla_require_reach(device, base, size));
  VDLA_TRY(refuse_busy(device));
  VDLA_TRY(vdla_put64(device, VDLA_REG_WINDOW_BASE_LO(window), base));
  return vdla_put64(device, VDLA_REG_WINDOW_SIZE_LO(window), size);
}

static vdla_driver_status check_launch(vdla_device* device, const vdla_launch* launch) {
  vdla_text text;
  if (launch->insn_count > 0 && launch->insn_offset % VDLA_INSN_BYTES == 0) return VDLA_DRIVER_OK;
  text = vdla_message(device, "");
  if (launch->insn_count == 0) {
    vdla_text_add(&text, "a program needs at least one instruction, got 0");
  } else {
    vdla_text_add(&text, "instructions start at byte ");
    vdla_text_add_unsigned(&text, launch->insn_offset);
    vdla_text_add(&text, " of their window, which must be a multiple of ");
    vdla_text_add_unsigned(&text, VDLA_INSN_BYTES);
  }
  return VDLA_DRIVER_ARGUMENT;
}

vdla_driver_status vdla_start(vdla_device* device, const vdla_launch* launch) {
  VDLA_TRY(check_launch(device, launch));
  VDLA_TRY(refuse_busy(device));
  device->first_insn = launch->insn_offset / VDLA_INSN_BYTES;
  VDLA_TRY(vdla_put(device, VDLA_REG_INSN_OFFSET, launch->insn_offset));
  VDLA_TRY(vdla_put(device, VDLA_REG_INSN_COUNT, launch->insn_count));
  VDLA_TRY(vdla_put(device, VDLA_REG_STALL_LIMIT, launch->stall_limit));
  /* Interrupts that an earlier program left raised must not be taken for this one's. */
  VDLA_TRY(vdla_put(device, VDLA_REG_IRQ_STATUS, VDLA_IRQ_DONE | VDLA_IRQ_ERROR));
  return vdla_put(device, VDLA_REG_CONTROL, VDLA_CONTROL_START | VDLA_CONTROL_IRQ_ENABLE);
}

vdla_driver_status vdla_run(vdla_device* device, const vdla_launch* launch, uint64_t timeout) {
  VDLA_TRY(vdla_start(device, launch));
  return vdla_wait(device, launch, timeout);
}
