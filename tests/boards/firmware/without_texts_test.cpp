// SPDX-License-Identifier: Apache-2.0
// Messages of the driver as numbers, for firmware without texts: boards/firmware/without_texts.c in place of
// the sentences.
#include <gmock/gmock.h>

#include <string>

#include "driver/core/describe.h"
#include "isa/generated/vdla_isa.h"

namespace vdla {
namespace {

TEST(WithoutTexts, OfAMessageItsNumbersAreLeft) {
  char buffer[64];
  vdla_text text = vdla_text_in(buffer, sizeof buffer);
  vdla_text_add(&text, "the device has ISA version ");
  vdla_text_add_unsigned(&text, 0);
  vdla_text_add(&text, ", register MAGIC reads ");
  vdla_text_add_hex(&text, 0xdeadbeef01234567, 8);
  EXPECT_STREQ(buffer, " 0 deadbeef01234567");
}

TEST(WithoutTexts, AreCutOffWhereTheBufferEnds) {
  char buffer[4];
  vdla_text text = vdla_text_in(buffer, sizeof buffer);
  vdla_text_add_unsigned(&text, 0x12345);
  EXPECT_STREQ(buffer, " 12");
}

TEST(WithoutTexts, AnErrorIsUnitInstructionCodeAddress) {
  char buffer[64];
  const vdla_device_error error = {VDLA_ERROR_STALL, VDLA_UNIT_STORE, 17, 0x1000};
  vdla_describe_error(&error, buffer, sizeof buffer);
  EXPECT_EQ(std::string(buffer), " 3 11 " + std::to_string(VDLA_ERROR_STALL) + " 1000");
}

TEST(WithoutTexts, OfEachUnitItsInstructionCycleAndStateAreTold) {
  char buffer[128];
  vdla_unit_states states = {};
  states.unit[VDLA_UNIT_GEMM] = {12, 88, 1, 0, 0, 0b0001, 0b1000};
  states.unit[VDLA_UNIT_FETCH] = {13, 0, 1, 1, 1, 0, 0};
  vdla_describe_units(&states, buffer, sizeof buffer);
  EXPECT_STREQ(buffer, " 0 0 0 c 58 811 0 0 0 0 0 0 d 0 7");
  vdla_describe_unit(VDLA_UNIT_GEMM, &states.unit[VDLA_UNIT_GEMM], buffer, sizeof buffer);
  EXPECT_STREQ(buffer, " c 58 811");
}

TEST(WithoutTexts, OfTheGeometryFieldsThatDifferAreTold) {
  char buffer[64];
  uint32_t device[VDLA_GEOMETRY_FIELDS] = {}, needed[VDLA_GEOMETRY_FIELDS] = {};
  device[2] = 16;
  vdla_text text = vdla_text_in(buffer, sizeof buffer);
  vdla_add_geometry(&text, device, needed);
  EXPECT_STREQ(buffer, " 2 10 0");
}

}  // namespace
}  // namespace vdla
