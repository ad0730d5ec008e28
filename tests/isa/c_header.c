/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/isa/c_header.h"

#include "isa/generated/vdla_isa.h"

CHeaderFacts vdla_c_header_facts(void) {
  CHeaderFacts facts;
  facts.magic = VDLA_MAGIC;
  facts.isa_version = VDLA_ISA_VERSION;
  facts.insn_bytes = VDLA_INSN_BYTES;
  facts.window3_size_hi = VDLA_REG_WINDOW_SIZE_HI(3);
  facts.error_addr_hi = VDLA_REG_ERROR_ADDR_HI;
  facts.error_stall = VDLA_ERROR_STALL;
  facts.rule_text_1 = vdla_rule_text(1);
  facts.unit_text_2 = vdla_unit_text(2);
  return facts;
}
