# SPDX-License-Identifier: Apache-2.0
# @BANNER@
# Of the accelerator synthesised by itself. In a design the clock comes with the processing system or the platform.
create_clock -name aclk -period @PERIOD_NS@ [get_ports aclk]
