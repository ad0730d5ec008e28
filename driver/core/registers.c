/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/registers.h"

#include "isa/generated/vdla_isa.h"

vdla_text vdla_message(vdla_device* device, const char* begin) {
  vdla_text text = vdla_text_in(device->message, sizeof device->message);
  vdla_text_add(&text, begin);
  return text;
}

static void add_transport_failure(const vdla_device* device, vdla_text* text, const char* what) {
  const vdla_transport* transport = device->transport;
  vdla_text_add(text, "the transport failed to ");
  vdla_text_add(text, what);
  vdla_text_add(text, ": ");
  vdla_text_add(text, transport->last_error(transport->context));
}

vdla_driver_status vdla_transport_failed(vdla_device* device, const char* what) {
  vdla_text text = vdla_message(device, "");
  add_transport_failure(device, &text, what);
  return VDLA_DRIVER_TRANSPORT;
}

vdla_driver_status vdla_peek(const vdla_device* device, uint32_t offset, uint32_t* value) {
  const vdla_transport* transport = device->transport;
  uint32_t magic = 0;
  if (transport->read32(transport->context, offset, value) != 0) return VDLA_DRIVER_TRANSPORT;
  if (*value != UINT32_MAX) return VDLA_DRIVER_OK;
  /* Some registers may hold that, MAGIC never does. */
  if (transport->read32(transport->context, VDLA_REG_MAGIC, &magic) != 0) return VDLA_DRIVER_TRANSPORT;
  return magic == UINT32_MAX ? VDLA_DRIVER_BUS : VDLA_DRIVER_OK;
}

void vdla_add_fault(const vdla_device* device, vdla_text* text, vdla_driver_status fault) {
  if (fault == VDLA_DRIVER_TRANSPORT) {
    add_transport_failure(device, text, "read a register");
    return;
  }
  vdla_text_add(
      text,
      "nothing answers on the bus, all registers read 0xffffffff; check that the bitstream is loaded, "
      "its clock runs, its reset is released and the base address is right");
}

vdla_driver_status vdla_get(vdla_device* device, uint32_t offset, uint32_t* value) {
  const vdla_driver_status status = vdla_peek(device, offset, value);
  if (status != VDLA_DRIVER_OK) {
    vdla_text text = vdla_message(device, "");
    vdla_add_fault(device, &text, status);
  }
  return status;
}

vdla_driver_status vdla_require_magic(vdla_device* device) {
  uint32_t magic = 0;
  vdla_text text;
  VDLA_TRY(vdla_get(device, VDLA_REG_MAGIC, &magic));
  if (magic == VDLA_MAGIC) return VDLA_DRIVER_OK;
  text = vdla_message(device, "no VDLA device answers: register MAGIC reads ");
  vdla_text_add_hex(&text, magic, 8);
  vdla_text_add(&text, ", needs ");
  vdla_text_add_hex(&text, VDLA_MAGIC, 8);
  vdla_text_add(&text, "; check the base address and that the bitstream is loaded");
  return VDLA_DRIVER_NO_DEVICE;
}

vdla_driver_status vdla_put(vdla_device* device, uint32_t offset, uint32_t value) {
  const vdla_transport* transport = device->transport;
  if (transport->write32(transport->context, offset, value) == 0) return VDLA_DRIVER_OK;
  return vdla_transport_failed(device, "write a register");
}

vdla_driver_status vdla_get64(vdla_device* device, uint32_t offset, uint64_t* value) {
  uint32_t low = 0, high = 0, again = 0;
  VDLA_TRY(vdla_get(device, offset + 4, &high));
  VDLA_TRY(vdla_get(device, offset, &low));
  VDLA_TRY(vdla_get(device, offset + 4, &again));
  if (again != high) { /* the low word wrapped in between: read it again with its own high word */
    high = again;
    VDLA_TRY(vdla_get(device, offset, &low));
  }
  *value = (uint64_t)high << 32 | low;
  return VDLA_DRIVER_OK;
}

vdla_driver_status vdla_put64(vdla_device* device, uint32_t offset, uint64_t value) {
  VDLA_TRY(vdla_put(device, offset, (uint32_t)value));
  return vdla_put(device, offset + 4, (uint32_t)(value >> 32));
}
