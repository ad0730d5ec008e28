/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/mmio/mmio.h"

#include "driver/core/text.h"
#include "driver/memory/barrier.h"
#include "driver/memory/copy.h"
#include "isa/generated/vdla_isa.h"

enum { kFirstWait = 64 };

static int fail(vdla_mmio* mmio, const char* what) {
  vdla_text text = vdla_text_in(mmio->error, sizeof mmio->error);
  vdla_text_add(&text, what);
  return 1;
}

/* CPU's address of these bytes of the region; 0 where they are not all in it. */
static uintptr_t cpu_address(vdla_mmio* mmio, uint64_t address, uint64_t bytes) {
  vdla_text text;
  if (vdla_arena_contains(&mmio->arena, address, bytes))
    return mmio->board.memory + (uintptr_t)(address - mmio->arena.first);
  text = vdla_text_in(mmio->error, sizeof mmio->error);
  vdla_text_add(&text, "address ");
  vdla_text_add_hex(&text, address, 1);
  vdla_text_add(&text, " + ");
  vdla_text_add_unsigned(&text, bytes);
  vdla_text_add(&text, " bytes is outside of the DMA memory at ");
  vdla_text_add_hex(&text, mmio->arena.first, 1);
  vdla_text_add(&text, " of ");
  vdla_text_add_unsigned(&text, mmio->arena.bytes);
  return 0;
}

static int mmio_read32(void* context, uint32_t offset, uint32_t* value) {
  const vdla_mmio* mmio = context;
  *value = vdla_register_read(mmio->board.registers + offset);
  return 0;
}

static int mmio_write32(void* context, uint32_t offset, uint32_t value) {
  const vdla_mmio* mmio = context;
  vdla_register_write(mmio->board.registers + offset, value);
  return 0;
}

static int mmio_alloc(void* context, uint64_t bytes, uint64_t alignment, uint64_t* device_address) {
  vdla_mmio* mmio = context;
  vdla_text text;
  switch (vdla_arena_take(&mmio->arena, bytes, alignment, device_address)) {
    case VDLA_ARENA_OK:
      return 0;
    case VDLA_ARENA_ALIGNMENT:
      return fail(mmio, "DMA memory is aligned to a power of two");
    case VDLA_ARENA_TABLE:
      return fail(mmio,
                  "there are VDLA_MMIO_BLOCKS blocks of DMA memory already; free some, or make that larger");
    case VDLA_ARENA_FULL:
      break;
  }
  text = vdla_text_in(mmio->error, sizeof mmio->error);
  vdla_text_add(&text, "the DMA memory is too small: ");
  vdla_text_add_unsigned(&text, bytes);
  vdla_text_add(&text, " bytes wanted, ");
  vdla_text_add_unsigned(&text, vdla_arena_taken(&mmio->arena));
  vdla_text_add(&text, " of ");
  vdla_text_add_unsigned(&text, mmio->arena.bytes);
  vdla_text_add(&text, " in use; give the board a larger region");
  return 1;
}

static void mmio_free(void* context, uint64_t device_address) {
  vdla_mmio* mmio = context;
  vdla_arena_give_back(&mmio->arena, device_address);
}

static int mmio_copy_in(void* context, uint64_t device_address, const void* from, uint64_t bytes) {
  vdla_mmio* mmio = context;
  const uintptr_t to = cpu_address(mmio, device_address, bytes);
  if (to == 0) return 1;
  if (mmio->board.normal_memory)
    __builtin_memcpy((void*)to, from, (size_t)bytes);
  else
    vdla_copy_to_device(to, from, (size_t)bytes);
  return 0;
}

static int mmio_copy_out(void* context, void* to, uint64_t device_address, uint64_t bytes) {
  vdla_mmio* mmio = context;
  const uintptr_t from = cpu_address(mmio, device_address, bytes);
  if (from == 0) return 1;
  if (mmio->board.normal_memory)
    __builtin_memcpy(to, (const void*)from, (size_t)bytes);
  else
    vdla_copy_from_device(to, from, (size_t)bytes);
  return 0;
}

typedef void (*cache_hook)(void* context, uintptr_t address, size_t bytes);

/* Whole lines: blocks begin and end with one, so the lines are those of one block. */
static int sync_lines(vdla_mmio* mmio, cache_hook hook, uint64_t device_address, uint64_t bytes) {
  const uintptr_t line = (uintptr_t)mmio->arena.line, at = cpu_address(mmio, device_address, bytes);
  uintptr_t begin, end;
  if (at == 0) return 1;
  vdla_barrier();
  if (hook == 0 || bytes == 0) return 0;
  begin = at & ~(line - 1);
  end = (at + (uintptr_t)bytes + line - 1) & ~(line - 1);
  hook(mmio->board.context, begin, (size_t)(end - begin));
  vdla_barrier();
  return 0;
}

static int mmio_sync_for_device(void* context, uint64_t device_address, uint64_t bytes) {
  vdla_mmio* mmio = context;
  return sync_lines(mmio, mmio->board.clean, device_address, bytes);
}

static int mmio_sync_for_cpu(void* context, uint64_t device_address, uint64_t bytes) {
  vdla_mmio* mmio = context;
  return sync_lines(mmio, mmio->board.invalidate, device_address, bytes);
}

static int has_risen(const vdla_mmio* mmio) {
  if (mmio->board.interrupt != 0) return mmio->board.interrupt(mmio->board.context);
  return vdla_register_read(mmio->board.registers + VDLA_REG_IRQ_STATUS) != 0;
}

static vdla_wait_result mmio_wait_interrupt(void* context, uint64_t timeout, uint64_t* spent) {
  const vdla_mmio* mmio = context;
  const vdla_mmio_board* board = &mmio->board;
  const uint64_t begin = board->now(board->context);
  for (;;) {
    const int risen = has_risen(mmio);
    *spent = board->now(board->context) - begin;
    if (risen) return VDLA_WAIT_INTERRUPT;
    if (*spent >= timeout) return VDLA_WAIT_TIMEOUT;
    if (board->idle != 0) board->idle(board->context);
  }
}

static int mmio_arm_interrupt(void* context) {
  const vdla_mmio* mmio = context;
  mmio->board.unmask(mmio->board.context);
  return 0;
}

static void* mmio_map(void* context, uint64_t device_address, uint64_t bytes) {
  return (void*)cpu_address(context, device_address, bytes);
}

static int mmio_hard_reset(void* context) {
  vdla_mmio* mmio = context;
  if (mmio->board.hard_reset(mmio->board.context) == 0) return 0;
  return fail(mmio, "the board's hard reset failed");
}

static int mmio_configured(void* context, const char** said) {
  vdla_mmio* mmio = context;
  vdla_text text;
  if (mmio->board.configured(mmio->board.context, said) == 0) return 0;
  text = vdla_text_in(mmio->error, sizeof mmio->error);
  vdla_text_add(&text, "the fabric is not configured: ");
  vdla_text_add(&text, *said);
  vdla_text_add(&text,
                "; load the bitstream first, since reading registers that are not there can stop the CPU");
  return 1;
}

static const char* mmio_last_error(void* context) {
  const vdla_mmio* mmio = context;
  return mmio->error;
}

static int check_board(vdla_mmio* mmio, const vdla_mmio_board* board, uint64_t line) {
  const uint64_t last = board->device_memory + (board->memory_bytes - 1);
  if (board->registers % 4 != 0) return fail(mmio, "the board's registers must lie at a multiple of 4");
  if (board->now == 0) return fail(mmio, "the board needs a time base: now() in microseconds");
  if ((line & (line - 1)) != 0) return fail(mmio, "the board's cache line must be a power of two");
  if (board->memory == 0 || board->memory_bytes == 0)
    return fail(mmio, "the board has no DMA memory: it needs `memory` and `memory_bytes`");
  if (((board->memory | board->memory_bytes | board->device_memory) & (line - 1)) != 0)
    return fail(mmio, "the board's DMA memory must begin and end with a line of its caches");
  if ((board->clean == 0) != (board->invalidate == 0) || (board->clean != 0 && board->cache_line == 0))
    return fail(mmio, "a board with caches needs clean(), invalidate() and their cache_line");
  if (last < board->device_memory ||
      (board->dma_bits != 0 && board->dma_bits < 64 && last >> board->dma_bits != 0))
    return fail(mmio, "the board's DMA memory lies beyond the addresses of the device's port (dma_bits)");
  return 0;
}

int vdla_mmio_open(vdla_mmio* mmio, const vdla_mmio_board* board) {
  vdla_transport* t = &mmio->transport;
  const uint64_t line = board->cache_line != 0 ? board->cache_line : sizeof(uintptr_t);
  const char* said;
  mmio->error[0] = '\0';
  if (check_board(mmio, board, line) != 0) return VDLA_MMIO_BOARD;
  mmio->board = *board;
  mmio->arena.first = board->device_memory;
  mmio->arena.bytes = board->memory_bytes;
  mmio->arena.line = line;
  mmio->arena.blocks = mmio->blocks;
  mmio->arena.used = 0;
  mmio->arena.capacity = VDLA_MMIO_BLOCKS;
  t->context = mmio;
  t->time_unit = "us";
  t->read32 = mmio_read32;
  t->write32 = mmio_write32;
  t->alloc = mmio_alloc;
  t->free = mmio_free;
  t->copy_in = mmio_copy_in;
  t->copy_out = mmio_copy_out;
  t->sync_for_device = mmio_sync_for_device;
  t->sync_for_cpu = mmio_sync_for_cpu;
  t->wait_interrupt = mmio_wait_interrupt;
  t->last_error = mmio_last_error;
  t->arm_interrupt = board->unmask != 0 ? mmio_arm_interrupt : 0;
  t->map = board->normal_memory ? mmio_map : 0;
  t->hard_reset = board->hard_reset != 0 ? mmio_hard_reset : 0;
  t->units_per_second = 1000000;
  t->spin_reads = board->spin_reads;
  t->first_wait = board->interrupt == 0 ? 0 : board->first_wait != 0 ? board->first_wait : kFirstWait;
  t->cache_line = board->cache_line;
  t->dma_bits = board->dma_bits;
  t->dma_first = board->device_memory;
  t->dma_bytes = board->memory_bytes;
  t->configured = board->configured != 0 ? mmio_configured : 0;
  if (t->configured != 0 && t->configured(mmio, &said) != 0) return VDLA_MMIO_NOT_CONFIGURED;
  return VDLA_MMIO_OK;
}
