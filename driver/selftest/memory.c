/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/selftest/memory.h"

enum {
  kChunkBytes = 256, /* bytes that are copied at a time */
  kPerByte = 0x1d    /* step by which each byte of an address is moved, so that no two are alike */
};

static const struct {
  const char *name, *what;
} kPatterns[] = {
#define VDLA_PATTERN(name, text, what) {text, what},
    VDLA_MEMORY_PATTERNS(VDLA_PATTERN)
#undef VDLA_PATTERN
};

const char* vdla_memory_pattern_name(vdla_memory_pattern pattern) { return kPatterns[pattern].name; }
const char* vdla_memory_pattern_what(vdla_memory_pattern pattern) { return kPatterns[pattern].what; }

/* The low 32 bits of the address of 8 bytes, twice. */
static uint8_t address_byte(uint64_t address) {
  const uint32_t word = (uint32_t)address & ~(uint32_t)(VDLA_BEAT - 1), place = (uint32_t)address & 7;
  return (uint8_t)((word >> (8 * (place & 3))) + kPerByte * place);
}

static uint8_t walking_byte(uint64_t address, unsigned round) {
  const uint32_t bit = ((uint32_t)(address / VDLA_BEAT) + round) & 63;
  return bit / 8 == (address & 7) ? (uint8_t)(1u << bit % 8) : 0;
}

static uint8_t pattern_byte(const vdla_memory_range* range, uint64_t address) {
  switch (range->pattern) {
    case VDLA_MEMORY_ADDRESS:
      return address_byte(address);
    case VDLA_MEMORY_INVERSE:
      return (uint8_t)~address_byte(address);
    case VDLA_MEMORY_WALKING_ONES:
      return walking_byte(address, range->round);
    case VDLA_MEMORY_WALKING_ZEROS:
      return (uint8_t)~walking_byte(address, range->round);
    case VDLA_MEMORY_CHECKER:
      return ((address ^ range->round) & 1) != 0 ? 0xaa : 0x55;
    case VDLA_MEMORY_PATTERN_COUNT:
      break;
  }
  return 0;
}

static uint32_t chunk_at(const vdla_memory_range* range, uint64_t at, uint8_t* chunk) {
  const uint64_t left = range->bytes - at;
  const uint32_t bytes = left < kChunkBytes ? (uint32_t)left : kChunkBytes;
  for (uint32_t i = 0; i < bytes; ++i) chunk[i] = pattern_byte(range, range->address + at + i);
  return bytes;
}

int vdla_memory_fill(const vdla_transport* transport, const vdla_memory_range* range) {
  uint8_t chunk[kChunkBytes];
  for (uint64_t at = 0; at < range->bytes; at += kChunkBytes) {
    const uint32_t bytes = chunk_at(range, at, chunk);
    if (transport->copy_in(transport->context, range->address + at, chunk, bytes) != 0) return 1;
  }
  return transport->sync_for_device(transport->context, range->address, range->bytes);
}

void vdla_memory_compare(vdla_memory_difference* difference, uint64_t address, const uint8_t* read,
                         const uint8_t* needed, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint32_t place = (uint32_t)(address + i) & (VDLA_BEAT - 1);
    if (read[i] == needed[i]) continue;
    if (difference->bytes++ == 0) {
      difference->first = address + i;
      for (uint32_t k = 0; k < VDLA_BEAT; ++k) {
        const uint32_t of_beat = i - place + k; /* wraps around before the first byte */
        difference->read[k] = of_beat < bytes ? read[of_beat] : 0;
        difference->needed[k] = of_beat < bytes ? needed[of_beat] : 0;
      }
    }
    difference->last = address + i;
    difference->high[place] |= (uint8_t)(read[i] & ~needed[i]);
    difference->low[place] |= (uint8_t)(~read[i] & needed[i]);
  }
}

int vdla_memory_check(const vdla_transport* transport, const vdla_memory_range* range,
                      vdla_memory_difference* difference) {
  uint8_t needed[kChunkBytes], read[kChunkBytes];
  if (transport->sync_for_cpu(transport->context, range->address, range->bytes) != 0) return 1;
  for (uint64_t at = 0; at < range->bytes; at += kChunkBytes) {
    const uint32_t bytes = chunk_at(range, at, needed);
    if (transport->copy_out(transport->context, read, range->address + at, bytes) != 0) return 1;
    vdla_memory_compare(difference, range->address + at, read, needed, bytes);
  }
  return 0;
}

/* The only bit of a beat that is set in one of the masks; 64: there are others, or none. */
static uint32_t only_bit(const uint8_t* high, const uint8_t* low) {
  uint32_t found = 64;
  for (uint32_t bit = 0; bit < 64; ++bit) {
    if (((high[bit / 8] | low[bit / 8]) >> bit % 8 & 1) == 0) continue;
    if (found != 64) return 64;
    found = bit;
  }
  return found;
}

static int has_any(const uint8_t* mask) {
  uint8_t all = 0;
  for (uint32_t i = 0; i < VDLA_BEAT; ++i) all |= mask[i];
  return all != 0;
}

static int reads_only(const vdla_memory_difference* d, uint8_t value) {
  for (uint32_t i = 0; i < VDLA_BEAT; ++i)
    if (d->read[i] != value) return 0;
  return 1;
}

/* The address whose pattern the 8 bytes have; 0: it is none. */
static int is_address(const uint8_t* read, uint8_t inverted, uint32_t* address) {
  *address = 0;
  for (uint32_t i = 0; i < 4; ++i)
    *address |= (uint32_t)(uint8_t)((read[i] ^ inverted) - kPerByte * i) << (8 * i);
  for (uint32_t i = 4; i < VDLA_BEAT; ++i)
    if ((uint8_t)((read[i] ^ inverted) - kPerByte * i) != (uint8_t)(*address >> (8 * (i & 3)))) return 0;
  return (*address & (VDLA_BEAT - 1)) == 0;
}

/* Two addresses that are one: which lines between them do nothing. */
static void add_alias(vdla_text* text, uint64_t address, uint32_t other) {
  const uint32_t lines = ((uint32_t)address & ~(uint32_t)(VDLA_BEAT - 1)) ^ other;
  int first = 1;
  vdla_text_add(text, "what was written to ");
  vdla_text_add_hex(text, (address - (uint32_t)address) | other, 1);
  vdla_text_add(text,
                " is read there: both are one place, as where the memory is smaller than is said, or "
                "address lines do nothing (");
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if ((lines >> bit & 1) == 0) continue;
    vdla_text_add(text, first ? "bit " : ", ");
    vdla_text_add_unsigned(text, bit);
    first = 0;
  }
  vdla_text_add(text, ")");
}

static void add_line(vdla_text* text, const vdla_memory_difference* d, uint32_t bit) {
  vdla_text_add(text, "only bit ");
  vdla_text_add_unsigned(text, bit);
  vdla_text_add(text, " of each 64 is wrong, ");
  vdla_text_add(text, !has_any(d->low)    ? "which reads 1"
                      : !has_any(d->high) ? "which reads 0"
                                          : "which reads 0 and 1");
  vdla_text_add(text, ": a data line that is stuck, or a cell");
}

void vdla_memory_add_cause(vdla_text* text, const vdla_memory_difference* d, const vdla_memory_range* range) {
  const int is_of_addresses = range != 0 && range->pattern <= VDLA_MEMORY_INVERSE;
  const uint8_t inverted = is_of_addresses && range->pattern == VDLA_MEMORY_INVERSE ? 0xff : 0;
  uint32_t of_beat = 0, other = 0;
  for (uint32_t i = 0; i < VDLA_BEAT; ++i) of_beat |= (uint32_t)((d->high[i] | d->low[i]) != 0) << i;
  if (d->bytes == 0) return;
  if (of_beat == 0xf0)
    vdla_text_add(text, "only bytes 4 to 7 of each 8 are wrong, as where a port of 64 bits is set to 32");
  else if (of_beat == 0x0f)
    vdla_text_add(text, "only bytes 0 to 3 of each 8 are wrong, as where a port of 64 bits is set to 32");
  else if (only_bit(d->high, d->low) != 64)
    add_line(text, d, only_bit(d->high, d->low));
  else if (reads_only(d, 0xff) || (range != 0 && reads_only(d, 0)))
    vdla_text_add(text, "nothing keeps what is written, as where no memory is, or another address is mapped");
  else if (is_of_addresses && is_address(d->read, inverted, &other) &&
           other != ((uint32_t)d->first & ~(uint32_t)(VDLA_BEAT - 1)))
    add_alias(text, d->first, other);
}
