// SPDX-License-Identifier: Apache-2.0
// Small machines for tests, with short queues and few tokens so that limits show.
#pragma once

#include "isa/spec/geometry.h"

namespace vdla::codegen::testing {

inline isa::Geometry small_geometry(unsigned batch = 1, unsigned block_in = 4, unsigned block_out = 4) {
  isa::Geometry g;
  g.batch = batch;
  g.block_in = block_in;
  g.block_out = block_out;
  g.inp_depth = 256;
  g.wgt_depth = g.out_depth = g.par_depth = 64;
  g.acc_depth = g.uop_depth = 256;
  g.queue_depth = 4;
  g.token_depth = 2;
  return g;
}

}  // namespace vdla::codegen::testing
