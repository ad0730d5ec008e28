/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the kernel says in small text files below /sys and /proc. */
#ifndef VDLA_DRIVER_LINUX_TEXT_FILE_H
#define VDLA_DRIVER_LINUX_TEXT_FILE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The file's first line into `line`; 0 for success. */
int vdla_read_line(const char* path, char* line, size_t size);

#ifdef __cplusplus
}
#endif

#endif
