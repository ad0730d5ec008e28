/* SPDX-License-Identifier: Apache-2.0 */
/* One user of a device: flock of a file or folder that stands for it, which ends with the process however
   that ends. */
#ifndef VDLA_DRIVER_LINUX_OWNER_H
#define VDLA_DRIVER_LINUX_OWNER_H

#include <stddef.h>

#include "driver/core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* OWNED and who has it, or TRANSPORT. `name` is the device in these sentences. */
vdla_driver_status vdla_take(int file, const char* name, char* message, size_t size);

#ifdef __cplusplus
}
#endif

#endif
