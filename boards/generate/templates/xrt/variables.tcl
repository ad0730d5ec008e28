# SPDX-License-Identifier: Apache-2.0
# @BANNER@
set root "@ROOT@"
set part "@PART_NUMBER@"
set variant "@VARIANT@"
set axi @AXI@
set parameters {
@PARAMETERS@
}
