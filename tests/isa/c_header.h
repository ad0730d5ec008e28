/* SPDX-License-Identifier: Apache-2.0
 * What a C translation unit sees in the generated header. */
#ifndef VDLA_TESTS_ISA_C_HEADER_H
#define VDLA_TESTS_ISA_C_HEADER_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
  uint32_t magic, isa_version, insn_bytes, window3_size_hi, error_addr_hi, error_stall;
  const char *rule_text_1, *unit_text_2;
} CHeaderFacts;
CHeaderFacts vdla_c_header_facts(void);
#ifdef __cplusplus
}
#endif
#endif
