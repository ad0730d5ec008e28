// SPDX-License-Identifier: Apache-2.0
#include "boards/spec/ports.h"

namespace vdla::boards {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// UG585 (address map; table of PS interrupts) and UG1085 (address map; GIC interrupts), names of properties:
// PG082 and PG201.
constexpr MasterPort kMasterPorts[] = {
    {Family::Zynq7000, "M_AXI_GP0", {0x4000'0000, 1024 * kMiB}, "PCW_USE_M_AXI_GP0", "", "M_AXI_GP0_ACLK"},
    {Family::Zynq7000, "M_AXI_GP1", {0x8000'0000, 1024 * kMiB}, "PCW_USE_M_AXI_GP1", "", "M_AXI_GP1_ACLK"},
    {Family::ZynqMp,
     "M_AXI_HPM0_FPD",
     {0xa000'0000, 256 * kMiB},
     "PSU__USE__M_AXI_GP0",
     "PSU__MAXIGP0__DATA_WIDTH",
     "maxihpm0_fpd_aclk"},
    {Family::ZynqMp,
     "M_AXI_HPM1_FPD",
     {0xb000'0000, 256 * kMiB},
     "PSU__USE__M_AXI_GP1",
     "PSU__MAXIGP1__DATA_WIDTH",
     "maxihpm1_fpd_aclk"},
    {Family::ZynqMp,
     "M_AXI_HPM0_LPD",
     {0x8000'0000, 512 * kMiB},
     "PSU__USE__M_AXI_GP2",
     "PSU__MAXIGP2__DATA_WIDTH",
     "maxihpm0_lpd_aclk"},
};

constexpr SlavePort kSlavePorts[] = {
    {Family::Zynq7000, "S_AXI_HP0", 64, 32, "PCW_USE_S_AXI_HP0", "PCW_S_AXI_HP0_DATA_WIDTH", "S_AXI_HP0_ACLK",
     "S_AXI_HP0/HP0_DDR_LOWOCM"},
    {Family::Zynq7000, "S_AXI_HP1", 64, 32, "PCW_USE_S_AXI_HP1", "PCW_S_AXI_HP1_DATA_WIDTH", "S_AXI_HP1_ACLK",
     "S_AXI_HP1/HP1_DDR_LOWOCM"},
    {Family::Zynq7000, "S_AXI_HP2", 64, 32, "PCW_USE_S_AXI_HP2", "PCW_S_AXI_HP2_DATA_WIDTH", "S_AXI_HP2_ACLK",
     "S_AXI_HP2/HP2_DDR_LOWOCM"},
    {Family::Zynq7000, "S_AXI_HP3", 64, 32, "PCW_USE_S_AXI_HP3", "PCW_S_AXI_HP3_DATA_WIDTH", "S_AXI_HP3_ACLK",
     "S_AXI_HP3/HP3_DDR_LOWOCM"},
    {Family::ZynqMp, "S_AXI_HP0_FPD", 128, 49, "PSU__USE__S_AXI_GP2", "PSU__SAXIGP2__DATA_WIDTH",
     "saxihp0_fpd_aclk", "SAXIGP2/HP0_DDR_LOW"},
    {Family::ZynqMp, "S_AXI_HP1_FPD", 128, 49, "PSU__USE__S_AXI_GP3", "PSU__SAXIGP3__DATA_WIDTH",
     "saxihp1_fpd_aclk", "SAXIGP3/HP1_DDR_LOW"},
    {Family::ZynqMp, "S_AXI_HP2_FPD", 128, 49, "PSU__USE__S_AXI_GP4", "PSU__SAXIGP4__DATA_WIDTH",
     "saxihp2_fpd_aclk", "SAXIGP4/HP2_DDR_LOW"},
    {Family::ZynqMp, "S_AXI_HP3_FPD", 128, 49, "PSU__USE__S_AXI_GP5", "PSU__SAXIGP5__DATA_WIDTH",
     "saxihp3_fpd_aclk", "SAXIGP5/HP3_DDR_LOW"},
};

constexpr InterruptPort kInterruptPorts[] = {
    {Family::Zynq7000, "IRQ_F2P", 0, 8, 61, "PCW_USE_FABRIC_INTERRUPT"},
    {Family::Zynq7000, "IRQ_F2P", 8, 8, 84, "PCW_USE_FABRIC_INTERRUPT"},
    {Family::ZynqMp, "pl_ps_irq0", 0, 8, 121, "PSU__USE__IRQ0"},
    {Family::ZynqMp, "pl_ps_irq1", 0, 8, 136, "PSU__USE__IRQ1"},
};

// UG585 (devcfg, register INT_STS) and UG1087 (CSU, register pcap_status): the bits by which Linux's FPGA
// managers of both families, zynq-fpga and zynqmp-fpga, say "operating".
constexpr FabricStatus kFabricStatuses[] = {
    {Family::Zynq7000, 0xf800'700c, 2, "PCFG_DONE of devcfg's INT_STS"},
    {Family::ZynqMp, 0xffca'3010, 3, "PL_DONE of the CSU's pcap_status"},
};

}  // namespace

std::span<const MasterPort> master_ports() { return kMasterPorts; }
std::span<const SlavePort> slave_ports() { return kSlavePorts; }
std::span<const InterruptPort> interrupt_ports() { return kInterruptPorts; }
std::span<const FabricStatus> fabric_statuses() { return kFabricStatuses; }

}  // namespace vdla::boards
