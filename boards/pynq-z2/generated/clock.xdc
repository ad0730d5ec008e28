# SPDX-License-Identifier: Apache-2.0
# Made of board.json by `vdla board generate pynq-z2`: edit that file and make this one again.
# Of the accelerator synthesised by itself. In a design the clock comes with the processing system or the platform.
create_clock -name aclk -period 10.000 [get_ports aclk]
