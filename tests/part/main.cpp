// SPDX-License-Identifier: Apache-2.0
// main() of tests with PARTS (vdla_test).
#include <gtest/gtest.h>

#include "tests/part/part.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return vdla::part::run_part(VDLA_TEST_PARTS);
}
