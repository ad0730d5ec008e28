/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64 /* 32-bit CPUs: directories and inodes of large file systems */
#include "driver/uio/uio.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "driver/linux/owner.h"
#include "driver/linux/text_file.h"
#include "driver/memory/arena.h"
#include "driver/memory/barrier.h"
#include "driver/memory/copy.h"
#include "driver/uio/guard.h"
#include "driver/uio/sysfs.h"
#include "isa/generated/vdla_isa.h"

/* Waits begin with this, in us: as long as going to sleep and waking up takes. */
enum { kFirstWait = 200, kCacheLine = 64, kErrorBytes = 640, kFirstBlocks = 16 };

/* A file mapped into this process. */
typedef struct mapping {
  void* pages;
  size_t page_bytes;
  uintptr_t first; /* first of the bytes that were asked for */
} mapping;

struct vdla_uio {
  vdla_transport transport;
  char name[VDLA_NAME_BYTES], root[VDLA_PATH_BYTES];
  /* -1: not open. memory_file: of a u-dma-buf. */
  int file, memory_file, sync_for_cpu, sync_for_device, sync_offset, sync_size;
  mapping registers, memory;
  int is_cached;     /* the memory, which may be accessed in any way then */
  int has_interrupt; /* 0: the kernel knows no line of it */
  int no_reset, no_reset_by_signals, any_fpga_state;
  int (*hard_reset)(void* context);
  void* hard_reset_context;
  int is_open; /* its registers may be touched: the FPGA was said to be configured when it was last asked */
  vdla_arena arena;
  char error[kErrorBytes];
  char fpga[kErrorBytes]; /* text of its managers */
};

static int fail(vdla_uio* uio, const char* what) {
  snprintf(uio->error, sizeof uio->error, "%s: %s: %s", uio->name, what, strerror(errno));
  return 1;
}

static int bus_failed(vdla_uio* uio, const char* what, uint32_t offset) {
  snprintf(
      uio->error, sizeof uio->error,
      "%s: bus error at the %s of register 0x%03x (SIGBUS); is the bitstream loaded, and does its clock run?",
      uio->name, what, offset);
  return 1;
}

static int not_open(vdla_uio* uio) {
  snprintf(uio->error, sizeof uio->error,
           "%s: its registers are not touched before configured() has said that the FPGA is", uio->name);
  return 1;
}

static int uio_read32(void* context, uint32_t offset, uint32_t* value) {
  vdla_uio* uio = context;
  if (!uio->is_open) return not_open(uio);
  return vdla_guarded_read(uio->registers.first + offset, value) == 0 ? 0 : bus_failed(uio, "read", offset);
}

static int uio_write32(void* context, uint32_t offset, uint32_t value) {
  vdla_uio* uio = context;
  if (!uio->is_open) return not_open(uio);
  return vdla_guarded_write(uio->registers.first + offset, value) == 0 ? 0 : bus_failed(uio, "write", offset);
}

static int grow(vdla_arena* arena) {
  const uint32_t capacity = arena->capacity == 0 ? kFirstBlocks : 2 * arena->capacity;
  vdla_block* blocks = realloc(arena->blocks, capacity * sizeof *blocks);
  if (blocks == NULL) return 1;
  arena->blocks = blocks;
  arena->capacity = capacity;
  return 0;
}

static int uio_alloc(void* context, uint64_t bytes, uint64_t alignment, uint64_t* device_address) {
  vdla_uio* uio = context;
  if (uio->arena.used == uio->arena.capacity && grow(&uio->arena) != 0) return fail(uio, "table of blocks");
  switch (vdla_arena_take(&uio->arena, bytes, alignment, device_address)) {
    case VDLA_ARENA_OK:
      return 0;
    case VDLA_ARENA_ALIGNMENT:
      snprintf(uio->error, sizeof uio->error, "DMA memory is aligned to a power of two, got %llu",
               (unsigned long long)alignment);
      return 1;
    case VDLA_ARENA_TABLE: /* it has just grown */
    case VDLA_ARENA_FULL:
      break;
  }
  snprintf(
      uio->error, sizeof uio->error,
      "%s: the DMA memory is too small: %llu bytes wanted, %llu of %llu in use; reserve more in the device "
      "tree, or give the module a larger size",
      uio->name, (unsigned long long)bytes, (unsigned long long)vdla_arena_taken(&uio->arena),
      (unsigned long long)uio->arena.bytes);
  return 1;
}

static void uio_free(void* context, uint64_t device_address) {
  vdla_uio* uio = context;
  vdla_arena_give_back(&uio->arena, device_address);
}

/* Address of a part of the memory in this process; 0: it is not all there. */
static uintptr_t mapped(vdla_uio* uio, uint64_t address, uint64_t bytes) {
  if (vdla_arena_contains(&uio->arena, address, bytes))
    return uio->memory.first + (uintptr_t)(address - uio->arena.first);
  snprintf(uio->error, sizeof uio->error, "%s: address 0x%llx + %llu bytes is outside of its DMA memory",
           uio->name, (unsigned long long)address, (unsigned long long)bytes);
  return 0;
}

static int uio_copy_in(void* context, uint64_t device_address, const void* from, uint64_t bytes) {
  vdla_uio* uio = context;
  const uintptr_t to = mapped(uio, device_address, bytes);
  if (to == 0) return 1;
  if (uio->is_cached)
    memcpy((void*)to, from, (size_t)bytes);
  else
    vdla_copy_to_device(to, from, (size_t)bytes);
  return 0;
}

static int uio_copy_out(void* context, void* to, uint64_t device_address, uint64_t bytes) {
  vdla_uio* uio = context;
  const uintptr_t from = mapped(uio, device_address, bytes);
  if (from == 0) return 1;
  if (uio->is_cached)
    memcpy(to, (const void*)from, (size_t)bytes);
  else
    vdla_copy_from_device(to, from, (size_t)bytes);
  return 0;
}

static void* uio_map(void* context, uint64_t device_address, uint64_t bytes) {
  return (void*)mapped(context, device_address, bytes);
}

static int write_number(vdla_uio* uio, int file, const char* name, uint64_t value) {
  char text[32];
  const int length = snprintf(text, sizeof text, "%llu\n", (unsigned long long)value);
  return pwrite(file, text, (size_t)length, 0) == length ? 0 : fail(uio, name);
}

/* u-dma-buf cleans and invalidates the range of two files when a third is written. */
static int sync_lines(vdla_uio* uio, int file, const char* name, uint64_t device_address, uint64_t bytes) {
  const uint64_t line = uio->arena.line, offset = device_address - uio->arena.first;
  const uint64_t begin = offset & ~(line - 1), end = (offset + bytes + line - 1) & ~(line - 1);
  if (mapped(uio, device_address, bytes) == 0) return 1;
  vdla_barrier();
  if (file < 0 || bytes == 0) return 0;
  return write_number(uio, uio->sync_offset, "sync_offset", begin) != 0 ||
         write_number(uio, uio->sync_size, "sync_size", end - begin) != 0 ||
         write_number(uio, file, name, 1) != 0;
}

static int uio_sync_for_device(void* context, uint64_t device_address, uint64_t bytes) {
  vdla_uio* uio = context;
  return sync_lines(uio, uio->sync_for_device, "sync_for_device", device_address, bytes);
}

static int uio_sync_for_cpu(void* context, uint64_t device_address, uint64_t bytes) {
  vdla_uio* uio = context;
  return sync_lines(uio, uio->sync_for_cpu, "sync_for_cpu", device_address, bytes);
}

static uint64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static struct timespec time_of(uint64_t us) {
  const uint64_t most = 1000000000; /* seconds; what is longer is asked for again */
  struct timespec t;
  t.tv_sec = (time_t)(us / 1000000 < most ? us / 1000000 : most);
  t.tv_nsec = (long)(us % 1000000 * 1000);
  return t;
}

/* 1: an event is there; 0: none within `us`; -1: errno. */
static int poll_event(const vdla_uio* uio, uint64_t us) {
  struct pollfd line = {.fd = uio->file, .events = POLLIN, .revents = 0};
  const struct timespec t = time_of(us);
  const int ready = ppoll(&line, 1, &t, NULL);
  if (ready <= 0) return ready;
  if ((line.revents & POLLIN) != 0) return 1;
  errno = EIO; /* the kernel says so of a device without a line */
  return -1;
}

/* Takes an event; the kernel counts them, and a read forgets all so far. */
static int take_event(const vdla_uio* uio) {
  uint32_t count;
  ssize_t taken;
  do taken = read(uio->file, &count, sizeof count);
  while (taken < 0 && errno == EINTR);
  if (taken == (ssize_t)sizeof count) return 0;
  if (taken >= 0) errno = EIO;
  return -1;
}

static int uio_arm_interrupt(void* context) {
  vdla_uio* uio = context;
  const int32_t on = 1;
  int stale;
  if (!uio->has_interrupt) return 0;
  do stale = poll_event(uio, 0);
  while (stale < 0 && errno == EINTR);
  if (stale > 0) stale = take_event(uio);
  while (stale >= 0 && write(uio->file, &on, sizeof on) != (ssize_t)sizeof on) {
    if (errno == EINTR) continue;
    if (errno == ENOSYS) return 0; /* a line that the kernel never masks */
    stale = -1;
  }
  if (stale >= 0) return 0;
  if (errno != EIO) return fail(uio, "letting the interrupt through");
  uio->has_interrupt = 0; /* none was registered: waits only pass time, and the core polls and warns */
  return 0;
}

static vdla_wait_result uio_wait_interrupt(void* context, uint64_t timeout, uint64_t* spent) {
  vdla_uio* uio = context;
  const uint64_t begin = now_us();
  *spent = 0;
  for (;;) {
    const uint64_t left = timeout > *spent ? timeout - *spent : 0;
    const struct timespec pause = time_of(left);
    int ready = 0;
    if (uio->has_interrupt)
      ready = poll_event(uio, left);
    else
      (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    if (ready > 0) ready = take_event(uio) == 0 ? 1 : -1;
    if (ready < 0 && errno != EINTR) {
      fail(uio, "waiting for the interrupt");
      return VDLA_WAIT_FAILED;
    }
    *spent = now_us() - begin;
    if (ready > 0) return VDLA_WAIT_INTERRUPT;
    if (*spent >= timeout) return VDLA_WAIT_TIMEOUT;
  }
}

/* From here on registers may be touched. */
static int open_registers(vdla_uio* uio) {
  if (uio->is_open) return 0;
  if (vdla_guard_begin(uio->registers.first, !uio->no_reset_by_signals && !uio->no_reset) != 0) return 1;
  uio->is_open = 1;
  return 0;
}

/* No register is touched any more, neither by accesses nor at the end. */
static void close_registers(vdla_uio* uio) {
  if (uio->is_open) vdla_guard_end(uio->registers.first);
  uio->is_open = 0;
}

static const char kTooMany[] = "this process has too many devices open already";

static int uio_configured(void* context, const char** said) {
  vdla_uio* uio = context;
  if (vdla_require_fpga(uio->root, uio->any_fpga_state, uio->fpga, sizeof uio->fpga) != VDLA_DRIVER_OK) {
    close_registers(uio);
    memcpy(uio->error, uio->fpga, sizeof uio->error);
    return 1;
  }
  if (open_registers(uio) != 0) {
    snprintf(uio->error, sizeof uio->error, "%s", kTooMany);
    return 1;
  }
  *said = uio->fpga;
  return 0;
}

static int uio_hard_reset(void* context) {
  vdla_uio* uio = context;
  if (uio->hard_reset(uio->hard_reset_context) == 0) return 0;
  snprintf(uio->error, sizeof uio->error, "%s: its hard reset failed", uio->name);
  return 1;
}

static const char* uio_last_error(void* context) {
  const vdla_uio* uio = context;
  return uio->error;
}

static void close_file(int* file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

static void give_back(vdla_uio* uio) {
  if (uio->registers.pages != NULL) munmap(uio->registers.pages, uio->registers.page_bytes);
  if (uio->memory.pages != NULL) munmap(uio->memory.pages, uio->memory.page_bytes);
  close_file(&uio->sync_for_cpu);
  close_file(&uio->sync_for_device);
  close_file(&uio->sync_offset);
  close_file(&uio->sync_size);
  close_file(&uio->memory_file);
  close_file(&uio->file); /* the lock ends with it */
  free(uio->arena.blocks);
  free(uio);
}

static int map_file(mapping* m, int file, const vdla_map* map, size_t file_offset) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  m->page_bytes = ((size_t)(map->offset + map->bytes) + page - 1) / page * page;
  m->pages = mmap(NULL, m->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)file_offset);
  if (m->pages == MAP_FAILED) {
    m->pages = NULL;
    return 1;
  }
  m->first = (uintptr_t)m->pages + (uintptr_t)map->offset;
  return 0;
}

static vdla_driver_status refuse(vdla_driver_status status, const char* what, const char* path, char* message,
                                 size_t size) {
  snprintf(message, size, "cannot %s %s: %s%s", what, path, strerror(errno),
           errno == EACCES || errno == EPERM ? "; a rule of udev can give it to a group of users" : "");
  return status;
}

static vdla_driver_status open_device(vdla_uio* uio, const vdla_uio_options* options, const char* root,
                                      char* message, size_t size) {
  char path[VDLA_PATH_BYTES];
  vdla_map registers, memory;
  vdla_driver_status status;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  snprintf(path, sizeof path, "%s/dev/%s", root, uio->name);
  uio->file = open(path, O_RDWR | O_CLOEXEC);
  if (uio->file < 0)
    return refuse(errno == ENOENT ? VDLA_DRIVER_NO_DEVICE : VDLA_DRIVER_TRANSPORT, "open", path, message,
                  size);
  status = options->shared ? VDLA_DRIVER_OK : vdla_take(uio->file, path, message, size);
  if (status != VDLA_DRIVER_OK) return status;
  status = vdla_find_map(root, uio->name, "registers", &registers, message, size);
  if (status != VDLA_DRIVER_OK) return status;
  if (registers.bytes < VDLA_REGISTER_SPACE) {
    snprintf(message, size, "%s: its map 'registers' has %llu bytes, needs %u", uio->name,
             (unsigned long long)registers.bytes, VDLA_REGISTER_SPACE);
    return VDLA_DRIVER_ARGUMENT;
  }
  if (map_file(&uio->registers, uio->file, &registers, registers.index * page) != 0)
    return refuse(VDLA_DRIVER_TRANSPORT, "map the registers of", path, message, size);
  if (options->udmabuf != NULL) return VDLA_DRIVER_OK;
  status = vdla_find_map(root, uio->name, "memory", &memory, message, size);
  if (status != VDLA_DRIVER_OK) return status;
  if (map_file(&uio->memory, uio->file, &memory, memory.index * page) != 0)
    return refuse(VDLA_DRIVER_TRANSPORT, "map the memory of", path, message, size);
  uio->arena.first = memory.address;
  uio->arena.bytes = memory.bytes;
  uio->arena.line = sizeof(uint64_t); /* no cache stands before it */
  return VDLA_DRIVER_OK;
}

static int open_in(const char* folder, const char* name) {
  char path[VDLA_PATH_BYTES + 32];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return open(path, O_WRONLY | O_CLOEXEC);
}

/* Cached, with the module's files for syncs; uncached where these are not writable. A buffer that the
 * hardware keeps coherent needs neither. */
static vdla_driver_status open_udmabuf(vdla_uio* uio, const vdla_uio_options* options, const char* root,
                                       char* message, size_t size) {
  char folder[VDLA_PATH_BYTES], path[VDLA_PATH_BYTES + 32], coherent[8] = "";
  int file;
  vdla_map memory;
  vdla_driver_status status = vdla_find_udmabuf(root, options->udmabuf, &memory, folder, message, size);
  if (status != VDLA_DRIVER_OK) return status;
  snprintf(path, sizeof path, "%s/dma_coherent", folder);
  uio->is_cached = vdla_read_line(path, coherent, sizeof coherent) == 0 && coherent[0] == '1';
  if (!uio->is_cached) {
    const int direction = open_in(folder, "sync_direction");
    uio->sync_for_cpu = open_in(folder, "sync_for_cpu");
    uio->sync_for_device = open_in(folder, "sync_for_device");
    uio->sync_offset = open_in(folder, "sync_offset");
    uio->sync_size = open_in(folder, "sync_size");
    uio->is_cached = direction >= 0 && uio->sync_for_cpu >= 0 && uio->sync_for_device >= 0 &&
                     uio->sync_offset >= 0 && uio->sync_size >= 0 &&
                     write_number(uio, direction, "sync_direction", 0) == 0; /* both ways */
    if (direction >= 0) close(direction);
    if (!uio->is_cached) {
      close_file(&uio->sync_for_cpu);
      close_file(&uio->sync_for_device);
    }
  }
  snprintf(path, sizeof path, "%s/dev/%s", root, options->udmabuf);
  file = open(path, O_RDWR | O_CLOEXEC | (uio->is_cached ? 0 : O_SYNC));
  if (file < 0) return refuse(VDLA_DRIVER_TRANSPORT, "open", path, message, size);
  status = options->shared ? VDLA_DRIVER_OK : vdla_take(file, path, message, size);
  if (status == VDLA_DRIVER_OK && map_file(&uio->memory, file, &memory, 0) != 0)
    status = refuse(VDLA_DRIVER_TRANSPORT, "map", path, message, size);
  uio->memory_file = file;
  uio->arena.first = memory.address;
  uio->arena.bytes = memory.bytes;
  uio->arena.line = uio->is_cached ? kCacheLine : sizeof(uint64_t);
  return status;
}

static void fill_transport(vdla_uio* uio, const vdla_uio_options* options) {
  vdla_transport* t = &uio->transport;
  t->context = uio;
  t->time_unit = "us";
  t->read32 = uio_read32;
  t->write32 = uio_write32;
  t->alloc = uio_alloc;
  t->free = uio_free;
  t->copy_in = uio_copy_in;
  t->copy_out = uio_copy_out;
  t->sync_for_device = uio_sync_for_device;
  t->sync_for_cpu = uio_sync_for_cpu;
  t->wait_interrupt = uio_wait_interrupt;
  t->last_error = uio_last_error;
  t->arm_interrupt = uio_arm_interrupt;
  t->map = uio->is_cached ? uio_map : NULL;
  t->units_per_second = 1000000;
  t->spin_reads = options->spin_reads;
  t->first_wait = kFirstWait;
  t->cache_line = uio->is_cached ? kCacheLine : 0;
  t->dma_bits = options->dma_bits;
  t->dma_first = uio->arena.first;
  t->dma_bytes = uio->arena.bytes;
  t->configured = uio_configured;
  t->hard_reset = uio->hard_reset != NULL ? uio_hard_reset : NULL;
}

vdla_driver_status vdla_uio_open(const vdla_uio_options* options, vdla_uio** opened, char* message,
                                 size_t size) {
  const char* root = options->root != NULL ? options->root : "";
  vdla_uio* uio = calloc(1, sizeof *uio);
  vdla_driver_status status = VDLA_DRIVER_OK;
  *opened = NULL;
  if (uio == NULL) {
    snprintf(message, size, "out of memory");
    return VDLA_DRIVER_TRANSPORT;
  }
  uio->file = uio->memory_file = -1;
  uio->sync_for_cpu = uio->sync_for_device = uio->sync_offset = uio->sync_size = -1;
  uio->has_interrupt = 1;
  uio->no_reset = options->no_reset;
  uio->no_reset_by_signals = options->no_reset_by_signals;
  uio->any_fpga_state = options->any_fpga_state;
  uio->hard_reset = options->hard_reset;
  uio->hard_reset_context = options->hard_reset_context;
  snprintf(uio->root, sizeof uio->root, "%s", root);
  if (!options->ask_fpga_later) status = vdla_require_fpga(root, options->any_fpga_state, message, size);
  if (status == VDLA_DRIVER_OK)
    status =
        vdla_find_uio(root, options->device != NULL ? options->device : "vdla", uio->name, message, size);
  if (status == VDLA_DRIVER_OK) status = open_device(uio, options, root, message, size);
  if (status == VDLA_DRIVER_OK && options->udmabuf != NULL)
    status = open_udmabuf(uio, options, root, message, size);
  if (status == VDLA_DRIVER_OK && !options->ask_fpga_later && open_registers(uio) != 0) {
    snprintf(message, size, "%s", kTooMany);
    status = VDLA_DRIVER_ARGUMENT;
  }
  if (status != VDLA_DRIVER_OK) {
    give_back(uio);
    return status;
  }
  fill_transport(uio, options);
  *opened = uio;
  return VDLA_DRIVER_OK;
}

void vdla_uio_close(vdla_uio* uio) {
  if (uio == NULL) return;
  if (uio->is_open && !uio->no_reset) vdla_guarded_reset(uio->registers.first);
  close_registers(uio);
  give_back(uio);
}

const vdla_transport* vdla_uio_transport(const vdla_uio* uio) { return &uio->transport; }
