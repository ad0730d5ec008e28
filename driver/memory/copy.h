/* SPDX-License-Identifier: Apache-2.0 */
/* Copies to and from memory that the CPU maps as a device or uncached, where Arm faults on an unaligned
   access and memcpy makes some: that side is only touched by aligned words, and by bytes at the ends. */
#ifndef VDLA_DRIVER_MEMORY_COPY_H
#define VDLA_DRIVER_MEMORY_COPY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void vdla_copy_to_device(uintptr_t to, const void* from, size_t bytes);
void vdla_copy_from_device(void* to, uintptr_t from, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
