# SPDX-License-Identifier: Apache-2.0
# Makes build/vdla_axi.xo in a card's folder (board.tcl), a kernel that its user drives by registers (XRT: xrt::ip).
#
#   VDLA_BOARD=boards/alveo-u50/generated vivado -mode batch -source boards/fpga/kernel.tcl
source [file join [file dirname [file normalize [info script]]] package.tcl]
package_xo -force -xo_path [file join $out vdla_axi.xo] -kernel_name vdla_axi -ip_directory [file join $out ip] \
    -ctrl_protocol user_managed -output_kernel_xml [file join $out kernel.xml]
