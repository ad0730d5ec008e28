// SPDX-License-Identifier: Apache-2.0
// The tests' own main: SystemC's library brings another one.
#include <gmock/gmock.h>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
