/* SPDX-License-Identifier: Apache-2.0 */
/* How the driver core reaches a device: registers, DMA-visible memory and an interrupt, as function pointers
   with a context. A simulated machine (driver/sim) and boards (driver/mmio, driver/uio) stand behind it.
   Plain C, no OS. docs/driver.md has the contract at length; what a transport must hold to:

   Order. Register accesses happen in program order, one bus access each, never merged. write32 comes after
   all earlier copies and sync_for_device: what they wrote is in memory before the device sees the register
   change. A read32 is complete, and what the device wrote before it is in memory, when it returns: copy_out
   after it sees that. Between copy_out and memory stands sync_for_cpu.

   Interrupt. Before each wait the core calls arm_interrupt (forget what was counted, let the line through),
   reads the device's own IRQ_STATUS, and only then wait_interrupt (block). So an interrupt that rises between
   the three is not missed. A call of the system that a signal ended (EINTR) goes on with the time that is
   left. An interrupt that was raised without cause is harmless: the core reads IRQ_STATUS after each.

   Caches. alloc() rounds addresses and sizes to cache_line, so no two blocks share a line; a block has one
   owner at a time, the CPU or the device. sync_* round outwards to whole lines.

   Addresses. alloc() gives, and windows take, addresses as the device sees them. dma_bits, dma_first and
   dma_bytes say what it reaches; the core refuses others before the first register write.

   Fabric. A read of registers that are not there can stop the whole machine. So a transport that can ask
   whether the fabric is configured does so when it is opened, before any register of the device, and refuses
   with a sentence. `configured` asks again.

   Ownership. One process, one thread, one vdla_device at a time for a transport. A transport refuses a second
   user when it is opened, and says who has the device. */
#ifndef VDLA_DRIVER_CORE_TRANSPORT_H
#define VDLA_DRIVER_CORE_TRANSPORT_H

#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error \
    "VDLA reads and writes DMA memory in little-endian order, and copies move bytes as they are: \
a big-endian CPU would see every word of a tensor reversed. Compile for a little-endian one."
#endif

#ifdef __cplusplus
/* Members that a transport may leave out; in C they are 0 where an initializer does not name them. */
#define VDLA_OR_ZERO \
  {                  \
  }
extern "C" {
#else
#define VDLA_OR_ZERO
#endif

/* Result of a wait for the interrupt. */
typedef enum vdla_wait_result {
  VDLA_WAIT_INTERRUPT, /* the line is high, or was since arm_interrupt */
  VDLA_WAIT_TIMEOUT,   /* the time is over */
  VDLA_WAIT_STUCK,     /* the transport knows that nothing can happen any more (only a simulator can) */
  VDLA_WAIT_FAILED     /* the transport itself failed; last_error() says why */
} vdla_wait_result;

/* Functions that return int give 0 for success; otherwise last_error() describes the failure. */
typedef struct vdla_transport {
  void* context; /* first argument of every function */

  /* Unit of `timeout`: "us" on a board, "cycles" in simulation. */
  const char* time_unit;

  /* 32-bit registers; offsets are multiples of 4. */
  int (*read32)(void* context, uint32_t offset, uint32_t* value);
  int (*write32)(void* context, uint32_t offset, uint32_t value);

  /* DMA memory. `alignment` is a power of two. free() takes what alloc() gave. */
  int (*alloc)(void* context, uint64_t bytes, uint64_t alignment, uint64_t* device_address);
  void (*free)(void* context, uint64_t device_address);
  int (*copy_in)(void* context, uint64_t device_address, const void* from, uint64_t bytes);
  int (*copy_out)(void* context, void* to, uint64_t device_address, uint64_t bytes);

  /* Caches: what the CPU wrote becomes visible to the device; what the device wrote becomes visible to the
   * CPU. */
  int (*sync_for_device)(void* context, uint64_t device_address, uint64_t bytes);
  int (*sync_for_cpu)(void* context, uint64_t device_address, uint64_t bytes);

  /* Waits until the interrupt line is high, at most `timeout` units; `spent` receives what has passed. */
  vdla_wait_result (*wait_interrupt)(void* context, uint64_t timeout, uint64_t* spent);

  /* The text of the last failure; valid until the next call. */
  const char* (*last_error)(void* context);

  /* From here on every member may be left out (0). */

  /* Forgets interrupts that were counted before and lets the line through. 0: the line needs neither. */
  int (*arm_interrupt)(void* context) VDLA_OR_ZERO;
  /* The memory of a block as the CPU may touch it, by accesses of any size and alignment, between
   * sync_for_cpu and sync_for_device; null where this range cannot be had so. 0: copies only. */
  void* (*map)(void* context, uint64_t device_address, uint64_t bytes)VDLA_OR_ZERO;
  /* Resets device and bus from outside, also where the memory owes the device an answer that never comes.
   * 0: there is no such line. */
  int (*hard_reset)(void* context) VDLA_OR_ZERO;

  /* Units of time in a second; 0: the unit is a cycle of the device. */
  uint32_t units_per_second VDLA_OR_ZERO;
  /* Reads of IRQ_STATUS before the first wait_interrupt: programs that end at once cost no interrupt. */
  uint32_t spin_reads VDLA_OR_ZERO;
  /* Longest first wait, in units of time; waits double from it on, and the core looks at IRQ_STATUS after
   * each, so that an interrupt that never comes costs the time of the program again and no more. 0: no
   * interrupt can get lost, a wait is one piece. */
  uint32_t first_wait VDLA_OR_ZERO;
  /* Bytes of a line of the caches that stand before the memory; 0: none do, or they are coherent. */
  uint32_t cache_line VDLA_OR_ZERO;
  /* Bits of the addresses that the device's port has, and the memory behind it. 0: 64 bits, all of it. */
  uint32_t dma_bits VDLA_OR_ZERO;
  uint64_t dma_first VDLA_OR_ZERO;
  uint64_t dma_bytes VDLA_OR_ZERO;

  /* Asks the fabric's manager (an FPGA manager, PCAP) whether the fabric is configured, and touches no
   * register of the device. 0 for yes: `said` receives the manager's name, in words that live until the next
   * call. 0 in place of the function: this transport has no manager to ask. */
  int (*configured)(void* context, const char** said) VDLA_OR_ZERO;
} vdla_transport;

#ifdef __cplusplus
}
#endif

#endif
