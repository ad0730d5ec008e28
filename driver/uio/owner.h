/* SPDX-License-Identifier: Apache-2.0 */
/* One user of a device file: flock, which ends with the process however that ends. */
#ifndef VDLA_DRIVER_UIO_OWNER_H
#define VDLA_DRIVER_UIO_OWNER_H

#include <stddef.h>

#include "driver/core/types.h"

/* OWNED and who has it, or TRANSPORT. */
vdla_driver_status vdla_take(int file, const char* path, char* message, size_t size);

#endif
