/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the device below the folder that it is given, resets it, and moves bytes at odd addresses there and
   back: what the smallest program of a board does, for uio_static_test.py. */
#include <stdio.h>
#include <string.h>

#include "driver/core/device.h"
#include "driver/uio/uio.h"

static int stop(const char* why) {
  printf("%s\n", why);
  return 1;
}

int main(int argc, char** argv) {
  static vdla_device device;
  static char why[VDLA_MESSAGE_BYTES];
  unsigned char sent[1001], back[1001];
  vdla_uio_options options = {0};
  vdla_uio* uio;
  const vdla_transport* t;
  uint64_t block;
  if (argc != 2) return stop("usage: uio_probe ROOT");
  options.root = argv[1];
  if (vdla_uio_open(&options, &uio, why, sizeof why) != VDLA_DRIVER_OK) return stop(why);
  t = vdla_uio_transport(uio);
  if (vdla_probe(&device, t) != VDLA_DRIVER_OK || vdla_reset(&device) != VDLA_DRIVER_OK)
    return stop(device.message);
  for (size_t i = 0; i < sizeof sent; ++i) sent[i] = (unsigned char)(i * 7);
  if (t->alloc(t->context, 2000, 64, &block) != 0 ||
      t->copy_in(t->context, block + 3, sent, sizeof sent) != 0 ||
      t->sync_for_device(t->context, block, 2000) != 0 || t->sync_for_cpu(t->context, block, 2000) != 0 ||
      t->copy_out(t->context, back, block + 3, sizeof back) != 0)
    return stop(t->last_error(t->context));
  if (memcmp(sent, back, sizeof sent) != 0) return stop("other bytes came back");
  printf("ISA version %u, memory at 0x%llx\n", device.identity.isa_version, (unsigned long long)block);
  vdla_uio_close(uio);
  return 0;
}
