/* SPDX-License-Identifier: Apache-2.0 */
/* Register access of the driver core: every failure of the transport becomes a status with a message.
 * Internal. */
#ifndef VDLA_DRIVER_CORE_REGISTERS_H
#define VDLA_DRIVER_CORE_REGISTERS_H

#include "driver/core/text.h"
#include "driver/core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device's message with its first words, to be gone on with. */
vdla_text vdla_message(vdla_device* device, const char* begin);
/* Message "the transport failed to ...: ..." and status TRANSPORT. */
vdla_driver_status vdla_transport_failed(vdla_device* device, const char* what);

/* OK, TRANSPORT or BUS (all ones, also from MAGIC: nothing is there); the message stays as it is. */
vdla_driver_status vdla_peek(const vdla_device* device, uint32_t offset, uint32_t* value);
/* The sentence for what vdla_peek() of that register gave. */
void vdla_add_fault(const vdla_device* device, vdla_text* text, vdla_driver_status fault);

vdla_driver_status vdla_get(vdla_device* device, uint32_t offset, uint32_t* value);
/* Refuses a device whose MAGIC is another number: NO_DEVICE, or BUS. */
vdla_driver_status vdla_require_magic(vdla_device* device);
vdla_driver_status vdla_put(vdla_device* device, uint32_t offset, uint32_t value);
/* LO at `offset`, HI 4 further on. Reading copes with a counter that runs. */
vdla_driver_status vdla_get64(vdla_device* device, uint32_t offset, uint64_t* value);
vdla_driver_status vdla_put64(vdla_device* device, uint32_t offset, uint64_t value);

#ifdef __cplusplus
}
#endif

/* Leaves the function with the status of a call that failed. */
#define VDLA_TRY(call)                                   \
  do {                                                   \
    const vdla_driver_status try_status = (call);        \
    if (try_status != VDLA_DRIVER_OK) return try_status; \
  } while (0)

#endif
