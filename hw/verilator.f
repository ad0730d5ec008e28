// SPDX-License-Identifier: Apache-2.0
// Flags of every call of Verilator whose code runs (-f hw/verilator.f): the engine's libraries and all tests. They
// stand here and nowhere else.
-O3
// This optimisation computes wrong values in Debian's Verilator 5.006: https://github.com/verilator/verilator/issues
// 4059, 4832, 4841, 4842, 4857, 5186. Without it simulation is as fast. It stands behind -O3, which would turn it on
// again. tests/hw/verilator_flags_test.py shows the fault.
-fno-const-bit-op-tree
