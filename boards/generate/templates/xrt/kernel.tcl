# SPDX-License-Identifier: Apache-2.0
# @BANNER@
# Makes build/vdla_axi.xo, a kernel that its user drives by registers (XRT: xrt::ip).
#
#   vivado -mode batch -source kernel.tcl
set here [file dirname [file normalize [info script]]]
file mkdir [file join $here build]
source [file join $here package.tcl]
package_xo -force -xo_path [file join $here build vdla_axi.xo] -kernel_name vdla_axi -ip_directory [file join $here build ip] \
    -ctrl_protocol user_managed -output_kernel_xml [file join $here build kernel.xml]
