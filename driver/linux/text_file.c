/* SPDX-License-Identifier: Apache-2.0 */
#define _FILE_OFFSET_BITS 64 /* 32-bit CPUs: inodes of large file systems */
#include "driver/linux/text_file.h"

#include <stdio.h>
#include <string.h>

int vdla_read_line(const char* path, char* line, size_t size) {
  FILE* file = fopen(path, "r");
  if (file == NULL) return 1;
  line[0] = '\0';
  if (fgets(line, (int)size, file) != NULL) line[strcspn(line, "\r\n")] = '\0';
  fclose(file);
  return 0;
}
