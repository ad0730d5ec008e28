/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/registers.h"

vdla_text vdla_message(vdla_device* device) { return vdla_text_in(device->message, sizeof device->message); }

vdla_driver_status vdla_transport_failed(vdla_device* device, const char* what) {
  const vdla_transport* transport = device->transport;
  vdla_text text = vdla_message(device);
  vdla_text_add(&text, "the transport failed to ");
  vdla_text_add(&text, what);
  vdla_text_add(&text, ": ");
  vdla_text_add(&text, transport->last_error(transport->context));
  return VDLA_DRIVER_TRANSPORT;
}

vdla_driver_status vdla_get(vdla_device* device, uint32_t offset, uint32_t* value) {
  const vdla_transport* transport = device->transport;
  if (transport->read32(transport->context, offset, value) == 0) return VDLA_DRIVER_OK;
  return vdla_transport_failed(device, "read a register");
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
