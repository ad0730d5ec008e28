/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64 /* 32-bit CPUs: directories and inodes of large file systems */
#include "driver/uio/sysfs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/linux/text_file.h"

static int read_number(const char* folder, const char* name, uint64_t* value) {
  char path[VDLA_PATH_BYTES], line[VDLA_NAME_BYTES];
  char* end = line;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 1;
  if (vdla_read_line(path, line, sizeof line) != 0) return 1;
  *value = strtoull(line, &end, 0);
  return end == line;
}

/* Adds to a list "uio0 'timer', uio1 'vdla'" and cuts it where the room ends. */
static void add_to_list(char* list, size_t size, const char* entry, const char* name) {
  const size_t used = strlen(list);
  snprintf(list + used, size - used, "%s%.60s '%.60s'", used != 0 ? ", " : "", entry, name);
}

vdla_driver_status vdla_find_uio(const char* root, const char* wanted, char* found, char* message,
                                 size_t size) {
  char folder[VDLA_PATH_BYTES], path[VDLA_PATH_BYTES + 300], name[VDLA_NAME_BYTES];
  char matching[300] = "", others[300] = "";
  int matches = 0;
  struct dirent* entry;
  DIR* all;
  snprintf(folder, sizeof folder, "%s/sys/class/uio", root);
  all = opendir(folder);
  while (all != NULL && (entry = readdir(all)) != NULL) {
    if (entry->d_name[0] == '.' || strlen(entry->d_name) >= VDLA_NAME_BYTES) continue;
    snprintf(path, sizeof path, "%s/%s/name", folder, entry->d_name);
    if (vdla_read_line(path, name, sizeof name) != 0) continue;
    if (strcmp(wanted, name) != 0 && strcmp(wanted, entry->d_name) != 0) {
      add_to_list(others, sizeof others, entry->d_name, name);
      continue;
    }
    add_to_list(matching, sizeof matching, entry->d_name, name);
    snprintf(found, VDLA_NAME_BYTES, "%.*s", VDLA_NAME_BYTES - 1, entry->d_name);
    ++matches;
  }
  if (all != NULL) closedir(all);
  if (matches == 1) return VDLA_DRIVER_OK;
  if (matches > 1) {
    snprintf(message, size, "several UIO devices are '%s': %s; say which one, by uioN", wanted, matching);
    return VDLA_DRIVER_ARGUMENT;
  }
  snprintf(
      message, size,
      "no UIO device is named '%s'; %s has %s; load the kernel module of the board or the overlay of the "
      "bitstream",
      wanted, folder, others[0] != '\0' ? others : "none");
  return VDLA_DRIVER_NO_DEVICE;
}

/* Places a map that does not begin with a page: kernels say so by an address inside of it, newer ones by the
 * page's address, an offset, and a size that has the offset in it. */
static void place_in_page(const char* folder, vdla_map* map) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  map->offset = map->address % page;
  if (map->offset != 0 || read_number(folder, "offset", &map->offset) != 0) return;
  if (map->offset >= page || map->offset > map->bytes) map->offset = 0;
  map->address += map->offset;
  map->bytes -= map->offset;
}

vdla_driver_status vdla_find_map(const char* root, const char* uio, const char* name, vdla_map* map,
                                 char* message, size_t size) {
  char folder[VDLA_PATH_BYTES], path[VDLA_PATH_BYTES + 8], found[VDLA_NAME_BYTES], others[300] = "";
  for (unsigned i = 0;; ++i) {
    char entry[16];
    snprintf(folder, sizeof folder, "%s/sys/class/uio/%s/maps/map%u", root, uio, i);
    snprintf(path, sizeof path, "%s/name", folder);
    snprintf(entry, sizeof entry, "map%u", i);
    if (vdla_read_line(path, found, sizeof found) != 0) break;
    add_to_list(others, sizeof others, entry, found);
    if (strcmp(found, name) != 0) continue;
    map->index = i;
    if (read_number(folder, "addr", &map->address) != 0 || read_number(folder, "size", &map->bytes) != 0) {
      snprintf(message, size, "%s has no readable addr and size", folder);
      return VDLA_DRIVER_TRANSPORT;
    }
    place_in_page(folder, map);
    return VDLA_DRIVER_OK;
  }
  snprintf(message, size, "%s has no map named '%s', only %s; name it so in the device tree (reg-names)", uio,
           name, others[0] != '\0' ? others : "none at all");
  return VDLA_DRIVER_ARGUMENT;
}

vdla_driver_status vdla_find_udmabuf(const char* root, const char* name, vdla_map* map, char* folder,
                                     char* message, size_t size) {
  static const char* const classes[] = {"u-dma-buf", "udmabuf"}; /* since version 3, and before */
  map->index = 0;
  map->offset = 0;
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; ++i) {
    snprintf(folder, VDLA_PATH_BYTES, "%s/sys/class/%s/%s", root, classes[i], name);
    if (read_number(folder, "phys_addr", &map->address) == 0 && read_number(folder, "size", &map->bytes) == 0)
      return VDLA_DRIVER_OK;
  }
  snprintf(message, size,
           "no u-dma-buf is named '%s' in %s/sys/class/u-dma-buf; load its module with a size for it", name,
           root);
  return VDLA_DRIVER_NO_DEVICE;
}

vdla_driver_status vdla_require_fpga(const char* root, int any_state, char* message, size_t size) {
  char folder[VDLA_PATH_BYTES], path[VDLA_PATH_BYTES + 300], state[VDLA_NAME_BYTES], all_said[300] = "";
  int managers = 0, operating = 0;
  struct dirent* entry;
  DIR* all;
  snprintf(folder, sizeof folder, "%s/sys/class/fpga_manager", root);
  all = opendir(folder);
  while (all != NULL && (entry = readdir(all)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s/state", folder, entry->d_name);
    if (vdla_read_line(path, state, sizeof state) != 0) continue;
    ++managers;
    operating += strcmp(state, "operating") == 0;
    add_to_list(all_said, sizeof all_said, entry->d_name, state);
  }
  if (all != NULL) closedir(all);
  if (managers == 0) {
    snprintf(message, size, "nobody can be asked: %s has no FPGA manager", folder);
    return VDLA_DRIVER_OK;
  }
  if (operating > 0 || any_state) {
    snprintf(message, size, "%s%s", all_said, operating > 0 ? "" : ", which any_fpga_state lets pass");
    return VDLA_DRIVER_OK;
  }
  snprintf(
      message, size,
      "the FPGA is not configured: %s, needs 'operating'; load the bitstream first (fpgautil -b FILE), since "
      "reading registers that are not there can stop this machine",
      all_said);
  return VDLA_DRIVER_NO_DEVICE;
}
