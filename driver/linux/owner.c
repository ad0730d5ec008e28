/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64 /* 32-bit CPUs: directories and inodes of large file systems */
#include "driver/linux/owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "driver/linux/text_file.h"

/* The process whose flock the kernel lists for this file; 0: it lists none (a lock of another container). */
static long owner_of(int file) {
  struct stat status;
  char line[200];
  long owner = 0;
  FILE* locks = fopen("/proc/locks", "r");
  if (locks == NULL || fstat(file, &status) != 0) {
    if (locks != NULL) fclose(locks);
    return 0;
  }
  while (fgets(line, sizeof line, locks) != NULL) {
    unsigned high = 0, low = 0;
    unsigned long long node = 0;
    long process = 0;
    /* "1: FLOCK  ADVISORY  WRITE 4711 fe:00:11002143 0 EOF" */
    if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%llu", &process, &high, &low, &node) != 4) continue;
    if (node != status.st_ino) continue;
    if (owner == 0) owner = process; /* a layered file system shows another device number in stat */
    if (high == major(status.st_dev) && low == minor(status.st_dev)) {
      owner = process;
      break;
    }
  }
  fclose(locks);
  return owner;
}

vdla_driver_status vdla_take(int file, const char* name, char* message, size_t size) {
  char path[64], process[64] = "";
  long owner;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return VDLA_DRIVER_OK;
  if (errno != EWOULDBLOCK) {
    snprintf(message, size, "cannot lock %s: %s", name, strerror(errno));
    return VDLA_DRIVER_TRANSPORT;
  }
  owner = owner_of(file);
  snprintf(path, sizeof path, "/proc/%ld/comm", owner);
  if (owner == 0 || vdla_read_line(path, process, sizeof process) != 0)
    snprintf(process, sizeof process, "unknown");
  if (owner == 0)
    snprintf(message, size, "another process has %s; end it first", name);
  else
    snprintf(message, size, "process %ld (%s) has %s; end it first, or wait for it", owner, process, name);
  return VDLA_DRIVER_OWNED;
}
